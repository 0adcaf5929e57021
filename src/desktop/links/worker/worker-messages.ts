import type { CopyMove } from "../../../framebuffer/picture.ts";
import type { Rect } from "../../../framebuffer/rect.ts";
import type { Screen } from "../../../framebuffer/screen.ts";
import type { FilesCommand } from "../../../protocols/rdp/files/file-messages.ts";
import type { Connection } from "../../connections/connection.ts";
import type { TargetReach } from "../../connections/target-guard.ts";
import type { ShownIdentity } from "../../connections/trust-policy.ts";
import type { LinkErrorCode } from "../../error.ts";
import type { BrowserHost } from "../browser/browser-host.ts";
import type { ForwardedEvent } from "../forwarded-events.ts";
import type { ReverseListen } from "../streams/reverse-stream.ts";

/** Cells of the Int32Array that both threads hold. */
export const CONTROL = {
  /** Sequence number of the last message that the main thread has dealt with; the link's thread waits on it. */
  heard: 0,
  /** 1 once the main thread wants no more. */
  closed: 1,
} as const;
export const CONTROL_BYTES = 8;

/** What a link in a thread is made of: plain data, its secrets among it, so it travels in a message alone. */
export interface LinkSettings {
  readonly connection: Connection;
  readonly reach: TargetReach;
  readonly reverseListen: ReverseListen;
  readonly needsNla: boolean;
  readonly browsers: BrowserHost;
  /** As the main thread's TargetTrust says of each place. */
  readonly needsIdentity: Readonly<Record<TrustPlace, boolean>>;
}

/** Which certificate or key: the target's own, or the one inside a WebSocket's TLS. */
export type TrustPlace = "outer" | "inside";

/** A LinkError on its way between threads. */
export interface ErrorData {
  readonly code: LinkErrorCode;
  readonly message: string;
  readonly isFinal: boolean;
  /** Another sign-in took the RDP session. */
  readonly isTaken: boolean;
}

/** What a Link tells without being asked, as it is now. */
export interface LinkFacts {
  readonly isExact: boolean;
  readonly description: string;
  readonly hasLatinClipboard: boolean;
  readonly hasFence: boolean;
  readonly showsWithinMs: number | undefined;
  readonly holdsWheel: boolean;
  readonly provesClipboard: boolean;
  readonly newKeys: number | undefined;
  /** The keysyms that can be typed; null: each can be tried. */
  readonly typeable: readonly number[] | null;
}

/** The decoder's picture: RGBA, no padding; the thread writes to it until it tells of an update. */
export interface SharedPicture {
  readonly memory: SharedArrayBuffer;
  readonly width: number;
  readonly height: number;
}

export type ToThread =
  | { readonly kind: "open"; readonly settings: LinkSettings; readonly control: SharedArrayBuffer }
  | { readonly kind: "ping" }
  | { readonly kind: "follow"; readonly isWatched: boolean }
  | { readonly kind: "refresh" }
  /** Answered under the same id. */
  | { readonly kind: "barrier"; readonly id: number }
  | { readonly kind: "latest"; readonly id: number; readonly area: Rect | null }
  | {
      readonly kind: "resize";
      readonly id: number;
      readonly width: number;
      readonly height: number;
      readonly screens: readonly Rect[] | null;
    }
  | { readonly kind: "pointer"; readonly x: number; readonly y: number; readonly buttons: number }
  | {
      readonly kind: "key";
      readonly keysym: number;
      readonly isDown: boolean;
      readonly scancode: number | null;
    }
  | { readonly kind: "clipboard"; readonly text: string }
  | { readonly kind: "listen"; readonly isOn: boolean }
  | { readonly kind: "files"; readonly command: FilesCommand }
  /** The answer to `judge`; null: it is believed. */
  | { readonly kind: "judged"; readonly id: number; readonly error: ErrorData | null }
  | { readonly kind: "close" };

export type Said =
  /** The thread runs and waits for `open`. */
  | { readonly kind: "up" }
  | { readonly kind: "pong" }
  | { readonly kind: "facts"; readonly facts: LinkFacts }
  | { readonly kind: "step"; readonly name: string; readonly detail: string }
  | {
      readonly kind: "ready";
      readonly picture: SharedPicture;
      readonly name: string;
      readonly screens: readonly Screen[];
    }
  /** `painted`: x, y, width, height of each rectangle. */
  | {
      readonly kind: "update";
      readonly painted: Int32Array;
      readonly copies: readonly CopyMove[];
      readonly missing: number;
    }
  | { readonly kind: "resize"; readonly picture: SharedPicture; readonly screens: readonly Screen[] }
  | { readonly kind: "plain"; readonly event: ForwardedEvent }
  | { readonly kind: "stalled"; readonly isStalled: boolean }
  | { readonly kind: "passed"; readonly id: number }
  | { readonly kind: "failed"; readonly id: number; readonly error: ErrorData }
  | { readonly kind: "resized"; readonly id: number; readonly isAsked: boolean }
  | { readonly kind: "judge"; readonly id: number; readonly place: TrustPlace; readonly shown: ShownIdentity }
  | { readonly kind: "closed"; readonly error: ErrorData };

/** One thing a link's thread said; the numbers count up by one and wrap around at 32 bits. */
export interface FromThread {
  readonly sequence: number;
  readonly said: Said;
}
