import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t from "tap";
import type { Owner } from "../../support/program.ts";
import { BY, RecordingDesk, sha1 } from "../../support/recording-desk.ts";
import { until } from "../../support/until.ts";
import { requirePeers } from "../harness/peers.ts";
import { XDisplay } from "../harness/x-display.ts";
import { killWhileRecording } from "./recording-kill.ts";

const SAMPLES = 200;
const KILLS = 10;

function folderOf(owner: Owner): string {
  const folder = mkdtempSync(join(tmpdir(), "oc-recording-"));
  owner.teardown(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}

t.test("a recorded session replays as it was, in every pixel", { timeout: 120_000 }, async (t) => {
  if (!requirePeers(t, ["Xtigervnc", "openbox", "xterm", "xdotool"])) return;
  const display = await XDisplay.start(t, { geometry: "1024x768" });
  await display.openWindowManager();
  const desk = await RecordingDesk.open(t, { port: display.vncPort }, folderOf(t));
  desk.remember();
  const { id } = await desk.recordings.start("d1", BY);
  const scrolling =
    "i=0; while [ $i -lt 150 ]; do i=$((i+1)); echo line $i of the text; sleep 0.05; done; exec cat";
  const window = await display.openTerminal("scroller", "70x20+20+20", scrolling);
  for (let i = 0; i < 25; i++) {
    await display.command("xdotool", "windowmove", window, `${20 + 14 * i}`, `${20 + 9 * i}`);
    await display.command("xdotool", "mousemove", `${500 - 9 * i}`, `${200 + 11 * i}`);
  }
  await display.openTerminal("second", "60x15+400+350", "ls -la /usr/bin | head -300; exec cat");
  await until(
    "a session that is long enough",
    () => (desk.recordings.runningOn("d1")?.durationMs ?? 0) > 9_000,
  );
  const { durationMs, counts, bytes } = await desk.recordings.stop(id);
  const reader = await desk.recordings.open(id);
  let wrong = 0;
  const generations = new Set<number>();
  for (let i = 0; i < SAMPLES; i++) {
    const frame = await reader.frameAt(Math.random() * durationMs);
    generations.add(frame.generation);
    if (!frame.isExact || desk.shown.get(frame.generation) !== sha1(frame.rgba)) wrong++;
  }
  t.equal(wrong, 0, `${SAMPLES} random times, ${generations.size} different pictures`);
  t.ok(generations.size > 20 && counts.frames > 30, "the session was one that changes");
  const last = await reader.frameAt(durationMs);
  t.equal(sha1(last.rgba), desk.shown.get(last.generation), "the end is what was there when it was stopped");
  t.equal((await desk.recordings.verify(id)).state, "sealed");
  t.comment(`${counts.frames} pictures in ${durationMs} ms, ${bytes} bytes`);
  await reader.close();
  t.same(desk.bugs, []);
});

t.test("a recorder that is killed loses two seconds at most", { timeout: 180_000 }, async (t) => {
  const losses: number[] = [];
  for (let done = 0; done < KILLS; done += 2) {
    const two = [0, 1].map(() => killWhileRecording(t, folderOf(t), 300 + Math.random() * 3000));
    for (const { problem, lostMs } of await Promise.all(two)) {
      t.equal(problem, null);
      losses.push(lostMs);
    }
  }
  t.equal(losses.length, KILLS);
  t.ok(Math.max(...losses) <= 2000, `at most ${Math.max(...losses)} ms were lost`);
});

t.test("a full disk stops agents where it is strict, and marks the gap where it is not", async (t) => {
  if (!requirePeers(t, ["Xtigervnc", "xterm", "openbox", "xdotool"])) return;
  const display = await XDisplay.start(t, { geometry: "800x600" });
  await display.openTerminal(
    "noise",
    "90x30+0+0",
    "while :; do head -c 3000 /dev/urandom | base64; sleep 0.05; done",
  );
  for (const onFull of ["best_effort", "strict"] as const) {
    const dataDir = folderOf(t);
    const mounted = mountSmall(t, dataDir);
    if (!mounted) return;
    const desk = await RecordingDesk.open(t, { port: display.vncPort }, dataDir, { onFull });
    let isFailed = false;
    desk.recordings.on((event) => {
      if (event.type === "failed") isFailed = true;
    });
    const { id } = await desk.recordings.start("d1", BY);
    await until("a full disk", () => isFailed, 60_000);
    t.equal(desk.desktop.isStopped, onFull === "strict", `${onFull}: agents`);
    const generation = desk.desktop.generation;
    await until("more pictures", () => desk.desktop.generation > generation);
    rmSync(join(dataDir, "ballast"));
    await until("the gap to end", async () => {
      const reader = await desk.recordings.open(id);
      const gaps = (await reader.events()).filter(({ type }) => type === "gap");
      await reader.close();
      return gaps.length > 0;
    });
    const stopped = await desk.recordings.stop(id);
    t.equal(stopped.counts.gaps, 1);
    t.equal((await desk.recordings.verify(id)).state, "sealed", `${onFull}: intact, with its gap`);
    const reader = await desk.recordings.open(id);
    for (const share of [0, 0.3, 0.6, 1]) await reader.frameAt(share * stopped.durationMs);
    await reader.close();
    t.same(desk.bugs, []);
    desk.desktop.close();
  }
});

/** A file system of 3 MB with half of it taken; false where this user may not mount. */
function mountSmall(owner: Owner, folder: string): boolean {
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=3m", "recording", folder], { stdio: "pipe" });
  } catch {
    process.stderr.write("SKIPPED: needs the right to mount a tmpfs\n");
    return false;
  }
  owner.teardown(() => execFileSync("umount", ["-l", folder]));
  writeFileSync(join(folder, "ballast"), Buffer.alloc(1_500_000));
  return true;
}
