import type { WebSocket } from "ws";
import type { Authenticator, Credential } from "../../auth/authenticator.ts";
import { RefusedError } from "../../desktop/error.ts";
import type { Clock } from "../../platform/clock.ts";

/** WebSockets open at once. */
const MAX_SOCKETS = 2000;
/** Of one principal. */
const MAX_OF_PRINCIPAL = 500;

/** Peers that vanished without a word are found by a ping that is not answered before the next. */
const PING_EVERY_MS = 30_000;

const GOING_AWAY = 1001;
const POLICY_VIOLATION = 1008;

/** How long a peer may take to answer a close before its connection is cut. */
const CLOSE_WITHIN_MS = 1000;

interface Kept {
  /** null: who is there proves themselves by the socket's own messages. */
  readonly credential: Credential | null;
  isAnswering: boolean;
}

/** Owns every accepted WebSocket: ends it within a second when its credential is void, and when its peer vanished. */
export class OpenSockets {
  readonly #authenticator: Pick<Authenticator, "whenVoid">;
  readonly #clock: Clock;
  readonly #sockets = new Map<WebSocket, Kept>();
  #cancelPing: (() => void) | null = null;

  constructor(authenticator: Pick<Authenticator, "whenVoid">, clock: Clock) {
    this.#authenticator = authenticator;
    this.#clock = clock;
  }

  get size(): number {
    return this.#sockets.size;
  }

  /** Throws RefusedError too_many. */
  checkRoom(principalId: string | null): void {
    let own = 0;
    for (const { credential } of this.#sockets.values()) {
      if ((credential?.principal.id ?? null) === principalId) own += 1;
    }
    if (this.#sockets.size < MAX_SOCKETS && own < MAX_OF_PRINCIPAL) return;
    throw new RefusedError(
      "too_many",
      `${this.#sockets.size} WebSockets are open: at most ${MAX_SOCKETS}, and ${MAX_OF_PRINCIPAL} of one principal`,
    );
  }

  add(socket: WebSocket, credential: Credential | null): void {
    const kept: Kept = { credential, isAnswering: true };
    this.#sockets.set(socket, kept);
    socket.on("pong", () => {
      kept.isAnswering = true;
    });
    const unwatch =
      credential === null
        ? null
        : this.#authenticator.whenVoid(credential, () => {
            this.#sockets.delete(socket);
            // Who does not answer the goodbye is cut in a while: until then nothing is taken from them.
            socket.removeAllListeners("message");
            void this.#end(socket, POLICY_VIOLATION, "signed out");
          });
    socket.on("close", () => {
      unwatch?.();
      this.#sockets.delete(socket);
    });
    this.#schedulePing();
  }

  /** Says goodbye to all, and cuts who does not answer. Resolves when all are gone. */
  async close(): Promise<void> {
    this.#cancelPing?.();
    this.#cancelPing = null;
    const sockets = [...this.#sockets.keys()];
    await Promise.all(sockets.map((socket) => this.#end(socket, GOING_AWAY, "the server stops")));
  }

  #schedulePing(): void {
    if (this.#cancelPing !== null || this.#sockets.size === 0) return;
    this.#cancelPing = this.#clock.after(PING_EVERY_MS, () => {
      this.#cancelPing = null;
      this.#ping();
      this.#schedulePing();
    });
  }

  #ping(): void {
    for (const [socket, kept] of this.#sockets) {
      if (!kept.isAnswering) socket.terminate();
      else if (socket.readyState === socket.OPEN) {
        kept.isAnswering = false;
        socket.ping();
      }
    }
  }

  #end(socket: WebSocket, code: number, reason: string): Promise<void> {
    return new Promise((resolve) => {
      if (socket.readyState === socket.CLOSED) {
        resolve();
        return;
      }
      const cancel = this.#clock.after(CLOSE_WITHIN_MS, () => socket.terminate());
      socket.once("close", () => {
        cancel();
        resolve();
      });
      socket.close(code, reason);
    });
  }
}
