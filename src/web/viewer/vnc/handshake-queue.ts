import type { Socket } from "node:net";
import type { Clock } from "../../../platform/clock.ts";

/** Handshakes in progress, in all and of one address. */
const MAX_HANDSHAKES = 100;
const MAX_HANDSHAKES_PER_ADDRESS = 10;
/** Sockets in line, in all and of one address: as many as come at once through a tunnel or a NAT. */
const MAX_WAITING = 200;
const MAX_WAITING_PER_ADDRESS = 50;
/** From the first byte that is sent to a viewer to its ClientInit. */
const HANDSHAKE_MS = 10_000;
/** A viewer answers the version within a round trip; who said nothing for so long makes room when others wait. */
const SILENT_MS = 2000;
/** In line. */
const PATIENCE_MS = 30_000;

interface Caller {
  readonly socket: Socket;
  readonly key: string;
}

interface Handshake extends Caller {
  readonly end: () => void;
  /** Whoever has not said anything now may be dropped for another. */
  isDue: boolean;
}

/**
 * Sockets that have not signed in: some are being talked to, the others wait in the order of their coming. Few are
 * dropped at once, and silent ones cannot shut out the others of their address for longer than it takes to notice.
 */
export class HandshakeQueue {
  readonly #clock: Clock;
  readonly #begin: (socket: Socket, settle: () => void) => void;
  readonly #handshakes = new Set<Handshake>();
  readonly #waiting = new Set<Caller>();

  /** `begin` talks to a viewer, and calls `settle` when that has signed in. */
  constructor(clock: Clock, begin: (socket: Socket, settle: () => void) => void) {
    this.#clock = clock;
    this.#begin = begin;
  }

  /** Handshakes in progress. */
  get handshakes(): number {
    return this.#handshakes.size;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  /** Talks to a socket, lets it wait, or drops it. `key`: who has a share of the places. */
  arrive(socket: Socket, key: string): void {
    const caller = { socket, key };
    socket.on("error", () => {});
    this.#makeRoom(key);
    if (this.#hasRoom(key)) this.#talk(caller);
    else if (this.#waiting.size < MAX_WAITING && countOf(this.#waiting, key) < MAX_WAITING_PER_ADDRESS) {
      this.#wait(caller);
    } else {
      // No word: that would be work for who asks too much.
      socket.destroy();
    }
  }

  #wait(caller: Caller): void {
    this.#waiting.add(caller);
    const cancel = this.#clock.after(PATIENCE_MS, () => caller.socket.destroy());
    caller.socket.once("close", () => {
      cancel();
      this.#waiting.delete(caller);
    });
  }

  #talk({ socket, key }: Caller): void {
    const cancelEnd = this.#clock.after(HANDSHAKE_MS, () => socket.destroy());
    const cancelSilence = this.#clock.after(SILENT_MS, () => {
      handshake.isDue = true;
      if (this.#isWanted(key)) this.#makeRoom(key);
    });
    const end = (): void => {
      cancelEnd();
      cancelSilence();
      if (this.#handshakes.delete(handshake)) this.#next();
    };
    const handshake: Handshake = { socket, key, end, isDue: false };
    this.#handshakes.add(handshake);
    socket.once("close", end);
    this.#begin(socket, end);
  }

  /** Whoever waits longest of those whose address has a place left. */
  #next(): void {
    for (const caller of this.#waiting) {
      if (this.#handshakes.size >= MAX_HANDSHAKES) return;
      if (caller.socket.destroyed || !this.#hasRoom(caller.key)) continue;
      this.#waiting.delete(caller);
      this.#talk(caller);
    }
  }

  /** Where there is no place for this key, drops the silent handshake that began first of those it waits for. */
  #makeRoom(key: string): void {
    if (this.#hasRoom(key)) return;
    const isOfAddress = countOf(this.#handshakes, key) >= MAX_HANDSHAKES_PER_ADDRESS;
    for (const handshake of this.#handshakes) {
      if (isOfAddress && handshake.key !== key) continue;
      if (!handshake.isDue || handshake.socket.bytesRead > 0) continue;
      handshake.socket.destroy();
      handshake.end();
      return;
    }
  }

  /** True where somebody waits for the end of a handshake of this address. */
  #isWanted(key: string): boolean {
    return this.#handshakes.size >= MAX_HANDSHAKES ? this.#waiting.size > 0 : countOf(this.#waiting, key) > 0;
  }

  #hasRoom(key: string): boolean {
    return (
      this.#handshakes.size < MAX_HANDSHAKES && countOf(this.#handshakes, key) < MAX_HANDSHAKES_PER_ADDRESS
    );
  }
}

function countOf(callers: Iterable<Caller>, key: string): number {
  let count = 0;
  for (const caller of callers) if (caller.key === key) count++;
  return count;
}
