import { setMaxListeners } from "node:events";
import { readFileSync } from "node:fs";
import { Worker } from "node:worker_threads";
import sharp from "sharp";
import t from "tap";
import type { OcrWord } from "../../src/vision/ocr-messages.ts";
import { OcrPool, type OcrRequest } from "../../src/vision/ocr-pool.ts";
import { until } from "../support/until.ts";

/** Time that goes on when the test says so. */
class HandTimer {
  readonly #due = new Set<() => void>();

  after(_delayMs: number, call: () => void): () => void {
    this.#due.add(call);
    return () => this.#due.delete(call);
  }

  pass(): void {
    for (const call of [...this.#due]) call();
  }
}

/** Dark text on light ground on the left, light on dark on the right. */
const PAGE = readFileSync(new URL("page.png", import.meta.url));
const SIZE = { width: 640, height: 200 };

const page = (more: Partial<OcrRequest> = {}): OcrRequest => ({
  ownerId: "one",
  file: PAGE,
  size: SIZE,
  part: null,
  languages: ["eng"],
  ...more,
});
/** Whether its box begins at most 3 pixels beside that point. */
const isAt = (read: Pick<OcrWord, "rect"> | undefined, x: number, y: number): boolean =>
  read !== undefined && Math.abs(read.rect.x - x) <= 3 && Math.abs(read.rect.y - y) <= 3;
const never = new AbortController().signal;
setMaxListeners(0, never);

/** A thread that answers each task as `script` says; the task of language "die" ends it. */
function threadThat(script: string): () => Worker {
  const source = `const { parentPort } = require("node:worker_threads");
    parentPort.on("message", ({ id, task }) => {
      if (task.languages[0] === "die") process.exit(1);
      ${script}
    });`;
  return () => new Worker(source, { eval: true, execArgv: [], env: {} });
}
const ANSWERS = 'parentPort.postMessage({ kind: "done", id, lines: [] });';

t.test("text is read where it stands, dark on light and light on dark, by an engine", async (t) => {
  const timer = new HandTimer();
  const pool = new OcrPool(timer);
  t.teardown(() => pool.close());
  t.equal(pool.threads, 0, "opened when first needed");
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

  t.equal(pool.threads, 1);
  timer.pass();
  t.equal(pool.threads, 0, "it ends when nobody asks");
});

t.test("a thread that ends takes only what it read with it", async (t) => {
  const pool = new OcrPool(new HandTimer(), threadThat(ANSWERS));
  t.teardown(() => pool.close());
  const lost = pool.read(page({ languages: ["die"] }), never);
  const others = [pool.read(page(), never), pool.read(page({ ownerId: "two" }), never)];
  await t.rejects(lost, { code: "engine_lost", message: /ended/ });
  t.same(await Promise.all(others), [[], []]);
});

t.test("an engine that failed reads nothing more, and one that lacks a model goes on", async (t) => {
  const fails = `const [code] = task.languages;
    if (code.includes("_")) parentPort.postMessage({ kind: "failed", id, code, message: "so it was" });
    else ${ANSWERS}`;
  let opened = 0;
  const pool = new OcrPool(new HandTimer(), () => {
    opened++;
    return threadThat(fails)();
  });
  t.teardown(() => pool.close());
  await t.rejects(pool.read(page({ languages: ["models_missing"] }), never), { code: "models_missing" });
  t.same(await pool.read(page(), never), []);
  t.equal(opened, 1);
  await t.rejects(pool.read(page({ languages: ["engine_failed"] }), never), {
    code: "engine_failed",
    message: "so it was",
  });
  t.equal(pool.threads, 0);
  t.same(await pool.read(page(), never), []);
  t.equal(opened, 2);
});

t.test("an engine that hangs is ended and told, and so is one that cannot be had", async (t) => {
  const timer = new HandTimer();
  const pool = new OcrPool(timer, threadThat(""));
  t.teardown(() => pool.close());
  const hanging = pool.read(page(), never);
  timer.pass();
  await t.rejects(hanging, { code: "engine_lost", message: /more than 50 s/ });
  t.equal(pool.threads, 0);
  const none = new OcrPool(timer, () => {
    throw new Error("no threads left");
  });
  await t.rejects(none.read(page(), never), { code: "engine_failed" });
});

t.test("what is cancelled is given up, and others go on", async (t) => {
  const pool = new OcrPool(new HandTimer(), threadThat(`if (task.languages[0] === "eng") ${ANSWERS}`));
  t.teardown(() => pool.close());
  const control = new AbortController();
  const stuck = ["a", "b"].map((ownerId) => pool.read(page({ ownerId, languages: ["deu"] }), control.signal));
  const waits = pool.read(page({ ownerId: "c", languages: ["deu"] }), control.signal);
  const other = pool.read(page({ ownerId: "d" }), never);
  const gone = Promise.allSettled([...stuck, waits]);
  control.abort(new Error("went away"));
  for (const one of await gone) t.match(one, { status: "rejected", reason: { message: "went away" } });
  t.same(await other, []);
  await t.rejects(pool.read(page(), control.signal), { message: "went away" });
});

t.test("too large and too many are refused before anything is done", async (t) => {
  const pool = new OcrPool(new HandTimer(), threadThat(""));
  const size = { width: 16_384, height: 16_384 };
  await t.rejects(pool.read(page({ size }), never), { code: "too_large", message: /give a region/ });
  const wide = { width: 16_384, height: 200 };
  await t.rejects(pool.read(page({ size: wide }), never), { code: "too_large", message: /16383 a side/ });
  t.equal(pool.threads, 0);
  const own = Promise.allSettled(Array.from({ length: 5 }, () => pool.read(page(), never)));
  await until("threads", () => pool.threads === 2);
  const all = Promise.allSettled(
    Array.from({ length: 21 }, (_, i) => pool.read(page({ ownerId: `of ${i}` }), never)),
  );
  await pool.close();
  t.same(
    (await own).map((one) => one.status === "rejected" && one.reason.code),
    ["engine_lost", "engine_lost", "engine_lost", "engine_lost", "too_many"],
  );
  t.equal(
    (await all).filter((one) => one.status === "rejected" && one.reason.code === "too_many").length,
    1,
    "24 in all",
  );
  await t.rejects(pool.read(page(), never), { code: "engine_lost" });
});
