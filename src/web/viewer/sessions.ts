import type { Writable } from "node:stream";
import type { WebSocket } from "ws";
import type { AuditEntry } from "../../audit/audit-event.ts";
import { isNodePrincipal } from "../../auth/node-principal.ts";
import type { Principal } from "../../auth/principal.ts";
import { AUDIENCES, type Audience, byAudience, type View } from "../../desktop/view.ts";
import type { Rect } from "../../framebuffer/rect.ts";
import type { Clock } from "../../platform/clock.ts";
import type { RfbServerPorts } from "../../protocols/rfb/server/rfb-server.ts";
import { EncodeBudget } from "./encode-budget.ts";
import { Films } from "./film/films.ts";
import type { ViewerLog } from "./log.ts";
import { ViewerRectCache } from "./rect-cache.ts";
import { rightsOf, type ViewerRights } from "./rights.ts";
import { type DeniedInput, type ViewedDesktop, ViewerSession } from "./session.ts";
import type { ViewerSessionOptions } from "./session-options.ts";
import { CLOSE_CODE, type ViewerTransport, webSocketTransport } from "./transport.ts";

export interface ViewerSessionsPorts {
  readonly rfb: RfbServerPorts;
  readonly clock: Clock;
  readonly log: ViewerLog;
  audit(entry: AuditEntry): void;
  /** Name or path of what encodes films for browsers; without it nothing does. */
  readonly filmEncoder?: string | null;
  /** As of ViewerSessionPorts. */
  updated?(delayMs: number): void;
  sent?(bytes: number): void;
}

/** How a browser asked to see a desktop: the query of `/ws/desktops/:id`. */
export interface BrowserViewOptions {
  /** Only pixels within are sent; null for everything. */
  readonly viewport: Rect | null;
  /** Overlays drawn into the picture. */
  readonly composite: boolean;
  readonly viewOnly: boolean;
  /** What it said before its socket was open. */
  readonly said?: Uint8Array;
}

/** What a viewer may, whatever socket it came by. */
export type Admission = Omit<ViewerSessionOptions, "desktop" | "transport">;

/** All viewers of all desktops: those of one desktop share what is encoded. */
export class ViewerSessions {
  readonly #ports: ViewerSessionsPorts;
  readonly #caches = byAudience(() => new WeakMap<ViewedDesktop, ViewerRectCache>());
  readonly #budget = new EncodeBudget();
  readonly #films: Films | null;
  readonly #open = new Map<ViewerSession, ViewedDesktop>();

  constructor(ports: ViewerSessionsPorts) {
    this.#ports = ports;
    const { clock, log, filmEncoder: program = null } = ports;
    this.#films = program === null ? null : new Films({ clock, log, program, budget: this.#budget });
  }

  /** Viewers connected now, signed in or not. */
  get size(): number {
    return this.#open.size;
  }

  /** A browser that is signed in already: its role decides what it may. `stream`: what lies below the socket. */
  attach(
    socket: WebSocket,
    desktop: ViewedDesktop,
    options: BrowserViewOptions,
    principal: Principal,
    stream: Writable | null = null,
    way: "browser" | "vnc" | "far" = principal.door ?? "browser",
  ): ViewerSession {
    return this.admit(webSocketTransport(socket, stream), desktop, {
      way,
      isHurried: isNodePrincipal(principal),
      security: [{ type: "none" }],
      rights: () => rightsOf(principal, options.viewOnly, principal.ip),
      isComposited: options.composite,
      viewport: options.viewport,
      ...(options.said === undefined ? {} : { said: options.said }),
    });
  }

  admit(transport: ViewerTransport, desktop: ViewedDesktop, admission: Admission): ViewerSession {
    let left = (): void => {};
    const { way = "browser" } = admission;
    const session = new ViewerSession(
      {
        ...this.#ports,
        cacheOf: (kind) => this.#cacheOf(desktop, kind),
        filmsOf: (kind, withOverlays) => this.#films?.of(desktop, kind, withOverlays) ?? null,
        budget: this.#budget,
        // Also of a far one: what is dropped here the server that has the desktop never hears of.
        denied: (rights, input) => this.#auditDenied(rights, desktop, input),
        pointed: () => this.#pointed(desktop),
      },
      {
        ...admission,
        desktop,
        transport,
        rights: () => {
          const rights = admission.rights();
          if (way !== "far") left = this.#auditJoined(rights, desktop, way);
          return rights;
        },
        onClosed: () => {
          left();
          this.#open.delete(session);
          if (desktop.viewers === 0) this.#clear(desktop);
          admission.onClosed?.();
        },
      },
    );
    this.#open.set(session, desktop);
    return session;
  }

  #cacheOf(desktop: ViewedDesktop, audience: Audience): ViewerRectCache {
    const caches = this.#caches[audience];
    const known = caches.get(desktop);
    if (known !== undefined) return known;
    // Before its first picture a desktop has no view, and its viewers wait for that.
    const watch: View["watch"] = (onDamage, options) => desktop.view(audience).watch(onDamage, options);
    const cache = new ViewerRectCache({ watch });
    caches.set(desktop, cache);
    return cache;
  }

  #clear(desktop: ViewedDesktop): void {
    for (const audience of AUDIENCES) this.#caches[audience].get(desktop)?.clear();
  }

  #pointed(desktop: ViewedDesktop): void {
    for (const [session, seen] of this.#open) if (seen === desktop) session.pointerMoved();
  }

  /** The returned function tells that it left. */
  #auditJoined({ actor }: ViewerRights, desktop: ViewedDesktop, way: string): () => void {
    const { clock, audit } = this.#ports;
    const startMs = clock.nowMs();
    const told = { actor, action: way, resource: { kind: "desktop", id: desktop.id } };
    audit({ type: "viewer.joined", ...told });
    return () => audit({ type: "viewer.left", ...told, durationMs: clock.nowMs() - startMs });
  }

  #auditDenied({ actor }: ViewerRights, desktop: ViewedDesktop, input: DeniedInput): void {
    this.#ports.audit({
      type: "authz.denied",
      actor,
      action: input,
      resource: { kind: "desktop", id: desktop.id },
      errorCode: "permission_denied",
    });
  }

  /** Closes every viewer: the process ends. */
  close(): void {
    for (const session of [...this.#open.keys()]) session.close(CLOSE_CODE.goingAway, "the server stops");
  }
}
