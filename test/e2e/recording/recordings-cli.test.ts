import { execFile } from "node:child_process";
import { closeSync, openSync, readdirSync, readFileSync, statSync, writeSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import sharp from "sharp";
import t from "tap";
import * as z from "zod";
import { until } from "../../support/until.ts";
import { Appliance } from "../harness/appliance.ts";
import { requirePeers } from "../harness/peers.ts";

const MAIN = fileURLToPath(new URL("../../../dist/main.js", import.meta.url));
const run = promisify(execFile);

interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

const failure = z.object({ code: z.number(), stdout: z.string(), stderr: z.string() });

/** A command of the program on a data directory; its exit code is told, not thrown. */
async function command(dataDir: string, cwd: string, ...words: string[]): Promise<Outcome> {
  try {
    const done = await run(process.execPath, [MAIN, ...words, "--data-dir", dataDir], { cwd });
    return { code: 0, ...done };
  } catch (error) {
    return failure.parse(error);
  }
}

/** Where an overlay is drawn, clear of the pointer. */
const MARKED = { x: 700, y: 600, width: 100, height: 60 } as const;

/** The largest file of a recording. */
function largestOf(folder: string): string {
  const files = readdirSync(folder).map((name) => join(folder, name));
  return files.sort((a, b) => statSync(b).size - statSync(a).size)[0] ?? "";
}

t.test("recordings list, verify and export", { timeout: 900_000 }, async (t) => {
  if (!requirePeers(t, ["ffmpeg", "ffprobe"])) return;
  const appliance = await Appliance.start(t, { args: ["--demo"] });
  const agent = await appliance.agent({ token: appliance.agentToken });
  const cwd = t.testdir();
  const at = (...words: string[]): Promise<Outcome> =>
    command(appliance.dataDir, cwd, "recordings", ...words);

  t.match(await at("list"), { code: 0, stdout: "there are no recordings\n" });
  const { recording_id } = z.object({ recording_id: z.string() }).parse(await agent.call("start_recording"));
  await agent.call("click_at", { x: 300, y: 300, intent: "Put the caret into the note" });
  await agent.call("type_text", { text: "s3cret words", intent: "Write" });
  await agent.call("draw_overlay", { ...MARKED, color: "#ff00ff", opacity: 1 });
  await until("some seconds of it", async () => {
    const answer = await appliance.fetch(`/api/v1/recordings/${recording_id}`);
    return z.object({ duration_ms: z.number() }).parse(await answer.json()).duration_ms > 3000;
  });
  t.match(await at("verify", recording_id), { code: 1, stderr: /unsealed/ }, "what runs is not proven");
  await agent.call("stop_recording", { recording_id });

  await t.test("the list names it, with its state", async (t) => {
    const { stdout } = await at("list");
    t.match(stdout, new RegExp(`^${recording_id}  .*sealed.*Demo desktop\n$`));
  });

  await t.test("an intact one is verified with exit code 0, a missing one is not", async (t) => {
    t.match(await at("verify", recording_id), { code: 0, stdout: /intact/ });
    t.match(await at("verify", "20200101T000000Z-00000000"), { code: 1, stderr: /no such recording/ });
    t.match(await at("verify", "../tokens"), { code: 1, stderr: /no such recording/ });
  });

  await t.test("every format is a file that its own programs read", async (t) => {
    for (const format of ["png", "gif", "mp4", "webm", "html", "ndjson"]) {
      const path = join(cwd, `out.${format}`);
      const done = await at("export", recording_id, "--output", path);
      t.match(done, { code: 0, stdout: new RegExp(`out.${format}`) }, format);
      t.ok(statSync(path).size > 500, format);
      t.equal(statSync(path).mode & 0o777, 0o600, "for its owner alone");
    }
    t.match(await sharp(join(cwd, "out.png")).metadata(), { format: "png", width: 2080, height: 800 });
    for (const format of ["mp4", "webm"]) {
      const { stdout } = await run("ffprobe", [
        ...["-v", "error", "-show_entries", "stream=width,height:packet=pts_time", "-of", "csv"],
        join(cwd, `out.${format}`),
      ]);
      t.match(stdout, /stream,2080,800/, format);
      const times = [...stdout.matchAll(/packet,([\d.]+)/g)].map(([, time]) => Number(time));
      t.equal(times[0], 0, `${format} begins at once`);
      t.ok((times.at(-1) ?? 0) >= 3, `${format} is as long as the recording`);
    }
    const lines = readFileSync(join(cwd, "out.ndjson"), "utf8").trim().split("\n");
    t.ok(lines.map((line) => JSON.parse(line)).some(({ type }) => type === "action"));
    for (const format of ["ndjson", "html"]) {
      t.notMatch(readFileSync(join(cwd, `out.${format}`), "utf8"), "s3cret", "typed text is nowhere");
    }
  });

  await t.test("a range and a format are taken from the words, and nothing is overwritten", async (t) => {
    const range = ["--from", "0:01", "--to", "2.5"];
    t.match(await at("export", recording_id, "--format", "gif", ...range), { code: 0 });
    const name = readdirSync(cwd).find((one) => one.startsWith("Demo desktop")) ?? "";
    const { delay = [] } = await sharp(join(cwd, name), { animated: true }).metadata();
    const lengthMs = delay.reduce((sum, ms) => sum + ms, 0);
    t.ok(Math.abs(lengthMs - 1500) <= 30 || delay.length <= 1, `${lengthMs} ms`);
    t.match(await at("export", recording_id, "--format", "gif", ...range), {
      code: 1,
      stderr: /there already/,
    });
    const nowhere = await at("export", recording_id, "--output", join(cwd, "none", "out.html"));
    t.match(nowhere, {
      code: 1,
      stderr: /out\.html\.part cannot be written \(ENOENT\): choose another place/,
    });
    t.notMatch(nowhere.stderr, /^ +at /m, "in words, not as a stack");
    t.match(await at("export", recording_id, "--format", "avi"), { code: 1, stderr: /"avi", expected/ });
    t.match(await at("export", recording_id, "--from", "soon"), { code: 1, stderr: /--from "soon"/ });
    t.match(await at("paint", recording_id), { code: 1, stderr: /recordings list, export or verify/ });
    t.same(
      readdirSync(cwd).filter((one) => one.endsWith(".part")),
      [],
      "no half file is left",
    );
  });

  await t.test("overlays and pointer are painted, unless the words say no", async (t) => {
    const shot = async (name: string, ...words: string[]) => {
      const path = join(cwd, `${name}.png`);
      // Beyond the end is the end: all that was drawn is there.
      t.match(await at("export", recording_id, "--from", "1:00:00", "--output", path, ...words), { code: 0 });
      const left = Math.round(MARKED.x + MARKED.width / 2);
      const top = Math.round(MARKED.y + MARKED.height / 2);
      const spot = sharp(path).extract({ left, top, width: 1, height: 1 });
      const rgb = [...(await spot.removeAlpha().raw().toBuffer())];
      return { rgb, pixels: await sharp(path).raw().toBuffer() };
    };
    const all = await shot("all");
    const noPointer = await shot("no-pointer", "--pointer", "0");
    const plain = await shot("plain", "--overlays", "0", "--pointer", "0");
    t.same(all.rgb, [255, 0, 255]);
    t.same(noPointer.rgb, [255, 0, 255]);
    t.notSame(plain.rgb, [255, 0, 255]);
    t.notSame(noPointer.pixels, all.pixels, "there was a pointer");
    const seen = await appliance.fetch(`/api/v1/recordings/${recording_id}/frame.png?at_ms=3600000`);
    const recorded = await sharp(Buffer.from(await seen.arrayBuffer()))
      .raw()
      .toBuffer();
    t.same(plain.pixels, recorded, "as it was recorded");
    const slow = join(cwd, "slow.gif");
    t.match(await at("export", recording_id, "--output", slow, "--fps", "0.5"), { code: 0 });
    t.ok(((await sharp(slow, { animated: true }).metadata()).delay ?? []).length <= 4, "a picture each 2 s");
  });

  await t.test("one changed byte is found", async (t) => {
    const file = largestOf(join(appliance.dataDir, "recordings", recording_id));
    const bytes = readFileSync(file);
    const middle = Math.floor(bytes.length / 2);
    const handle = openSync(file, "r+");
    writeSync(handle, Uint8Array.of((bytes[middle] ?? 0) ^ 1), 0, 1, middle);
    closeSync(handle);
    t.match(await at("verify", recording_id), { code: 1, stderr: /tampered/ });
  });
});
