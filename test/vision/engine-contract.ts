import { setMaxListeners } from "node:events";
import { readFileSync } from "node:fs";
import sharp from "sharp";
import type { Test } from "tap";
import type { OcrWord } from "../../src/vision/ocr-messages.ts";
import type { OcrPool, OcrRequest } from "../../src/vision/ocr-pool.ts";

/** Dark text on light ground on the left, light on dark on the right. */
const PAGE = readFileSync(new URL("page.png", import.meta.url));
const SIZE = { width: 640, height: 200 };

export const never = new AbortController().signal;
setMaxListeners(0, never);

export const page = (more: Partial<OcrRequest> = {}): OcrRequest => ({
  ownerId: "one",
  file: PAGE,
  size: SIZE,
  part: null,
  languages: ["eng"],
  ...more,
});

/** Time that goes on when the test says so. */
export class HandTimer {
  readonly #due = new Set<() => void>();

  after(_delayMs: number, call: () => void): () => void {
    this.#due.add(call);
    return () => this.#due.delete(call);
  }

  pass(): void {
    for (const call of [...this.#due]) call();
  }
}

/** Whether its box begins at most 3 pixels beside that point. */
const isAt = (read: Pick<OcrWord, "rect"> | undefined, x: number, y: number): boolean =>
  read !== undefined && Math.abs(read.rect.x - x) <= 3 && Math.abs(read.rect.y - y) <= 3;

/** What each engine does alike: places, languages, faults, sizes. `pool`: with threads of that engine. */
export async function readsAsEnginesDo(t: Test, pool: OcrPool): Promise<void> {
  const lines = await pool.read(page(), never);
  const texts = lines.map(({ text }) => text);
  for (const known of ["Invoice number 4711 is open", "Please answer before Friday"]) {
    t.ok(texts.includes(known), `${known}: ${texts.join(" | ")}`);
  }
  t.ok(texts.includes("cargo build finished"), texts.join(" | "));
  const words = lines.flatMap((line) => line.words);
  const number = words.find(({ text }) => text === "4711");
  t.ok(isAt(number, 143, 29), JSON.stringify(number));
  t.ok((number?.confidence ?? 0) > 60, `confidence ${number?.confidence}`);
  t.notOk(words.some(({ confidence }) => confidence < 0 || confidence > 100));

  await t.test("a part of a picture is read alone, in pixels of the picture", async (t) => {
    const part = { x: 330, y: 20, width: 300, height: 30 };
    const [line, ...rest] = await pool.read(page({ part }), never);
    t.equal(line?.text, "cargo build finished");
    t.ok(isAt(line, 340, 29), JSON.stringify(line));
    t.same(rest, []);
  });

  await t.test("German is read with its model", async (t) => {
    const part = { x: 0, y: 95, width: 320, height: 35 };
    const read = await pool.read(page({ part, languages: ["deu"] }), never);
    t.same(
      read.map(({ text }) => text),
      ["Größe wählen, Straße prüfen"],
    );
  });

  await t.test("a language without a model is refused, and names those that are there", async (t) => {
    for (const language of ["jpn", "../eng", "eng.traineddata"]) {
      await t.rejects(pool.read(page({ languages: ["eng", language] }), never), {
        code: "models_missing",
        message: /expected one of deu, eng/,
      });
    }
  });

  await t.test("what is no picture is a typed error, and the next is read", async (t) => {
    const file = new Uint8Array(5000).fill(7);
    await t.rejects(pool.read(page({ file }), never), { code: "engine_failed" });
    await t.rejects(pool.read(page({ part: { x: 600, y: 0, width: 100, height: 10 } }), never), {
      code: "engine_failed",
    });
    const part = { x: 150, y: 140, width: 2, height: 1 };
    t.same(await pool.read(page({ part }), never), [], "hardly a pixel holds no text");
  });

  await t.test("the widest picture that is read", async (t) => {
    const file = await sharp({ create: { width: 16_383, height: 60, channels: 3, background: "white" } })
      .composite([
        {
          input: await sharp(PAGE).extract({ left: 0, top: 20, width: 300, height: 30 }).toBuffer(),
          left: 16_050,
          top: 10,
        },
      ])
      .png()
      .toBuffer();
    const [line] = await pool.read(page({ file, size: { width: 16_383, height: 60 } }), never);
    t.equal(line?.text, "Invoice number 4711 is open");
  });
}
