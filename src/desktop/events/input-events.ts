import type { Clock } from "../../platform/clock.ts";
import { BUTTON_BIT, BUTTONS, type Button } from "../control/action.ts";
import type { ClipboardAuthor, ClipboardSecrecy } from "../input/clipboard-privacy.ts";
import { Input } from "../input/input.ts";

/** Input to a target, as subscribers are told of it: never which key or text. */
export type ObservedInputEvent =
  | { readonly kind: "mouse_move"; readonly x: number; readonly y: number }
  | { readonly kind: "mouse_click"; readonly x: number; readonly y: number; readonly button: Button }
  | { readonly kind: "key_press" }
  /** Characters that were put on the target's clipboard. `isHidden`: kept from agents. */
  | { readonly kind: "clipboard"; readonly length: number; readonly isHidden: boolean };

/** The input of a desktop that reports what is sent through it, whoever sends it. */
export class ObservedInput extends Input {
  readonly #tell: (seen: ObservedInputEvent) => void;

  #sentAtMs = Number.NEGATIVE_INFINITY;
  readonly #clock: Clock;

  constructor(clock: Clock, tell: (seen: ObservedInputEvent) => void, secrecy: ClipboardSecrecy) {
    super(secrecy);
    this.#clock = clock;
    this.#tell = tell;
  }

  /** When a key or the pointer was last sent, by the clock. */
  get sentAtMs(): number {
    return this.#sentAtMs;
  }

  override pointer(x: number, y: number, buttons: number): void {
    const before = this.position;
    const pressed = buttons & ~this.buttons;
    super.pointer(x, y, buttons);
    this.#sentAtMs = this.#clock.nowMs();
    if (before.x !== x || before.y !== y) this.#tell({ kind: "mouse_move", x, y });
    for (const button of BUTTONS) {
      if ((pressed & BUTTON_BIT[button]) !== 0) this.#tell({ kind: "mouse_click", x, y, button });
    }
  }

  override key(keysym: number, isDown: boolean, scancode: number | null): void {
    super.key(keysym, isDown, scancode);
    this.#sentAtMs = this.#clock.nowMs();
    if (isDown) this.#tell({ kind: "key_press" });
  }

  override clipboard(text: string, author: ClipboardAuthor): void {
    super.clipboard(text, author);
    this.#tell({ kind: "clipboard", length: text.length, isHidden: this.isClipboardHidden });
  }
}
