import t from "tap";
import { FarEvents } from "../../../../src/web/http/far/far-events.ts";
import { FakeClock } from "../../../fake-clock.ts";
import { desktopInfo } from "../../client/infos.ts";

/** The events of node `a` as a reader has them who may know of all but `secret`; `change` says what the table has from now on. */
function open() {
  const placed = new Map<string, unknown>();
  const looks = new Set<() => void>();
  const sent: unknown[] = [];
  const events = new FarEvents({
    fleet: {
      name: "a",
      calls: null,
      placed,
      whenChanged: (look) => {
        looks.add(look);
        return () => looks.delete(look);
      },
    },
    caller: null,
    reaches: (id) => id !== "secret",
    clock: new FakeClock(),
    log: { warn: () => undefined },
    send: (json) => sent.push(JSON.parse(json)),
  });
  t.teardown(() => events.close());
  return {
    events,
    sent,
    change(now: readonly string[]) {
      placed.clear();
      for (const id of now) placed.set(id, null);
      for (const look of looks) look();
    },
  };
}

const helloOf = (...ids: readonly string[]): string =>
  JSON.stringify({
    ...{ type: "hello", approvals: [], grants: [], requests: [], clients: [] },
    desktops: ids.map((id) => desktopInfo({ id })),
  });

t.test("the hello names what others have, so that nobody takes it for removed", async (t) => {
  const { events, sent, change } = open();
  change(["own", "far", "secret"]);
  events.own(helloOf("own"));
  t.match(sent, [{ type: "hello", desktops: [{ id: "own" }], elsewhere: ["far"] }]);
  t.same(
    (sent[0] as { elsewhere: unknown }).elsewhere,
    ["far"],
    "and nothing that its reader may not know of",
  );
});

t.test("of these one that is removed is told, though no node told of it before", async (t) => {
  const { events, sent, change } = open();
  change(["own", "far"]);
  events.own(helloOf("own"));
  change(["own"]);
  t.same(sent.slice(1), [{ type: "desktop_removed", desktop_id: "far" }]);
  change([]);
  t.equal(sent.length, 2, "once, and of its own each node tells by itself");
});

t.test("one that this node takes over is told by itself, not as removed", async (t) => {
  const { events, sent, change } = open();
  change(["far"]);
  events.own(helloOf());
  events.own(JSON.stringify({ type: "desktop", desktop: desktopInfo({ id: "far" }) }));
  change([]);
  t.match(sent.slice(1), [{ type: "desktop", desktop: { id: "far" } }]);
  t.equal(sent.length, 2);
});

t.test("of ten thousand that are elsewhere each is named once, and removed once", async (t) => {
  const { events, sent, change } = open();
  const far = Array.from({ length: 10_000 }, (_, nth) => `far-${nth}`);
  change([...far, "own"]);
  events.own(helloOf("own"));
  t.same((sent[0] as { elsewhere: unknown }).elsewhere, far);
  change(far.slice(0, -1));
  t.same(sent.slice(1), [{ type: "desktop_removed", desktop_id: "far-9999" }]);
});
