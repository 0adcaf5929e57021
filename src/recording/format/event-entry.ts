import type { Overlay } from "../../compositor/overlay.ts";
import type { ActorKind } from "../../desktop/control/action.ts";
import type { Rect } from "../../framebuffer/rect.ts";

/** Who did it, as people read it. */
export interface TrackActor {
  readonly kind: ActorKind;
  readonly id: string;
  readonly name: string;
  /** As an agent's program called itself; absent: it did not, or the recording is of a version before this. */
  readonly client?: string;
}

/** A line of text that a recording shows, in desktop pixels. */
export interface RecordedLine extends Rect {
  /** Stays while the line stands or moves; whatever came later has a higher one. */
  readonly id: number;
  readonly text: string;
  /** Where each word of the text begins and ends, from the left of the line; empty where that is not known. */
  readonly words: readonly number[];
}

/**
 * What happened beside the pixels, one line of JSON each. Typed text, clipboard content and key names are never in it.
 * An action is told when it is over: it began `durationMs` before `atMs`.
 */
export type TrackEvent =
  | {
      readonly type: "action";
      readonly id: string;
      readonly actor: TrackActor;
      readonly kind: string;
      readonly summary: string;
      readonly intent: string | null;
      readonly outcome: "done" | "refused" | "failed";
      readonly code: string | null;
      readonly wasConfirmed: boolean;
      readonly durationMs: number;
      /** null: not waited for, or the target did not say. */
      readonly changed: boolean | null;
      readonly changedRects: readonly Rect[];
      readonly settleMs: number;
    }
  | {
      readonly type: "approval";
      readonly id: string;
      readonly state: "pending" | "granted" | "denied" | "expired" | "cancelled" | "stale";
      readonly actor: TrackActor;
      readonly kind: string;
      readonly summary: string;
      readonly intent: string | null;
      readonly x: number | null;
      readonly y: number | null;
      readonly crop: Rect | null;
      readonly screenHash: string | null;
      readonly decidedBy: TrackActor | null;
    }
  | { readonly type: "mode"; readonly mode: string; readonly by: TrackActor | null }
  /**
   * What is hidden from now on: in so many places of what is recorded, and in so many that agents must not see and that
   * are recorded all the same.
   */
  | { readonly type: "masks"; readonly hidden: number; readonly agentsOnly: number }
  | { readonly type: "stopped"; readonly isStopped: boolean; readonly by: TrackActor }
  | { readonly type: "holder"; readonly actor: TrackActor | null }
  /** `overlays`: those that are new or lie elsewhere. */
  | { readonly type: "overlays_shown"; readonly overlays: readonly Overlay[] }
  | { readonly type: "overlays_gone"; readonly ids: readonly string[] }
  | { readonly type: "pointer"; readonly x: number; readonly y: number }
  | {
      readonly type: "click";
      readonly x: number;
      readonly y: number;
      readonly button: string;
      readonly by: ActorKind;
    }
  /** Key presses since the last such entry, at most a second ago. */
  | { readonly type: "keys"; readonly count: number; readonly by: ActorKind }
  /** `rgba`: base64 of width * height * 4 bytes, straight alpha; null: no pointer is drawn. */
  | {
      readonly type: "cursor";
      readonly width: number;
      readonly height: number;
      readonly hotspotX: number;
      readonly hotspotY: number;
      readonly rgba: string | null;
    }
  /** The target offered text of so many characters. */
  | { readonly type: "clipboard"; readonly characters: number }
  | { readonly type: "viewers"; readonly count: number }
  | {
      readonly type: "resize";
      readonly width: number;
      readonly height: number;
      readonly screens: readonly { readonly id: number; readonly rect: Rect }[];
    }
  | { readonly type: "state"; readonly state: string; readonly code: string | null }
  | { readonly type: "name"; readonly name: string }
  | { readonly type: "bell" }
  | { readonly type: "bookmark"; readonly label: string; readonly by: TrackActor }
  /**
   * Lines of text that came, moved and went, as they were read some time after. `shownMs`: when the picture was taken that
   * shows them so. `stands`: all other lines that are shown, said again now and then; absent: as before.
   */
  | {
      readonly type: "text";
      readonly shownMs: number;
      readonly came: readonly RecordedLine[];
      readonly moved: readonly { readonly id: number; readonly x: number; readonly y: number }[];
      readonly gone: readonly number[];
      readonly stands?: readonly RecordedLine[];
    }
  /** Nothing was written from then until now. */
  | { readonly type: "gap"; readonly fromMs: number; readonly reason: string };

/** A TrackEvent and when, since the recording began. */
export type TrackEntry = TrackEvent & { readonly atMs: number };
export type TextEntry = Extract<TrackEntry, { type: "text" }>;
export type ActionEntry = Extract<TrackEntry, { type: "action" }>;
