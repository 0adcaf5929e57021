import type { ClipboardText } from "../control/action.ts";
import type { Link } from "../link.ts";
import type { ClipboardAuthor } from "./clipboard-privacy.ts";
import { Input } from "./input.ts";

/** What must hold of an action before it begins, and while its keys go on. */
interface InputChecks {
  check(): void;
  checkOn(): void;
}

/**
 * The input that agents share with people. Seized, it sends nothing any more, whatever the action that still runs may
 * try; so that letting go, which comes last in every action, cannot let go of what a person holds.
 */
export class AgentInput extends Input {
  readonly #shared: Input;
  #isSeized = false;
  #checks: readonly InputChecks[] = [];
  #hasPressed = false;
  /** Whose the text is that the running action puts on the clipboard. */
  #author: ClipboardAuthor = "agent";
  /** Caps lock is as the running action wants it, and not as it was. */
  #isCapsLockSwitched = false;

  constructor(shared: Input) {
    super();
    this.#shared = shared;
  }

  /**
   * A new action begins. Of all that is given, `check` runs right before each thing that is sent, until and with the
   * first press, and `checkOn` before each key after it; what they throw the action throws, and nothing is sent.
   * `author`: whose its text is.
   */
  begin(checks: readonly InputChecks[], author: ClipboardAuthor): void {
    this.#shared.clearPrivate();
    this.#author = author;
    this.#isSeized = false;
    this.#hasPressed = false;
    this.#isCapsLockSwitched = false;
    this.#checks = checks;
  }

  /** What is pressed next was proven to be what is meant: its pixels were compared before, and look otherwise under the pointer. */
  proven(): void {
    this.#checks = [];
  }

  /** The action is over: what is released later, by a timer, needs no approval. */
  end(): void {
    this.#checks = [];
  }

  /** Caps lock is as it was before whoever seizes it presses a key. */
  seize(): void {
    const isOurs = (this.link?.notHeld?.() ?? null) === null;
    if (this.#isCapsLockSwitched && !this.#isSeized && isOurs) this.#shared.switchCapsLock();
    this.#isCapsLockSwitched = false;
    this.#isSeized = true;
  }

  override get link(): Link | null {
    return this.#shared.link;
  }

  override get position(): { readonly x: number; readonly y: number } {
    return this.#shared.position;
  }

  override get buttons(): number {
    return this.#shared.buttons;
  }

  override get heldCount(): number {
    return this.#shared.heldCount;
  }

  override get clipboardText(): ClipboardText | null {
    const found = this.#shared.clipboardText;
    if (found === null || !this.#shared.isClipboardHidden) return found;
    return { text: null, origin: found.origin, isHidden: true };
  }

  override isHeld(keysym: number): boolean {
    return this.#shared.isHeld(keysym);
  }

  override whenOffered(): Promise<void> | null {
    return this.#shared.whenOffered();
  }

  override whenTaken(): Promise<void> {
    return this.#shared.whenTaken();
  }

  override get hasPressedKeys(): boolean {
    return this.#shared.hasPressedKeys;
  }

  override canPress(keysym: number): boolean {
    return this.#shared.canPress(keysym);
  }

  override hasKeyFor(keysym: number): boolean {
    return this.#shared.hasKeyFor(keysym);
  }

  override pointer(x: number, y: number, buttons: number): void {
    const isPress = (buttons & ~this.#shared.buttons) !== 0;
    if (this.#mayMove(isPress)) this.#shared.pointer(x, y, buttons);
  }

  override key(keysym: number, isDown: boolean, scancode: number | null): void {
    // What a release has let go of already comes up a second time at the end of an action.
    if (!isDown && !this.#shared.isHeld(keysym)) return;
    if (this.#mayMove(isDown, isDown)) this.#shared.key(keysym, isDown, scancode);
  }

  override switchCapsLock(): void {
    if (!this.#mayMove(true, true)) return;
    this.#shared.switchCapsLock();
    this.#isCapsLockSwitched = !this.#isCapsLockSwitched;
  }

  override clipboard(text: string): void {
    if (this.#mayMove(true)) this.#shared.clipboard(text, this.#author);
  }

  override releaseAll(): void {
    if (!this.#isSeized) this.#shared.releaseAll();
  }

  #mayMove(isPress: boolean, isKey = false): boolean {
    if (this.#isSeized) return false;
    if (this.#checks.length > 0) {
      try {
        for (const checks of this.#checks) {
          if (!this.#hasPressed) checks.check();
          else if (isKey) checks.checkOn();
        }
      } catch (error) {
        // INVARIANT: nothing of an action is sent once its check failed, not even by its cleaning up.
        this.#isSeized = true;
        throw error;
      }
      if (isPress) this.#hasPressed = true;
    }
    return true;
  }
}
