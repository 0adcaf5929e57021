import type { Clock } from "../../platform/clock.ts";
import { BUTTON_BIT, type Button } from "../control/action.ts";
import type { Input } from "./input.ts";

/** An agent that pressed something and never came back: it is let go for it. */
const LONGEST_HOLD_MS = 60_000;

/** What agents hold down beyond one action. Nothing stays down longer than LONGEST_HOLD_MS after the last press. */
export class HeldInputs {
  readonly #input: Input;
  readonly #clock: Clock;
  readonly #keysyms = new Set<number>();
  #buttons = 0;
  #cancel: () => void = () => {};

  constructor(input: Input, clock: Clock) {
    this.#input = input;
    this.#clock = clock;
  }

  /** What is down of it now: somebody else may have let go of some. */
  get heldKeys(): readonly number[] {
    return [...this.#keysyms].filter((keysym) => this.#input.isHeld(keysym));
  }

  /** Keys go down in order and come up in reverse order. */
  keys(keysyms: readonly number[], isDown: boolean): void {
    for (const keysym of isDown ? keysyms : [...keysyms].reverse()) {
      if (isDown) this.#keysyms.add(keysym);
      else this.#keysyms.delete(keysym);
      this.#input.key(keysym, isDown, null);
    }
    this.#watch();
  }

  button(x: number, y: number, button: Button, isDown: boolean): void {
    const bit = BUTTON_BIT[button];
    this.#buttons = isDown ? this.#buttons | bit : this.#buttons & ~bit;
    // First there, then pressed: targets act on where the press is.
    this.#input.pointer(x, y, this.#input.buttons);
    this.#input.pointer(x, y, isDown ? this.#input.buttons | bit : this.#input.buttons & ~bit);
    this.#watch();
  }

  /** Somebody else has let go of everything. */
  forget(): void {
    this.#keysyms.clear();
    this.#buttons = 0;
    this.#cancel();
  }

  #watch(): void {
    this.#cancel();
    if (this.#keysyms.size === 0 && this.#buttons === 0) return;
    this.#cancel = this.#clock.after(LONGEST_HOLD_MS, () => this.#letGo());
  }

  #letGo(): void {
    for (const keysym of [...this.#keysyms].reverse()) this.#input.key(keysym, false, null);
    const { x, y } = this.#input.position;
    if ((this.#input.buttons & this.#buttons) !== 0) {
      this.#input.pointer(x, y, this.#input.buttons & ~this.#buttons);
    }
    this.forget();
  }
}
