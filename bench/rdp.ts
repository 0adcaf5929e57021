import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pass } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { build } from "vite";
import { XDisplay } from "../test/e2e/harness/x-display.ts";
import type { RdpDisplay } from "../test/e2e/targets/rdp-display.ts";
import { type RdpTarget, startRdpTarget } from "../test/e2e/targets/rdp-target.ts";
import { type Owner, Program } from "../test/support/program.ts";
import { until } from "../test/support/until.ts";
import { cpuMs } from "./cpu.ts";
import { judged, type Line } from "./line.ts";
import { summary } from "./stopwatch.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
/** Below the checkout, where it finds the packages it needs; git ignores it. */
const WATCHER_FOLDER = join(ROOT, "tmp", "rdp-watch");
let watcher: Promise<string> | null = null;

const WIDTH = 1920;
const HEIGHT = 1080;

/** What scrolls while CPU is read: 200 lines a second, as a build says them. */
const SCROLL =
  'i=0; while :; do i=$((i+1)); echo "$i: cc -O2 -Wall -c source/module_$i.c -o build/module_$i.o [ok]"; sleep 0.005; done';

/** A client is left alone so long before its CPU is read: what it compiles at first is over. */
const WARM_UP_MS = 3000;

/** A client of the target. */
interface Client {
  readonly program: Program;
  /** Resolves when its picture is the screen's: how long that took from its start on, in ms. */
  isWhole(): Promise<number>;
}

/**
 * The first whole picture of 1920x1080 pixels, and the CPU of following scrolling text, on xrdp, beside xfreerdp. A
 * session of xrdp has one client at a time, so the two come one after the other, to the same session.
 */
export async function benchRdp(owner: Owner, folder: string, isShort: boolean): Promise<Line[]> {
  if (process.getuid?.() !== 0) {
    process.stderr.write("RDP: xrdp needs root, for namespaces and PAM\n");
    return [];
  }
  execFileSync(process.execPath, [fileURLToPath(new URL("../scripts/ensure-built.mjs", import.meta.url))]);
  const target = await startRdpTarget(owner, "xrdp-xorg");
  const file = join(folder, "truth.rgba");
  const screen = await XDisplay.start(owner, { geometry: `${WIDTH}x${HEIGHT}`, hasVnc: false });
  const clients = {
    ours: (truth: string) => startOurs(owner, target, truth),
    theirs: () => startXfreerdp(owner, target, screen),
  };
  const display = await furnish(target, await clients.ours(""));
  const { rgba } = await target.truth();
  writeFileSync(file, rgba);

  const paints = { ours: [] as number[], theirs: [] as number[] };
  for (let run = 0; run < (isShort ? 1 : 7); run++) {
    for (const who of ["ours", "theirs"] as const) {
      const client = await clients[who](file);
      paints[who].push(await client.isWhole());
      await client.program.stop();
    }
  }

  await display.openTerminal("scrolling", "110x40+500+150", SCROLL);
  const shares = { ours: [] as number[], theirs: [] as number[] };
  for (let run = 0; run < (isShort ? 1 : 5); run++) {
    for (const who of ["ours", "theirs"] as const) {
      const client = await clients[who]("");
      shares[who].push(await (isShort ? cpuShare(client, 0, 300) : cpuShare(client, WARM_UP_MS, 6000)));
      await client.program.stop();
    }
  }
  return [
    judged({
      id: "RDP",
      metric: "first whole 1920x1080 picture of xrdp, from the call on",
      unit: "ms",
      ours: summary(paints.ours).p50,
      peer: "xfreerdp, from its start on",
      theirs: summary(paints.theirs).p50,
      goal: { within: 500 },
    }),
    judged({
      id: "RDP",
      metric: "CPU a second of following scrolling text on xrdp",
      unit: "ms",
      ours: summary(shares.ours).p50,
      peer: "xfreerdp, without its X server",
      theirs: summary(shares.theirs).p50,
      goal: { atMost: 1 },
    }),
  ];
}

/** Signs in for the first time, and fills the screen with things to paint. */
async function furnish(target: RdpTarget, first: Client): Promise<RdpDisplay> {
  const { display } = target;
  if (display === null) throw new Error("xrdp without a display");
  await display.isUp();
  await display.command("xsetroot", "-mod", "16", "24", "-bg", "#204060", "-fg", "#c0a080");
  await display.openTerminal("page", "150x45+40+40", "seq -s ' ' 1 2500; exec sleep 100000");
  await display.openTerminal("list", "60x60+1300+20", "ls -la /usr/bin | head -55; exec sleep 100000");
  await until("a still screen", async () => {
    const [one, other] = [await target.truth(), await target.truth()];
    return Buffer.from(one.rgba).equals(other.rgba);
  });
  await first.program.stop();
  return display;
}

/** The milliseconds of CPU that a client takes in a second. */
async function cpuShare({ program }: Client, warmUpMs: number, forMs: number): Promise<number> {
  await pass(warmUpMs);
  const startedAt = performance.now();
  const before = cpuMs(program.pid);
  await pass(forMs);
  if (!program.isRunning) throw new Error(`a client ended: ${program.stderr.slice(-400)}`);
  return ((cpuMs(program.pid) - before) * 1000) / (performance.now() - startedAt);
}

/** As the server is built: from source, transpiling would be measured too. Resolves with the script's path. */
async function buildWatcher(): Promise<string> {
  await build({
    configFile: join(ROOT, "vite.server.config.ts"),
    logLevel: "error",
    build: {
      outDir: WATCHER_FOLDER,
      emptyOutDir: true,
      rolldownOptions: { input: { "rdp-watch": fileURLToPath(new URL("rdp-watch.mjs", import.meta.url)) } },
    },
  });
  return join(WATCHER_FOLDER, "rdp-watch.js");
}

/** `truth` is a file of pixels, or "". Resolves when the host has let it in. */
async function startOurs(owner: Owner, target: RdpTarget, truth: string): Promise<Client> {
  watcher = watcher ?? buildWatcher();
  const script = await watcher;
  const { port, fingerprint, username, password } = target;
  const account = [`${port}`, fingerprint, username, password];
  const program = new Program(owner, process.execPath, [script, ...account, `${WIDTH}`, `${HEIGHT}`, truth]);
  await program.waitFor("its session", ({ stdout }) => (stdout.includes("ready") ? true : null), 30_000);
  const whole = ({ stdout }: Program): number | null => {
    const found = /^whole (\S+)/m.exec(stdout)?.[1];
    return found === undefined ? null : Number(found);
  };
  return { program, isWhole: () => program.waitFor("the whole picture", whole, 30_000) };
}

async function startXfreerdp(owner: Owner, target: RdpTarget, screen: XDisplay): Promise<Client> {
  const startedAt = performance.now();
  const { port, username, password } = target;
  const env = { ...screen.env };
  const program = new Program(
    owner,
    "xfreerdp",
    [
      `/v:127.0.0.1:${port}`,
      `/u:${username}`,
      `/p:${password}`,
      "/cert:ignore",
      "/bpp:32",
      "-decorations",
    ].concat(["/w:1920", "/h:1080", "-clipboard", "/log-level:ERROR"]),
    { env },
  );
  const isWhole = async (): Promise<number> => {
    const { rgba } = await target.truth();
    await until("the whole picture in xfreerdp", async () => {
      if (!program.isRunning) throw new Error(`xfreerdp ended: ${program.stderr.slice(-400)}`);
      return Buffer.from((await screen.shot()).rgba).equals(rgba);
    });
    return performance.now() - startedAt;
  };
  return { program, isWhole };
}
