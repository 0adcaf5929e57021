import type { WebSocket } from "ws";
import { actorOf } from "../auth/actor.ts";
import { may, type Principal } from "../auth/principal.ts";
import type { Actor } from "../desktop/action.ts";
import type { Clock } from "../desktop/clock.ts";
import type { Rect } from "../framebuffer/rect.ts";
import type { RfbServerPorts, ServerSecurity } from "../protocols/rfb/server/rfb-server.ts";
import type { ViewerLog } from "./viewer-log.ts";
import { ViewerRectCache } from "./viewer-rect-cache.ts";
import { type ViewedDesktop, ViewerSession } from "./viewer-session.ts";
import { CLOSE_CODE, type ViewerTransport, webSocketTransport } from "./viewer-transport.ts";

export interface ViewerSessionsPorts {
  readonly rfb: RfbServerPorts;
  readonly clock: Clock;
  readonly log: ViewerLog;
}

/** How a browser asked to see a desktop: the query of `/ws/desktops/:id`. */
export interface BrowserViewOptions {
  /** Only pixels within are sent; null for everything. */
  readonly viewport: Rect | null;
  /** Overlays drawn into the picture. */
  readonly composite: boolean;
  readonly viewOnly: boolean;
}

/** What a viewer may, whatever socket it came by. */
export interface Admission {
  readonly actor: Actor;
  readonly security: readonly ServerSecurity[];
  readonly isComposited: boolean;
  readonly viewport: Rect | null;
  readonly isViewOnly: boolean;
  readonly hasClipboard: boolean;
  readonly readyTimeoutMs?: number;
  readonly onReady?: () => void;
  readonly onClosed?: () => void;
}

/** All viewers of all desktops: those of one desktop share what is encoded. */
export class ViewerSessions {
  readonly #ports: ViewerSessionsPorts;
  readonly #caches = new WeakMap<ViewedDesktop, ViewerRectCache>();
  readonly #open = new Set<ViewerSession>();

  constructor(ports: ViewerSessionsPorts) {
    this.#ports = ports;
  }

  /** Viewers connected now, signed in or not. */
  get size(): number {
    return this.#open.size;
  }

  /** A browser that is signed in already: its role decides what it may. */
  attach(
    socket: WebSocket,
    desktop: ViewedDesktop,
    options: BrowserViewOptions,
    principal: Principal,
  ): ViewerSession {
    const mayInput = may(principal, "input");
    return this.admit(webSocketTransport(socket), desktop, {
      actor: actorOf(principal),
      security: [{ type: "none" }],
      isComposited: options.composite,
      viewport: options.viewport,
      isViewOnly: options.viewOnly || !mayInput,
      hasClipboard: mayInput,
    });
  }

  admit(transport: ViewerTransport, desktop: ViewedDesktop, admission: Admission): ViewerSession {
    const cache = this.#caches.get(desktop) ?? new ViewerRectCache();
    this.#caches.set(desktop, cache);
    const session = new ViewerSession(
      { ...this.#ports, cache },
      {
        ...admission,
        desktop,
        transport,
        onClosed: () => {
          this.#open.delete(session);
          if (desktop.viewers === 0) cache.clear();
          admission.onClosed?.();
        },
      },
    );
    this.#open.add(session);
    return session;
  }

  /** Closes every viewer: the process ends. */
  close(): void {
    for (const session of [...this.#open]) session.close(CLOSE_CODE.goingAway, "the server stops");
  }
}
