import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { type Owner, Program, type ProgramOptions } from "../../support/program.ts";
import { until } from "../../support/until.ts";
import type { PeerTest } from "./peers.ts";

/** A kind of Linux namespace as `unshare` names it. */
export type Namespace = "mount" | "pid" | "net";

/**
 * True where this machine lets us make these namespaces. Where it does not the caller returns at once, as with
 * `requirePeers`: under CI, which grants them, the test has failed by then.
 */
export function requireNamespaces(t: PeerTest, what: string, kinds: readonly Namespace[]): boolean {
  const { status, stderr } = spawnSync("unshare", [...kinds.map((kind) => `--${kind}`), "--fork", "true"], {
    encoding: "utf8",
  });
  if (status === 0) return true;
  const line = `${what} needs namespaces (${kinds.join(", ")}), which this machine refuses: ${stderr}`;
  if (process.env["CI"]) t.fail(line);
  else process.stderr.write(`SKIPPED: ${line}\n`);
  return false;
}

/**
 * A program in namespaces of its own, a process namespace among them. Everything that it starts is dead, and has let
 * go of its files, when `end` resolves and when its owner has ended; where the test's own process dies first, all of
 * it dies too.
 */
export class Enclosure {
  readonly program: Program;

  constructor(
    owner: Owner,
    flags: readonly string[],
    command: readonly string[],
    options: ProgramOptions = {},
  ) {
    const unshare = ["unshare", "--mount", "--pid", "--fork", "--kill-child", ...flags];
    this.program = new Program(owner, "setpriv", ["--pdeathsig", "KILL", ...unshare, ...command], options);
    owner.teardown(() => this.end());
  }

  /**
   * Kills the first process of the namespace, not `unshare`, which heeds no SIGTERM: the kernel gives a first process
   * to the `wait` of its parent only when every other one of the namespace is gone.
   */
  async end(): Promise<void> {
    await until("the death of all within", () => {
      if (!this.program.isRunning) return true;
      const [first] = childrenOf(this.program.pid);
      if (first !== undefined) killNow(first);
      return false;
    });
  }
}

function childrenOf(pid: number | undefined): readonly number[] {
  try {
    const list = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim();
    return list === "" ? [] : list.split(" ").map(Number);
  } catch {
    return []; // it is gone meanwhile
  }
}

function killNow(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // it is gone meanwhile
  }
}
