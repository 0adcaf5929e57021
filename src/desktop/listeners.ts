/** Callbacks for an event. What one throws is reported, and the others are still called. */
export class Listeners<Event> {
  readonly #all = new Set<(event: Event) => void>();
  readonly #onBug: (error: unknown) => void;

  constructor(onBug: (error: unknown) => void) {
    this.#onBug = onBug;
  }

  /** Returns the function that ends it. */
  add(listener: (event: Event) => void): () => void {
    this.#all.add(listener);
    return () => {
      this.#all.delete(listener);
    };
  }

  tell(event: Event): void {
    for (const listener of [...this.#all]) {
      try {
        listener(event);
      } catch (error) {
        this.#onBug(error);
      }
    }
  }

  clear(): void {
    this.#all.clear();
  }
}
