import t from "tap";
import { Scene } from "../../../src/compositor/scene.ts";
import { Display } from "../../../src/desktop/picture/display.ts";
import { NOTHING_HIDDEN } from "../../../src/desktop/picture/mask-source.ts";
import { Framebuffer } from "../../../src/framebuffer/framebuffer.ts";
import type { CopyMove } from "../../../src/framebuffer/picture.ts";
import { rect } from "../../../src/framebuffer/rect.ts";
import { Region } from "../../../src/framebuffer/region.ts";
import type { Screen } from "../../../src/framebuffer/screen.ts";
import { FakeClock } from "../../fake-clock.ts";
import { drawText } from "../../framebuffer/frames.ts";

const PAGE = rect(0, 0, 640, 480);

/** A display that shows a page of text, and what it told of moves. */
function stand() {
  const clock = new FakeClock();
  const scene = new Scene(clock);
  const told: CopyMove[] = [];
  const followed: (readonly CopyMove[])[] = [];
  const resized: (readonly Screen[])[] = [];
  const display = new Display(scene, clock, {
    maskSource: { ...NOTHING_HIDDEN, follow: (_real, _damage, { copies }) => void followed.push(copies) },
    changed: ({ agent }) => void told.push(...agent.moves),
    resized: (_size, screens) => void resized.push(screens),
    whole: () => {},
    watched: () => {},
  });
  const decoded = new Framebuffer(PAGE.width, PAGE.height);
  drawText(decoded, PAGE, 7);
  display.begin([]);
  display.update(decoded, Region.of(PAGE), []);
  told.length = 0;
  return { clock, scene, display, decoded, told, followed, resized };
}

/** The target scrolls by repainting everything. */
function scroll(display: Display, decoded: Framebuffer, seed: number): void {
  const kept = rect(0, 0, PAGE.width, PAGE.height - 54);
  decoded.copy(0, 54, kept);
  drawText(decoded, rect(0, kept.height, PAGE.width, 54), seed);
  display.update(decoded, Region.of(PAGE), []);
}

t.test("a scroll that a target cuts into several moves is told as one, and shows every pixel", async (t) => {
  const { display, decoded, told, followed } = stand();
  const watcher = display.shownTo("viewer").watchers.add(PAGE, { withOverlays: true }, () => {});
  watcher.take();
  const shown = new Framebuffer(PAGE.width, PAGE.height);
  shown.words.set(decoded.words);
  // Around a pointer of 9x16 pixels, which the target paints.
  const pointer = rect(300, 200, 9, 16);
  const parts = [
    rect(0, 0, 640, 200),
    rect(0, 200, 300, 16),
    rect(309, 200, 331, 16),
    rect(0, 216, 640, 210),
  ];
  const moves = parts.map((to) => ({ fromX: to.x, fromY: to.y + 54, to }));
  for (const { fromX, fromY, to } of moves) decoded.copy(fromX, fromY, to);
  drawText(decoded, rect(0, 426, PAGE.width, 54), 11);
  decoded.fill(pointer, 0xff00ff);
  display.update(decoded, Region.from([pointer, rect(0, 426, PAGE.width, 54)]), moves);
  const { painted, copies } = watcher.take();
  t.same(copies, [{ fromX: 0, fromY: 54, to: rect(0, 0, 640, 426) }]);
  t.same(told, copies, "what follows the screen is told so too");
  t.same(followed.at(-1), moves, "but not the masks: what they found between the moves has not gone");
  for (const { fromX, fromY, to } of copies) shown.copy(fromX, fromY, to);
  for (const r of painted.rects) {
    for (let y = r.y; y < r.y + r.height; y++) {
      const at = y * PAGE.width + r.x;
      shown.words.set(decoded.words.subarray(at, at + r.width), at);
    }
  }
  t.ok(Buffer.compare(shown.bytes, decoded.bytes) === 0);
});

t.test("a watcher of a target without moves is told of a scroll as a move and the rest", async (t) => {
  const { display, decoded, told } = stand();
  const watcher = display.shownTo("viewer").watchers.add(PAGE, { withOverlays: true }, () => {});
  watcher.take();
  const shown = new Framebuffer(PAGE.width, PAGE.height);
  shown.words.set(decoded.words);
  for (let seed = 10; seed < 15; seed++) {
    scroll(display, decoded, seed);
    const { painted, copies } = watcher.take();
    t.equal(copies.length, 1);
    t.ok(painted.area < 0.35 * PAGE.width * PAGE.height, "little is left to paint");
    for (const { fromX, fromY, to } of copies) shown.copy(fromX, fromY, to);
    for (const r of painted.rects) {
      for (let y = r.y; y < r.y + r.height; y++) {
        const at = y * PAGE.width + r.x;
        shown.words.set(decoded.words.subarray(at, at + r.width), at);
      }
    }
    t.ok(Buffer.compare(shown.bytes, decoded.bytes) === 0, "it shows every pixel");
  }
  t.equal(told.length, 5, "anchors and others hear of it too");
  t.equal(told[0]?.fromY, 54 + (told[0]?.to.y ?? 0));
});

t.test("a watcher that is behind gets pixels, not a move", async (t) => {
  const { display, decoded } = stand();
  const watcher = display.shownTo("viewer").watchers.add(PAGE, { withOverlays: true }, () => {});
  scroll(display, decoded, 20);
  const { painted, copies } = watcher.take();
  t.same(copies, []);
  t.equal(painted.area, PAGE.width * PAGE.height);
});

t.test("a watcher that sees overlays drawn in gets pixels where one lies in the way", async (t) => {
  const { display, decoded, scene } = stand();
  const seesOverlays = display.shownTo("viewer").watchers.add(PAGE, { withOverlays: true }, () => {});
  const seesNone = display.shownTo("viewer").watchers.add(PAGE, { withOverlays: false }, () => {});
  scene.add(
    {
      ...{ kind: "box", x: 100, y: 100, width: 60, height: 60, color: "#ff0000", opacity: 1, label: null },
      ...{ temporaryMs: null, clickThrough: true, monitorIndex: 0 },
    },
    "test",
    PAGE,
  );
  for (const watcher of [seesOverlays, seesNone]) watcher.take();
  scroll(display, decoded, 30);
  t.same(seesOverlays.take().copies, []);
  t.equal(seesNone.take().copies.length, 1);
});

t.test("other monitors that a new connection finds in the same size are told", async (t) => {
  const { display, decoded, resized } = stand();
  const half = PAGE.width / 2;
  const one = [{ id: 0, rect: PAGE, flags: 0 }];
  const two = [
    { id: 0, rect: rect(0, 0, half, PAGE.height), flags: 0 },
    { id: 1, rect: rect(half, 0, half, PAGE.height), flags: 0 },
  ];
  const connect = (screens: readonly Screen[]): void => {
    display.lost();
    display.begin(one);
    display.resize(decoded, screens);
    display.update(decoded, Region.of(PAGE), []);
  };
  resized.length = 0;
  connect(two);
  t.same(resized, [two]);
  connect(two);
  t.same(resized, [two], "and not where they are as before");
});
