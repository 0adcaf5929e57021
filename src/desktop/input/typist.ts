import { type Clock, delay } from "../../platform/clock.ts";
import type { Action } from "../control/action.ts";
import type { Input } from "./input.ts";
import { hasCase, isOnMostLayouts, KEYSYM, strokesOf } from "./keyboard.ts";
import type { Pace, PacedOptions } from "./typing-pace.ts";

/** After so many strokes the target is asked whether it kept up. */
export const STROKES_A_BARRIER = 16;
/** A server that had to make a key for a character needs its clients to learn of it before the key is let go. */
export const NEW_KEY_MS = 20;
/** How long a target may take to say that its caps lock changed, and how often one looks. */
const CAPS_LOCK_MS = 300;
const CAPS_LOCK_LOOK_MS = 10;
/** Words of five characters. */
const CHARACTERS_A_WORD = 5;

export const KEYS_MADE =
  "the desktop made keys for characters that most keyboards lack, and does not say whether that succeeded: look whether all are there";
const NO_ANSWER = "the desktop did not say that it took all that was typed: look whether all is there";

type Typing = Extract<Action, { kind: "type" }>;

export interface Typed {
  /** Characters that no key can make, or no key may be left for. */
  readonly notTyped: readonly string[];
  readonly unverified: string | null;
}

/** Types text, a character a stroke. */
export class Typist {
  readonly #input: Input;
  readonly #pace: Pace;
  readonly #clock: Clock;
  readonly #capsLock: () => boolean | null;

  /** `capsLock`: whether the target's is on; null where it does not tell. */
  constructor(input: Input, pace: Pace, clock: Clock, capsLock: () => boolean | null) {
    this.#input = input;
    this.#pace = pace;
    this.#clock = clock;
    this.#capsLock = capsLock;
  }

  /**
   * Caps lock that is on turns letters over, or loses those that have no other case (ß on Xtigervnc 1.12): it is
   * switched off meanwhile, where the target tells that it is on.
   */
  async type(action: Typing, options: PacedOptions): Promise<Typed> {
    if (this.#capsLock() !== true || !hasCase(action.text)) return await this.#type(action, options);
    try {
      await this.#switchCapsLock(false, options.signal);
      return await this.#type(action, options);
    } finally {
      await this.#switchCapsLock(true, undefined);
    }
  }

  /** Resolves when the target says so, or has had the time to. */
  async #switchCapsLock(isOn: boolean, signal: AbortSignal | undefined): Promise<void> {
    this.#input.switchCapsLock();
    for (let ms = 0; ms < CAPS_LOCK_MS && this.#capsLock() === !isOn; ms += CAPS_LOCK_LOOK_MS) {
      await delay(this.#clock, CAPS_LOCK_LOOK_MS, signal);
    }
  }

  async #type(action: Typing, options: PacedOptions): Promise<Typed> {
    const { signal, report } = options;
    if (action.clearExisting) this.#clearField();
    const pauseMs = action.wordsPerMinute === null ? 0 : 60_000 / (action.wordsPerMinute * CHARACTERS_A_WORD);
    const strokes = strokesOf(action.text);
    const of = strokes.length;
    const notTyped: string[] = [];
    let typed = 0;
    let confirmed = 0;
    let hasNewKeys = false;
    let isAnswered = true;
    const barrier = async (): Promise<void> => {
      isAnswered = await this.#pace.barrier(signal);
      if (isAnswered) confirmed = typed;
    };
    for (const { character, keysym } of strokes) {
      signal?.throwIfAborted();
      if (keysym === null || !this.#input.canPress(keysym)) {
        notTyped.push(character);
        continue;
      }
      await this.#pace.hesitate(options);
      const isNewKey = !isOnMostLayouts(keysym);
      if (isNewKey) await this.wakeKeyboard(signal);
      if (isNewKey && typed > confirmed) await barrier();
      this.#input.key(keysym, true, null);
      typed++;
      report?.({ typed, of, confirmed });
      try {
        if (isNewKey) await delay(this.#clock, NEW_KEY_MS, signal);
      } finally {
        this.#input.key(keysym, false, null);
      }
      hasNewKeys ||= isNewKey && this.#input.link?.newKeys !== undefined;
      if (pauseMs > 0) await delay(this.#clock, pauseMs, signal);
      if (isNewKey || typed - confirmed >= STROKES_A_BARRIER) await barrier();
    }
    if (typed > confirmed) await barrier();
    report?.({ typed, of, confirmed });
    return { notTyped, unverified: hasNewKeys ? KEYS_MADE : isAnswered ? null : NO_ANSWER };
  }

  /**
   * Xtigervnc 1.12 loses a character that it makes a key for where nobody has pressed any key before (2026-11-23): so
   * Shift is pressed first, which writes nothing.
   */
  async wakeKeyboard(signal: AbortSignal | undefined): Promise<void> {
    if (this.#input.hasPressedKeys || this.#input.link?.newKeys === undefined) return;
    this.#input.key(KEYSYM.shiftL, true, null);
    this.#input.key(KEYSYM.shiftL, false, null);
    await this.#pace.barrier(signal);
    await delay(this.#clock, NEW_KEY_MS, signal);
  }

  #clearField(): void {
    this.#input.key(KEYSYM.controlL, true, null);
    this.#input.key(KEYSYM.a, true, null);
    this.#input.key(KEYSYM.a, false, null);
    this.#input.key(KEYSYM.controlL, false, null);
    this.#input.key(KEYSYM.delete, true, null);
    this.#input.key(KEYSYM.delete, false, null);
  }
}
