import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { promisify } from "node:util";
import type { Logger } from "./log.ts";

const run = promisify(execFile);

/** What the program that sets the limit may take. */
const LIMIT_MS = 5000;

/** Options by which Node writes its environment or its heap to a file, or opens both to a debugger. */
const TELLING =
  /^--(?:report-(?:on-fatalerror|uncaught-exception|on-signal)|heapsnapshot-|heap-prof|inspect)/;

/** Of its own process, core(5): which parts of memory go into a core file. */
const FILTER = "/proc/self/coredump_filter";

/** What stood there when the program began; null: not changed. */
let filterBefore: string | null = null;

/**
 * Leaves the memory of this process, and of those that it starts from now on, out of every core file, whoever takes it: the disk, a program
 * behind a pipe, or a socket, for which no limit counts. It costs one write; false: there is nowhere to write it.
 */
export function leaveMemoryOut(): boolean {
  try {
    const before = readFileSync(FILTER, "utf8").trim();
    writeFileSync(FILTER, "0");
    filterBefore ??= before;
    return true;
  } catch {
    // Another system than Linux, or one without /proc.
    return false;
  }
}

/**
 * A crash of this process leaves no core file, nor does one of a program that it starts once this is done: memory holds pictures of
 * desktops, what was typed, and keys. Until then leaveMemoryOut holds. Of Linux alone; elsewhere nothing is done. Also tells what Node was
 * asked to write down of itself, and keeps SIGUSR1 from opening it to a debugger, which every user of the machine may talk to.
 */
export async function guardCrashFiles(keepsCoreFiles: boolean, log: Logger): Promise<void> {
  const { NODE_OPTIONS = "" } = process.env;
  const options = [...process.execArgv, ...NODE_OPTIONS.split(/\s+/)].filter((option) =>
    TELLING.test(option.replaceAll("_", "-")),
  );
  if (options.length > 0)
    log.warn({ options }, "Node is to write or show what is in its memory: secrets and screens are");
  if (!keepsCoreFiles) {
    process.on("SIGUSR1", () => log.warn("SIGUSR1 opens no debugger here: core_files allows it"));
  }
  if (process.platform !== "linux") return;
  if (keepsCoreFiles) {
    if (filterBefore !== null) writeFileSync(FILTER, `0x${filterBefore}`);
    log.warn("A crash may leave a core file with secrets and screens, as core_files says");
    return;
  }
  if (isLimited()) return;
  try {
    // Of a program that takes core files the kernel heeds no limit but that of one byte, at which it does not start it (fs/coredump.c).
    await run("prlimit", ["--pid", `${process.pid}`, "--core=1:1"], { timeout: LIMIT_MS });
  } catch (err) {
    log.warn(
      { err, isMemoryLeftOut: filterBefore !== null },
      "A crash may leave a core file: install prlimit (util-linux), or set ulimit -c 0, --ulimit core=0, LimitCORE=0",
    );
  }
}

/** Whether a limit holds already: a process can do no more about it. */
function isLimited(): boolean {
  try {
    return /^Max core file size +[01] /m.test(readFileSync("/proc/self/limits", "utf8"));
  } catch {
    return false;
  }
}
