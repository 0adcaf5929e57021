import type { Link } from "../link.ts";

/** What the target of a desktop plays. The target is asked for it while somebody listens, and not else. */
export class TargetSound {
  readonly #link: () => Pick<Link, "listen"> | null;
  readonly #listeners = new Set<(samples: Uint8Array) => void>();
  #isOffered = false;

  constructor(link: () => Pick<Link, "listen"> | null) {
    this.#link = link;
  }

  /** Whether the target of the moment has sound to send. */
  get isOffered(): boolean {
    return this.#isOffered;
  }

  /**
   * `hear` gets samples of 16 bits with sign, little-endian, 44,100 times a second left and right, for as long as the target
   * plays; also after it was connected anew. Returns the function that ends it.
   */
  listen(hear: (samples: Uint8Array) => void): () => void {
    const listener = (samples: Uint8Array): void => hear(samples);
    this.#listeners.add(listener);
    if (this.#listeners.size === 1) this.#ask(true);
    return () => {
      if (this.#listeners.delete(listener) && this.#listeners.size === 0) this.#ask(false);
    };
  }

  /** The target says that it has sound. */
  offered(): void {
    this.#isOffered = true;
    if (this.#listeners.size > 0) this.#ask(true);
  }

  /** null: it fell silent. */
  played(samples: Uint8Array | null): void {
    if (samples !== null) for (const hear of this.#listeners) hear(samples);
  }

  /** The target is gone. */
  lost(): void {
    this.#isOffered = false;
  }

  #ask(isOn: boolean): void {
    if (this.#isOffered) this.#link()?.listen?.(isOn);
  }
}
