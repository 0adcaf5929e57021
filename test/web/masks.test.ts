import t from "tap";
import { masksSchema } from "../../src/web/api/api.ts";
import { openHouse } from "./fake-house.ts";

const URL = "/api/v1/desktops/d1/masks";
const RECT = { x: 10, y: 20, width: 300, height: 40 };

t.test(
  "who may hide and show something is in the one table of permissions, and agents may not",
  async (t) => {
    const { app, bearer } = await openHouse(t);
    const payload = { rect: RECT, audiences: ["agent"], label: "payroll" };
    for (const role of ["approver", "viewer", "agent"] as const) {
      const refused = await app.inject({ method: "POST", url: URL, headers: bearer(role), payload });
      t.equal(refused.statusCode, 403, role);
    }
    const made = await app.inject({ method: "POST", url: URL, headers: bearer("operator"), payload });
    t.equal(made.statusCode, 201);
    const { id } = made.json();
    for (const role of ["approver", "viewer", "agent"] as const) {
      const refused = await app.inject({ method: "DELETE", url: `${URL}/${id}`, headers: bearer(role) });
      t.equal(refused.statusCode, 403, role);
    }
    const told = await app.inject({ url: URL, headers: bearer("viewer") });
    t.match(masksSchema.parse(told.json()), [{ id, label: "payroll", audiences: ["agent"], places: [RECT] }]);
    const agents = await app.inject({ url: URL, headers: bearer("agent") });
    t.match(masksSchema.parse(agents.json()), [{ label: null }], "words are for people");
    const gone = await app.inject({ method: "DELETE", url: `${URL}/${id}`, headers: bearer("admin") });
    t.equal(gone.statusCode, 204);
    const again = await app.inject({ method: "DELETE", url: `${URL}/${id}`, headers: bearer("admin") });
    t.equal(again.statusCode, 404);
    t.same((await app.inject({ url: URL, headers: bearer("viewer") })).json(), []);
  },
);

t.test("a mask without audiences hides from all, and what cannot be read is refused", async (t) => {
  const { app, bearer } = await openHouse(t);
  const headers = bearer("admin");
  const made = await app.inject({ method: "POST", url: URL, headers, payload: { rect: RECT } });
  t.same(made.json().audiences, ["agent", "viewer", "recording"]);
  for (const [audiences, kept] of [
    [["viewer:viewer"], ["viewer:viewer", "recording"]],
    [
      ["recording", "viewer:approver", "agent"],
      ["agent", "viewer:approver", "recording"],
    ],
    [
      ["viewer:operator", "viewer"],
      ["viewer", "recording"],
    ],
    [["viewer"], ["viewer"]],
  ]) {
    const payload = { rect: RECT, audiences };
    const one = await app.inject({ method: "POST", url: URL, headers, payload });
    t.same(one.json().audiences, kept, `of ${audiences}`);
  }
  const text = { kinds: [], secrets: ["bank"] };
  const named = await app.inject({ method: "POST", url: URL, headers, payload: { text } });
  t.same(named.json().text, text);
  for (const payload of [
    {},
    { text: { secrets: [] } },
    { text: { secrets: ["a b"] } },
    { rect: { ...RECT, width: 0 } },
    { rect: { ...RECT, x: 0.5 } },
    { rect: RECT, audiences: [] },
    { rect: RECT, audiences: ["everybody"] },
    { rect: RECT, audiences: ["viewer:admin"] },
    { rect: RECT, monitor: 0 },
    { rect: RECT, label: "x".repeat(81) },
    { rect: RECT, text: "secret" },
    { text: {} },
    { text: { kinds: ["everything"] } },
    { text: { pattern: "(" } },
    { text: { pattern: "x".repeat(501) } },
    { text: { kinds: ["email"], case: true } },
  ]) {
    const refused = await app.inject({ method: "POST", url: URL, headers, payload });
    t.equal(refused.statusCode, 400, JSON.stringify(payload).slice(0, 60));
  }
});

t.test("a mask names text instead of a place, or in one, which agents are not told", async (t) => {
  const { app, bearer } = await openHouse(t);
  const headers = bearer("operator");
  const text = { kinds: ["email", "phone"], pattern: "PRJ-\\d{6}" };
  const made = await app.inject({
    method: "POST",
    url: URL,
    headers,
    payload: { text, audiences: ["agent"] },
  });
  t.equal(made.statusCode, 201, made.body);
  t.match(made.json(), { text, state: "text", places: [] });
  const within = await app.inject({ method: "POST", url: URL, headers, payload: { rect: RECT, text } });
  t.equal(within.statusCode, 201);
  const follows = { text, follows: RECT };
  t.equal(
    (await app.inject({ method: "POST", url: URL, headers, payload: follows })).statusCode,
    503,
    "no picture yet",
  );
  const told = masksSchema.parse((await app.inject({ url: URL, headers: bearer("agent") })).json());
  t.match(told, [{ text: null }, { text: null }]);
});
