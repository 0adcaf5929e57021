import { setImmediate as turn } from "node:timers/promises";
import t from "tap";
import { BYTES_PER_PIXEL } from "../../src/framebuffer/framebuffer.ts";
import { STRIP_ROWS, StripSet } from "../../src/imaging/strip-set.ts";
import { frameAsPicture, paintedFrame } from "./pictures.ts";

const STRIPS = 20;

/** Long enough for a few strips to fill a slice. */
function work(forMs: number): void {
  const endMs = performance.now() + forMs;
  while (performance.now() < endMs);
}

t.test(
  "a screen that never rests is shown as it was at one moment, with memory that is there already",
  async (t) => {
    const frame = paintedFrame(4, STRIPS * STRIP_ROWS);
    let moment = 0;
    let isOver = false;
    let inNewMemory = 0;
    const set = new StripSet<Uint8Array, number>(frame, {
      take(pixels, width, rows, _y, old) {
        work(1);
        if (old === undefined) inNewMemory++;
        const bytes = old ?? new Uint8Array(width * rows * BYTES_PER_PIXEL);
        bytes.set(pixels.bytes.subarray(pixels.offset, pixels.offset + bytes.length));
        return bytes;
      },
      compress: (taken) => taken[0] ?? -1,
      assemble: (shown) => Buffer.from(shown),
    });
    const move = async (): Promise<void> => {
      while (!isOver) {
        moment++;
        for (let i = 0; i < frame.bytes.length; i += BYTES_PER_PIXEL) frame.bytes[i] = moment;
        set.invalidate(null);
        await turn();
      }
    };
    const moved = move();
    const shown = await set.encode(frameAsPicture(frame));
    isOver = true;
    await moved;
    t.equal(shown.length, STRIPS);
    t.equal(new Set(shown).size, 1, `one moment: ${[...shown].join(" ")}`);
    t.ok(moment > 2, `the screen moved meanwhile, ${moment} times`);
    t.equal(inNewMemory, STRIPS, "each strip once, however often it was taken");
  },
);
