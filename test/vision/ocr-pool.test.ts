import { Worker } from "node:worker_threads";
import t from "tap";
import { OcrPool } from "../../src/vision/ocr-pool.ts";
import { until } from "../support/until.ts";
import { HandTimer, never, page, readsAsEnginesDo } from "./engine-contract.ts";

/** A thread that answers each task as `script` says; the task of language "die" ends it. */
function threadThat(script: string): () => Worker {
  const source = `const { parentPort } = require("node:worker_threads");
    parentPort.on("message", ({ id, task }) => {
      if (task.languages[0] === "die") process.exit(1);
      ${script}
    });`;
  return () => new Worker(source, { eval: true, execArgv: [], env: {} });
}
const EMBEDDED = { kind: "embedded" } as const;
const ANSWERS = 'parentPort.postMessage({ kind: "done", id, lines: [] });';

t.test("text is read where it stands, dark on light and light on dark, by an engine", async (t) => {
  const timer = new HandTimer();
  const pool = new OcrPool(timer);
  t.teardown(() => pool.close());
  t.equal(pool.threads, 0, "opened when first needed");
  await readsAsEnginesDo(t, pool);
  t.equal(pool.threads, 1);
  timer.pass();
  t.equal(pool.threads, 0, "it ends when nobody asks");
});

t.test("a thread that ends takes only what it read with it", async (t) => {
  const pool = new OcrPool(new HandTimer(), EMBEDDED, threadThat(ANSWERS));
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
  const pool = new OcrPool(new HandTimer(), EMBEDDED, () => {
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
  const pool = new OcrPool(timer, EMBEDDED, threadThat(""));
  t.teardown(() => pool.close());
  const hanging = pool.read(page(), never);
  timer.pass();
  await t.rejects(hanging, { code: "engine_lost", message: /more than 50 s/ });
  t.equal(pool.threads, 0);
  const none = new OcrPool(timer, EMBEDDED, () => {
    throw new Error("no threads left");
  });
  await t.rejects(none.read(page(), never), { code: "engine_failed" });
});

t.test("what is cancelled is given up, and others go on", async (t) => {
  const pool = new OcrPool(
    new HandTimer(),
    EMBEDDED,
    threadThat(`if (task.languages[0] === "eng") ${ANSWERS}`),
  );
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
  const pool = new OcrPool(new HandTimer(), EMBEDDED, threadThat(""));
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
