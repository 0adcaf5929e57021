import type { Action } from "../../../src/desktop/control/action.ts";
import { Input } from "../../../src/desktop/input/input.ts";
import { Performer } from "../../../src/desktop/input/performer.ts";
import { rect } from "../../../src/framebuffer/rect.ts";
import { delay } from "../../../src/platform/clock.ts";
import { FakeClock } from "../../fake-clock.ts";
import { FakeLink } from "../fake-link.ts";

/** A performer, the clock it goes by, and the target that hears what it sends. */
export class Hand {
  readonly clock = new FakeClock();
  readonly link = new FakeLink();
  readonly input = new Input();
  /** Its caps lock before anything was sent; null: the target does not tell. */
  capsLock: boolean | null = null;
  readonly performer = new Performer(
    this.input,
    { bounds: () => rect(0, 0, 200, 100), random: () => 0.5, capsLock: () => this.#capsLock() },
    this.clock,
  );

  constructor() {
    this.input.attach(this.link);
  }

  #capsLock(): boolean | null {
    const presses = this.link.said.filter((said) => said === "down ffe5").length;
    return this.capsLock === null ? null : this.capsLock !== (presses % 2 === 1);
  }

  /** How often the target was asked whether it took everything. */
  barriers = 0;

  /** Does an action while fake time passes. */
  async done(action: Action) {
    const done = this.performer.perform(action, {});
    await this.clock.live(90_000);
    return await done;
  }

  /** As `sent`, with when each was sent. */
  async timed(action: Action): Promise<{ said: string; atMs: number }[]> {
    const timed: { said: string; atMs: number }[] = [];
    const { link, clock } = this;
    const note = (): void => void timed.push({ said: link.said.at(-1) ?? "", atMs: clock.nowMs() });
    const { pointer, key, barrier } = link;
    link.pointer = (...args) => {
      pointer.apply(link, args);
      note();
    };
    link.key = (...args) => {
      key.apply(link, args);
      note();
    };
    link.barrier = () => {
      this.barriers++;
      return barrier.call(link);
    };
    await this.sent(action);
    return timed;
  }

  /** Does one action after the other, `restMs` apart: what was sent, when, and for which. */
  async timedEach(
    actions: readonly Action[],
    restMs: number,
  ): Promise<{ readonly said: string; readonly atMs: number; readonly of: number }[]> {
    const list: { said: string; atMs: number; of: number }[] = [];
    const { link, clock } = this;
    const { pointer } = link;
    let now = -1;
    link.pointer = (...args) => {
      pointer.apply(link, args);
      list.push({ said: link.said.at(-1) ?? "", atMs: clock.nowMs(), of: now });
    };
    const all = async (): Promise<void> => {
      for (const action of actions) {
        now++;
        await this.performer.perform(action, {});
        if (restMs > 0) await delay(clock, restMs, undefined);
      }
    };
    const done = all();
    await clock.live(90_000);
    await done;
    return list;
  }

  /** Does an action while fake time passes; gives what was sent. */
  async sent(action: Action, signal?: AbortSignal): Promise<string[]> {
    const from = this.link.said.length;
    const done = this.performer.perform(action, signal === undefined ? {} : { signal });
    done.catch(() => undefined);
    await this.clock.live(90_000);
    await done;
    return this.link.said.slice(from);
  }
}
