import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import * as z from "zod";
import type { XDisplay } from "../test/e2e/harness/x-display.ts";

/** As `clock-window.mjs` draws it. */
const COLUMNS = 20;
const CELL = 16;
/** Of waiting for the first picture of it. */
const MOST_MS = 15_000;
const CLOCK = fileURLToPath(new URL("clock-window.mjs", import.meta.url));

/** A program that draws the time it is into the picture, 25 times a second, in cells that lossy pictures keep. */
export interface DrawnClock {
  readonly pid: number;
  readonly x: number;
  readonly y: number;
}

/** Opens it above all other windows. */
export async function openClock(display: XDisplay, x: number, y: number): Promise<DrawnClock> {
  const program = display.program(process.execPath, CLOCK, `${x}`, `${y}`);
  if (program.pid === undefined) throw new Error("no clock is drawn: node was not started");
  return { pid: program.pid, x, y };
}

/**
 * In the page, for so long: reads the clock at each of its frames, and tells how old what the canvas shows is at each
 * millisecond between. So a picture that stands counts for as long as it stands, however seldom the page draws.
 */
const WATCH = `async ({ canvas, x, y, forMs }) => {
  const context = document.querySelector(canvas).getContext("2d");
  const read = () => {
    const { data } = context.getImageData(x, y, ${COLUMNS * CELL}, ${2 * CELL});
    const isLight = (column, row) =>
      data[((row * ${CELL} + ${CELL / 2}) * ${COLUMNS} + column) * ${CELL} * 4 + ${CELL / 2} * 4 + 1] > 127;
    let time = 0;
    for (let column = 0; column < ${COLUMNS}; column++) {
      const bit = isLight(column, 0);
      if (bit === isLight(column, 1)) return null;
      time = time * 2 + Number(bit);
    }
    return time;
  };
  const ages = [];
  let [pictures, unread, shown, beforeMs] = [0, 0, null, Date.now()];
  const endMs = beforeMs + forMs;
  while (beforeMs < endMs || (ages.length === 0 && beforeMs < endMs + ${MOST_MS})) {
    await new Promise(requestAnimationFrame);
    const nowMs = Date.now();
    for (let at = beforeMs; shown !== null && at < nowMs; at++)
      ages.push((((at - shown) % ${2 ** COLUMNS}) + ${2 ** COLUMNS}) % ${2 ** COLUMNS});
    const time = read();
    if (time === null) unread++;
    else {
      if (time !== shown) pictures++;
      shown = time;
    }
    beforeMs = nowMs;
  }
  return { ages, pictures, unread };
}`;

const watchedSchema = z.object({ ages: z.array(z.number()), pictures: z.int(), unread: z.int() });

/** How old what a canvas shows was, at each millisecond of so long. */
export async function agesOf(
  page: Page,
  canvas: string,
  { x, y }: DrawnClock,
  forMs: number,
): Promise<readonly number[]> {
  const watched = await page.evaluate(`(${WATCH})(${JSON.stringify({ canvas, x, y, forMs })})`);
  const { ages, pictures, unread } = watchedSchema.parse(watched);
  if (ages.length === 0)
    throw new Error(`the clock in the picture was not read: ${pictures} times, ${unread} frames had none`);
  return ages;
}
