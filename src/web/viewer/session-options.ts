import type { Audience } from "../../desktop/view.ts";
import type { Rect } from "../../framebuffer/rect.ts";
import type { Clock } from "../../platform/clock.ts";
import type { RfbServerPorts, ServerSecurity } from "../../protocols/rfb/server/rfb-server.ts";
import type { EncodeBudget } from "./encode-budget.ts";
import type { FilmSet } from "./film/film-set.ts";
import type { ViewerLog } from "./log.ts";
import type { ViewerRectCache } from "./rect-cache.ts";
import type { ViewerRights } from "./rights.ts";
import type { ViewerTransport } from "./transport.ts";
import type { ViewedDesktop } from "./viewed-desktop.ts";

/** A kind of input that a viewer sent without the right to. */
export type DeniedInput = "pointer" | "key" | "clipboard" | "resize";

export interface ViewerSessionPorts {
  readonly rfb: RfbServerPorts;
  /** Of the desktop: one for all its viewers who see the same picture, which View.kind names. */
  cacheOf(kind: Audience): ViewerRectCache;
  /** Films of that picture; null where nothing encodes them. */
  filmsOf?(kind: Audience, withOverlays: boolean): FilmSet | null;
  readonly clock: Clock;
  readonly log: ViewerLog;
  /** Of the event loop: one for all viewers. Default: one of its own. */
  readonly budget?: EncodeBudget;
  /** Told once of each kind of input that was dropped because the viewer may not: a flood makes no flood of records. */
  denied?(rights: ViewerRights, input: DeniedInput): void;
  /** What changed so long ago was given to the viewer's socket, all of it. */
  updated?(delayMs: number): void;
  /** Bytes were given to the viewer's socket. */
  sent?(bytes: number): void;
  /** This viewer moved the pointer. */
  pointed?(): void;
}

export interface ViewerSessionOptions {
  readonly desktop: ViewedDesktop;
  readonly transport: ViewerTransport;
  readonly security: readonly ServerSecurity[];
  /** It has signed in already. Default false. */
  readonly isGreeted?: boolean;
  /** Asked once, when the viewer has signed in. */
  readonly rights: () => ViewerRights;
  /** Overlays drawn into the picture; masks always are. */
  readonly isComposited: boolean;
  /** Only pixels within are sent, in desktop pixels; the viewer is told the whole size. null: everything. */
  readonly viewport: Rect | null;
  /** What the viewer says first, before what comes by its transport. */
  readonly said?: Uint8Array;
  /** How long to wait for the desktop's first picture. */
  readonly readyTimeoutMs?: number;
  /** The door it came by, for the audit; "far": what it does is audited by the server that has the desktop. */
  readonly way?: "browser" | "vnc" | "far";
  /** It hands on what it gets to others, and so is served before those who do not. */
  readonly isHurried?: boolean;
  readonly onReady?: () => void;
  readonly onClosed?: () => void;
}
