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
      rgbaOf: (taken) => taken,
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

t.test(
  "what lies over a screen that never rests is drawn once, as it was at that moment, with turns for others",
  async (t) => {
    const frame = paintedFrame(4, STRIPS * STRIP_ROWS);
    let moment = 0;
    let isOver = false;
    let drawn = 0;
    let drawnInTurn = 0;
    let mostInTurn = 0;
    const set = new StripSet<Uint8Array, readonly [number, number]>(frame, {
      take(pixels, width, rows, _y, old) {
        work(1);
        const bytes = old ?? new Uint8Array(width * rows * BYTES_PER_PIXEL);
        bytes.set(pixels.bytes.subarray(pixels.offset, pixels.offset + bytes.length));
        return bytes;
      },
      rgbaOf: (taken) => taken,
      compress: (taken) => [taken[0] ?? -1, taken[1] ?? -1],
      assemble: (shown) => Buffer.from(shown.flat()),
    });
    const move = async (): Promise<void> => {
      while (!isOver) {
        drawnInTurn = 0;
        moment++;
        for (let i = 0; i < frame.bytes.length; i += BYTES_PER_PIXEL) frame.bytes[i] = moment;
        set.invalidate(null);
        await turn();
      }
    };
    const moved = move();
    const below = frameAsPicture(frame);
    const shown = await set.encode({
      ...below,
      pixels() {
        throw new Error("the composed pixels were taken");
      },
      composition: {
        below,
        over() {
          const then = moment;
          return (_rect, rgba) => {
            work(1);
            drawn++;
            drawnInTurn++;
            mostInTurn = Math.max(mostInTurn, drawnInTurn);
            rgba[1] = then;
          };
        },
      },
    });
    isOver = true;
    await moved;
    t.equal(drawn, STRIPS, "each strip once, however often it was taken");
    t.ok(mostInTurn < STRIPS / 2, `others had turns: at most ${mostInTurn} strips between two`);
    const [moments, marks] = [0, 1].map((odd) => new Set(shown.filter((_, i) => i % 2 === odd)));
    t.equal(moments?.size, 1, `one moment: ${[...shown].join(" ")}`);
    t.same(marks, moments, "what lay over it in that moment");
  },
);
