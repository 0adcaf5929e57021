import { holdsPoint, type Rect } from "../../framebuffer/rect.ts";
import { type Clock, delay } from "../../platform/clock.ts";
import { type Action, BUTTON_BIT, type ClipboardText } from "../control/action.ts";
import { notConnected, RefusedError } from "../error.ts";
import { withLetters } from "./clipboard-letters.ts";
import { HeldInputs } from "./held-inputs.ts";
import type { Input } from "./input.ts";
import { isOnMostLayouts } from "./keyboard.ts";
import { Mouse } from "./mouse.ts";
import { Pace, type PacedOptions, type RestLimits } from "./typing-pace.ts";
import { KEYS_MADE, NEW_KEY_MS, STROKES_A_BARRIER, type Typed, Typist } from "./typist.ts";

/** Why clicks may have been taken for fewer. */
const CLICKS_UNVERIFIED =
  "the desktop did not say in time that it took each click by itself, so it may have taken several for one, or each as a single one: look at the screen";
/** Why other input may have been taken for something else. */
const NOT_TAKEN =
  "the desktop did not say in time that it took this, or what came before it, so it may have taken it for something else or not yet: look at the screen";
/**
 * xrdp hands a text to a program of its own and keys to the X server: keys that come before that one has taken the
 * clipboard paste nothing. It answers first and takes the clipboard then. Pastes after its answer: 0 of 21 were lost,
 * before it 2 of 4 (xrdp 0.9.21, 2026-11-24). So it has as long again as its answer took, within these.
 */
const OFFERED_LEAST_MS = 50;
const OFFERED_MOST_MS = 1000;
/** Where a target does not answer. */
const UNANSWERED_MS = 150;
/** A program that pastes asks for the text within so long, where there is one that pastes. */
const ASKED_MS = 1000;
const NOT_ASKED = "the desktop asks for the text when something there pastes it, and has not yet";
const NO_PROOF = "this desktop never shows that it took a text for its clipboard";
const PASTED_UNSEEN =
  "the desktop did not show that it took the text, so that what was on its clipboard before may have been pasted: look at the screen, type_text is sure";
/** Window managers and browsers that act on a chord must see its modifiers down when they look. */
const CHORD_MS = 25;
/**
 * What programs take to show a chord while they are not late. Where it was longer, the modifiers stay down longer by the difference:
 * openbox that grabs the keyboard after they came up stays in its switcher (1 of 100 alt+tab beside two test suites).
 */
const USUAL_CHORD_REACTION_MS = 50;
/** A target or program that is slow has it down for so much longer at most: keys that are down longer repeat. */
const MOST_LATE_CHORD_MS = 300;
/** A target that says only with its next pixels that it took the keys may have them down all that time. */
const UNFENCED_CHORD_MS = 200;
/** How long a click may take to move the focus before a first stroke counts. */
const FOCUS_MS = 120;

export interface Done {
  readonly position: { readonly x: number; readonly y: number } | null;
  readonly notTyped: readonly string[];
  readonly unverified: string | null;
  /** False where a button was let go that was not down. */
  readonly wasNeeded: boolean;
  readonly clipboard: ClipboardText | null;
}

export const NOTHING_DONE: Done = {
  position: null,
  notTyped: [],
  unverified: null,
  wasNeeded: true,
  clipboard: null,
};

export interface PerformerPorts {
  /** Of the desktop, in pixels: clicks outside are refused. */
  bounds(): Rect;
  random(): number;
  /** Whether the target's caps lock is on; null, or absent, where it does not tell. */
  capsLock?(): boolean | null;
  /** How long its programs took lately to show what an action did. */
  reactionMs?(): number;
}

/** Turns actions into input. What it presses it releases, whatever happens. */
export class Performer {
  readonly #input: Input;
  readonly #ports: PerformerPorts;
  readonly #clock: Clock;
  readonly #pace: Pace;
  readonly #mouse: Mouse;
  readonly #held: HeldInputs;
  readonly #typist: Typist;
  #pressedAtMs = Number.NEGATIVE_INFINITY;

  constructor(input: Input, ports: PerformerPorts, clock: Clock) {
    this.#input = input;
    this.#ports = ports;
    this.#clock = clock;
    this.#pace = new Pace(input, clock, () => ports.random());
    this.#mouse = new Mouse(input, this.#pace, () => ports.reactionMs?.() ?? 0);
    this.#held = new HeldInputs(input, clock);
    const [capsLock, reactionMs] = [() => ports.capsLock?.() ?? null, () => ports.reactionMs?.() ?? 0];
    this.#typist = new Typist(input, this.#pace, clock, capsLock, reactionMs);
  }

