import type { Clock } from "./clock.ts";
import type { Connection } from "./connection.ts";
import type { Link } from "./link.ts";
import type { ClipboardLimits, Mode } from "./policy.ts";
import type { SnapshotPorts } from "./snapshots.ts";

export interface DesktopPorts extends SnapshotPorts {
  readonly clock: Clock;
  /** 0 to 1. */
  random(): number;
  openLink(connection: Connection): Link;
  /** A listener's fault: logged, and nobody else is disturbed. */
  onBug(error: unknown): void;
}

export interface DesktopOptions {
  readonly mode: Mode;
  /** Of the mode custom; absent, everything is asked. */
  readonly customRules?: unknown;
  readonly approvalExpiryMs: number;
  /** Default: the mode decides. */
  readonly clipboard?: ClipboardLimits;
  /** How long a person may rest before agents have the input again, default 30 s; 0: until given back. */
  readonly humanIdleMs?: number;
}
