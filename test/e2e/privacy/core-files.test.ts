import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import t from "tap";
import { filesOf } from "../../support/files-of.ts";
import { until } from "../../support/until.ts";
import { Appliance } from "../harness/appliance.ts";
import { areCoreFilesBeside, coreRules } from "../harness/core-files.ts";
import { requirePeers } from "../harness/peers.ts";

// A server that the system lets write core files of any size is killed by signals that leave one.

const run = promisify(execFile);
const WARNING = "A crash may leave a core file";

/** In which files a text stands: GNU grep, which goes over holes of files. */
async function filesWith(text: string, folder: string): Promise<string[]> {
  const { stdout } = await run("grep", ["-rlF", "-e", text, folder]).catch((error: unknown) => {
    if (error instanceof Error && "code" in error && error.code === 1) return { stdout: "" };
    throw error;
  });
  return stdout.split("\n").filter((line) => line !== "");
}

t.test("a crash leaves no core file, or one without memory", { timeout: 240_000 }, async (t) => {
  if (!requirePeers(t, ["prlimit"])) return;
  const folder = mkdtempSync(join(tmpdir(), "oc-core-"));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  /** An empty folder to crash in. */
  const place = (name: string): string => {
    mkdirSync(join(folder, name));
    return join(folder, name);
  };
  const isBeside = areCoreFilesBeside();
  if (!isBeside) t.comment("core files go elsewhere here: limits and filters are looked at, not files");
  const names = (path: string): string[] => filesOf(path).map((file) => basename(file));
  const coresIn = (path: string): number => names(path).filter((name) => name.startsWith("core")).length;
  const pidOf = ({ program: { pid = 0 } }: Appliance): number => pid;

  const quiet = place("quiet");
  const first = await Appliance.start(t, { args: ["--demo"], coreFolder: quiet });
  const secrets = [first.adminToken, first.agentToken];
  await until("the limit", () => coreRules(pidOf(first)).limit === "1:1");
  t.equal(coreRules(pidOf(first)).filter, "00000000");
  // Node's inspector would tell of its address on stderr, and show all of memory there.
  process.kill(pidOf(first), "SIGUSR1");
  await until("an answer to the signal", () => first.program.stderr.includes("SIGUSR1"));
  t.match(first.program.stderr, "SIGUSR1 opens no debugger");
  t.notMatch(first.program.stderr, "Debugger listening");
  await first.program.crash("SIGSEGV");
  t.same(names(quiet), [], "no core file, and nothing else");
  t.notMatch(first.program.stderr, WARNING);

  // As where util-linux is not there: the system writes a file.
  const bare = place("bare");
  const second = await Appliance.start(t, {
    ...{ args: ["--demo"], after: first, coreFolder: bare },
    env: { PATH: place("no programs") },
  });
  await until("the warning", () => second.program.stderr.includes(WARNING));
  t.match(second.program.stderr, /prlimit.*ulimit -c 0/, "says what to do");
  t.same(coreRules(pidOf(second)), { limit: "unlimited:unlimited", filter: "00000000" });
  await second.program.crash("SIGABRT");
  if (isBeside) t.equal(coresIn(bare), 1, "a core file");
  for (const secret of secrets) t.same(await filesWith(secret, bare), [], "with nothing of memory in it");

  // And with all of memory, where somebody wants that.
  const kept = place("kept");
  const third = await Appliance.start(t, {
    ...{ args: ["--demo"], after: first, coreFolder: kept },
    env: { OC_CORE_FILES: "on", NODE_OPTIONS: "--report_on_fatalerror --heapsnapshot-signal=SIGUSR2" },
  });
  await until("the warning", () => third.program.stderr.includes(WARNING));
  t.match(third.program.stderr, "--report_on_fatalerror", "and tells what else shows memory");
  t.match(third.program.stderr, "--heapsnapshot-signal=SIGUSR2");
  t.same(coreRules(pidOf(third)), { limit: "unlimited:unlimited", filter: coreRules(process.pid).filter });
  await third.program.crash("SIGSEGV");
  if (isBeside) {
    t.equal(coresIn(kept), 1);
    for (const secret of secrets)
      t.equal((await filesWith(secret, kept)).length, 1, "the same search finds it");
  }
});
