import type { Painter } from "../compositor/painter.ts";
import type { Clock } from "../platform/clock.ts";
import type { ConnectTurns } from "./connections/connect-turns.ts";
import type { Connection } from "./connections/connection.ts";
import type { Approval, ApprovalTerms } from "./control/approvals/approvals.ts";
import type { ModeState } from "./control/modes.ts";
import type { ClipboardLimits, Mode } from "./control/policy.ts";
import type { HumanRequest } from "./control/requests/human-request.ts";
import type { SecretPorts } from "./control/secret-typing.ts";
import type { Link } from "./link.ts";
import type { MaskKeeper } from "./masks/desktop-masks.ts";
import type { FirstMask } from "./masks/masks.ts";
import type { OpenTextReader } from "./masks/text-reader.ts";
import type { SnapshotPorts } from "./picture/snapshots.ts";

export interface DesktopPorts extends SnapshotPorts {
  readonly clock: Clock;
  /** 0 to 1. */
  random(): number;
  /** Paints overlays aside; absent, they are painted where they are looked at. */
  readonly painter?: Painter;
  openLink(connection: Connection): Link;
  /** Of all desktops; absent, this one is alone. */
  readonly connectTurns?: ConnectTurns;
  /** For masks by text; absent, who must not see some sees nothing. */
  readonly openTextReader?: OpenTextReader;
  /** Where other nodes may have the desktop next; absent, who is told keeps its masks. */
  readonly keepMasks?: MaskKeeper;
  /** Of all desktops; absent, this one is alone. */
  openQuestions?(): readonly Approval[];
  /** A listener's fault: logged; the other listeners are still called. */
  onBug(error: unknown): void;
  /** Where files lie that people send; absent: none can be sent. */
  readonly fileFolder?: string | undefined;
  /** Secrets that agents may have typed by name; absent: none. */
  readonly secrets?: SecretPorts;
  /** Resolves once what was told so far is written down; rejects with RefusedError audit_down where it cannot be. */
  secured?(): Promise<void>;
}

/** How long a person keeps the input who does nothing more, unless the options say. */
export const HUMAN_IDLE_MS = 30_000;

export interface DesktopOptions extends ApprovalTerms {
  readonly mode: Mode;
  /** Of the mode custom; absent, everything is asked. */
  readonly customRules?: unknown;
  /** Default: customRules, where the mode is custom. */
  readonly limits?: ModeState["limits"];
  readonly freedBy?: ModeState["freedBy"];
  /** Default: the mode decides. */
  readonly clipboard?: ClipboardLimits;
  /** What is hidden from the beginning. */
  readonly masks?: readonly FirstMask[];
  /** How long an agent's request to a person waits, default 15 min. */
  readonly requestExpiryMs?: number;
  /** Requests of the process before this one, open ones and those that had ended. */
  readonly requests?: readonly HumanRequest[];
  /** How long a person may rest before agents have the input again, default 30 s; 0: until given back. */
  readonly humanIdleMs?: number;
}
