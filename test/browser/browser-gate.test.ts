import t from "tap";
import {
  type BrowserAct,
  type BrowserActRecord,
  BrowserGate,
  type BrowserMode,
} from "../../src/browser/browser-gate.ts";
import type { VerdictWord } from "../../src/desktop/control/action-class.ts";
import type { Approval } from "../../src/desktop/control/approvals/approvals.ts";
import { approvalInfo } from "../../src/web/api/desktop-json.ts";
import { FakeClock } from "../fake-clock.ts";

const AGENT = { kind: "agent", id: "a1", name: "Agent" } as const;
const PERSON = { kind: "human", id: "p1", name: "Person" } as const;
const OPTIONS = {
  intent: "because of hunter2-long",
  isDemanded: false,
  signal: new AbortController().signal,
};

const TYPING: BrowserAct = {
  ...{ verb: "type", classes: ["text"], browserId: "b1", site: "shop.example" },
  summary: 'Type 12 characters into text field "Name" on shop.example',
  details: [{ name: "Browser", value: "Chromium" }],
  text: "hunter2-long",
};
const CLICK: BrowserAct = { ...TYPING, verb: "click", classes: ["pointer"], text: "" };
const SCRIPT: BrowserAct = { ...TYPING, verb: "execute_js", classes: ["script"], text: "alert(1)" };

function openGate(mode: BrowserMode, scripts: VerdictWord = "ask") {
  const records: BrowserActRecord[] = [];
  const asked: Approval[] = [];
  const gate: BrowserGate = new BrowserGate({
    ...{ mode, scripts, clock: new FakeClock(), terms: { approvalExpiryMs: 45_000 } },
    everywhere: () => gate.approvals.pending,
    secured: async () => {},
    record: (record) => records.push(record),
    onBug: (error) => t.fail(String(error)),
  });
  gate.on((event) => {
    if (event.type === "approval") asked.push(event.approval);
  });
  return { gate, records, asked };
}

/** What becomes of an act that nobody answers: done, asked or denied. */
async function outcomeOf(mode: BrowserMode, act: BrowserAct, scripts?: VerdictWord): Promise<string> {
  const { gate } = openGate(mode, scripts);
  const done = gate
    .perform(act, AGENT, OPTIONS, async () => "done")
    .then(
      ({ result }) => result,
      (error) => String(error.code),
    );
  await new Promise(setImmediate);
  if (gate.approvals.pending.length === 0) return done;
  gate.approvals.cancelAll();
  await done;
  return "asked";
}

t.test("the mode decides, and scripts are a kind of their own that is asked by default", async (t) => {
  const rows = [
    ["passive", "permission_denied", "permission_denied", "permission_denied"],
    ["assist", "asked", "asked", "asked"],
    ["composing", "asked", "done", "asked"],
    ["autopilot", "done", "done", "asked"],
  ] as const;
  for (const [mode, click, type, script] of rows) {
    t.equal(await outcomeOf(mode, CLICK), click, `${mode} click`);
    t.equal(await outcomeOf(mode, TYPING), type, `${mode} type`);
    t.equal(await outcomeOf(mode, SCRIPT), script, `${mode} script`);
  }
  t.equal(await outcomeOf("assist", SCRIPT, "allow"), "done");
  t.equal(await outcomeOf("autopilot", SCRIPT, "deny"), "permission_denied");
  t.equal(await outcomeOf("passive", SCRIPT, "allow"), "permission_denied");
  t.equal(
    await outcomeOf("composing", { ...TYPING, classes: ["text", "keys"] }),
    "asked",
    "the strictest class",
  );
});

t.test("a card names the element and the site, and its answer decides", async (t) => {
  const { gate, asked, records } = openGate("assist");
  const picture = async () => ({
    png: new Uint8Array([1]),
    size: { width: 4, height: 3 },
    point: { x: 2, y: 1 },
  });
  const act = { ...TYPING, picture, shownOn: () => "d1" };
  const done = gate.perform(act, AGENT, OPTIONS, async (wasConfirmed) => wasConfirmed);
  await new Promise(setImmediate);
  const [approval] = asked;
  if (approval === undefined) throw new Error("nobody was asked");
  const card = approvalInfo(approval);
  t.match(card, {
    kind: "browser",
    summary: 'Type 12 characters into text field "Name" on shop.example',
    ...{ text: "hunter2-long", desktop_id: "", editable: null, scope: null, point: { x: 2, y: 1 } },
    crop: { x: 0, y: 0, width: 4, height: 3 },
    details: [{ name: "Browser", value: "Chromium" }],
  });
  t.same(await gate.approvals.picture(approval.id, "viewer:approver"), new Uint8Array([1]));
  t.throws(() => gate.approvals.decide(approval.id, { kind: "approve", allowForMs: 1000 }, PERSON), {
    code: "invalid_parameters",
  });
  gate.approvals.decide(approval.id, true, PERSON);
  t.same(await done, { result: true, wasConfirmed: true });
  t.match(records, [
    { verb: "type", site: "shop.example", code: null, characters: 12, intent: "because of [text]" },
  ]);
  t.match(records, [{ summary: TYPING.summary, desktopId: "d1", wasConfirmed: true, isRefused: false }]);
  t.notMatch(JSON.stringify(records), /hunter2/, "what was typed is in no record");

  const denied = gate.perform(CLICK, AGENT, OPTIONS, async () => t.fail("it was denied"));
  await new Promise(setImmediate);
  gate.approvals.decide(gate.approvals.pending[0]?.id ?? "", false, PERSON);
  await t.rejects(denied, { code: "denied_by_human" });
  t.match(records.at(-1), { verb: "click", code: "denied_by_human", desktopId: null, isRefused: true });
});

t.test("who demands a question is asked whatever the mode, and what fails is recorded", async (t) => {
  const { gate, records } = openGate("autopilot");
  const abort = new AbortController();
  const demanded = gate.perform(
    CLICK,
    AGENT,
    { ...OPTIONS, isDemanded: true, signal: abort.signal },
    async () => 1,
  );
  await new Promise(setImmediate);
  t.equal(gate.approvals.pending.length, 1);
  abort.abort();
  await t.rejects(demanded, { code: "cancelled" });
  const failing = gate.perform(CLICK, AGENT, OPTIONS, async () => {
    throw new TypeError("a bug");
  });
  await t.rejects(failing, TypeError);
  t.match(records.at(-1), { code: "failed" });
});
