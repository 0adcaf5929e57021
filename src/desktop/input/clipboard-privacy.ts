import { createHmac, randomBytes } from "node:crypto";

/** Who put a text on a target's clipboard; private: a person, in a place that agents do not see. */
export type ClipboardAuthor = "agent" | "person" | "private";

/** Private texts that are known again, should the target tell them later: the oldest are forgotten first. */
const MOST_KNOWN = 256;

/** What of a desktop is kept from agents now. */
export interface ClipboardSecrecy {
  /** Whether a person has the desktop for themselves, or had a moment ago. */
  isPrivate(): boolean;
  /** Whether anything of the desktop is hidden from agents. */
  hasHidden(): boolean;
}

/**
 * Whether agents may have what is on a desktop's clipboard. Nobody can tell where on a screen a text was copied, so what is
 * copied where anything is hidden from agents, or put there by a person, is not given to them. What an agent itself put
 * there it knows.
 *
 * INVARIANT: a text that was on the clipboard in a private time, or that a person wrote in place of an agent's under a
 * mask, is given to no agent later either, also where the target tells it again, as after a reconnect.
 */
export class ClipboardPrivacy {
  readonly #secrecy: ClipboardSecrecy;
  readonly #key = randomBytes(32);
  /** Digests of private texts, the newest last. */
  readonly #known = new Set<string>();
  #isOfAgent = false;
  #state: "open" | "hidden" | "private" = "open";

  /** Default: nothing is kept from them. */
  constructor(secrecy: ClipboardSecrecy = { isPrivate: () => false, hasHidden: () => false }) {
    this.#secrecy = secrecy;
  }

  /** Whether what is on the clipboard is kept from agents. */
  get isHidden(): boolean {
    return this.#state !== "open" || (!this.#isOfAgent && this.#secrecy.hasHidden());
  }

  /** Whether it is a person's own, which agents are not to paste either. */
  get isPrivate(): boolean {
    return this.#state === "private";
  }

  /** A text is on its way to the target. */
  sent(text: string, author: ClipboardAuthor): void {
    this.#isOfAgent = author === "agent";
    if (this.#isOfAgent) this.#state = "open";
    else this.#put(text, author === "private");
  }

  /** The target says that this is on its clipboard; null: something that cannot be had. */
  copied(text: string | null): void {
    this.#isOfAgent = false;
    this.#put(text, false);
  }

  #put(text: string | null, isPrivate: boolean): void {
    const digest = text === null ? null : createHmac("sha256", this.#key).update(text).digest("base64");
    if (isPrivate || this.#secrecy.isPrivate() || (digest !== null && this.#known.has(digest))) {
      this.#state = "private";
      if (digest !== null) this.#know(digest);
    } else {
      this.#state = this.#secrecy.hasHidden() ? "hidden" : "open";
    }
  }

  #know(digest: string): void {
    this.#known.delete(digest);
    this.#known.add(digest);
    for (const oldest of this.#known) {
      if (this.#known.size <= MOST_KNOWN) return;
      this.#known.delete(oldest);
    }
  }
}
