import type { Point, Rect } from "../../framebuffer/rect.ts";
import { BUTTON_BIT, type ClipboardText } from "../control/action.ts";
import type { Link } from "../link.ts";
import { type ClipboardAuthor, ClipboardPrivacy, type ClipboardSecrecy } from "./clipboard-privacy.ts";
import { CHORD_MODIFIERS, isOnMostLayouts, isWriting, KEYSYM } from "./keyboard.ts";

/** What goes down to a target, and what is held there, so that nothing ever stays pressed. */
export class Input {
  #link: Link | null = null;
  #x = 0;
  #y = 0;
  #buttons = 0;
  #clipboardText: ClipboardText | null = null;
  readonly #privacy: ClipboardPrivacy;
  /** keysym -> scancode it was pressed with. */
  readonly #held = new Map<number, number | null>();
  readonly #untilTaken: (() => void)[] = [];
  readonly #untilOffered: (() => void)[] = [];
  /** The target knows of the text that was sent last. */
  #isOffered = false;
  #answersOffers = false;
  /** Characters that the target had to make a key for, as far as we know. */
  readonly #newKeys = new Set<number>();
  /** What was down when a connection was lost. */
  readonly #left = new Map<number, number | null>();
  #hasLeftButtons = false;
  #hasPressedKeys = false;
  #hasPointed = false;
  #clickedAt: Point | null = null;

  constructor(secrecy?: ClipboardSecrecy) {
    this.#privacy = new ClipboardPrivacy(secrecy);
  }

  get link(): Link | null {
    return this.#link;
  }

