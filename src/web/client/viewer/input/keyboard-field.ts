/** What a keyboard field sends to: the connection of the moment. */
interface KeyboardTarget {
  /** Where noVNC hears keys; null while there is no connection. */
  readonly canvas: HTMLElement | null;
  /** Presses and releases the key of an X11 keysym. */
  press(keysym: number): void;
}

const BACKSPACE = 0xff08;
const TAB = 0xff09;
const RETURN = 0xff0d;
const DELETE = 0xffff;
/** Plus a code point: the keysym of any character, keysymdef.h of X11. */
const UNICODE = 0x0100_0000;

/**
 * Always in the field: on-screen keyboards tell of a deletion only where there is something to delete, and look at what
 * is before the caret to guess words.
 */
const FILLER = " ".repeat(4);

/** Of keys that are part of something else: a composition, or an on-screen keyboard that names none. */
const NO_KEYS = new Set(["Dead", "Process", "Unidentified", "Compose"]);

const KEY_OF_INPUT = new Map([
  ["insertLineBreak", RETURN],
  ["insertParagraph", RETURN],
  ["deleteContentBackward", BACKSPACE],
  ["deleteWordBackward", BACKSPACE],
  ["deleteContentForward", DELETE],
]);

/**
 * The editable element that has the keyboard of a desktop. Keys go on to noVNC as they are; what an input method, a dead
 * key, an on-screen keyboard or dictation makes of them is typed once it is final, so that it arrives exactly.
 */
export class KeyboardField {
  readonly element = document.createElement("textarea");
  readonly #target: KeyboardTarget;

  constructor(target: KeyboardTarget, label: string) {
    this.#target = target;
    const { element } = this;
    element.className = "viewer-keys";
    element.value = FILLER;
    element.rows = 1;
    element.spellcheck = false;
    element.autocapitalize = "off";
    element.autocomplete = "off";
    element.setAttribute("autocorrect", "off");
    element.setAttribute("aria-label", label);
    // A tap is a click on the desktop: the on-screen keyboard comes when it is asked for.
    element.inputMode = matchMedia("(pointer: coarse)").matches ? "none" : "text";
    element.addEventListener("keydown", (event) => this.#onKey(event));
    element.addEventListener("keyup", (event) => this.#onKey(event));
    element.addEventListener("beforeinput", (event) => this.#onBeforeInput(event));
    element.addEventListener("input", (event) => this.#onInput(event));
    element.addEventListener("compositionstart", () => element.classList.add("is-composing"));
    element.addEventListener("compositionend", (event) => {
      element.classList.remove("is-composing");
      this.#type(event.data);
      this.#reset();
    });
  }

  get isKeyboardShown(): boolean {
    return this.element.inputMode !== "none";
  }

  /** Asks for the on-screen keyboard, or sends it away. */
  set isKeyboardShown(isShown: boolean) {
    this.element.inputMode = isShown ? "text" : "none";
    // The browser looks at the mode when the field gets the focus.
    this.element.blur();
    this.focus();
  }

  set isEnabled(isEnabled: boolean) {
    this.element.disabled = !isEnabled;
  }

  focus(): void {
    this.element.focus({ preventScroll: true });
    this.#reset();
  }

  /** Where what is being composed is shown, CSS pixels in its parent: where the pointer was last. */
  moveTo(x: number, y: number): void {
    this.element.style.left = `${x}px`;
    this.element.style.top = `${y}px`;
  }

  #onKey(event: KeyboardEvent): void {
    const { canvas } = this.#target;
    if (canvas === null) return;
    if (event.type === "keydown" && (event.isComposing || event.keyCode === 229 || NO_KEYS.has(event.key)))
      return;
    const copy = new KeyboardEvent(event.type, {
      ...{ key: event.key, code: event.code, keyCode: event.keyCode, location: event.location },
      ...{ ctrlKey: event.ctrlKey, shiftKey: event.shiftKey, altKey: event.altKey, metaKey: event.metaKey },
      modifierAltGraph: event.getModifierState("AltGraph"),
      modifierCapsLock: event.getModifierState("CapsLock"),
      modifierNumLock: event.getModifierState("NumLock"),
      repeat: event.repeat,
      bubbles: true,
      cancelable: true,
    });
    canvas.dispatchEvent(copy);
    event.preventDefault();
    event.stopPropagation();
  }

  #onBeforeInput(event: InputEvent): void {
    if (event.isComposing || !event.cancelable) return;
    const keysym = KEY_OF_INPUT.get(event.inputType);
    const text = event.data ?? event.dataTransfer?.getData("text/plain") ?? "";
    if (keysym === undefined && text === "") return;
    event.preventDefault();
    if (keysym === undefined) this.#type(text);
    else this.#target.press(keysym);
  }

  /** What could not be prevented is there already: it differs from the filler in what was deleted and typed. */
  #onInput(event: Event): void {
    if (event instanceof InputEvent && event.isComposing) return;
    const { value } = this.element;
    let same = 0;
    while (same < FILLER.length && value[same] === FILLER[same]) same++;
    for (let left = FILLER.length - same; left > 0; left--) this.#target.press(BACKSPACE);
    this.#type(value.slice(same));
    this.#reset();
  }

  #type(text: string): void {
    for (const character of text.replace(/\r\n?/g, "\n")) this.#target.press(keysymOf(character));
  }

  #reset(): void {
    const { element } = this;
    if (element.value !== FILLER) element.value = FILLER;
    element.setSelectionRange(FILLER.length, FILLER.length);
  }
}

/** Latin-1 is as it is, all else by its code point. */
function keysymOf(character: string): number {
  if (character === "\n") return RETURN;
  if (character === "\t") return TAB;
  const codePoint = character.codePointAt(0) ?? 0;
  const isLatin = (codePoint >= 0x20 && codePoint < 0x7f) || (codePoint >= 0xa0 && codePoint <= 0xff);
  return isLatin ? codePoint : UNICODE + codePoint;
}
