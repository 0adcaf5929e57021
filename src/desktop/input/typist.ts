import { type Clock, delay } from "../../platform/clock.ts";
import type { Action } from "../control/action.ts";
import { RefusedError } from "../error.ts";
import type { Input } from "./input.ts";
import {
  hasCase,
  isOnMostLayouts,
  isWriting,
  KEYSYM,
  keysymOfPoint,
  type Stroke,
  strokesOf,
} from "./keyboard.ts";
import type { TypedPart } from "./placeholders.ts";
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
  /** Characters that no key can make, or no key may be left for; of a secret its placeholder. */
  readonly notTyped: readonly string[];
  readonly unverified: string | null;
}

/**
 * A stroke, and how many characters of what was asked for are typed with it. A secret counts as its placeholder does, all
 * of it with its last stroke, so that no count tells how long it is.
 */
interface CountedStroke extends Stroke {
  readonly counts: number;
  readonly isSecret: boolean;
}

/** Types text, a character a stroke. */
export class Typist {
  readonly #input: Input;
  readonly #pace: Pace;
  readonly #clock: Clock;
  readonly #capsLock: () => boolean | null;
  readonly #reactionMs: () => number;

  /**
   * `capsLock`: whether the target's is on; null where it does not tell. `reactionMs`: how long its programs took lately to
   * show what an action did.
   */
  constructor(
    input: Input,
    pace: Pace,
    clock: Clock,
    capsLock: () => boolean | null,
    reactionMs: () => number = () => 0,
  ) {
    this.#input = input;
    this.#pace = pace;
    this.#clock = clock;
    this.#capsLock = capsLock;
    this.#reactionMs = reactionMs;
  }

  /**
   * Caps lock that is on turns letters over, or loses those that have no other case (ß on Xtigervnc 1.12): it is
   * switched off meanwhile, where the target tells that it is on.
   */
  async type(action: Typing, options: PacedOptions): Promise<Typed> {
    const parts: readonly TypedPart[] = options.typed ?? [{ text: action.text, placeholder: null }];
    const strokes = parts.flatMap((part) => this.#strokesOf(part));
    const hasLetters = parts.some((part) => hasCase(part.placeholder === null ? part.text : part.letters));
    if (this.#capsLock() !== true || !hasLetters) return await this.#type(action, strokes, options);
    try {
      await this.#switchCapsLock(false, options.signal);
      return await this.#type(action, strokes, options);
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

  async #type(action: Typing, strokes: readonly CountedStroke[], options: PacedOptions): Promise<Typed> {
    const { signal, report } = options;
    if (action.clearExisting) this.#clearField();
    const pauseMs = action.wordsPerMinute === null ? 0 : 60_000 / (action.wordsPerMinute * CHARACTERS_A_WORD);
    const of = strokes.reduce((sum, { counts }) => sum + counts, 0);
    const notTyped: string[] = [];
    let typed = 0;
    let confirmed = 0;
    /** Keys that were pressed since the target last said that it took all. */
    let unconfirmed = 0;
    let hasNewKeys = false;
    let isAnswered = true;
    /** Within a secret nothing counts as confirmed: after how many of its keys that was would tell something of it. */
    const barrier = async (isWithinSecret = false): Promise<void> => {
      isAnswered = await this.#pace.barrier(signal);
      if (!isAnswered) return;
      if (!isWithinSecret) confirmed = typed;
      unconfirmed = 0;
    };
    let hasEcho = false;
    /** What comes next may change more than that one field. */
    const settleEcho = async (): Promise<void> => {
      if (!hasEcho) return;
      hasEcho = false;
      if (unconfirmed > 0) await barrier();
      await options.echo?.settled(this.#reactionMs(), signal);
    };
    for (const { character, keysym, counts, isSecret } of strokes) {
      signal?.throwIfAborted();
      if (keysym === null || !this.#input.canPress(keysym)) {
        if (isSecret) throw withoutKeys(character);
        notTyped.push(character);
        continue;
      }
      // Within a secret there are no pauses: how long it takes is no matter of its length.
      if (counts > 0) await this.#pace.hesitate(options);
      const isNewKey = !isOnMostLayouts(keysym);
      if (isNewKey) await this.wakeKeyboard(signal);
      if (isNewKey && unconfirmed > 0) await barrier(isSecret);
      if (!isSecret && !isWriting(keysym)) await settleEcho();
      if (isSecret && !hasEcho) options.echo?.begin();
      hasEcho ||= isSecret;
      this.#input.key(keysym, true, null);
      typed += counts;
      unconfirmed++;
      report?.({ typed, of, confirmed });
      try {
        if (isNewKey) await delay(this.#clock, NEW_KEY_MS, signal);
      } finally {
        this.#input.key(keysym, false, null);
      }
      hasNewKeys ||= isNewKey && this.#input.link?.newKeys !== undefined;
      if (pauseMs > 0 && counts > 0) await delay(this.#clock, pauseMs * counts, signal);
      const isWithin = isSecret && counts === 0;
      const isEnd = isSecret && counts > 0;
      if (isNewKey || isEnd || unconfirmed >= STROKES_A_BARRIER) await barrier(isWithin);
    }
    if (unconfirmed > 0) await barrier();
    await settleEcho();
    report?.({ typed, of, confirmed });
    return { notTyped, unverified: hasNewKeys ? KEYS_MADE : isAnswered ? null : NO_ANSWER };
  }

  /**
   * The first key of a connection changes the keyboard's map at Xtigervnc 1.12. It loses a character that it makes a key
   * for then (2026-11-23), and openbox, which grabs its keys anew meanwhile, may miss that the modifiers of a chord came
   * up, and stay in its switcher (5 of 18 first alt+tab on a busy machine, 0 of 8 after this; 2026-11-25). So Shift is
   * pressed first, which writes nothing.
   */
  async wakeKeyboard(signal: AbortSignal | undefined): Promise<void> {
    if (this.#input.hasPressedKeys || this.#input.link?.newKeys === undefined) return;
    this.#input.key(KEYSYM.shiftL, true, null);
    this.#input.key(KEYSYM.shiftL, false, null);
    await this.#pace.barrier(signal);
    await delay(this.#clock, NEW_KEY_MS, signal);
  }

  /** Throws RefusedError not_supported for a secret that cannot be typed whole: half of one is typed nowhere. */
  #strokesOf(part: TypedPart): CountedStroke[] {
    if (part.placeholder === null) {
      return strokesOf(part.text).map((stroke) => ({ ...stroke, counts: 1, isSecret: false }));
    }
    const { letters, placeholder } = part;
    return Array.from(letters, (point, at) => {
      const keysym = keysymOfPoint(point);
      if (keysym === null || !this.#input.canPress(keysym)) throw withoutKeys(placeholder);
      const counts = at === letters.length - 1 ? Array.from(placeholder).length : 0;
      return { character: placeholder, keysym, counts, isSecret: true };
    });
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

/** Of a secret, by its placeholder: which of its characters it is would tell something of it. */
function withoutKeys(placeholder: string): RefusedError {
  return new RefusedError(
    "not_supported",
    `got ${placeholder}, expected a secret whose every character has a key on this desktop: ask the human for one that can be typed here`,
  );
}
