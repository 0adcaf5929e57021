import type { Region } from "../../framebuffer/region.ts";
import type { Clock } from "../../platform/clock.ts";
import type { EchoPort } from "../input/echo-port.ts";
import type { Input } from "../input/input.ts";
import type { Display } from "../picture/display.ts";
import type { Actor } from "./action.ts";
import type { ActionRecord } from "./action-record.ts";
import type { Approvals } from "./approvals/approvals.ts";
import type { Grant, GrantChange } from "./approvals/standing-grants.ts";
import type { Holder } from "./arbiter.ts";
import type { Modes } from "./modes.ts";
import type { SecretPorts } from "./secret-typing.ts";

/** What the gate of a desktop stands between. */
export interface GatePorts {
  readonly desktopId: string;
  readonly input: Input;
  readonly display: Display;
  readonly approvals: Approvals;
  readonly modes: Modes;
  readonly clock: Clock;
  /** See ArbiterPorts. */
  readonly humanIdleMs: number;
  random(): number;
  record(record: Omit<ActionRecord, "recorded">): void;
  /** See DesktopPorts. */
  secured?(): Promise<void>;
  readonly secrets?: SecretPorts;
  /** Covers what a secret leaves on the screen as it is typed. */
  readonly echo: EchoPort;
  /** What changed of what agents are shown after a generation; null where that is not known. */
  changedSince(generation: number): Region | null;
  held(holder: Holder | null): void;
  granted(change: GrantChange, grant: Grant, by: Actor | null): void;
}
