import t from "tap";
import type { Actor } from "../../../src/desktop/control/action.ts";
import { AgentLooks } from "../../../src/web/api/agents/agent-looks.ts";
import { type EventMessage, eventMessageSchema } from "../../../src/web/api/api.ts";
import { DesktopDescriber } from "../../../src/web/api/desktop-details.ts";
import { EventHub } from "../../../src/web/api/event-hub.ts";
import { ConnectedClients } from "../../../src/web/http/connected-clients.ts";
import { FakeClock } from "../../fake-clock.ts";
import { FakeDesktops } from "../fake-desktops.ts";

t.test("pages hear when an agent came, and when it has been quiet for a minute", async (t) => {
  const clock = new FakeClock();
  const clients = new ConnectedClients(clock);
  const desktops = new FakeDesktops();
  desktops.open("d1");
  const hub = new EventHub(desktops, clients, {
    describer: new DesktopDescriber(clock, clients),
    pictures: { placeOf: () => null },
    looks: new AgentLooks(clock),
    clock,
  });
  const told: EventMessage[] = [];
  const detach = hub.attach({
    id: "page",
    mayApprove: false,
    reaches: () => true,
    seesHouse: true,
    send: (json) => told.push(eventMessageSchema.parse(JSON.parse(json))),
  });
  /** Messages are made a microtask after the change. */
  const after = async (byMs: number): Promise<readonly EventMessage[]> => {
    told.length = 0;
    clock.advance(byMs);
    await Promise.resolve();
    return told;
  };
  t.match(told, [{ type: "hello", desktops: [{ id: "d1", agents: [] }] }]);
  clients.sawAgent("d1", "claude-code");
  t.match(await after(2000), [{ type: "desktop", desktop: { id: "d1", agents: ["claude-code"] } }]);
  t.same(await after(50_000), [], "nothing is told while nothing changes");
  t.match(await after(10_000), [{ type: "desktop", desktop: { id: "d1", agents: [] } }]);
  detach();
  t.equal(clock.waiting, 0, "nobody reads, so nothing is looked after");
  hub.attach({ id: "page", mayApprove: false, reaches: () => true, seesHouse: true, send: () => {} });
  t.equal(clock.waiting, 1);
  hub.close();
  t.equal(clock.waiting, 0);
});

const CLAUDE = { kind: "agent", id: "token:1", name: "laptop", client: "claude-code" } as const;