  get position(): { readonly x: number; readonly y: number } {
    return { x: this.#x, y: this.#y };
  }

  /**
   * Where the first button was last pressed, one object for each press; null once something was done since that may have
   * left the field there: any key but those that write and delete, another button, the wheel, another connection.
   */
  get clickedAt(): Point | null {
    return this.#clickedAt;
  }

  /** The RFB mask of the buttons that are down. */
  get buttons(): number {
    return this.#buttons;
  }

  get heldCount(): number {
    return this.#held.size + (this.#buttons === 0 ? 0 : 1);
  }

  /** What is on the target's clipboard: what was last copied there or put there; null while neither is known. */
  get clipboardText(): ClipboardText | null {
    return this.#clipboardText;
  }

  /** Whether what is on the clipboard is kept from agents. */
  get isClipboardHidden(): boolean {
    return this.#privacy.isHidden;
  }

  isHeld(keysym: number): boolean {
    return this.#held.has(keysym);
  }

  /** Whether a key was pressed since the connection was made. */
  get hasPressedKeys(): boolean {
    return this.#hasPressedKeys;
  }

  /** Whether something at the target makes it, and it surely has a key for it or one left to make for it. */
  canPress(keysym: number): boolean {
    return this.#link?.canType?.(keysym) !== false && this.hasKeyFor(keysym);
  }

  /** Whether the target surely has a key for it, or one left to make for it. */
  hasKeyFor(keysym: number): boolean {
    const most = this.#link?.newKeys ?? Number.POSITIVE_INFINITY;
    return isOnMostLayouts(keysym) || this.#newKeys.has(keysym) || this.#newKeys.size < most;
  }

  /**
   * A new connection holds nothing: what was down when the old one went is let go, for there are targets that leave it
   * so (x11vnc 0.9.16, 2026-11-21).
   */
  attach(link: Link): void {
    this.#link = link;
    this.#hasPressedKeys = false;
    this.#clickedAt = null;
    this.#answersOffers = false;
    for (const [keysym, scancode] of this.#left) link.key(keysym, false, scancode);
    if (this.#hasLeftButtons) link.pointer(this.#x, this.#y, 0);
    this.#left.clear();
    this.#hasLeftButtons = false;
  }

  detach(): void {
    this.#link = null;
    for (const [keysym, scancode] of this.#held) this.#left.set(keysym, scancode);
    this.#hasLeftButtons ||= this.#buttons !== 0;
    this.#held.clear();
    this.#buttons = 0;
  }

  pointer(x: number, y: number, buttons: number): void {
    const pressed = buttons & ~this.#buttons;
    if (pressed !== 0) this.#clickedAt = pressed === BUTTON_BIT.left ? { x, y } : null;
    this.#hasPointed = true;
    this.#x = x;
    this.#y = y;
    this.#buttons = buttons;
    this.#link?.pointer(x, y, buttons);
  }

  key(keysym: number, isDown: boolean, scancode: number | null): void {
    if (isDown && !this.#staysInField(keysym)) this.#clickedAt = null;
    if (isDown) this.#held.set(keysym, scancode);
    this.#hasPressedKeys ||= isDown;
    // With a scancode the target presses that key, and makes none.
    if (isDown && scancode === null && !isOnMostLayouts(keysym)) this.#newKeys.add(keysym);
    if (!isDown) this.#held.delete(keysym);
    this.#link?.key(keysym, isDown, scancode);
  }

  #staysInField(keysym: number): boolean {
    return isWriting(keysym) && !CHORD_MODIFIERS.some((modifier) => this.#held.has(modifier));
  }

  /** Caps lock is switched off where it is on, and on where it is off. */
  switchCapsLock(): void {
    this.key(KEYSYM.capsLock, true, null);
    this.key(KEYSYM.capsLock, false, null);
  }

  /**
   * Moves the pointer by a pixel and back, which alone of moves resets the time that a target is idle; a move to the same
   * place does not. Where nobody has put it anywhere, from the middle. False where nothing can be sent or something is down.
   */
  nudge({ x: left, y: top, width, height }: Rect): boolean {
    if (this.#link === null || this.#link.inputRefusal !== undefined || this.heldCount > 0) return false;
    if ((this.#link.notHeld?.() ?? null) !== null) return false;
    if (!this.#hasPointed) {
      this.#x = left + (width >> 1);
      this.#y = top + (height >> 1);
    }
    const beside = this.#x + 1 < left + width ? this.#x + 1 : this.#x - 1;
    this.#link.pointer(beside, this.#y, 0);
    this.#link.pointer(this.#x, this.#y, 0);
    return true;
  }

  /** Puts a text on the target's clipboard. */
  clipboard(text: string, author: ClipboardAuthor): void {
    if (this.#link === null) return;
    this.#isOffered = false;
    this.#link.clipboard(text);
    const arrived = arrivedOf(text, this.#link.hasLatinClipboard === true);
    this.#privacy.sent(arrived, author);
    this.#clipboardText = { text: arrived, origin: "sent" };
  }

  /** The target said that somebody copied this there; null: something that cannot be had. */
  copied(text: string | null): void {
    this.#privacy.copied(text);
    this.#clipboardText = { text, origin: "desktop" };
  }

  /** Takes a person's private text off the clipboard, before an agent could paste it where it is seen. */
  clearPrivate(): void {
    if (this.#privacy.isPrivate) this.clipboard("", "agent");
  }

  /** The target answered that it knows of what was sent last. */
  offered(): void {
    this.#answersOffers = true;
    this.#isOffered = true;
    for (const hear of this.#untilOffered.splice(0)) hear();
  }

  /** Resolves when the target has answered that it knows of what was sent last; null where it never says so. */
  whenOffered(): Promise<void> | null {
    if (!this.#answersOffers) return null;
    if (this.#isOffered) return Promise.resolve();
    return new Promise((resolve) => this.#untilOffered.push(resolve));
  }

  /** The target asked for what was sent. */
  taken(): void {
    const sent = this.#clipboardText;
    if (sent?.origin === "sent") this.#clipboardText = { ...sent, isTaken: true };
    for (const hear of this.#untilTaken.splice(0)) hear();
  }

  /** Resolves when the target has asked for what was sent last. */
  whenTaken(): Promise<void> {
    if (this.#clipboardText?.isTaken === true) return Promise.resolve();
    return new Promise((resolve) => this.#untilTaken.push(resolve));
  }

  /** Lets go of every key and button. */
  releaseAll(): void {
    for (const [keysym, scancode] of [...this.#held]) this.key(keysym, false, scancode);
    if (this.#buttons !== 0) this.pointer(this.#x, this.#y, 0);
  }
}

/** Targets know line feeds alone; without an extended clipboard they cannot have what ISO 8859-1 has not. */
function arrivedOf(text: string, isLatin: boolean): string {
  const lines = text.replace(/\r\n?/g, "\n");
  return isLatin ? lines.replace(/[^\0-\xff]/gu, "?") : lines;
}
