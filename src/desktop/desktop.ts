import type { Scene } from "../compositor/scene.ts";
import type { Size } from "../framebuffer/rect.ts";
import type { Region } from "../framebuffer/region.ts";
import type { Cursor, Screen } from "../protocols/rfb/screen.ts";
import type { Action, ActionResult, Actor, Effect, PerformOptions } from "./action.ts";
import type { Approval, Approvals } from "./approvals.ts";
import type { Connection } from "./connection.ts";
import type { LinkError, RefusalCode } from "./error.ts";
import type { Mode } from "./policy.ts";
import type { Audience, View } from "./view.ts";

/** What a desktop is doing about its target. Times are the clock's `nowMs`. */
export type DesktopState =
  | { readonly kind: "connecting"; readonly sinceMs: number }
  | { readonly kind: "live"; readonly sinceMs: number; readonly description: string }
  /** Connected but silent: the last picture is kept. */
  | { readonly kind: "stalled"; readonly sinceMs: number }
  | {
      readonly kind: "reconnecting";
      readonly attempt: number;
      readonly nextAtMs: number;
      readonly error: LinkError;
    }
  /** Trying again with the same settings cannot help. */
  | { readonly kind: "failed"; readonly error: LinkError }
  | { readonly kind: "closed" };

/** One action as the log, the panel and the audit see it: never typed text, never clipboard content. */
export interface ActionRecord {
  readonly id: string;
  readonly at: string;
  readonly actor: Actor;
  readonly kind: Action["kind"];
  readonly summary: string;
  readonly intent: string | null;
  readonly outcome: "done" | "refused" | "failed";
  readonly code: RefusalCode | null;
  readonly wasConfirmed: boolean;
  readonly effect: Effect | null;
  readonly durationMs: number;
}

export type DesktopEvent =
  | { readonly type: "state"; readonly state: DesktopState }
  | { readonly type: "resize"; readonly size: Size; readonly screens: readonly Screen[] }
  | { readonly type: "update"; readonly damage: Region; readonly generation: number }
  | { readonly type: "cursor"; readonly cursor: Cursor | null }
  | { readonly type: "clipboard"; readonly text: string }
  | { readonly type: "name"; readonly name: string }
  | { readonly type: "bell" }
  | { readonly type: "mode"; readonly mode: Mode; readonly by: Actor }
  | { readonly type: "stopped"; readonly isStopped: boolean; readonly by: Actor }
  | { readonly type: "approval"; readonly approval: Approval }
  | { readonly type: "action"; readonly record: ActionRecord }
  | { readonly type: "viewers"; readonly viewers: number };

/** A live desktop: one target, its picture, its overlays, its gate. */
export declare class Desktop {
  readonly id: string;
  readonly connection: Connection;
  readonly scene: Scene;
  readonly approvals: Approvals;
  /** The connection's name, or what the server calls itself where none was given. */
  readonly name: string;
  readonly state: DesktopState;
  readonly mode: Mode;
  readonly isStopped: boolean;
  readonly isExact: boolean;
  readonly generation: number;
  /** 0x0 before the first picture. */
  readonly size: Size;
  /** At least one once there is a picture. */
  readonly screens: readonly Screen[];
  readonly cursor: Cursor | null;
  /** Where the pointer was last put. */
  readonly pointer: { readonly x: number; readonly y: number };
  /** What the target last put on its clipboard; null when it never did. */
  readonly clipboardText: string | null;
  /** The newest last, at most 200. */
  readonly actions: readonly ActionRecord[];
  /** Viewers attached now. */
  readonly viewers: number;
  /** Browser and VNC viewers say that they come and go; call the returned function when they leave. */
  attachViewer(): () => void;
  on(listener: (event: DesktopEvent) => void): () => void;
  /** Throws RefusedError target_down before the first picture. */
  view(audience: Audience): View;
  /** Resolves when there is a picture; rejects with the LinkError or RefusedError that says why not. */
  whenReady(timeoutMs: number, signal?: AbortSignal): Promise<void>;
  perform(action: Action, actor: Actor, options?: PerformOptions): Promise<ActionResult>;
  /** Only humans may raise an agent's freedom; throws RefusedError permission_denied. */
  setMode(mode: Mode, actor: Actor): void;
  /** Releases every held key and button, cancels what waits, refuses agents until `resume`. */
  stop(actor: Actor): void;
  resume(actor: Actor): void;
  /** Tries again at once. */
  reconnect(): void;
  close(): void;
}
