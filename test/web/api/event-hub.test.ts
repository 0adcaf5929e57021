import t from "tap";
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
  const hub = new EventHub(desktops, clients, new DesktopDescriber(clock, clients), clock);
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
