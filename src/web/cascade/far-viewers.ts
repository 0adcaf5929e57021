import type { Duplex, Writable } from "node:stream";
import type { WebSocket } from "ws";
import { audienceOf } from "../../auth/audience.ts";
import { nodePrincipal } from "../../auth/node-principal.ts";
import type { Principal } from "../../auth/principal.ts";
import { FarPicture } from "../../desktop/far/far-picture.ts";
import type { Clock } from "../../platform/clock.ts";
import type { BrowserViewOptions, ViewerSessions } from "../viewer/sessions.ts";
import { CLOSE_CODE } from "../viewer/transport.ts";
import { FarDesktop } from "./far-desktop.ts";
import { FarSeat } from "./far-seat.ts";

/** A picture that nobody looks at any more is kept for so long: who loads a page anew comes back. */
const LINGER_MS = 5000;

interface FarViewersPorts {
  readonly sessions: Pick<ViewerSessions, "attach">;
  readonly clock: Clock;
  /** The name of this server. */
  readonly self: string;
  onBug(error: unknown): void;
}

/** The server that has a desktop. */
export interface DesktopOwner {
  readonly id: string;
  /** A WebSocket of its own at this path, on behalf of somebody, as a stream. Throws RefusedError. */
  open(path: string, principal: Principal): Duplex;
}

interface Shown {
  readonly desktop: FarDesktop;
  readonly picture: FarPicture;
  viewers: number;
  cancelEnd: () => void;
}

/** What somebody sees of a desktop of another server, from when that let them in until they leave. */
export interface FarPlace {
  readonly desktop: FarDesktop;
  leave(): void;
}

/** A browser that asks to see a desktop of another server. */
export interface FarViewer {
  readonly socket: WebSocket;
  /** What lies below the socket. */
  readonly stream: Writable;
  readonly principal: Principal;
  readonly options: BrowserViewOptions;
}

/**
 * Viewers of desktops that other servers have. Those who see the same share one stream of the owner, which is decoded here and
 * encoded for each kind of them as a desktop of our own is; each person has a seat at the owner beside it, for input and
 * clipboard. INVARIANT: nobody is shown a pixel before the owner gave them their seat, nor after it took it.
 */
export class FarViewers {
  readonly #ports: FarViewersPorts;
  readonly #shown = new Map<string, Shown>();

  constructor(ports: FarViewersPorts) {
    this.#ports = ports;
  }

  /** Serves one viewer on an accepted socket; closes it where the owner does not let them in, or ends it. */
  attach(viewer: FarViewer, owner: DesktopOwner, desktopId: string): void {
    const { socket } = viewer;
    // What it says first waits in its own socket.
    socket.pause();
    this.#admit(viewer, owner, desktopId).catch(() => {
      socket.resume();
      socket.close(CLOSE_CODE.tryAgainLater, "the server that has the desktop does not show it");
    });
  }

  close(): void {
    for (const [key, shown] of [...this.#shown]) this.#end(key, shown);
  }

  /**
   * A place for one viewer of `principal`; `composite`: with overlays. Resolves once the owner let them in, rejects where it does
   * not; `ended` is called where it ends it.
   */
  async join(
    { principal, composite: isComposited }: { readonly principal: Principal; readonly composite: boolean },
    owner: DesktopOwner,
    desktopId: string,
    ended: () => void,
  ): Promise<FarPlace> {
    const path = `/ws/desktops/${encodeURIComponent(desktopId)}`;
    const composite = isComposited ? "1" : "0";
    const key = JSON.stringify([owner.id, desktopId, audienceOf(principal), composite]);
    const shown =
      this.#shown.get(key) ??
      this.#show(key, desktopId, () =>
        owner.open(
          `${path}?view_only=1&composite=${composite}`,
          nodePrincipal(this.#ports.self, principal, desktopId),
        ),
      );
    shown.cancelEnd();
    shown.viewers++;
    try {
      const stand = await shown.desktop.take(
        principal.id,
        (events) => new FarSeat(owner.open(path, principal), this.#ports.clock, events),
        ended,
      );
      const leave = (): void => {
        stand();
        this.#went(key, shown);
      };
      return { desktop: shown.desktop, leave };
    } catch (error) {
      this.#went(key, shown);
      throw error;
    }
  }

  async #admit(viewer: FarViewer, owner: DesktopOwner, desktopId: string): Promise<void> {
    const { socket, stream, principal, options } = viewer;
    const { desktop, leave } = await this.join(
      { principal, composite: options.composite },
      owner,
      desktopId,
      () => socket.close(CLOSE_CODE.goingAway, "the server that has the desktop ended it"),
    );
    if (socket.readyState !== socket.OPEN) {
      leave();
      return;
    }
    socket.once("close", leave);
    socket.resume();
    this.#ports.sessions.attach(socket, desktop, options, principal, stream, "far");
  }

  #show(key: string, desktopId: string, connect: () => Duplex): Shown {
    const { clock, onBug } = this.#ports;
    const picture = new FarPicture({ connect, clock, onBug });
    const desktop = new FarDesktop(desktopId, picture);
    const shown: Shown = { desktop, picture, viewers: 0, cancelEnd: () => undefined };
    this.#shown.set(key, shown);
    picture.on(({ type }) => {
      if (type === "state" && this.#shown.get(key) === shown) this.#shown.delete(key);
    });
    return shown;
  }

  #went(key: string, shown: Shown): void {
    shown.viewers--;
    if (shown.viewers > 0) return;
    shown.cancelEnd = this.#ports.clock.after(LINGER_MS, () => this.#end(key, shown), { isIdle: true });
  }

  #end(key: string, shown: Shown): void {
    if (this.#shown.get(key) === shown) this.#shown.delete(key);
    shown.picture.close();
  }
}
