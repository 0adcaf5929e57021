import t, { type Test } from "tap";
import { AnswerLinks } from "../../src/auth/answer-links.ts";
import { openedAnswerSchema } from "../../src/web/api/answers-api.ts";
import { FakeClock } from "../fake-clock.ts";
import { PICTURE } from "./fake-desktops.ts";
import { openHouse } from "./fake-house.ts";

const LIFETIME_MS = 120_000;

/** A house whose links live by its clock, and what a page asks of it. */
async function open(t: Test) {
  const state = { isActive: true };
  const clock = new FakeClock();
  const answers = new AnswerLinks(clock, LIFETIME_MS, () => state.isActive);
  const house = await openHouse(t, { answers, rateTiers: { isOn: false } });
  const desktop = house.desktops.get("d1");
  const post = (path: string, payload: object) =>
    house.app.inject({ method: "POST", url: `/api/v1/answers${path}`, payload });
  const by = { id: "link:webhook phones", name: "whoever opened the link of webhook phones" };
  const issue = (questionId: string): string => answers.issue({ questionId, by });
  return { house, clock, state, desktop, post, issue };
}

t.test("a link shows its question and its picture, and takes one answer", async (t) => {
  const { house, desktop, post, issue } = await open(t);
  desktop.ask("q1");
  desktop.ask("q2");
  const ticket = issue("q1");
  const opened = await post("/open", { ticket });
  t.equal(opened.statusCode, 200);
  t.equal(opened.headers["cache-control"], "no-store");
  const body = openedAnswerSchema.strict().parse(opened.json());
  t.match(body, {
    approval: { id: "q1", text: "typed words", picture_url: null },
    desktop_name: "127.0.0.1:5900",
  });
  t.same(Buffer.from(body.picture ?? "", "base64"), Buffer.from(PICTURE));
  t.ok(desktop.calls.includes("all of q1 shown to link:webhook phones"), "its yes counts from now on");
  const decided = await post("", { key: body.key, decision: "approve" });
  t.match(decided.json(), { id: "q1", state: "granted" });
  t.same(desktop.decisions, [{ kind: "approve" }]);
  t.equal((await post("", { key: body.key, decision: "deny" })).statusCode, 404, "once");
  t.same(
    desktop.pending.map(({ id }) => id),
    ["q2"],
    "and nothing else",
  );
  const told = house.audited.map(({ type, actor }) => `${type} ${actor?.id ?? ""}`);
  t.ok(told.includes("approval.viewed link:webhook phones"));
  t.ok(told.includes("change.requested link:webhook phones"));
  t.notMatch(house.log() + JSON.stringify(house.audited), new RegExp(`${ticket}|${body.key}`));
});

t.test("a link that was used, and one that is too old", async (t) => {
  const { clock, house, desktop, post, issue } = await open(t);
  desktop.ask("q1");
  const ticket = issue("q1");
  const { key } = (await post("/open", { ticket })).json();
  const again = await post("/open", { ticket });
  t.equal(again.statusCode, 404);
  t.match(again.json(), { error: { code: "not_found", message: /used, has expired or never existed/ } });
  t.match(house.audited.at(-1), { type: "auth.failed", actor: { kind: "unknown" } });
  const late = issue("q1");
  clock.advance(LIFETIME_MS);
  t.equal((await post("/open", { ticket: late })).statusCode, 404, "nobody opened it in time");
  t.equal((await post("", { key, decision: "approve" })).statusCode, 404, "nor answered it");
  t.same(desktop.decisions, []);
});

t.test("a question that was settled elsewhere", async (t) => {
  const { desktop, post, issue } = await open(t);
  desktop.ask("q1");
  const { key } = (await post("/open", { ticket: issue("q1") })).json();
  const other = issue("q1");
  desktop.approvals.decide("q1", false, { kind: "human", id: "p", name: "P" });
  for (const answer of [
    await post("", { key, decision: "approve" }),
    await post("/open", { ticket: other }),
  ]) {
    t.equal(answer.statusCode, 404);
    t.match(answer.json().error.message, /over/);
  }
  t.same(desktop.decisions, [{ kind: "deny" }]);
});

t.test("nobody answers by another's link, by a ticket, or by a token", async (t) => {
  const { house, desktop, post, issue, state } = await open(t);
  desktop.ask("q1");
  desktop.ask("q2");
  const first = (await post("/open", { ticket: issue("q1") })).json();
  const ticket = issue("q2");
  t.equal((await post("", { key: ticket, decision: "approve" })).statusCode, 404, "a ticket is no key");
  t.equal((await post("/open", { ticket: first.key })).statusCode, 404, "nor a key a ticket");
  t.equal((await post("", { key: first.key, decision: "approve", id: "q2" })).statusCode, 400);
  t.equal((await post("", { key: first.key, decision: "take_over" })).statusCode, 400);
  t.equal((await post("", { key: house.token.admin, decision: "approve" })).statusCode, 404);
  const headers = { authorization: `Bearer ${first.key}` };
  t.equal(
    (await house.app.inject({ url: "/api/v1/approvals", headers })).statusCode,
    401,
    "and opens nothing else",
  );
  state.isActive = false;
  t.equal(
    (await post("", { key: first.key, decision: "approve" })).statusCode,
    404,
    "whose person may no longer",
  );
  t.equal((await post("/open", { ticket })).statusCode, 404);
  t.same(desktop.decisions, []);
});
