/** What is pressed through one link. */
export class DecodeHeld {
  readonly #keysyms = new Set<number>();
  #buttons = 0;

  get isEmpty(): boolean {
    return this.#keysyms.size === 0 && this.#buttons === 0;
  }

  key(keysym: number, isDown: boolean): void {
    if (isDown) this.#keysyms.add(keysym);
    else this.#keysyms.delete(keysym);
  }

  pointer(buttons: number): void {
    this.#buttons = buttons;
  }
}
