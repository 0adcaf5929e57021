/** What the chord reads of a keyboard event. `code` names the physical key, so layouts do not matter. */
export interface ChordKey {
  readonly type: "keydown" | "keyup";
  readonly code: string;
}

/**
 * What to do with a key that would go to the desktop:
 * - pass: it is the desktop's;
 * - swallow: it belongs to the chord, the desktop must not see it;
 * - stop: swallow it, and stop the agents;
 * - leave: hand it on, then move the focus to the bar;
 * - ask: hand it on, then move the focus to the approval that waits.
 */
export type ChordVerdict = "pass" | "swallow" | "stop" | "leave" | "ask";

const MODIFIERS = new Map([
  ["ControlLeft", "control"],
  ["ControlRight", "control"],
  ["AltLeft", "alt"],
  ["AltRight", "alt"],
  ["ShiftLeft", "shift"],
  ["ShiftRight", "shift"],
]);
const STOP_KEY = "KeyS";
const ASK_KEY = "KeyA";

/**
 * The way out of a canvas that takes every key: Ctrl+Alt+Shift pressed and released leaves it, with A for the approval
 * that waits, with S stops the agents. Any other key makes it an ordinary shortcut of the desktop.
 */
export class EscapeChord {
  readonly #held = new Set<string>();
  readonly #swallowed = new Set<string>();
  /** Where the focus goes once all modifiers are up; null: nowhere. */
  #leaving: "leave" | "ask" | null = null;

  handle(key: ChordKey): ChordVerdict {
    return key.type === "keydown" ? this.#down(key.code) : this.#up(key.code);
  }

  /** Forgets what is held: the window lost the keyboard and will not hear the releases. */
  reset(): void {
    this.#held.clear();
    this.#swallowed.clear();
    this.#leaving = null;
  }

  get #isComplete(): boolean {
    return new Set([...this.#held].map((code) => MODIFIERS.get(code))).size === 3;
  }

  #down(code: string): ChordVerdict {
    if (MODIFIERS.has(code)) {
      const isRepeat = this.#held.has(code);
      this.#held.add(code);
      if (!isRepeat) this.#leaving = this.#isComplete ? "leave" : null;
      return "pass";
    }
    const isRepeat = this.#swallowed.has(code);
    if ((code !== STOP_KEY && code !== ASK_KEY) || !this.#isComplete) {
      this.#leaving = null;
      return "pass";
    }
    this.#swallowed.add(code);
    this.#leaving = code === ASK_KEY ? "ask" : null;
    return isRepeat || code === ASK_KEY ? "swallow" : "stop";
  }

  /** The focus moves only once all modifiers are up: the desktop must hear every release, or keys would stick. */
  #up(code: string): ChordVerdict {
    if (this.#swallowed.delete(code)) return "swallow";
    if (!this.#held.delete(code)) return "pass";
    const leaving = this.#leaving;
    if (leaving === null || this.#held.size > 0) return "pass";
    this.#leaving = null;
    return leaving;
  }
}
