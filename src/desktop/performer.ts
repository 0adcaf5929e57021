import { holdsPoint, type Rect } from "../framebuffer/rect.ts";
import { type Action, BUTTON_BIT, type PerformOptions } from "./action.ts";
import { type Clock, delay } from "./clock.ts";
import { LinkError, RefusedError } from "./error.ts";
import type { Input } from "./input.ts";
import { isOnMostLayouts, KEYSYM, strokesOf } from "./keyboard.ts";

/** After so many strokes the target is asked whether it kept up. */
const STROKES_A_BARRIER = 16;
/** A target that does not answer a barrier within this time is typed on regardless. */
const BARRIER_MS = 1000;
/** A server that had to make a key for a character needs its clients to learn of it before the key is let go. */
const NEW_KEY_MS = 20;
/** How long a click may take to move the focus before a first stroke counts. */
const FOCUS_MS = 120;
/** Words of five characters. */
const CHARACTERS_A_WORD = 5;

export interface Done {
  readonly position: { readonly x: number; readonly y: number } | null;
  readonly notTyped: readonly string[];
  readonly clipboard: string | null;
}

export interface PerformerPorts {
  /** Of the desktop, in pixels: clicks outside are refused. */
  bounds(): Rect;
  clipboardText(): string | null;
  random(): number;
}

/** Turns actions into input. What it presses it releases, whatever happens. */
export class Performer {
  readonly #input: Input;
  readonly #ports: PerformerPorts;
  readonly #clock: Clock;
  #pressedAtMs = Number.NEGATIVE_INFINITY;

  constructor(input: Input, ports: PerformerPorts, clock: Clock) {
    this.#input = input;
    this.#ports = ports;
    this.#clock = clock;
  }

  /** Refuses, before anybody is asked, what cannot be done. */
  check(action: Action): void {
    if (action.kind === "click" && action.x !== null && action.y !== null)
      this.#checkPoint(action.x, action.y);
    if (action.kind === "pointer") this.#checkPoint(action.x, action.y);
  }

  /** Throws RefusedError target_down without a live target. */
  async perform(action: Action, options: PerformOptions): Promise<Done> {
    const done: Done = { position: null, notTyped: [], clipboard: null };
    if (action.kind === "read_clipboard") return { ...done, clipboard: this.#ports.clipboardText() };
    if (this.#input.link === null) {
      throw new RefusedError(
        "target_down",
        "the target is not connected: wait until it is live, then try again",
      );
    }
    switch (action.kind) {
      case "pointer":
        if (action.buttons !== 0) this.#pressedAtMs = this.#clock.nowMs();
        this.#input.pointer(action.x, action.y, action.buttons);
        return { ...done, position: this.#input.position };
      case "key":
        this.#input.key(action.keysym, action.isDown, action.scancode);
        return done;
      case "click":
        await this.#click(action, options);
        return { ...done, position: this.#input.position };
      case "type":
        return { ...done, notTyped: await this.#type(action, options) };
      case "write_clipboard":
        this.#input.clipboard(action.text);
        return done;
      case "resize":
        if (!this.#input.link.resize(action.width, action.height)) {
          throw new RefusedError("not_supported", "the target does not let viewers change its size");
        }
        return done;
    }
  }

  async #click(action: Extract<Action, { kind: "click" }>, options: PerformOptions): Promise<void> {
    const at = this.#input.position;
    const x = action.x ?? at.x;
    const y = action.y ?? at.y;
    this.#checkPoint(x, y);
    const bit = BUTTON_BIT[action.button];
    await this.#hesitate(options);
    this.#input.pointer(x, y, 0);
    try {
      for (const keysym of action.holdKeysyms) this.#input.key(keysym, true, null);
      for (let i = 0; i < action.clicks; i++) {
        if (i > 0) await this.#hesitate(options);
        this.#input.pointer(x, y, bit);
        this.#input.pointer(x, y, 0);
      }
    } finally {
      this.#pressedAtMs = this.#clock.nowMs();
      for (const keysym of [...action.holdKeysyms].reverse()) this.#input.key(keysym, false, null);
    }
  }

  /** Returns the characters that no key can make. */
  async #type(action: Extract<Action, { kind: "type" }>, options: PerformOptions): Promise<string[]> {
    await this.#awaitFocus(options.signal);
    if (action.clearExisting) this.#clearField();
    const pauseMs = action.wordsPerMinute === null ? 0 : 60_000 / (action.wordsPerMinute * CHARACTERS_A_WORD);
    const notTyped: string[] = [];
    let sinceBarrier = 0;
    for (const { character, keysym } of strokesOf(action.text)) {
      options.signal?.throwIfAborted();
      if (keysym === null) {
        notTyped.push(character);
        continue;
      }
      await this.#hesitate(options);
      const isNewKey = !isOnMostLayouts(keysym);
      if (isNewKey && sinceBarrier > 0) await this.#barrier(options.signal);
      this.#input.key(keysym, true, null);
      if (isNewKey) await delay(this.#clock, NEW_KEY_MS, options.signal);
      this.#input.key(keysym, false, null);
      if (pauseMs > 0) await delay(this.#clock, pauseMs, options.signal);
      if (isNewKey || ++sinceBarrier === STROKES_A_BARRIER) {
        sinceBarrier = 0;
        await this.#barrier(options.signal);
      }
    }
    return notTyped;
  }

  #clearField(): void {
    this.#input.key(KEYSYM.controlL, true, null);
    this.#input.key(KEYSYM.a, true, null);
    this.#input.key(KEYSYM.a, false, null);
    this.#input.key(KEYSYM.controlL, false, null);
    this.#input.key(KEYSYM.delete, true, null);
    this.#input.key(KEYSYM.delete, false, null);
  }

  /** x11vnc loses the first key after a click: the window manager has not moved the focus yet. */
  async #awaitFocus(signal: AbortSignal | undefined): Promise<void> {
    const sinceMs = this.#clock.nowMs() - this.#pressedAtMs;
    if (sinceMs >= FOCUS_MS) return;
    await this.#barrier(signal);
    await delay(this.#clock, FOCUS_MS - sinceMs, signal);
  }

  async #barrier(signal: AbortSignal | undefined): Promise<void> {
    const link = this.#input.link;
    if (link === null) throw new RefusedError("target_down", "the target was lost while typing");
    const limit = new AbortController();
    try {
      await Promise.race([link.barrier(), delay(this.#clock, BARRIER_MS, limit.signal)]);
    } catch (cause) {
      if (!(cause instanceof LinkError)) throw cause;
      throw new RefusedError("target_down", `the target was lost while typing: ${cause.message}`, { cause });
    } finally {
      limit.abort();
    }
    signal?.throwIfAborted();
  }

  async #hesitate({ timing, signal }: PerformOptions): Promise<void> {
    if (timing === undefined || timing.maxDelayMs === 0) return;
    const { minDelayMs, maxDelayMs } = timing;
    await delay(this.#clock, minDelayMs + (maxDelayMs - minDelayMs) * this.#ports.random(), signal);
  }

  #checkPoint(x: number, y: number): void {
    const bounds = this.#ports.bounds();
    if (holdsPoint(bounds, x, y)) return;
    throw new RefusedError(
      "out_of_bounds",
      `got the point ${x},${y}, expected one within 0,0 to ${bounds.width - 1},${bounds.height - 1}: take a screenshot to see the desktop's size`,
    );
  }
}
