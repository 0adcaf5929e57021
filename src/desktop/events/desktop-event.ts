import type { Cursor } from "../../framebuffer/cursor.ts";
import type { Size } from "../../framebuffer/rect.ts";
import type { Region } from "../../framebuffer/region.ts";
import type { Screen } from "../../framebuffer/screen.ts";
import type { DesktopState } from "../connections/reconnecting-link.ts";
import type { Actor } from "../control/action.ts";
import type { ActionRecord } from "../control/action-record.ts";
import type { Approval } from "../control/approvals/approvals.ts";
import type { Grant, GrantChange } from "../control/approvals/standing-grants.ts";
import type { Holder } from "../control/arbiter.ts";
import type { CustomRules } from "../control/custom-rules-fields.ts";
import type { Mode } from "../control/policy.ts";
import type { HumanRequest, RequestChange } from "../control/requests/human-request.ts";
import type { CopiedText } from "../input/newest-text.ts";
import type { LockKeys } from "../link.ts";
import type { Mask } from "../masks/mask.ts";
import type { ObservedInputEvent } from "./input-events.ts";

/** What held until a mode was set, and the rules that do now. */
interface ModeBefore {
  readonly mode: Mode;
  readonly rules: CustomRules | null;
  readonly rulesNow: CustomRules | null;
}

/** What happens on a desktop, told when it has happened. */
export type DesktopEvent =
  | { readonly type: "state"; readonly state: DesktopState }
  | { readonly type: "resize"; readonly size: Size; readonly screens: readonly Screen[] }
  /** `damage`: as recordings are shown it. */
  | { readonly type: "update"; readonly damage: Region; readonly generation: number }
  | { readonly type: "cursor"; readonly cursor: Cursor | null }
  | ({ readonly type: "clipboard" } & CopiedText)
  | { readonly type: "input"; readonly input: ObservedInputEvent }
  | { readonly type: "name"; readonly name: string }
  | { readonly type: "bell" }
  | { readonly type: "locks"; readonly locks: LockKeys }
  | { readonly type: "mode"; readonly mode: Mode; readonly by: Actor; readonly before?: ModeBefore }
  | { readonly type: "stopped"; readonly isStopped: boolean; readonly by: Actor }
  | { readonly type: "approval"; readonly approval: Approval }
  | {
      readonly type: "grant";
      readonly change: GrantChange;
      readonly grant: Grant;
      readonly by: Actor | null;
    }
  /** An agent's request to a person; `by`: who did it, null where time or nobody did. */
  | {
      readonly type: "request";
      readonly change: RequestChange;
      readonly request: HumanRequest;
      readonly by: Actor | null;
    }
  /** What is hidden from somebody. `mask`, `by`: null where one moved with what it follows. */
  | {
      readonly type: "masks";
      readonly change: "added" | "removed" | "moved";
      readonly mask: Mask | null;
      readonly by: Actor | null;
    }
  | { readonly type: "holder"; readonly holder: Holder | null }
  | { readonly type: "action"; readonly record: ActionRecord }
  | { readonly type: "viewers"; readonly viewers: number };
