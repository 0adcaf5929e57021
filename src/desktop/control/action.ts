import type { CopyMove } from "../../framebuffer/picture.ts";
import type { Point, Rect } from "../../framebuffer/rect.ts";

export type ActorKind = "human" | "agent" | "extension" | "replay";

/** Who acts. `id` is the authenticated principal, `name` what people are shown. */
export interface Actor {
  readonly kind: ActorKind;
  readonly id: string;
  readonly name: string;
  /** The id of the person behind it, by which an agent's owner is known; absent: nobody knows. */
  readonly person?: string;
  /** As an agent's program calls itself, its own word: what people know it by; absent: it did not. */
  readonly client?: string;
  /** Where they come from, for the audit; absent where no network lies between. */
  readonly ip?: string;
  /** The node of a fleet by which they come, for the audit; absent: this one. */
  readonly via?: string;
  /** What a person may decide about the freedom of agents; absent: nothing. */
  readonly authority?: Authority;
}

/** One name for one agent, wherever people are shown it. */
export function shownName({ name, client }: Pick<Actor, "name" | "client">): string {
  return client ?? name;
}

/**
 * "modes": switch among modes that give agents no more than an administrator's rules do, autopilot apart; "rules": every
 * mode, and the rules themselves.
 */
type Authority = "modes" | "rules";

export const BUTTONS = ["left", "middle", "right", "back", "forward"] as const;
export type Button = (typeof BUTTONS)[number];

/** Bits of an RFB button mask. */
export const BUTTON_BIT = { left: 1, middle: 2, right: 4, back: 128, forward: 256 } as const satisfies Record<
  Button,
  number
>;

/** What can be done to a desktop. Coordinates are desktop pixels. */
export type Action =
  /** The pointer as a viewer reports it: position and RFB button mask (bits 3 to 6 are the wheel). */
  | { readonly kind: "pointer"; readonly x: number; readonly y: number; readonly buttons: number }
  /** One key as a viewer reports it. `scancode`: QEMU extended key event, null when unknown. */
  | {
      readonly kind: "key";
      readonly keysym: number;
      readonly isDown: boolean;
      readonly scancode: number | null;
    }
  /** x and y null: where the pointer is. Held keys go down before and up after. */
  | {
      readonly kind: "click";
      readonly x: number | null;
      readonly y: number | null;
      readonly button: Button;
      readonly clicks: number;
      readonly holdKeysyms: readonly number[];
    }
  /** Moves the pointer; buttons that are held stay held, so that this drags. */
  | { readonly kind: "move"; readonly x: number; readonly y: number }
  /** Presses or lets go of a button; x and y null: where the pointer is. */
  | {
      readonly kind: "button";
      readonly x: number | null;
      readonly y: number | null;
      readonly button: Button;
      readonly isDown: boolean;
    }
  /** Presses at the first point, moves through the others, lets go at the last. At least two points. */
  | {
      readonly kind: "drag";
      readonly path: readonly Point[];
      readonly button: Button;
      readonly holdKeysyms: readonly number[];
      /** How long the moves take in all; null: as fast as targets follow. */
      readonly durationMs: number | null;
    }
  /** Turns the wheel: notches to the right and down, negative to the left and up. x and y null: where the pointer is. */
  | {
      readonly kind: "scroll";
      readonly x: number | null;
      readonly y: number | null;
      readonly notchesX: number;
      readonly notchesY: number;
      readonly holdKeysyms: readonly number[];
    }
  /** Chords one after the other: the keys of each go down in order, are held, and come up in reverse order. */
  | {
      readonly kind: "chords";
      readonly chords: readonly (readonly number[])[];
      readonly repeat: number;
      readonly holdMs: number;
      /** As people write them: "Ctrl+Shift+T". */
      readonly names: readonly string[];
    }
  /** Keys that stay down, or come up again, beyond the action; those left down come up by themselves after a minute. */
  | {
      readonly kind: "hold";
      readonly keysyms: readonly number[];
      readonly isDown: boolean;
      readonly name: string;
    }
  /** Lets go of every key and button that is held. */
  | { readonly kind: "release" }
  | {
      readonly kind: "type";
      readonly text: string;
      readonly wordsPerMinute: number | null;
      readonly clearExisting: boolean;
    }
  | { readonly kind: "read_clipboard" }
  | { readonly kind: "write_clipboard"; readonly text: string }
  /** Puts text on the clipboard and presses the chord that pastes it: one action, so that it is asked about once. */
  | {
      readonly kind: "paste";
      readonly text: string;
      readonly keysyms: readonly number[];
      /** The chord as people write it: "Ctrl+V". */
      readonly name: string;
    }
  /** `screens`: more than one, which together are as large as that. */
  | {
      readonly kind: "resize";
      readonly width: number;
      readonly height: number;
      readonly screens?: readonly Rect[];
    };

