import { spawnSync } from "node:child_process";

/** A kind of Linux namespace as `unshare` names it. */
export type Namespace = "mount" | "pid" | "net";

/**
 * True where this machine lets us make these namespaces. Containers may refuse them to root too: that is no missing
 * package, so the caller returns at once after a line that starts with SKIPPED, under CI as elsewhere.
 */
export function requireNamespaces(what: string, kinds: readonly Namespace[]): boolean {
  const { status } = spawnSync("unshare", [...kinds.map((kind) => `--${kind}`), "--fork", "true"]);
  if (status === 0) return true;
  process.stderr.write(
    `SKIPPED: ${what} needs namespaces (${kinds.join(", ")}), which this machine refuses\n`,
  );
  return false;
}
