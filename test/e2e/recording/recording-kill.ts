import { fileURLToPath } from "node:url";
import { RecordingArchive } from "../../../src/recording/library/archive.ts";
import { SEALER } from "../../recording/studio.ts";
import { type Owner, Program } from "../../support/program.ts";
import { sha1 } from "../../support/recording-desk.ts";
import { until } from "../../support/until.ts";

const CHILD = fileURLToPath(new URL("recording-child.ts", import.meta.url));

export interface KillReport {
  /** What is wrong with what it left; null: nothing. */
  readonly problem: string | null;
  /** From the last picture that is there to the last one shown. */
  readonly lostMs: number;
}

/** Kills a process with SIGKILL so long after it began to record, and looks at what it left. */
export async function killWhileRecording(
  owner: Owner,
  dataDir: string,
  afterMs: number,
): Promise<KillReport> {
  const child = new Program(owner, process.execPath, ["--import", "tsx", CHILD, dataDir]);
  await child.waitFor("its recording", ({ stdout }) => (stdout.includes("shown") ? true : null), 60_000);
  const startMs = performance.now();
  await until("the time to kill", () => performance.now() - startMs >= afterMs);
  await child.stop("SIGKILL");
  const shown = [...child.stdout.matchAll(/^shown (\d+) (\d+) ([0-9a-f]{40})\n/gm)].map(
    ([, at, number, hash]) => ({
      atMs: Number(at),
      generation: Number(number),
      hash,
    }),
  );
  const id = /^recording (\S+)$/m.exec(child.stdout)?.[1] ?? "";
  const archive = await RecordingArchive.open(dataDir, SEALER);
  const { state, problem } = await archive.verify(id);
  const lastMs = shown.at(-1)?.atMs ?? 0;
  if (state !== "unsealed") return { problem: `${state}: ${problem}`, lostMs: 0 };
  const reader = await archive.read(id);
  try {
    const { durationMs } = reader.summary;
    const [first] = await reader.keyframes();
    // Killed before its first second was over: nothing had to be there yet.
    if (first === undefined) return { problem: null, lostMs: lastMs };
    for (const share of [0, 0.25, 0.5, 0.75, 1]) {
      const frame = await reader.frameAt(share * durationMs);
      const wanted = shown.find(({ generation }) => generation === frame.generation);
      if (wanted !== undefined && wanted.hash !== sha1(frame.rgba)) {
        return { problem: `another picture at ${frame.atMs} ms`, lostMs: 0 };
      }
    }
    const frame = await reader.frameAt(durationMs);
    return { problem: null, lostMs: lastMs - frame.atMs };
  } finally {
    await reader.close();
  }
}