t.test("pages follow what an agent does, in few messages and without a key of it", async (t) => {
  const clock = new FakeClock();
  const clients = new ConnectedClients(clock);
  const desktops = new FakeDesktops();
  const desktop = desktops.open("d1");
  const looks = new AgentLooks(clock);
  const hub = new EventHub(desktops, clients, {
    describer: new DesktopDescriber(clock, clients),
    pictures: { placeOf: () => null },
    looks,
    clock,
  });
  const told: EventMessage[] = [];
  const detach = hub.attach({
    id: "page",
    mayApprove: false,
    reaches: (id) => id === "d1",
    seesHouse: true,
    send: (json) => told.push(eventMessageSchema.parse(JSON.parse(json))),
  });
  const after = (byMs: number): readonly EventMessage[] => {
    told.length = 0;
    clock.advance(byMs);
    return told;
  };
  const holds = (actor: Actor): void => {
    desktop.holder = { actor, sinceMs: 0, untilMs: null, isDeclared: false };
  };
  holds(CLAUDE);
  for (let x = 1; x <= 500; x++) desktop.emit({ type: "input", input: { kind: "mouse_move", x, y: 9 } });
  desktop.emit({ type: "input", input: { kind: "mouse_click", x: 500, y: 9, button: "left" } });
  const nothing = { area: null, clicks: [], keys: 0, point: null };
  const seen = { type: "agent", desktop_id: "d1", name: "claude-code", ...nothing };
  t.same(after(100), [{ ...seen, point: { x: 500, y: 9 }, clicks: [{ x: 500, y: 9 }] }], "one for 501");

  for (let key = 0; key < 3; key++) desktop.emit({ type: "input", input: { kind: "key_press" } });
  t.same(after(100), [{ ...seen, point: { x: 500, y: 9 }, keys: 3 }], "how many keys, and none of them");
  const record = {
    ...{ id: "a", at: clock.date().toISOString(), actor: CLAUDE, kind: "type" as const, summary: "Type" },
    ...{
      intent: null,
      outcome: "done" as const,
      code: null,
      wasConfirmed: false,
      effect: null,
      recorded: { changed: null, changedRects: [] },
      durationMs: 1,
    },
  };
  desktop.actions = [record];
  told.length = 0;
  desktop.emit({ type: "action", record });
  t.match(told, [seen, { type: "action", action: { actor: { name: "claude-code", token: "laptop" } } }]);
  await Promise.resolve();
  t.match(told.slice(2), [{ type: "desktop", desktop: { agents: ["claude-code"] } }], "one agent, one name");

  told.length = 0;
  const area = { x: 1, y: 2, width: 3, height: 4 };
  const call = { desktopId: "d1", clientName: "claude-code", principal: { name: "laptop" } };
  clock.advance(10);
  clients.called({ ...call, area, durationMs: 5, images: 1 });
  t.same(told.slice(0, 1), [{ ...seen, area }], "a look is told at once");
  const look = { kind: "look", actor: { kind: "agent", name: "claude-code", token: "laptop" } };
  t.match(told.slice(1), [{ type: "action", action: { ...look, summary: "Look at 3x4 at 1,2" } }]);

  const looksAt = (durationMs: number, images = 1): readonly EventMessage[] => {
    told.length = 0;
    clock.advance(10);
    clients.called({ ...call, durationMs, images });
    return told;
  };
  t.match(looksAt(5), [{ type: "action", action: { ...look, summary: "Look at the screen" } }]);
  const again = looksAt(5);
  t.match(again, [{ type: "action", action: { ...look, summary: "Look at the screen 2 times" } }]);
  t.same(looksAt(5, 0), [], "no picture, no look");
  desktop.emit({ type: "action", record });
  t.same(looksAt(15), [], "the picture that comes with an action is no look of its own");
  t.match(looksAt(5), [{ type: "action", action: { summary: "Look at the screen" } }], "and not one more");
  t.match(
    looks.of("d1").map(({ summary }) => summary),
    ["Look at 3x4 at 1,2", "Look at the screen 2 times", "Look at the screen"],
    "for a page that is opened later",
  );
  for (let i = 0; i < 300; i++) {
    clients.called({ ...call, area: { ...area, x: i }, durationMs: 0, images: 1 });
  }
  t.equal(looks.of("d1").length, 200, "the newest are kept");

  told.length = 0;
  clients.called({
    ...{ desktopId: "d2", clientName: null, principal: { name: "other" }, area, durationMs: 1, images: 1 },
  });
  t.same(told, [], "and nothing of a desktop that the page does not reach");

  holds({ kind: "human", id: "ann", name: "Ann" });
  desktop.emit({ type: "input", input: { kind: "mouse_move", x: 1, y: 1 } });
  t.notOk(
    after(100).some(({ type }) => type === "agent"),
    "what people do is their own",
  );
  detach();
  holds(CLAUDE);
  desktop.emit({ type: "input", input: { kind: "mouse_move", x: 2, y: 2 } });
  t.equal(clock.waiting, 0, "nobody reads, so nothing is kept");
  hub.close();
});

t.test("a client that goes on calling is news after half a minute, and no sooner", async (t) => {
  const clock = new FakeClock();
  const clients = new ConnectedClients(clock);
  let told = 0;
  clients.on(() => told++);
  const call = (clientName: string | null): void =>
    clients.called({
      ...{ desktopId: null, clientName, principal: { name: "laptop" }, durationMs: 1, images: 0 },
    });
  clients.add("claude-code");
  const seen = (): string | undefined => clients.all[0]?.seenAt;
  const first = seen();
  clock.advance(29_999);
  call("claude-code");
  t.equal(told, 1);
  t.equal(seen(), first);
  clock.advance(1);
  call(null);
  call("a stranger");
  t.equal(told, 1, "who never introduced itself is nobody");
  call("claude-code");
  t.equal(told, 2);
  t.not(seen(), first);
});