export interface PerformOptions {
  /** Asks a human whatever the mode says. */
  readonly requireConfirmation?: boolean;
  /** Why, in the caller's words: shown on the card, kept in the audit. */
  readonly intent?: string | undefined;
  /** What it is done to, in words, where its caller knows more than a place: `button "Save" on shop.example`. */
  readonly subject?: string | undefined;
  /**
   * How long to wait for the screen to answer; 0 returns when sent. Default: until it is known whether anything came,
   * at most 300.
   */
  readonly effectTimeoutMs?: number | undefined;
  /** A random wait before each stroke or click. */
  readonly timing?: { readonly minDelayMs: number; readonly maxDelayMs: number } | undefined;
  readonly signal?: AbortSignal;
  /** What the caller found on the screen and means: nothing is sent where the target shows something else by then. */
  readonly found?: Found | undefined;
  /** Of a click: proof that what is meant is under the pointer, by the word of what shows it. */
  readonly proof?: HoverProof | undefined;
  /** A human said yes to this very act before it came here: nobody is asked again. What is denied stays denied. */
  readonly isApproved?: boolean;
}

/** How it is known, when the pointer stands at the place of a click, that it stands over what is meant. */
export interface HoverProof {
  /** Desktop pixels: what must not change between the word and the press. */
  readonly rect: Rect;
  /** The gate has let the click in, and its turn has come: the pointer comes next. What it rejects with ends the click. */
  ready(): Promise<void>;
  /** Resolves when what is meant is under the pointer now; rejects where it is not, and nothing is pressed. */
  isUnder(): Promise<void>;
  /** Whether the pointer can be held there by the wheel. Known when `ready` is. */
  mayHold(): boolean;
  /** The wheel went down: resolves to whether that was seen; rejects where something else is under the pointer. */
  isHeld(): Promise<boolean>;
}

/** Something that was found on the screen to act on. */
export interface Found {
  /** For people and agents: "element", "text", "anchor". */
  readonly what: string;
  /** Desktop pixels. */
  readonly rect: Rect;
  /** The generation that it was found in. */
  readonly generation: number;
}

/**
 * What an action did to the screen. All that differs between the two generations lies in `changedRects` or
 * `periodicRects`.
 */
export interface Effect {
  /** false: nothing but `periodicRects` differs. null: not waited for, or the target did not say that it had its say. */
  readonly changed: boolean | null;
  readonly changedRects: readonly Rect[];
  /** Of the small places that were known to change by themselves, those that did. */
  readonly periodicRects: readonly Rect[];
  /** True where all that changed lies where the screen changed by itself before. */
  readonly isMaybePeriodic: boolean;
  /** Parts of the changed area that only moved. */
  readonly moves: readonly CopyMove[];
  /** What is left to be painted after the moves; with them it makes up `changedRects`. */
  readonly repaintedRects: readonly Rect[];
  /** Where the screen changed by itself when the action began. */
  readonly restlessRects: readonly Rect[];
  readonly settleMs: number;
  readonly generationBefore: number;
  readonly generationAfter: number;
}

/** The effect of an action whose screen was not watched. */
export function unseenEffect(generation: number): Effect {
  return {
    ...{ changed: null, changedRects: [], periodicRects: [], isMaybePeriodic: false },
    ...{ moves: [], repaintedRects: [], restlessRects: [], settleMs: 0 },
    generationBefore: generation,
    generationAfter: generation,
  };
}

/** A target's clipboard: copied there, or sent there by us. */
export interface ClipboardText {
  /** null: what was copied there is longer than is taken, cannot be read, or is kept from who asks. */
  readonly text: string | null;
  /** It is kept from who asks. */
  readonly isHidden?: true;
  readonly origin: "desktop" | "sent";
  /** What was sent was asked for there, so it is surely there. */
  readonly isTaken?: true;
}

/** What a human changes before saying yes: the text of a typing, the place of a pointing. */
export interface Edit {
  readonly text?: string;
  readonly x?: number;
  readonly y?: number;
}

export interface ActionResult {
  readonly wasConfirmed: boolean;
  /** What the human changed who confirmed it; absent where nothing. */
  readonly edit?: Edit;
  readonly effect: Effect;
  /** Where a click landed. */
  readonly position: { readonly x: number; readonly y: number } | null;
  /** Characters that no key can make, or no key may be left for, in order of appearance. */
  readonly notTyped: readonly string[];
  /** Why the target may not have taken what was sent; null where nothing speaks for that. */
  readonly unverified: string | null;
  /** False where a button was let go that was not down. */
  readonly wasNeeded: boolean;
  /** What read_clipboard found; null while nobody copied there or put something there. */
  readonly clipboard: ClipboardText | null;
  /** What was found and acted on is nowhere on the screen as it looked; absent where it is, or nothing was found. */
  readonly looksOtherwise?: true;
}
