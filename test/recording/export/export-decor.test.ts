import t from "tap";
import { composePicture } from "../../../src/compositor/compose.ts";
import { shapeOf } from "../../../src/compositor/shapes/list.ts";
import { Framebuffer } from "../../../src/framebuffer/framebuffer.ts";
import { rect } from "../../../src/framebuffer/rect.ts";
import { copyPixels } from "../../../src/imaging/pixels.ts";
import { ExportDecor } from "../../../src/recording/export/export-decor.ts";
import { spec } from "../../compositor/scenes.ts";

const WHOLE = rect(0, 0, 640, 1000);

t.test("a blur of the whole picture is painted over some turns, and is the same as in one", async (t) => {
  const blur = {
    ...spec({ kind: "blur", ...WHOLE }),
    ...{ id: "1", ownerId: "bench", createdAt: "2026-11-26T00:00:00.000Z" },
  };
  const frame = new Framebuffer(WHOLE.width, WHOLE.height);
  frame.words.forEach((_, i) => {
    frame.words[i] = 0xff000000 + (Math.imul(i, 2654435761) >>> 8);
  });
  const shown = { type: "overlays_shown", overlays: [blur], atMs: 0 } as const;
  const reader = { events: async () => [shown] };
  const decor = new ExportDecor(reader, { hasOverlays: true, hasPointer: false });
  let [turns, isDone] = [0, false];
  const count = (): void => {
    turns++;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  const { width, height } = frame;
  const recorded = { atMs: 0, generation: 1, isExact: true, rgba: frame.bytes.slice() };
  const painted = await decor.paint({ width, height, ...recorded }, 0);
  isDone = true;
  t.ok(turns >= 2, `${turns} turns of the event loop went by`);

  const shape = shapeOf("blur");
  if (shape === undefined) throw new Error("no blur");
  const composed = composePicture(frame, {
    placed: [{ overlay: blur, shape, room: WHOLE, bounds: WHOLE }],
  });
  const whole = copyPixels(composed.pixels(WHOLE), width, height);
  t.notSame(Buffer.compare(whole, frame.bytes), 0, "something is blurred");
  t.equal(Buffer.compare(painted, whole), 0);
});
