import { type Button, buttonEvent, type InputEvent, moveEvent, wheelEvents } from "./input.ts";

/** Bits of an RFB button mask that are buttons here, RFC 6143 section 7.5.5 and rfbproto "Extended Mouse Buttons". */
const BUTTONS: readonly (readonly [bit: number, button: Button])[] = [
  [1 << 0, "left"],
  [1 << 1, "middle"],
  [1 << 2, "right"],
  [1 << 7, "back"],
  [1 << 8, "forward"],
];

/** Bits that turn the wheel by one notch when they go down. */
const WHEEL = [
  [1 << 3, "vertical", 1],
  [1 << 4, "vertical", -1],
  [1 << 5, "horizontal", -1],
  [1 << 6, "horizontal", 1],
] as const;

interface PointerHost {
  readonly hasHorizontalWheel: boolean;
  readonly hasExtendedMouse: boolean;
}

/** A mouse that is worked by positions and button masks, as RFB has them; remembers where it is and what is down. */
export class RdpPointer {
  readonly #host: PointerHost;
  #x = -1;
  #y = -1;
  #buttons = 0;

  /** `host`: its features, looked at for each event. */
  constructor(host: PointerHost) {
    this.#host = host;
  }

  /** The pointer moves, then buttons change there, then the wheel turns. Says nothing twice. */
  pointer(x: number, y: number, buttons: number): InputEvent[] {
    const events: InputEvent[] = [];
    if (x !== this.#x || y !== this.#y) events.push(moveEvent(x, y));
    const changed = buttons ^ this.#buttons;
    const pressed = changed & buttons;
    this.#x = x;
    this.#y = y;
    this.#buttons = buttons;
    for (const [bit, button] of BUTTONS) {
      if ((changed & bit) !== 0 && this.#has(button))
        events.push(buttonEvent(button, (buttons & bit) !== 0, x, y));
    }
    for (const [bit, axis, notches] of WHEEL) {
      if ((pressed & bit) !== 0) events.push(...this.wheel(axis, notches));
    }
    return events;
  }

  /** Turns the wheel where the pointer is; fractions of a notch are allowed. */
  wheel(axis: "vertical" | "horizontal", notches: number): InputEvent[] {
    if (axis === "horizontal" && !this.#host.hasHorizontalWheel) return [];
    return wheelEvents(axis, notches, Math.max(0, this.#x), Math.max(0, this.#y));
  }

  /** Lets go of every button, where the pointer is. */
  releaseAll(): InputEvent[] {
    return this.#buttons === 0 ? [] : this.pointer(this.#x, this.#y, 0);
  }

  /**
   * The session takes input again, and has the pointer nobody knows where. What was let go meanwhile comes up now;
   * what was pressed meanwhile was pressed on nothing.
   */
  resume(missed: { readonly x: number; readonly y: number; readonly buttons: number } | null): InputEvent[] {
    this.#x = this.#y = -1;
    const left = missed === null ? this.#buttons : this.#buttons & missed.buttons;
    return missed === null || left === this.#buttons ? [] : this.pointer(missed.x, missed.y, left);
  }

  #has(button: Button): boolean {
    return (button !== "back" && button !== "forward") || this.#host.hasExtendedMouse;
  }
}
