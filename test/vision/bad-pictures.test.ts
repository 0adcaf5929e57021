import { setMaxListeners } from "node:events";
import { readFileSync } from "node:fs";
import type { Worker } from "node:worker_threads";
import sharp from "sharp";
import t from "tap";
import { systemClock } from "../../src/platform/clock.ts";
import { openThread } from "../../src/platform/worker-thread.ts";
import { cutPicture } from "../../src/vision/cut/cut-lines.ts";
import { OcrPool } from "../../src/vision/ocr-pool.ts";
import { numbers } from "../framebuffer/frames.ts";
import { until } from "../support/until.ts";

// What a screen may show beside lines of Latin letters, read by the real engine.

const never = new AbortController().signal;
setMaxListeners(0, never);
/** Two lines of English; between and beside them Hebrew, Arabic, both in one line, and text that stands upright. */
const SCRIPTS = readFileSync(new URL("scripts.png", import.meta.url));
const PAGE = readFileSync(new URL("page.png", import.meta.url));

function open() {
  const workers: Worker[] = [];
  const pool = new OcrPool(systemClock, { kind: "embedded" }, () => {
    const worker = openThread("ocr-worker", new URL("../../src/vision/ocr-pool.ts", import.meta.url).href);
    workers.push(worker);
    return worker;
  });
  t.teardown(() => pool.close());
  const read = (file: Buffer, size: { width: number; height: number }) =>
    pool.read({ ownerId: "one", file, size, part: null, languages: ["deu", "eng"] }, never);
  return { pool, workers, read };
}

const png = (rgba: Uint8Array, width: number, height: number): Promise<Buffer> =>
  sharp(rgba, { raw: { width, height, channels: 4 } })
    .png()
    .toBuffer();

t.test("a picture without text has none", async (t) => {
  const { read } = open();
  const size = { width: 400, height: 300 };
  const empty = new Uint8Array(400 * 300 * 4).fill(255);
  t.same(await read(await png(empty, 400, 300), size), []);
  const slope = Uint8Array.from(empty, (_, at) => (at % 4 === 3 ? 255 : Math.floor(((at >> 2) % 400) / 2)));
  t.same(await read(await png(slope, 400, 300), size), [], "a gradient");
  const next = numbers(5);
  const noise = Uint8Array.from(empty, (_, at) => (at % 4 === 3 ? 255 : next() & 255));
  const found = await read(await png(noise, 400, 300), size);
  t.ok(found.length < 5, `noise has hardly any: ${found.length}`);
});

t.test("other scripts and upright text take nothing from the lines beside them", async (t) => {
  const { read } = open();
  const lines = await read(SCRIPTS, { width: 640, height: 260 });
  const texts = lines.map(({ text }) => text);
  for (const known of ["Save the file before you close it", "Close the window when you are done"]) {
    t.ok(texts.includes(known), `${known}: ${texts.join(" | ")}`);
  }
  t.match(texts.join("\n"), /Open.*Recent/, "the Latin words of a line of two scripts");
});

t.test("a line of 16,384 pixels is read from end to end", async (t) => {
  const { pool } = open();
  const [width, height] = [16_384, 40];
  const piece = await sharp(PAGE).extract({ left: 10, top: 22, width: 222, height: 26 }).toBuffer();
  const rgba = await sharp({ create: { width, height, channels: 4, background: "white" } })
    .composite(Array.from({ length: 73 }, (_, at) => ({ input: piece, left: at * 222 + 20, top: 6 })))
    .raw()
    .toBuffer();
  const words = new Uint32Array(rgba.buffer.slice(rgba.byteOffset, rgba.byteOffset + rgba.length));
  const lines = cutPicture({ width, height, words });
  const read = await pool.readLines({ lines, ownerId: "one", languages: ["deu", "eng"] }, never);
  const found = read.flat().filter(({ text }) => text === "Invoice");
  t.equal(
    found.length,
    73,
    read
      .flat()
      .map(({ text }) => text)
      .join(" ")
      .slice(0, 300),
  );
  t.ok(Math.max(...found.map(({ rect }) => rect.x)) > 15_900);
});

t.test("an engine's thread that is killed while it reads loses that picture alone", async (t) => {
  const { pool, workers, read } = open();
  const size = { width: 640, height: 200 };
  const [before] = await read(PAGE, size);
  t.equal(before?.text, "Invoice number 4711 is open");
  const lost = read(PAGE, size);
  const waits = read(PAGE, size);
  await until("both are read", () => pool.threads === 2);
  await workers[0]?.terminate();
  await t.rejects(lost, { code: "engine_lost" });
  t.equal((await waits)[0]?.text, before?.text, "the other goes on");
  const next = await Promise.all([read(PAGE, size), read(PAGE, size)]);
  for (const [line] of next) t.equal(line?.text, before?.text, "the next ones are read, one by a new thread");
  t.equal(workers.length, 3);
});
