import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { openReader } from "../../src/appliance/open-reader.ts";
import { checkModels, checkTesseract } from "../../src/cli/doctor-checks.ts";
import { OcrPool } from "../../src/vision/ocr-pool.ts";
import { findTesseract, languagesOf } from "../../src/vision/tesseract-program.ts";
import { requirePeers } from "../e2e/harness/peers.ts";
import { until } from "../support/until.ts";
import { HandTimer, never, page, readsAsEnginesDo } from "./engine-contract.ts";

const PART = { x: 0, y: 20, width: 320, height: 35 };
const READ = ["Invoice number 4711 is open"];

const poolOf = (program: string, timer = new HandTimer()): OcrPool =>
  new OcrPool(timer, { kind: "tesseract", program });

/** A program of that name that does something else. */
function programThat(folder: string, script: string): string {
  const file = join(folder, "tesseract");
  writeFileSync(file, `#!/bin/sh\n${script}\n`);
  chmodSync(file, 0o755);
  return file;
}

const program = await findTesseract();
const hasTesseract = program !== null && requirePeers(t, ["tesseract"]);

t.test("Tesseract's own program", { skip: !hasTesseract }, async (t) => {
  if (program === null) throw new Error("no program");
  const read = async (pool: OcrPool, languages = ["eng"], signal = never): Promise<readonly string[]> =>
    (await pool.read(page({ part: PART, languages }), signal)).map(({ text }) => text);

  await t.test("reads as the engine does that ships", async (t) => {
    const pool = poolOf(program);
    t.teardown(() => pool.close());
    await readsAsEnginesDo(t, pool);
    t.equal(pool.threads, 1);
  });

  await t.test("reads what its installed packages add, beside what ships", async (t) => {
    const languages = await languagesOf({ kind: "tesseract", program });
    t.ok(
      ["deu", "eng", "fra"].every((language) => languages.includes(language)),
      languages.join(),
    );
    t.notOk(languages.includes("osd"), "no language");
    const pool = poolOf(program);
    t.teardown(() => pool.close());
    t.same(await pool.languages(), languages);
    t.same(await read(pool, ["fra", "eng"]), READ);
  });

  await t.test("one that is killed while it reads takes only that with it", async (t) => {
    const dir = t.testdir();
    const once = programThat(dir, `mkdir ${dir}/once 2>/dev/null && kill -9 $$; exec ${program} "$@"`);
    const pool = poolOf(once);
    t.teardown(() => pool.close());
    await t.rejects(read(pool), { code: "engine_failed", message: /SIGKILL|137/ });
    t.same(await read(pool), READ);
  });

  await t.test("what is cancelled ends with all that was started for it", async (t) => {
    const dir = t.testdir();
    const pool = poolOf(programThat(dir, `echo $$ > ${dir}/pid; exec ${program} "$@"`));
    t.teardown(() => pool.close());
    const control = new AbortController();
    const gone = read(pool, ["eng"], control.signal);
    await until("a program that runs", () => existsSync(`${dir}/pid`));
    control.abort(new Error("went away"));
    await t.rejects(gone, { message: "went away" });
    await until("its end", () => !existsSync(`/proc/${readFileSync(`${dir}/pid`, "utf8").trim()}/exe`));
  });

  await t.test("it has a bound of memory and of time, and nothing of our environment", async (t) => {
    const dir = t.testdir();
    const told = `{ ulimit -v; ulimit -t; env | cut -d= -f1 | sort | tr '\\n' ' '; } > ${dir}/told`;
    const pool = poolOf(programThat(dir, `${told}; exec ${program} "$@"`));
    t.teardown(() => pool.close());
    t.same(await read(pool), READ);
    t.match(
      readFileSync(`${dir}/told`, "utf8"),
      /^1500000\n45\n(LC_ALL |OMP_THREAD_LIMIT |PWD |OLDPWD |SHLVL |_ )+$/,
    );
    const tooLarge = poolOf(programThat(dir, `ulimit -v 20000; exec ${program} "$@"`));
    t.teardown(() => tooLarge.close());
    await t.rejects(read(tooLarge), { code: "engine_failed" }, "memory that it does not get");
  });

  await t.test("doctor names it and its languages", async (t) => {
    t.match(await checkModels({ vision: { engine: "tesseract" } }), {
      ...{ part: "text engine", ok: true, advice: null },
      detail: new RegExp(`^${program}: .*deu, eng`),
    });
  });
});

t.test("a program that says nonsense, too much, or ends badly is a typed error", async (t) => {
  const dir = t.testdir();
  const read = async (script: string): Promise<unknown> => {
    const pool = poolOf(programThat(dir, `cat > /dev/null; ${script}`));
    t.teardown(() => pool.close());
    return await pool.read(page({ part: PART }), never);
  };
  t.same(
    await read("printf '5\\t99\\t1\\t1\\t1\\t1\\t0\\t0\\t9\\t9\\t90\\tx\\n5\\t1\\tx\\n'"),
    [],
    "no such picture",
  );
  await t.rejects(read("exit 3"), { code: "engine_failed", message: /ended with status 3/ });
  await t.rejects(read("exec yes"), { code: "engine_failed", message: /SIGKILL|SIGPIPE/ });
});

t.test("one that hangs is ended and told", async (t) => {
  const dir = t.testdir();
  const timer = new HandTimer();
  const pool = poolOf(programThat(dir, `echo $$ > ${dir}/pid; exec cat`), timer);
  t.teardown(() => pool.close());
  const hanging = pool.read(page(), never);
  const told = t.rejects(hanging, { code: "engine_lost", message: /more than 50 s/ });
  timer.pass();
  await told;
  t.equal(pool.threads, 0);
});

t.test("where it is not installed, each says what to do", async (t) => {
  const nowhere = t.testdir();
  t.equal(await findTesseract(`${nowhere}:relative:`), null);
  await t.rejects(openReader({ vision: { engine: "tesseract" } }, new HandTimer(), nowhere), {
    name: "ConfigError",
    message: /^vision\.engine: got tesseract, .*apt-get install tesseract-ocr/,
  });
  t.match(await checkTesseract(nowhere), { ok: false, advice: /apt-get install tesseract-ocr/ });
  const gone = poolOf(join(nowhere, "tesseract"));
  t.teardown(() => gone.close());
  const missing = { code: "engine_missing", message: /apt-get install tesseract-ocr .*vision\.engine/ };
  await t.rejects(gone.read(page(), never), missing);
  await t.rejects(gone.languages(), missing);
  t.equal(gone.threads, 1, "there when it is installed again");
});
