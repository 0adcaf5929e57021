import type { Size } from "../framebuffer/rect.ts";
import type { Region } from "../framebuffer/region.ts";
import type { Cursor, Screen } from "../protocols/rfb/screen.ts";
import type { Actor } from "./action.ts";
import type { ActionRecord } from "./action-record.ts";
import type { Approval } from "./approvals.ts";
import type { Holder } from "./arbiter.ts";
import type { InputSeen } from "./events-input.ts";
import type { LockKeys } from "./link.ts";
import type { DesktopState } from "./link-keeper.ts";
import type { Mode } from "./policy.ts";

/** What happens on a desktop, told when it has happened. */
export type DesktopEvent =
  | { readonly type: "state"; readonly state: DesktopState }
  | { readonly type: "resize"; readonly size: Size; readonly screens: readonly Screen[] }
  | { readonly type: "update"; readonly damage: Region; readonly generation: number }
  | { readonly type: "cursor"; readonly cursor: Cursor | null }
  | { readonly type: "clipboard"; readonly text: string }
  | { readonly type: "input"; readonly input: InputSeen }
  | { readonly type: "name"; readonly name: string }
  | { readonly type: "bell" }
  | { readonly type: "locks"; readonly locks: LockKeys }
  | { readonly type: "mode"; readonly mode: Mode; readonly by: Actor }
  | { readonly type: "stopped"; readonly isStopped: boolean; readonly by: Actor }
  | { readonly type: "approval"; readonly approval: Approval }
  | { readonly type: "holder"; readonly holder: Holder | null }
  | { readonly type: "action"; readonly record: ActionRecord }
  | { readonly type: "viewers"; readonly viewers: number };
