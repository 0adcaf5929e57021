import { spawnSync } from "node:child_process";
import { setTimeout as pause } from "node:timers/promises";
import { Appliance } from "../test/e2e/harness/appliance.ts";
import { freePort } from "../test/support/free-port.ts";
import { type Owner, Program } from "../test/support/program.ts";
import { until } from "../test/support/until.ts";
import { cpuMs } from "./cpu.ts";
import { judged, type Line } from "./line.ts";
import { scrollingPage } from "./scene.ts";
import { WebViewer } from "./web-viewer.ts";

const WATCH_MS = 6000;
const MEGABYTE = 1e6;

/** P14: the CPU that a megabyte to one browser takes, beside websockify, which only passes on. */
export async function benchPassThrough(owner: Owner, folder: string, isShort: boolean): Promise<Line[]> {
  if (spawnSync("websockify", ["--help"]).error !== undefined) {
    process.stderr.write("SKIPPED: needs websockify (apt-get install websockify)\n");
    return [];
  }
  const display = await scrollingPage(owner, folder);
  const appliance = await Appliance.start(owner, { connect: [`vnc://127.0.0.1:${display.vncPort}`] });
  const port = await freePort();
  const websockify = new Program(owner, "websockify", [`127.0.0.1:${port}`, `127.0.0.1:${display.vncPort}`]);
  const watchMs = isShort ? 500 : WATCH_MS;
  const authorization = `Bearer ${appliance.adminToken}`;
  const ws = appliance.url.replace("http", "ws");
  const ours = await perMegabyte(
    () => WebViewer.open(`${ws}/websockify?composite=0`, { authorization }),
    appliance.program,
    watchMs,
  );
  const theirs = await perMegabyte(
    () => until("websockify", () => WebViewer.open(`ws://127.0.0.1:${port}/`)),
    websockify,
    watchMs,
  );
  return [
    judged({
      id: "P14",
      metric: `CPU of a megabyte to one viewer, a page that scrolls, ${ours.rate.toFixed(1)} MB/s`,
      unit: "ms",
      ours: ours.ms,
      peer: `websockify, ${theirs.rate.toFixed(1)} MB/s`,
      theirs: theirs.ms,
      goal: { atMost: 1.5 },
    }),
  ];
}

async function perMegabyte(
  open: () => Promise<WebViewer>,
  server: Program,
  watchMs: number,
): Promise<{ readonly ms: number; readonly rate: number }> {
  const viewer = await open();
  const startedAtMs = performance.now();
  const before = cpuMs(server.pid);
  const bytesBefore = viewer.receivedBytes;
  await pause(watchMs);
  const megabytes = (viewer.receivedBytes - bytesBefore) / MEGABYTE;
  const ms = cpuMs(server.pid) - before;
  const seconds = (performance.now() - startedAtMs) / 1000;
  viewer.close();
  if (megabytes === 0) throw new Error("P14: the viewer got nothing, expected a page that scrolls");
  return { ms: ms / megabytes, rate: megabytes / seconds };
}
