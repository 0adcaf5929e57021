import t from "tap";
import type { AuditEntry } from "../../src/audit/audit-event.ts";
import { auditDesktops } from "../../src/audit/desktop-audit.ts";
import { Scene } from "../../src/compositor/scene.ts";
import type { Actor } from "../../src/desktop/control/action.ts";
import type { Approval } from "../../src/desktop/control/approvals/approvals.ts";
import { readCustomRules } from "../../src/desktop/control/custom-rules.ts";
import type { DesktopEvent } from "../../src/desktop/desktop.ts";
import { LinkError } from "../../src/desktop/error.ts";

const ANN = { kind: "human", id: "1", name: "Ann" } as const;
const BOT = { kind: "agent", id: "2", name: "Bot" } as const;

class FakeDesktop {
  readonly id: string;
  connection: { readonly protocol: "vnc"; readonly keep_awake_s?: number } = { protocol: "vnc" };
  readonly listeners = new Set<(event: DesktopEvent) => void>();

  constructor(id: string) {
    this.id = id;
  }

  on(listener: (event: DesktopEvent) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  emit(event: DesktopEvent): void {
    for (const listener of this.listeners) listener(event);
  }
}

interface RegistryEvent {
  readonly type: "added" | "changed" | "removed";
  readonly desktop: FakeDesktop;
  readonly by: Actor | null;
}

function follow(...all: FakeDesktop[]) {
  const entries: AuditEntry[] = [];
  let tell = (_event: RegistryEvent): void => {};
  const registry = {
    all,
    on(listener: (event: RegistryEvent) => void) {
      tell = listener;
      return () => {
        tell = () => {};
      };
    },
  };
  const stop = auditDesktops(registry, (entry) => entries.push(entry));
  return { entries, stop, tell: (event: RegistryEvent) => tell(event) };
}

t.test("what people and agents do on a desktop is recorded, without the words they typed", async (t) => {
  const desktop = new FakeDesktop("d1");
  const { entries } = follow(desktop);
  desktop.emit({ type: "mode", mode: "autopilot", by: ANN });
  desktop.emit({ type: "stopped", isStopped: true, by: ANN });
  desktop.emit({ type: "stopped", isStopped: false, by: ANN });
  desktop.emit({
    type: "approval",
    approval: {
      id: "a",
      desktopId: "d1",
      action: { kind: "type", text: "hunter2", wordsPerMinute: null, clearExisting: false },
      summary: "Type 7 characters",
      actor: BOT,
      intent: "log in with hunter2",
      point: null,
      crop: null,
      bound: null,
      held: { keys: [], buttons: 0 },
      screenHash: null,
      isExact: true,
      argumentsHash: "",
      askedAt: "",
      expiresAt: "",
      armingMs: 500,
      isFourEyes: false,
      state: "granted",
      decidedBy: ANN,
    },
  });
  desktop.emit({
    type: "action",
    record: {
      id: "r",
      at: "",
      actor: BOT,
      kind: "click",
      summary: "Click",
      intent: "open the menu",
      outcome: "refused",
      code: "stopped",
      wasConfirmed: false,
      effect: null,
      recorded: { changed: null, changedRects: [] },
      durationMs: 3,
    },
  });
  const click = { id: "r", at: "", actor: BOT, summary: "Click", wasConfirmed: false, effect: null } as const;
  const done = {
    outcome: "done",
    code: null,
    durationMs: 3,
    recorded: { changed: null, changedRects: [] },
  } as const;
  const subject = 'button "Save" on shop.example';
  desktop.emit({
    type: "action",
    record: { ...click, ...done, kind: "click", subject, intent: "keep it" },
  });
  // The audit has it as what was done in a browser.
  desktop.emit({ type: "action", record: { ...click, ...done, kind: "browser", intent: null } });
  desktop.emit({ type: "clipboard", text: "hunter2" });
  desktop.emit({ type: "bell" });
  t.match(entries, [
    { type: "mode.changed", actor: ANN, action: "autopilot", resource: { kind: "desktop", id: "d1" } },
    { type: "desktop.stopped", actor: ANN },
    { type: "desktop.resumed", actor: ANN },
    {
      type: "approval.granted",
      actor: ANN,
      action: "type",
      intent: "log in with [text]",
      counts: { characters: 7 },
    },
    {
      type: "input.performed",
      actor: BOT,
      action: "click",
      intent: "open the menu",
      errorCode: "stopped",
      durationMs: 3,
    },
    { type: "input.performed", action: "click", intent: 'button "Save" on shop.example: keep it' },
  ]);
  t.equal(entries.length, 6);
  t.notOk(JSON.stringify(entries).includes("hunter2"));
});

t.test("each secret that an agent had typed, or wanted to, is told by its name", async (t) => {
  const desktop = new FakeDesktop("d1");
  const { entries } = follow(desktop);
  const record = {
    ...({
      id: "r",
      at: "",
      actor: BOT,
      kind: "type",
      summary: "",
      intent: null,
      wasConfirmed: true,
    } as const),
    ...{ effect: null, recorded: { changed: null, changedRects: [] }, durationMs: 3 },
    secrets: [
      { kind: "secret", name: "bank", placeholder: "{{secret:bank}}" },
      { kind: "totp", name: "code", placeholder: "{{totp:code}}" },
    ],
  } as const;
  desktop.emit({ type: "action", record: { ...record, outcome: "done", code: null } });
  desktop.emit({ type: "action", record: { ...record, outcome: "refused", code: "secret_unseen" } });
  const used = { type: "secret.used", actor: BOT, severity: "notice" };
  const bank = { ...used, resource: { kind: "secret", id: "bank" }, action: "secret on d1" };
  const code = { ...used, resource: { kind: "secret", id: "code" }, action: "totp on d1" };
  t.match(entries, [
    { type: "input.performed" },
    { ...bank, errorCode: null },
    { ...code, errorCode: null },
    { type: "input.performed" },
    { ...bank, errorCode: "secret_unseen" },
    { ...code, errorCode: "secret_unseen" },
  ]);
});

t.test("a target that stays away is told once, not at each try", async (t) => {
  const desktop = new FakeDesktop("d1");
  const { entries } = follow(desktop);
  const error = new LinkError("unreachable", "cannot connect");
  const lost = { type: "state", state: { kind: "reconnecting", attempt: 1, nextAtMs: 0, error } } as const;
  const live = { type: "state", state: { kind: "live", sinceMs: 0, description: "" } } as const;
  desktop.emit(live);
  desktop.emit({ type: "state", state: { kind: "stalled", sinceMs: 0 } });
  desktop.emit(live);
  // Each try is a connecting of its own.
  const connecting = { type: "state", state: { kind: "connecting", sinceMs: 0 } } as const;
  for (let i = 0; i < 3; i++) {
    desktop.emit(lost);
    desktop.emit(connecting);
  }
  desktop.emit(live);
  desktop.emit({ type: "state", state: { kind: "failed", error } });
  desktop.emit({ type: "state", state: { kind: "closed" } });
  t.strictSame(
    entries.map(({ type }) => type),
    ["session.opened", "session.lost", "session.opened", "session.lost", "session.closed"],
  );
  entries.length = 0;
  desktop.emit(live);
  desktop.emit(connecting);
  desktop.emit(live);
  t.equal(entries.length, 2, "a session that somebody asked for anew is another one");
});

t.test("desktops that come are followed, those that go are not", async (t) => {
  const desktop = new FakeDesktop("d2");
  const { entries, tell, stop } = follow();
  tell({ type: "added", desktop, by: ANN });
  tell({ type: "changed", desktop, by: ANN });
  desktop.emit({ type: "mode", mode: "assist", by: ANN });
  tell({ type: "removed", desktop, by: null });
  desktop.emit({ type: "mode", mode: "passive", by: ANN });
  t.strictSame(
    entries.map(({ type, actor }) => [type, actor]),
    [
      ["connection.added", ANN],
      ["connection.changed", ANN],
      ["mode.changed", ANN],
      ["connection.removed", null],
    ],
  );
  tell({ type: "added", desktop, by: null });
  stop();
  t.equal(desktop.listeners.size, 0);
});

t.test("questions about no desktop yet are recorded once, the others by their desktop alone", async (t) => {
  let ask = (_approval: Approval): void => {};
  const entries: AuditEntry[] = [];
  auditDesktops(
    {
      all: [],
      on: () => () => {},
      questions: {
        on(listener) {
          ask = listener;
          return () => {};
        },
      },
    },
    (entry) => entries.push(entry),
  );
  const approval: Approval = {
    id: "a",
    desktopId: "",
    action: {
      kind: "add_connection",
      name: "x",
      protocol: "vnc",
      host: "192.0.2.1",
      details: [],
      port: 5900,
    },
    summary: "Add the desktop",
    actor: BOT,
    intent: null,
    point: null,
    crop: null,
    bound: null,
    held: { keys: [], buttons: 0 },
    screenHash: null,
    isExact: true,
    argumentsHash: "",
    askedAt: "",
    expiresAt: "",
    armingMs: 500,
    isFourEyes: false,
    state: "denied",
    decidedBy: ANN,
  };
  ask(approval);
  ask({ ...approval, desktopId: "d1" });
  t.match(entries, [{ type: "approval.denied", actor: ANN, action: "add_connection" }]);
  t.equal(entries.length, 1);
});

t.test(
  "overlays are recorded when they come and go, by whoever drew them, without their words",
  async (t) => {
    const scene = new Scene({ after: () => () => undefined, date: () => new Date(0) });
    const { entries } = follow(Object.assign(new FakeDesktop("d1"), { scene }));
    const spec = {
      kind: "box",
      x: 1,
      y: 2,
      width: 30,
      height: 40,
      color: "red",
      opacity: 0.5,
      label: "hunter2",
      temporaryMs: null,
      clickThrough: true,
      monitorIndex: 0,
    };
    const monitor = { x: 0, y: 0, width: 800, height: 600 };
    const { id } = scene.add(spec, "agent-1", monitor);
    scene.move(id, 5, 5);
    scene.hide(id);
    scene.move(id, 5, 5);
    scene.resize({ width: 30, height: 30 });
    scene.remove(id, { ...ANN, ip: "192.0.2.7" });
    scene.add(spec, "agent-1", monitor);
    scene.add(spec, "agent-2", monitor);
    scene.clear(null, BOT);
    t.match(entries, [
      {
        type: "overlay.created",
        actor: { id: "agent-1", kind: "agent" },
        action: "box",
        resource: { id: "d1" },
      },
      {
        type: "overlay.removed",
        actor: { id: ANN.id, ip: "192.0.2.7" },
        action: "box",
        counts: { overlays: 1 },
      },
      { type: "overlay.created" },
      { type: "overlay.created", actor: { id: "agent-2" } },
      { type: "overlay.removed", actor: BOT, counts: { overlays: 2 } },
    ]);
    t.equal(entries.length, 5, "one that moves is neither new nor gone");
    t.notMatch(JSON.stringify(entries), "hunter2");
  },
);

t.test("who takes the input and who lets it go is recorded, an agent's turns are not", async (t) => {
  const desktop = new FakeDesktop("d1");
  const { entries } = follow(desktop);
  const held = (actor: Actor, isDeclared = false): void =>
    desktop.emit({ type: "holder", holder: { actor, sinceMs: 0, untilMs: null, isDeclared } });
  const eve = { kind: "human", id: "3", name: "Eve" } as const;
  held(BOT);
  held(ANN);
  held(ANN);
  held(ANN, true);
  held(eve);
  desktop.emit({ type: "holder", holder: null });
  held(BOT);
  desktop.emit({ type: "holder", holder: null });
  t.match(entries, [
    { type: "input.taken_over", actor: ANN, action: "used", resource: { kind: "desktop", id: "d1" } },
    { type: "input.taken_over", actor: ANN, action: "declared" },
    { type: "input.given_back", actor: ANN },
    { type: "input.taken_over", actor: eve, action: "used" },
    { type: "input.given_back", actor: eve },
  ]);
  t.equal(entries.length, 5);
});

t.test("changed rules are told with the modes and how much they allow, before and after", async (t) => {
  const entries: AuditEntry[] = [];
  let tell: (event: DesktopEvent) => void = () => {};
  auditDesktops(
    {
      all: [
        {
          id: "d",
          connection: { protocol: "vnc" },
          on(listener) {
            tell = listener;
            return () => {};
          },
        },
      ],
      on: () => () => {},
    },
    (entry) => entries.push(entry),
  );
  const rulesNow = readCustomRules({
    pointer: "allow",
    keys: "deny",
    areas: [{ x: 0, y: 0, width: 1, height: 1, verdict: "deny", name: "payroll" }],
  });
  tell({ type: "mode", mode: "custom", by: ANN, before: { mode: "assist", rules: null, rulesNow } });
  t.match(entries, [
    { type: "mode.changed", action: "custom" },
    {
      type: "rules.changed",
      actor: ANN,
      action: "assist to custom",
      counts: { after_areas: 1, after_allowed: 1, after_denied: 1 },
    },
  ]);
  t.notMatch(JSON.stringify(entries), "payroll");
  tell({ type: "mode", mode: "passive", by: ANN, before: { mode: "assist", rules: null, rulesNow: null } });
  t.equal(entries.length, 3, "a mode without rules on either side changes none");
});

t.test("who has a desktop kept awake is recorded, once as it begins, changes and ends", (t) => {
  const configured = new FakeDesktop("d1");
  configured.connection = { protocol: "vnc", keep_awake_s: 240 };
  const { entries, tell } = follow(configured);
  const started = { type: "keep_awake.started", resource: { kind: "desktop", id: "d1" } };
  t.match(entries, [{ ...started, actor: null, action: "after 240 s without input" }]);
  const told = (): readonly AuditEntry[] => entries.splice(0).filter(({ type }) => /awake/.test(type));
  told();
  tell({ type: "changed", desktop: configured, by: ANN });
  t.same(told(), [], "its name is another");
  configured.connection = { protocol: "vnc", keep_awake_s: 60 };
  tell({ type: "changed", desktop: configured, by: ANN });
  t.match(told(), [{ ...started, actor: ANN, action: "after 60 s without input" }]);
  configured.connection = { protocol: "vnc" };
  tell({ type: "changed", desktop: configured, by: ANN });
  t.match(told(), [{ type: "keep_awake.ended", actor: ANN }]);
  const added = new FakeDesktop("d2");
  added.connection = { protocol: "vnc", keep_awake_s: 60 };
  tell({ type: "added", desktop: added, by: ANN });
  t.match(told(), [{ type: "keep_awake.started", actor: ANN, resource: { id: "d2" } }]);
  tell({ type: "removed", desktop: added, by: ANN });
  t.match(told(), [{ type: "keep_awake.ended", actor: ANN, resource: { id: "d2" } }]);
  t.end();
});
