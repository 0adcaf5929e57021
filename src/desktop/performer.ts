import { holdsPoint, type Rect } from "../framebuffer/rect.ts";
import type { Action, ClipboardText, PerformOptions } from "./action.ts";
import { type Clock, delay } from "./clock.ts";
import { RefusedError } from "./error.ts";
import { Held } from "./held.ts";
import type { Input } from "./input.ts";
import { hasCase, isOnMostLayouts, KEYSYM, strokesOf } from "./keyboard.ts";
import { Mouse } from "./mouse.ts";
import { Pace } from "./pace.ts";

/** After so many strokes the target is asked whether it kept up. */
const STROKES_A_BARRIER = 16;
/** A server that had to make a key for a character needs its clients to learn of it before the key is let go. */
const NEW_KEY_MS = 20;
/** How long a click may take to move the focus before a first stroke counts. */
const FOCUS_MS = 120;
/** How long a target may take to say that its caps lock changed, and how often one looks. */
const CAPS_LOCK_MS = 300;
const CAPS_LOCK_LOOK_MS = 10;
/** Words of five characters. */
const CHARACTERS_A_WORD = 5;

export interface Done {
  readonly position: { readonly x: number; readonly y: number } | null;
  readonly notTyped: readonly string[];
  readonly clipboard: ClipboardText | null;
}

export interface PerformerPorts {
  /** Of the desktop, in pixels: clicks outside are refused. */
  bounds(): Rect;
  random(): number;
  /** Whether the target's caps lock is on; null, or absent, where it does not tell. */
  capsLock?(): boolean | null;
}

/** Turns actions into input. What it presses it releases, whatever happens. */
export class Performer {
  readonly #input: Input;
  readonly #ports: PerformerPorts;
  readonly #clock: Clock;
  readonly #pace: Pace;
  readonly #mouse: Mouse;
  readonly #held: Held;
  #pressedAtMs = Number.NEGATIVE_INFINITY;

  constructor(input: Input, ports: PerformerPorts, clock: Clock) {
    this.#input = input;
    this.#ports = ports;
    this.#clock = clock;
    this.#pace = new Pace(input, clock, () => ports.random());
    this.#mouse = new Mouse(input, this.#pace);
    this.#held = new Held(input, clock);
  }

  /** What was left down beyond an action was let go, or is out of reach. */
  forget(): void {
    this.#held.forget();
  }

  /** Refuses, before anybody is asked, what cannot be done. */
  check(action: Action): void {
    const refusal = this.#input.link?.inputRefusal;
    if (refusal !== undefined && action.kind !== "read_clipboard") {
      throw new RefusedError("not_supported", refusal);
    }
    switch (action.kind) {
      case "pointer":
      case "move":
        this.#checkPoint(action.x, action.y);
        break;
      case "click":
      case "button":
      case "scroll":
        if (action.x !== null && action.y !== null) this.#checkPoint(action.x, action.y);
        break;
      case "drag":
        for (const { x, y } of action.path) this.#checkPoint(x, y);
        break;
      default:
    }
  }

