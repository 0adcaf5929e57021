import { mkdirSync } from "node:fs";
import { open } from "node:fs/promises";
import { Agent, request } from "node:http";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import * as z from "zod";
import { Audit, openAuditSink } from "../src/audit/audit.ts";
import { systemClock } from "../src/platform/clock.ts";
import { Appliance } from "../test/e2e/harness/appliance.ts";
import type { Owner } from "../test/support/program.ts";
import { cpuMs } from "./cpu.ts";
import { judged, type Line } from "./line.ts";

const EVENTS_A_SECOND = 1000;
const BURST_MS = 10;
/** Actions that are begun and not done. */
const MOST_WAITING = 100;
/** Of the audit log, without what the engine compiles first. */
const WARM_UP_MS = 2000;

/** Of a change over REST: that it is asked for, and that it was made. */
const EVENTS_A_CHANGE = 2;
/** Both servers by turns, so often. */
const ROUNDS = 7;
const ROUND_MS = 2000;

/**
 * AUDIT: what an action waits for its lines, while a thousand events a second are written: a whole change over REST with
 * and without an audit log, and the log alone beside a bare file.
 */
export async function benchAudit(owner: Owner, folder: string, isShort: boolean): Promise<Line[]> {
  return [...(await benchChanges(owner, isShort)), await benchLog(folder, isShort)];
}

/** Two servers, one of which keeps no log, by turns; the medians of the rounds: p99, and CPU, which a busy machine changes less. */
async function benchChanges(owner: Owner, isShort: boolean): Promise<Line[]> {
  const servers = [];
  for (const sink of ["file", "off"]) servers.push(await changesOf(owner, sink));
  const p99: number[][] = servers.map(() => []);
  const cpu: number[][] = servers.map(() => []);
  for (let round = isShort ? 0 : -1; round < (isShort ? 1 : ROUNDS); round++) {
    for (const [nth, { change, pid }] of servers.entries()) {
      let changes = 0;
      const beganMs = cpuMs(pid);
      const pace = { runMs: isShort ? 200 : ROUND_MS, warmUpMs: 0, each: EVENTS_A_CHANGE };
      const ms = await waits(pace, async () => {
        changes += 1;
        await change();
      });
      if (round < 0) continue;
      p99[nth]?.push(ms);
      cpu[nth]?.push((cpuMs(pid) - beganMs) / changes);
    }
  }
  const line = (metric: string, rounds: readonly (readonly number[])[]): Line => {
    const [ours = Number.NaN, theirs = Number.NaN] = rounds.map(medianOf);
    const peer = "the same without an audit log";
    return judged({ id: "AUDIT", metric, unit: "ms", ours, peer, theirs, goal: { plus: 2 } });
  };
  return [line("a change over REST, p99, 1000 events a second", p99), line("CPU of a change over REST", cpu)];
}

function medianOf(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? Number.NaN;
}

/** A server, and what changes the mode of its desktop to and fro. */
async function changesOf(owner: Owner, sink: string) {
  const appliance = await Appliance.start(owner, { env: { AUDIT_SINK: sink } });
  const list: unknown = await (await appliance.fetch("/api/v1/desktops")).json();
  const [desktop] = z.array(z.object({ id: z.string() })).parse(list);
  const agent = new Agent({ keepAlive: true, maxSockets: 16 });
  owner.teardown(() => agent.destroy());
  const url = `${appliance.url}/api/v1/desktops/${desktop?.id}/mode`;
  const headers = { authorization: `Bearer ${appliance.adminToken}`, "content-type": "application/json" };
  let nth = 0;
  const change = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const sent = request(url, { method: "POST", agent, headers }, (answer) => {
        answer.resume().once("end", () => {
          if (answer.statusCode === 200) resolve();
          else reject(new Error(`a change was answered with ${answer.statusCode}`));
        });
      });
      sent.once("error", reject).end(JSON.stringify({ mode: nth++ % 2 === 0 ? "passive" : "assist" }));
    });
  return { change, pid: appliance.program.pid };
}

async function benchLog(folder: string, isShort: boolean): Promise<Line> {
  const dir = join(folder, "audit");
  mkdirSync(dir, { recursive: true });
  const sink = await openAuditSink("file", {
    ...{ dataDir: dir, isStdoutTaken: true, key: null, clock: systemClock, labels: { version: "bench" } },
    rotation: { bytes: 2 ** 26, afterMs: 0, keepBytes: 0, keepMs: 0 },
  });
  const audit = new Audit({ sink, clock: systemClock, version: "bench", hasCheckpoints: true });
  const line = `${"x".repeat(480)}\n`;
  const pace = { warmUpMs: isShort ? 0 : WARM_UP_MS, runMs: isShort ? 200 : 10_000, each: 1 };
  const ours = await waits(pace, async () => {
    audit.record({ type: "mcp.tool_call", action: "click_at", mcp: { transport: "http", tool: "click_at" } });
    await audit.secured();
  });
  await audit.close();
  const file = await open(join(dir, "bare"), "a");
  const bare = await waits(pace, async () => void (await file.write(line)));
  await file.close();
  return judged({
    ...{ id: "AUDIT", metric: "an action waits for its line, p99, 1000 a second", unit: "ms", ours },
    ...{ peer: "appending as many bytes", theirs: bare, goal: { within: 2 } },
  });
}

interface Pace {
  readonly warmUpMs: number;
  readonly runMs: number;
  /** Events that each has. */
  readonly each: number;
}

/** The time at 99 % of all, each from when it was begun. A hundred bursts a second. Throws where one fails. */
async function waits({ warmUpMs, runMs, each }: Pace, act: () => Promise<void>): Promise<number> {
  const times: number[] = [];
  const acts: Promise<void>[] = [];
  let waiting = 0;
  const startMs = performance.now();
  const endMs = startMs + warmUpMs + runMs;
  for (let dueMs = startMs; dueMs < endMs; dueMs += BURST_MS) {
    const restMs = dueMs - performance.now();
    if (restMs > 0) await pause(restMs);
    const isTimed = dueMs - startMs >= warmUpMs;
    // A machine that cannot keep up has fewer: what is measured is an action, not a queue without end.
    for (let n = 0; n < (EVENTS_A_SECOND * BURST_MS) / 1000 / each && waiting < MOST_WAITING; n++) {
      const beganMs = performance.now();
      waiting += 1;
      const done = act().then(() => {
        waiting -= 1;
        if (isTimed) times.push(performance.now() - beganMs);
      });
      // Its fault is told at the end.
      done.catch(() => undefined);
      acts.push(done);
    }
  }
  await Promise.all(acts);
  times.sort((a, b) => a - b);
  return times[Math.floor(times.length * 0.99)] ?? Number.NaN;
}
