/** Keys that stay down until the next one was pressed: what a person holds with one finger less. */
export class LatchedKeys {
  readonly #send: (keysym: number, isDown: boolean) => void;
  readonly #changed: (held: ReadonlySet<number>) => void;
  readonly #held = new Set<number>();

  constructor(send: (keysym: number, isDown: boolean) => void, changed: (held: ReadonlySet<number>) => void) {
    this.#send = send;
    this.#changed = changed;
  }

  toggle(keysym: number): void {
    const isDown = !this.#held.delete(keysym);
    if (isDown) this.#held.add(keysym);
    this.#send(keysym, isDown);
    this.#changed(new Set(this.#held));
  }

  /** Another key was pressed, or nothing more will be. */
  release(): void {
    if (this.#held.size === 0) return;
    for (const keysym of this.#held) this.#send(keysym, false);
    this.#held.clear();
    this.#changed(new Set());
  }
}