  /** Throws RefusedError target_down without a live target. */
  async perform(action: Action, options: PerformOptions): Promise<Done> {
    const done: Done = { position: null, notTyped: [], clipboard: null };
    if (action.kind === "read_clipboard") return { ...done, clipboard: this.#input.clipboardText };
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
      case "move":
      case "button":
      case "drag":
      case "scroll":
        await this.#point(action, options);
        return { ...done, position: this.#input.position };
      case "chords":
        await this.#chords(action, options);
        return done;
      case "hold":
        this.#held.keys(action.keysyms, action.isDown);
        return done;
      case "release":
        this.#held.forget();
        this.#input.releaseAll();
        return done;
      case "type":
        return { ...done, notTyped: await this.#typeInItsCase(action, options) };
      case "write_clipboard":
        this.#input.clipboard(action.text);
        return done;
      case "paste": {
        const { keysyms, name } = action;
        this.#input.clipboard(action.text);
        await this.#chords(
          { kind: "chords", chords: [keysyms], names: [name], repeat: 1, holdMs: 0 },
          options,
        );
        return done;
      }
      case "resize":
        if (!(await this.#input.link.resize(action.width, action.height, action.screens))) {
          throw new RefusedError("not_supported", "the target does not let viewers change its size");
        }
        return done;
    }
  }

  /** Everything that the mouse does; where nothing is said the pointer stays, if it is on the screen. */
  async #point(
    action: Extract<Action, { kind: "click" | "move" | "button" | "drag" | "scroll" }>,
    options: PerformOptions,
  ): Promise<void> {
    const at = this.#input.position;
    if (action.kind !== "move" && action.kind !== "drag") {
      this.#checkPoint(action.x ?? at.x, action.y ?? at.y);
    }
    try {
      switch (action.kind) {
        case "click":
          return await this.#mouse.click(action, options);
        case "move":
          return await this.#mouse.move(action, options);
        case "drag":
          return await this.#mouse.drag(action, options);
        case "scroll":
          return await this.#mouse.scroll(action, options);
        case "button":
          return this.#held.button(action.x ?? at.x, action.y ?? at.y, action.button, action.isDown);
      }
    } finally {
      if (action.kind !== "move" && action.kind !== "scroll") this.#pressedAtMs = this.#clock.nowMs();
    }
  }

  /** Each chord is whole before the next one begins; what is down comes up whatever happens. */
  async #chords(action: Extract<Action, { kind: "chords" }>, options: PerformOptions): Promise<void> {
    await this.#awaitFocus(options.signal);
    let sinceBarrier = 0;
    for (let i = 0; i < action.repeat; i++) {
      for (const chord of action.chords) {
        options.signal?.throwIfAborted();
        await this.#pace.hesitate(options);
        const down: number[] = [];
        try {
          for (const keysym of chord) {
            this.#input.key(keysym, true, null);
            down.push(keysym);
          }
          const isNewKey = chord.some((keysym) => !isOnMostLayouts(keysym));
          const holdMs = Math.max(action.holdMs, isNewKey ? NEW_KEY_MS : 0);
          if (holdMs > 0) await delay(this.#clock, holdMs, options.signal);
        } finally {
          for (const keysym of down.reverse()) this.#input.key(keysym, false, null);
        }
        if (++sinceBarrier < STROKES_A_BARRIER) continue;
        sinceBarrier = 0;
        await this.#pace.barrier(options.signal);
      }
    }
  }

  /**
   * Caps lock that is on turns letters over, or loses those that have no other case (ß on Xtigervnc 1.12): it is
   * switched off meanwhile, where the target tells that it is on. Returns the characters that no key can make.
   */
  async #typeInItsCase(
    action: Extract<Action, { kind: "type" }>,
    options: PerformOptions,
  ): Promise<string[]> {
    if (this.#ports.capsLock?.() !== true || !hasCase(action.text)) return await this.#type(action, options);
    await this.#awaitFocus(options.signal);
    try {
      await this.#switchCapsLock(false, options.signal);
      return await this.#type(action, options);
    } finally {
      await this.#switchCapsLock(true, undefined);
    }
  }

  /** Resolves when the target says so, or has had the time to. */
  async #switchCapsLock(isOn: boolean, signal: AbortSignal | undefined): Promise<void> {
    this.#input.key(KEYSYM.capsLock, true, null);
    this.#input.key(KEYSYM.capsLock, false, null);
    for (let ms = 0; ms < CAPS_LOCK_MS && this.#ports.capsLock?.() === !isOn; ms += CAPS_LOCK_LOOK_MS) {
      await delay(this.#clock, CAPS_LOCK_LOOK_MS, signal);
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
      if (keysym === null || this.#input.link?.canType?.(keysym) === false) {
        notTyped.push(character);
        continue;
      }
      await this.#pace.hesitate(options);
      const isNewKey = !isOnMostLayouts(keysym);
      if (isNewKey && sinceBarrier > 0) await this.#pace.barrier(options.signal);
      this.#input.key(keysym, true, null);
      if (isNewKey) await delay(this.#clock, NEW_KEY_MS, options.signal);
      this.#input.key(keysym, false, null);
      if (pauseMs > 0) await delay(this.#clock, pauseMs, options.signal);
      if (isNewKey || ++sinceBarrier === STROKES_A_BARRIER) {
        sinceBarrier = 0;
        await this.#pace.barrier(options.signal);
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
    await this.#pace.barrier(signal);
    await delay(this.#clock, FOCUS_MS - sinceMs, signal);
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
