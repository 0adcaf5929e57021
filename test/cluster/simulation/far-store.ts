import { StoreError } from "../../../src/cluster/error.ts";
import type {
  Change,
  ClusterStore,
  Entry,
  Listing,
  Outcome,
  Watch,
  WatchListener,
} from "../../../src/cluster/store/store.ts";
import type { Machine, World } from "./world.ts";

/** As the client of etcd has it. */
const ANSWER_WITHIN_MS = 1000;
const AGAIN_AFTER_MS = 200;

/** The way from one machine to the store: requests and answers are late, lost, or done long after nobody waits for them. */
export class Line {
  isCut = false;
  /** What is asked is done, and no answer comes back. */
  isDeaf = false;
  /** So much of what is asked and answered is lost, each by itself. */
  lossRate = 0;
  /** The watch says nothing, and all else goes on. */
  isBlind = false;
  /** Most that a message takes. */
  slownessMs = 5;
  /** So many messages are late by more than anybody waits for. */
  lateRate = 0.01;
}

/** All of the store, as its members have it. */
export class Members {
  /** Who asks is told so, or never answered, or answered when there is a leader again. */
  hasLeader = true;
  readonly #waiting: (() => void)[] = [];

  whenLed(call: () => void): void {
    this.#waiting.push(call);
  }

  elect(): void {
    this.hasLeader = true;
    for (const call of this.#waiting.splice(0)) call();
  }
}

/** The real store, seen from a machine at the end of a line. */
export class FarStore implements ClusterStore {
  readonly #world: World;
  readonly #machine: Machine;
  readonly #line: Line;
  readonly #store: ClusterStore;
  readonly #members: Members;

  constructor(world: World, machine: Machine, line: Line, store: ClusterStore, members: Members) {
    this.#members = members;
    this.#world = world;
    this.#machine = machine;
    this.#line = line;
    this.#store = store;
  }

  commit(changes: readonly Change[]): Promise<Outcome> {
    return this.#ask(() => this.#store.commit(changes), "outcome_unknown");
  }

  get(key: string): Promise<Entry | null> {
    return this.#ask(() => this.#store.get(key), "unavailable");
  }

  list(prefix: string): Promise<Listing> {
    return this.#ask(() => this.#store.list(prefix), "unavailable");
  }

  watch(prefix: string, after: bigint, listener: WatchListener): Watch {
    const [world, machine, line] = [this.#world, this.#machine, this.#line];
    let isClosed = false;
    let told = after;
    const connect = (): void => {
      if (isClosed || machine.state === "dead") return;
      let isLost = line.isCut || line.isBlind;
      let lastMs = world.nowMs;
      const lose = (): void => {
        if (!isLost) inner?.close();
        isLost = true;
        world.at(AGAIN_AFTER_MS, connect);
      };
      const deliver = (call: () => void): void => {
        // In their order, as TCP has it.
        lastMs = Math.max(lastMs, world.nowMs + this.#delayMs());
        world.at(lastMs - world.nowMs, () => {
          if (isLost) return;
          if (line.isCut || line.isBlind) lose();
          else machine.run(() => !isClosed && !isLost && call());
        });
      };
      const inner: Watch | null = isLost
        ? null
        : this.#store.watch(prefix, told, {
            onChanges: (changes, revision) =>
              deliver(() => {
                told = revision;
                listener.onChanges(changes, revision);
              }),
            onProgress: () => undefined,
            onCompacted: () => deliver(() => listener.onCompacted()),
            onFailed: (error) => listener.onFailed(error),
          });
      if (inner === null) lose();
    };
    connect();
    return {
      close: () => {
        isClosed = true;
      },
    };
  }

  async close(): Promise<void> {}

  #ask<T>(work: () => Promise<T>, code: "outcome_unknown" | "unavailable"): Promise<T> {
    const [world, machine, line] = [this.#world, this.#machine, this.#line];
    return new Promise((resolve, reject) => {
      const cancel = machine.after(ANSWER_WITHIN_MS, () => reject(new StoreError(code, "no answer")));
      if (line.isCut || world.random() < line.lossRate) return;
      const answer = (settle: () => void): void => {
        if (line.isCut || line.isDeaf || world.random() < line.lossRate) return;
        world.at(this.#delayMs(), () =>
          machine.run(() => {
            cancel();
            settle();
          }),
        );
      };
      const arrive = (): void => {
        if (this.#members.hasLeader) {
          work().then(
            (value) => answer(() => resolve(value)),
            (error: unknown) => answer(() => reject(error)),
          );
          return;
        }
        const fate = world.random();
        if (fate < 0.4) answer(() => reject(new StoreError("unavailable", "no leader")));
        else if (fate < 0.7) this.#members.whenLed(arrive);
      };
      world.at(this.#delayMs(), arrive);
    });
  }

  #delayMs(): number {
    const { random } = this.#world;
    const { lateRate, slownessMs } = this.#line;
    return random() < lateRate ? random() * 4000 : 1 + random() * slownessMs;
  }
}
