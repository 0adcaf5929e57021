import type { Clock } from "../../platform/clock.ts";

/** TigerVNC (BlacklistThreshold, 5) refuses a host of which more connections than that are not signed in yet. */
const MOST_AT_ONCE = 4;

/** What takes longer counts no more: behind the address of a tunnel there are many hosts, and a slow one keeps up no other. */
const LONGEST_MS = 1000;

interface Host {
  /** Handshakes that count. */
  count: number;
  readonly waiting: Set<() => void>;
}

/** Begins connections to one host a few at a time, in the order in which they were wanted. */
export class ConnectTurns {
  readonly #clock: Clock;
  readonly #hosts = new Map<string, Host>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Calls `connect`, now or when so few handshakes with `host` are under way. The answer is called when this one is over, or
   * is not wanted any more; more than once does no harm.
   */
  take(host: string, connect: () => void): () => void {
    const name = host.toLowerCase();
    const entry = this.#hosts.get(name) ?? { count: 0, waiting: new Set() };
    this.#hosts.set(name, entry);
    let end = (): void => void entry.waiting.delete(begin);
    const begin = (): void => {
      entry.count++;
      const cancel = this.#clock.after(LONGEST_MS, () => end(), { isIdle: true });
      let isOver = false;
      end = () => {
        if (isOver) return;
        isOver = true;
        cancel();
        this.#next(name, entry);
      };
      connect();
    };
    if (entry.count < MOST_AT_ONCE) begin();
    else entry.waiting.add(begin);
    return () => end();
  }

  #next(name: string, entry: Host): void {
    entry.count--;
    const [begin] = entry.waiting;
    if (begin !== undefined) {
      entry.waiting.delete(begin);
      begin();
    } else if (entry.count === 0) this.#hosts.delete(name);
  }
}
