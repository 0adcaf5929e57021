import { FakeLink } from "../../desktop/fake-link.ts";
import type { World } from "./world.ts";

/** What is on its way arrives within the margin of a lease: what takes longer only the target itself can refuse. */
const LATEST_MS = 350;

/** A desktop as its target sees it: what came, under which fence, in which order. */
export class Target {
  readonly id: string;
  readonly #world: World;
  readonly #violate: (words: string) => void;
  #newest = 0n;
  /** Who sent under it. */
  #by = "";
  inputs = 0;
  moves = 0;

  constructor(id: string, world: World, violate: (words: string) => void) {
    this.id = id;
    this.#world = world;
    this.#violate = violate;
  }

  /** A connection of one node, opened under a fence. */
  connect(by: string, fence: bigint): TargetLink {
    return new TargetLink(this.#world, (nth, last) => this.#take(by, fence, nth, last));
  }

  #take(by: string, fence: bigint, nth: number, last: number): void {
    this.inputs++;
    const at = `${this.id} at ${Math.round(this.#world.nowMs)} ms`;
    if (nth !== last + 1) this.#violate(`${at}: input ${nth} of ${by} after ${last}`);
    if (fence < this.#newest) this.#violate(`${at}: input of ${by} under ${fence} after ${this.#newest}`);
    if (fence === this.#newest && by !== this.#by) this.#violate(`${at}: ${by} and ${this.#by}: one fence`);
    if (fence <= this.#newest) return;
    if (by !== this.#by) this.moves++;
    [this.#newest, this.#by] = [fence, by];
  }
}

/** The link below the real fence: what is sent arrives later, in its order, also after its sender died. */
export class TargetLink extends FakeLink {
  readonly #world: World;
  readonly #arrive: (nth: number, last: number) => void;
  readonly down = new Set<number>();
  #sent = 0;
  #arrived = 0;
  #lastMs = 0;

  constructor(world: World, arrive: (nth: number, last: number) => void) {
    super(1, 1);
    this.#world = world;
    this.#arrive = arrive;
  }

  /** When all that was sent has come, and the answer is back. */
  override barrier(): Promise<void> {
    return new Promise((resolve) => {
      const takesMs = Math.max(0, this.#lastMs - this.#world.nowMs) + 1;
      this.#world.at(takesMs, resolve);
    });
  }

  override key(keysym: number, isDown: boolean): void {
    if (isDown) this.down.add(keysym);
    else this.down.delete(keysym);
    const nth = ++this.#sent;
    const takesMs = this.#world.random() < 0.05 ? this.#world.between(0, LATEST_MS) : 1;
    this.#lastMs = Math.max(this.#lastMs, this.#world.nowMs + takesMs);
    this.#world.at(this.#lastMs - this.#world.nowMs, () => {
      const last = this.#arrived;
      this.#arrived = nth;
      this.#arrive(nth, last);
    });
  }
}
