import sharp from "sharp";
import t from "tap";
import { paintBlur, spreadIn } from "../../src/compositor/blur.ts";
import { composePicture } from "../../src/compositor/compose.ts";
import { Scene } from "../../src/compositor/scene.ts";
import { Framebuffer } from "../../src/framebuffer/framebuffer.ts";
import { holdsPoint, intersectRects, isEmptyRect, type Rect, rect } from "../../src/framebuffer/rect.ts";
import { Region } from "../../src/framebuffer/region.ts";
import { copyPixels } from "../../src/imaging/pixels.ts";
import { AGENT, House } from "../desktop/house.ts";
import { FakeClock } from "../fake-clock.ts";
import { spec } from "./scenes.ts";

const BLURRED = rect(21, 13, 90, 61);

/** Whole numbers that look random and are the same in every run. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 8) % below;
  };
}

function noise(width: number, height: number, seed: number): Framebuffer {
  const frame = new Framebuffer(width, height);
  const next = numbers(seed);
  for (let i = 0; i < frame.words.length; i++) frame.words[i] = (0xff000000 | next(1 << 24)) >>> 0;
  return frame;
}

/** A picture of a frame with one blur, copied out in whatever parts. */
function composed(frame: Framebuffer, blurred: Rect, parts: readonly Rect[]): Uint32Array {
  const scene = new Scene(new FakeClock());
  scene.add(spec({ kind: "blur", ...blurred }), "a", frame.rect);
  const picture = composePicture(frame, scene);
  const out = new Uint32Array(frame.words.length);
  for (const part of parts) {
    const bytes = copyPixels(picture.pixels(part), part.width, part.height);
    const words = new Uint32Array(bytes.buffer, bytes.byteOffset, part.width * part.height);
    for (let y = 0; y < part.height; y++) {
      out.set(words.subarray(y * part.width, (y + 1) * part.width), (part.y + y) * frame.width + part.x);
    }
  }
  return out;
}

t.test("the same pixels come out whatever the parts, and none beyond it are touched", async (t) => {
  const frame = noise(130, 90, 1);
  const whole = composed(frame, BLURRED, [frame.rect]);
  for (const [width, height] of [
    [1, 90],
    [130, 1],
    [7, 11],
    [16, 16],
    [100, 40],
  ] as const) {
    const parts: Rect[] = [];
    for (let y = 0; y < 90; y += height) {
      for (let x = 0; x < 130; x += width) parts.push(intersectRects(rect(x, y, width, height), frame.rect));
    }
    t.same(composed(frame, BLURRED, parts), whole, `${width}x${height}`);
  }
  for (const [i, word] of whole.entries()) {
    if (!holdsPoint(BLURRED, i % 130, Math.floor(i / 130)) && word !== frame.words[i]) t.fail(`pixel ${i}`);
  }
});

t.test("one colour stays it, and what is fine is gone", async (t) => {
  const plain = new Framebuffer(130, 90);
  plain.fill(plain.rect, 0xff3366cc);
  t.same(composed(plain, BLURRED, [plain.rect]), plain.words);
  const stripes = new Framebuffer(130, 90);
  for (let x = 0; x < 130; x++) stripes.fill(rect(x, 0, 1, 90), x % 2 === 0 ? 0xffffffff : 0xff000000);
  const blurred = composed(stripes, rect(16, 16, 96, 64), [stripes.rect]);
  for (let y = 16; y < 80; y++) {
    for (let x = 16; x < 112; x++) {
      if (((blurred[y * 130 + x] ?? 0) & 0xff) !== 0x80) t.fail(`${x},${y} is no even grey`);
    }
  }
});

t.test("one of any small size, and at every edge, is blurred", async (t) => {
  const frame = noise(60, 50, 2);
  for (const place of [rect(0, 0, 1, 1), rect(59, 49, 1, 1), rect(0, 0, 60, 50), rect(50, 3, 10, 17)]) {
    const whole = composed(frame, place, [frame.rect]);
    t.equal(
      whole.every((word) => word >>> 24 === 255),
      true,
    );
  }
  paintBlur(frame.words, 0, 60, frame, rect(70, 70, 5, 5), rect(70, 70, 5, 5));
  t.same(frame.words, noise(60, 50, 2).words, "and nothing outside the picture");
});

