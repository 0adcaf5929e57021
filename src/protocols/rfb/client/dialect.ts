import type { Parser } from "../../byte-queue.ts";
import type { Encoding } from "../encodings/encoding.ts";
import type { Conversation } from "./conversation.ts";

/** Wheel movement in notches, right and down positive. */
export interface Scroll {
  readonly x: number;
  readonly y: number;
}

/**
 * What a family of servers says in its own way. It is fixed before SetEncodings and never mixed with another's:
 * the same numbers mean other things (rectangle 17 is ZYWRLE or KasmVideo, message 253 is gii or UserAdded).
 */
export interface Dialect {
  readonly name: string;
  /** Asked for unless the options name others, best first. */
  readonly encodings: readonly number[];
  /** Asked for beside them. */
  readonly pseudoEncodings: readonly number[];
  /** For one connection: how the rectangles of a number are decoded; undefined where it is no encoding here. */
  decoders(c: Conversation): (number: number) => Encoding | undefined;
  /** Reads a message of this dialect after its type; false where it has no such message. */
  readMessage(c: Conversation, type: number): Parser<boolean>;
  /** The messages that bring the pointer to (x, y) with these buttons held and the wheel turned. */
  pointer(c: Conversation, x: number, y: number, buttons: number, scroll: Scroll): Uint8Array;
  offerClipboard(c: Conversation, text: string): void;
}
