import t from "tap";
import { rect } from "../../../src/framebuffer/rect.ts";
import { type NewScreenshot, ScreenshotStore } from "../../../src/mcp/model/screenshot-store.ts";
import { FakeClock } from "../../fake-clock.ts";

let fill = 0;

function shot(size: number, change: Partial<NewScreenshot> = {}): NewScreenshot {
  return {
    principalId: "a",
    desktopId: "d",
    desktopName: "D",
    role: "screen",
    mode: "fullscreen",
    framing: { desktop: { width: 9, height: 9 }, region: rect(0, 0, 9, 9), image: { width: 9, height: 9 } },
    isPointed: false,
    format: "png",
    generation: fill,
    takenAt: "2026-11-21T00:00:00.000Z",
    bytes: new Uint8Array(size).fill(++fill),
    ...change,
  };
}

t.test("a screenshot is its principal's alone", async (t) => {
  const store = new ScreenshotStore(new FakeClock());
  const { id } = store.add(shot(10));
  t.equal(store.get(id, "a").id, id);
  t.equal(store.bytesOf(id, "a").length, 10);
  t.throws(() => store.get(id, "b"), { code: "not_found" });
  t.throws(() => store.get("nothing", "a"), { code: "not_found" });
  t.same(store.recent("b"), []);
});

t.test("when memory is full the oldest pictures go, their places stay", async (t) => {
  const store = new ScreenshotStore(new FakeClock(), { memoryBytes: 500, keepMs: 1000 });
  const ids = [100, 100, 100].map((size) => store.add(shot(size)).id);
  t.equal(store.heldBytes, 200);
  t.throws(() => store.bytesOf(ids[0] ?? "", "a"), { code: "not_found", message: /pushed out/ });
  t.match(store.get(ids[0] ?? "", "a").framing.region, { width: 9 });
  t.equal(store.bytesOf(ids[2] ?? "", "a").length, 100);
  t.same(
    store.recent("a").map(({ id }) => id),
    [...ids].reverse(),
    "newest first",
  );
});

t.test("one principal's pictures take half of the memory, and push out no others'", async (t) => {
  const store = new ScreenshotStore(new FakeClock(), { memoryBytes: 400, keepMs: 1000 });
  const others = [100, 100].map((size) => store.add(shot(size, { principalId: "b" })).id);
  for (let i = 0; i < 10; i++) store.add(shot(100));
  t.equal(store.heldBytes, 400);
  for (const id of others) t.equal(store.bytesOf(id, "b").length, 100);
  t.same(
    store.recent("a").map(({ bytes }) => bytes?.length ?? 0),
    [100, 100, 0, 0, 0, 0, 0, 0, 0, 0],
  );
  store.add(shot(100, { principalId: "c" }));
  t.equal(store.heldBytes, 400, "all together have the memory once");
  t.throws(() => store.bytesOf(others[0] ?? "", "b"), { code: "not_found" });
});

t.test("a picture larger than all the memory is not kept, nor does it break anything", async (t) => {
  const store = new ScreenshotStore(new FakeClock(), { memoryBytes: 50, keepMs: 1000 });
  const { id } = store.add(shot(100));
  t.equal(store.heldBytes, 0);
  t.throws(() => store.bytesOf(id, "a"), { code: "not_found" });
});

t.test("an unchanged screen is kept once", async (t) => {
  const store = new ScreenshotStore(new FakeClock());
  const bytes = new Uint8Array(100).fill(7);
  const first = store.add(shot(0, { generation: 3, bytes }));
  const second = store.add(shot(0, { generation: 3, bytes: bytes.slice() }));
  t.equal(store.heldBytes, 100);
  t.equal(store.bytesOf(first.id, "a"), store.bytesOf(second.id, "a"));
  store.add(shot(0, { generation: 4, bytes: bytes.slice() }));
  t.equal(store.heldBytes, 200, "another moment is another picture");
});

t.test("the latest is the newest whole look at that desktop, not a zoom", async (t) => {
  const store = new ScreenshotStore(new FakeClock());
  t.equal(store.latest("a", "d"), null);
  const screen = store.add(shot(1));
  store.add(shot(1, { role: "detail" }));
  store.add(shot(1, { desktopId: "e" }));
  store.add(shot(1, { principalId: "b" }));
  t.equal(store.latest("a", "d")?.id, screen.id);
});

t.test("many entries are bounded, for each principal and in all", async (t) => {
  const store = new ScreenshotStore(new FakeClock());
  const mine = store.add(shot(1, { principalId: "quiet" }));
  for (let i = 0; i < 600; i++) store.add(shot(1));
  t.equal(store.recent("a").length, 500);
  t.equal(store.size, 501);
  t.equal(store.heldBytes, 501);
  t.equal(store.get(mine.id, "quiet").id, mine.id, "a busy one pushes out only its own");
});

t.test("pictures are forgotten when their time is over, their places stay", async (t) => {
  const clock = new FakeClock();
  const store = new ScreenshotStore(clock, { memoryBytes: 1000, keepMs: 5000 });
  const first = store.add(shot(10));
  clock.advance(3000);
  const second = store.add(shot(20));
  clock.advance(1999);
  t.equal(store.heldBytes, 30);
  clock.advance(1);
  t.equal(store.heldBytes, 20);
  t.throws(() => store.bytesOf(first.id, "a"), { code: "not_found", message: /too old/ });
  t.match(store.get(first.id, "a").framing.region, { width: 9 });
  t.equal(store.bytesOf(second.id, "a").length, 20);
  clock.advance(3000);
  t.equal(store.heldBytes, 0);
  const none = new ScreenshotStore(clock, { memoryBytes: 1000, keepMs: 0 });
  t.equal(none.add(shot(10)).bytes, null, "0: not at all");
  store.add(shot(20));
  store.close();
  t.equal(store.heldBytes, 0);
  clock.advance(10_000);
});

t.test("what is taken by the clock is bounded, and is not what coordinates refer to", async (t) => {
  const store = new ScreenshotStore(new FakeClock());
  const looked = store.add(shot(1));
  for (let i = 0; i < 70; i++) store.add(shot(1, { role: "timed", generation: i }));
  t.equal(store.recent("a").length, 61);
  t.equal(store.latest("a", "d")?.id, looked.id);
});

t.test("what two limits push out at once is counted once", async (t) => {
  const store = new ScreenshotStore(new FakeClock());
  for (let i = 0; i < 60; i++) store.add(shot(1, { role: "timed" }));
  for (let i = 0; i < 440; i++) store.add(shot(1));
  t.equal(store.heldBytes, 500);
  store.add(shot(1, { role: "timed" }));
  t.equal(store.size, 500);
  t.equal(store.heldBytes, 500);
  store.close();
  t.equal(store.heldBytes, 0);
});

t.test("the end of a picture that was pushed out is awaited no more", async (t) => {
  const clock = new FakeClock();
  const store = new ScreenshotStore(clock, { memoryBytes: 400, keepMs: 5000 });
  for (let i = 0; i < 10; i++) store.add(shot(100));
  t.equal(store.awaited, 2);
  clock.advance(4000);
  const { id } = store.add(shot(100));
  clock.advance(1000);
  t.equal(store.heldBytes, 100);
  t.equal(store.bytesOf(id, "a").length, 100);
  clock.advance(4000);
  t.same([store.heldBytes, store.awaited], [0, 0]);
});