t.test("all that differs lies in what damage spreads to", async (t) => {
  const next = numbers(3);
  const frame = noise(130, 90, 4);
  for (let round = 0; round < 60; round++) {
    const before = composed(frame, BLURRED, [frame.rect]);
    const painted = intersectRects(rect(next(130), next(90), 1 + next(20), 1 + next(20)), frame.rect);
    frame.fill(painted, (0xff000000 | next(1 << 24)) >>> 0);
    const after = composed(frame, BLURRED, [frame.rect]);
    const spread = spreadIn(BLURRED, Region.of(painted));
    const stray = after.findIndex(
      (word, i) => word !== before[i] && !spread.overlaps(rect(i % 130, Math.floor(i / 130), 1, 1)),
    );
    t.equal(stray, -1, `round ${round}`);
    if (isEmptyRect(intersectRects(painted, BLURRED))) t.same(spread.rects, [painted]);
  }
});

t.test(
  "who sees overlays drawn in is owed all that a blur makes different, through paints and moves",
  async (t) => {
    const house = House.live();
    const { desktop } = house;
    desktop.scene.add(spec({ kind: "blur", ...BLURRED }), AGENT.id, rect(0, 0, 200, 100));
    await desktop.scene.whenPainted();
    const view = desktop.view("viewer");
    const watcher = view.watch(() => undefined, { withOverlays: true });
    t.teardown(() => watcher.close());
    const whole = rect(0, 0, 200, 100);
    const shot = (): Uint32Array => {
      const bytes = copyPixels(view.picture(true).pixels(whole), 200, 100);
      return new Uint32Array(bytes.buffer, bytes.byteOffset, 20_000);
    };
    watcher.take();
    const next = numbers(5);
    const shown = new Framebuffer(200, 100);
    shown.words.set(shot());
    let moved = 0;
    for (let round = 0; round < 60; round++) {
      const at = intersectRects(rect(next(200), next(100), 1 + next(30), 1 + next(30)), whole);
      // Every third update moves something as well, within the blur, into it, out of it or far from it.
      const isFar = round % 2 === 1;
      const to = isFar ? rect(130 + next(30), next(70), 40, 20) : rect(next(150), next(70), 30, 20);
      const move = { fromX: isFar ? 112 : next(150), fromY: next(70), to };
      const copies = round % 3 === 0 ? [move] : [];
      for (const { fromX, fromY } of copies) house.link.framebuffer.copy(fromX, fromY, to);
      house.link.paint(at, (0xff000000 | next(1 << 24)) >>> 0, copies);
      const owed = watcher.take();
      moved += owed.copies.length;
      for (const copy of owed.copies) shown.copy(copy.fromX, copy.fromY, copy.to);
      const now = shot();
      for (const { x, y, width, height } of owed.painted.rects) {
        for (let row = y; row < y + height; row++) {
          shown.words.set(now.subarray(row * 200 + x, row * 200 + x + width), row * 200 + x);
        }
      }
      t.same(shown.words, now, `round ${round}`);
    }
    t.ok(moved > 0, "far from the blur a move stays one");
  },
);

t.test("a kept screenshot with a blur is what a fresh one would be", async (t) => {
  const house = House.live();
  const { desktop } = house;
  desktop.scene.add(spec({ kind: "blur", ...rect(0, 0, 200, 100) }), AGENT.id, rect(0, 0, 200, 100));
  const take = () => desktop.view("agent").snapshot({ withOverlays: true });
  await house.act(take());
  for (const y of [1, 15, 17, 63, 65, 98]) {
    house.link.paint(rect(10, y, 3, 1), 0xff0000 + y);
    const kept = await house.act(take());
    const pixels = await sharp(kept.bytes).removeAlpha().raw().toBuffer();
    const fresh = copyPixels(
      desktop
        .view("agent")
        .picture(true)
        .pixels(rect(0, 0, 200, 100)),
      200,
      100,
    );
    const wanted = await sharp(fresh, { raw: { width: 200, height: 100, channels: 4 } })
      .removeAlpha()
      .raw()
      .toBuffer();
    t.ok(pixels.equals(wanted), `changed at ${y}`);
  }
});
