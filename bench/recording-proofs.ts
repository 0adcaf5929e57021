// `npm run test:recording`: what the check proves with a few, here with all: 10,000 mutations of a sealed
// recording, and 100 recorders killed at random times. Fails where one is not as promised.
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { verifyFolder } from "../src/recording/seal/verify.ts";
import { killWhileRecording } from "../test/e2e/recording/recording-kill.ts";
import { makeLongRecording } from "../test/recording/long-recording.ts";
import { mutate } from "../test/recording/mutation.ts";

const MUTATIONS = 10_000;
const KILLS = 100;
const AT_ONCE = 4;

const folder = mkdtempSync(join(tmpdir(), "oc-proofs-"));
const teardowns: (() => unknown)[] = [() => rmSync(folder, { recursive: true, force: true })];
const owner = { teardown: (call: () => unknown) => void teardowns.push(call) };
try {
  const missed = await mutations();
  process.stdout.write(
    `${MUTATIONS - missed.length} of ${MUTATIONS} mutations were found\n${missed.join("\n")}`,
  );
  const { problems, lostMs } = await kills();
  process.stdout.write(
    `${KILLS - problems.length} of ${KILLS} killed recordings replay; at most ${lostMs} ms lost\n`,
  );
  process.stdout.write(problems.map((problem) => `${problem}\n`).join(""));
  if (missed.length > 0 || problems.length > 0 || lostMs > 2000) process.exitCode = 1;
} finally {
  for (const teardown of teardowns.reverse()) await teardown();
}

async function mutations(): Promise<string[]> {
  const dataDir = join(folder, "mutations");
  mkdirSync(dataDir);
  const { archive, id } = await makeLongRecording(dataDir, 300, { width: 320, height: 240 });
  const missed: string[] = [];
  for (let i = 0; i < MUTATIONS; i++) {
    const { name, undo } = mutate(archive.folderOf(id), i, Math.random);
    const { state } = await verifyFolder(archive.folderOf(id), id, archive.signer, archive.seals);
    undo();
    if (state !== "tampered") missed.push(`${name}: ${state}`);
  }
  const { state } = await verifyFolder(archive.folderOf(id), id, archive.signer, archive.seals);
  if (state !== "sealed") throw new Error(`not undone: ${state}`);
  return missed;
}

async function kills(): Promise<{ readonly problems: readonly string[]; readonly lostMs: number }> {
  const problems: string[] = [];
  let lostMs = 0;
  for (let done = 0; done < KILLS; done += AT_ONCE) {
    const batch = Array.from({ length: AT_ONCE }, (_, i) => {
      const dataDir = join(folder, `kill-${done + i}`);
      mkdirSync(dataDir);
      return killWhileRecording(owner, dataDir, 200 + Math.random() * 4000);
    });
    for (const report of await Promise.all(batch)) {
      if (report.problem !== null) problems.push(report.problem);
      lostMs = Math.max(lostMs, report.lostMs);
    }
  }
  return { problems, lostMs };
}
