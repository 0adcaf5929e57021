import { mkdirSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { Audit, openAuditSink } from "../src/audit/audit.ts";
import { systemClock } from "../src/platform/clock.ts";
import { judged, type Line } from "./line.ts";

const EVENTS_A_SECOND = 1000;
const BURST_MS = 10;
/** Of the audit log, without what the engine compiles first. */
const WARM_UP_MS = 2000;

/** AUDIT: how long an action waits until it is written down, while a thousand events a second are. */
export async function benchAudit(folder: string, isShort: boolean): Promise<Line[]> {
  const dir = join(folder, "audit");
  mkdirSync(dir, { recursive: true });
  const sink = await openAuditSink("file", {
    ...{ dataDir: dir, isStdoutTaken: true, key: null, clock: systemClock, labels: { version: "bench" } },
    rotation: { bytes: 2 ** 26, afterMs: 0, keepBytes: 0, keepMs: 0 },
  });
  const audit = new Audit({ sink, clock: systemClock, version: "bench", hasCheckpoints: true });
  const line = `${"x".repeat(480)}\n`;
  const ours = await waits(isShort, async () => {
    audit.record({ type: "mcp.tool_call", action: "click_at", mcp: { transport: "http", tool: "click_at" } });
    await audit.secured();
  });
  await audit.close();
  const file = await open(join(dir, "bare"), "a");
  const bare = await waits(isShort, async () => void (await file.write(line)));
  await file.close();
  return [
    judged({
      ...{ id: "AUDIT", metric: "an action waits for its line, p99, 1000 a second", unit: "ms", ours },
      ...{ peer: "appending as many bytes", theirs: bare, goal: { within: 2 } },
    }),
  ];
}

/** The time at 99 % of all, each from when it was begun. Bursts of ten, a hundred a second. */
async function waits(isShort: boolean, act: () => Promise<void>): Promise<number> {
  const times: number[] = [];
  const startMs = performance.now();
  const warmUpMs = isShort ? 0 : WARM_UP_MS;
  const endMs = startMs + warmUpMs + (isShort ? 200 : 10_000);
  for (let dueMs = startMs; dueMs < endMs; dueMs += BURST_MS) {
    const restMs = dueMs - performance.now();
    if (restMs > 0) await pause(restMs);
    const isTimed = dueMs - startMs >= warmUpMs;
    for (let n = 0; n < (EVENTS_A_SECOND * BURST_MS) / 1000; n++) {
      const beganMs = performance.now();
      void act().then(() => {
        if (isTimed) times.push(performance.now() - beganMs);
      });
    }
  }
  await pause(500);
  times.sort((a, b) => a - b);
  return times[Math.floor(times.length * 0.99)] ?? Number.NaN;
}