  /** Keys that an action left down, and that still are. */
  get heldKeys(): readonly number[] {
    return this.#held.heldKeys;
  }

  /** What was left down beyond an action was let go, or is out of reach. */
  forget(): void {
    this.#held.forget();
  }

  /** Refuses, before anybody is asked, what cannot be done. */
  check(action: Action): void {
    const { link } = this.#input;
    const notHeld = link?.notHeld?.() ?? null;
    if (notHeld !== null && action.kind !== "read_clipboard") throw notHeld;
    const refusal = link?.inputRefusal;
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
  async perform(action: Action, options: PacedOptions): Promise<Done> {
    const done = NOTHING_DONE;
    if (action.kind === "read_clipboard") return { ...done, clipboard: this.#input.clipboardText };
    if (this.#input.link === null) {
      throw notConnected();
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
      case "scroll": {
        const pointed = await this.#point(action, options);
        return { ...done, ...pointed, position: this.#input.position };
      }
      case "chords":
        return { ...done, ...(await this.#chords(action, options)) };
      case "hold":
        this.#held.keys(action.keysyms, action.isDown);
        break;
      case "release": {
        const wasDown = this.#input.buttons !== 0;
        this.#held.forget();
        this.#input.releaseAll();
        if (wasDown) this.#pace.released();
        break;
      }
      case "type": {
        const isSure = await this.#awaitFocus(options.signal);
        const typed = await this.#typist.type(action, options);
        return { ...done, ...typed, unverified: typed.unverified ?? (isSure ? null : NOT_TAKEN) };
      }
      case "write_clipboard":
        await this.#offer(action.text, options.signal);
        options.report?.({ steps: 1, of: 1 });
        return {
          ...done,
          unverified:
            this.#input.link.provesClipboard === true ? NOT_ASKED : withLetters(NO_PROOF, action.text),
        };
      case "paste": {
        const { keysyms, name } = action;
        await this.#offer(action.text, options.signal);
        options.report?.({ steps: 1, of: 2 });
        const pressed = await this.#chords(
          { kind: "chords", chords: [keysyms], names: [name], repeat: 1, holdMs: 0 },
          { ...options, report: () => options.report?.({ steps: 2, of: 2 }) },
        );
        const doubt = await this.#pasteDoubt(action.text, options.signal);
        return { ...done, ...pressed, unverified: doubt ?? pressed.unverified };
      }
      case "resize":
        if (!(await this.#input.link.resize(action.width, action.height, action.screens))) {
          throw new RefusedError("not_supported", "the target does not let viewers change its size");
        }
        break;
    }
    options.report?.({ steps: 1, of: 1 });
    return done;
  }

  /** Puts a text on the clipboard; resolves when what follows finds it there. */
  async #offer(text: string, signal: AbortSignal | undefined): Promise<void> {
    const beganMs = this.#clock.nowMs();
    this.#input.clipboard(text, "person");
    if (this.#input.link?.provesClipboard !== true || this.#pace.hasFence) return;
    const offered = this.#input.whenOffered();
    if (offered !== null) await this.#comesWithin(offered, OFFERED_MOST_MS, signal);
    const tookMs = Math.max(OFFERED_LEAST_MS, this.#clock.nowMs() - beganMs);
    await delay(this.#clock, offered === null ? UNANSWERED_MS : tookMs, signal);
  }

  /** False where it has not come in time. Rejects when the action is called off. */
  async #comesWithin(
    coming: Promise<void>,
    mostMs: number,
    signal: AbortSignal | undefined,
  ): Promise<boolean> {
    const limit = new AbortController();
    const onAbort = (): void => limit.abort(signal?.reason);
    signal?.addEventListener("abort", onAbort, { once: true });
    try {
      return await Promise.race([
        coming.then(() => true),
        delay(this.#clock, mostMs, limit.signal).then(() => false),
      ]);
    } finally {
      signal?.removeEventListener("abort", onAbort);
      limit.abort();
    }
  }

  /** Why what was pasted may be another text; null where the target has asked for this one. */
  async #pasteDoubt(text: string, signal: AbortSignal | undefined): Promise<string | null> {
    if (this.#input.link?.provesClipboard !== true) return withLetters(PASTED_UNSEEN, text);
    return (await this.#comesWithin(this.#input.whenTaken(), ASKED_MS, signal)) ? null : PASTED_UNSEEN;
  }

  /** Everything that the mouse does; where nothing is said the pointer stays, if it is on the screen. */
  async #point(
    action: Extract<Action, { kind: "click" | "move" | "button" | "drag" | "scroll" }>,
    options: PacedOptions,
  ): Promise<Partial<Done>> {
    const at = this.#input.position;
    if (action.kind !== "move" && action.kind !== "drag") {
      this.#checkPoint(action.x ?? at.x, action.y ?? at.y);
    }
    try {
      switch (action.kind) {
        case "click":
          if (await this.#mouse.click(action, options)) return {};
          return { unverified: action.clicks > 1 ? CLICKS_UNVERIFIED : NOT_TAKEN };
        case "move":
          await this.#mouse.move(action, options);
          return {};
        case "drag":
          return (await this.#mouse.drag(action, options)) ? {} : { unverified: NOT_TAKEN };
        case "scroll":
          return (await this.#mouse.scroll(action, options)) ? {} : { unverified: NOT_TAKEN };
      }
      const wasDown = (this.#input.buttons & BUTTON_BIT[action.button]) !== 0;
      const place = { x: action.x ?? at.x, y: action.y ?? at.y };
      const isSure = !action.isDown || wasDown || (await this.#pace.apart(place, options.signal));
      this.#held.button(place.x, place.y, action.button, action.isDown);
      if (!action.isDown) this.#pace.released();
      options.report?.({ steps: 1, of: 1 });
      return { wasNeeded: action.isDown || wasDown, unverified: isSure ? null : NOT_TAKEN };
    } finally {
      if (action.kind !== "move" && action.kind !== "scroll") this.#pressedAtMs = this.#clock.nowMs();
    }
  }

  /**
   * Each chord is whole before the next one begins; what is down comes up whatever happens. One with a key that nothing
   * makes at the target is left out, by its name. `unverified` where it is not known that the target took them as they
   * were meant.
   */
  async #chords(action: Extract<Action, { kind: "chords" }>, options: PacedOptions): Promise<Typed> {
    let isSure = await this.#awaitFocus(options.signal);
    const notTyped: string[] = [];
    let hasNewKeys = false;
    const reactionMs = this.#ports.reactionMs?.() ?? 0;
    const leastLateMs = Math.min(MOST_LATE_CHORD_MS, Math.max(0, reactionMs - USUAL_CHORD_REACTION_MS));
    const of = action.repeat * action.chords.length;
    for (let sent = 0; sent < of; sent++) {
      const chord = action.chords[sent % action.chords.length] ?? [];
      options.signal?.throwIfAborted();
      if (!chord.every((keysym) => this.#input.canPress(keysym))) {
        notTyped.push(action.names[sent % action.chords.length] ?? "");
        continue;
      }
      await this.#pace.hesitate(options);
      const isNewKey = chord.some((keysym) => !isOnMostLayouts(keysym));
      if (isNewKey || chord.length > 1) await this.#typist.wakeKeyboard(options.signal);
      hasNewKeys ||= isNewKey && this.#input.link?.newKeys !== undefined;
      const down: number[] = [];
      try {
        for (const keysym of chord) {
          this.#input.key(keysym, true, null);
          down.push(keysym);
        }
        options.report?.({ chords: sent + 1 - notTyped.length, of });
        const leastMs = Math.max(chord.length > 1 ? CHORD_MS : 0, isNewKey ? NEW_KEY_MS : 0);
        const holdMs = Math.max(action.holdMs, leastMs);
        if (chord.length > 1) {
          const { hasFence } = this.#pace;
          const limits: RestLimits = hasFence
            ? { leastLateMs, mostLateMs: MOST_LATE_CHORD_MS }
            : { leastLateMs, fenceMs: UNFENCED_CHORD_MS };
          const { isTaken } = await this.#pace.rest(holdMs, options.signal, limits);
          if (hasFence && !isTaken) isSure = false;
        } else if (holdMs > 0) await delay(this.#clock, holdMs, options.signal);
      } finally {
        for (const keysym of down.reverse()) this.#input.key(keysym, false, null);
      }
      // Who grabbed the keyboard for a chord has to let go of it before the next key counts.
      if (chord.length > 1) {
        if (!(await this.#pace.rest(CHORD_MS, options.signal, { leastLateMs })).isTaken) isSure = false;
      } else if ((sent + 1) % STROKES_A_BARRIER === 0 && !(await this.#pace.barrier(options.signal)))
        isSure = false;
    }
    return { notTyped, unverified: hasNewKeys ? KEYS_MADE : isSure ? null : NOT_TAKEN };
  }

  /**
   * x11vnc loses the first key after a click: the window manager has not moved the focus yet. False where the target did
   * not say in time that it took the click.
   */
  async #awaitFocus(signal: AbortSignal | undefined): Promise<boolean> {
    const sinceMs = this.#clock.nowMs() - this.#pressedAtMs;
    if (sinceMs >= FOCUS_MS) return true;
    return (await this.#pace.rest(FOCUS_MS - sinceMs, signal)).isTaken;
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
