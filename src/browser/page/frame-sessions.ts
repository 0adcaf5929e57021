import { BrowserError } from "../error.ts";
import type { Session } from "./refs.ts";

/** A frame that another process draws, and the session that its iframe element is in. */
export interface FrameSession {
  readonly frameId: string;
  readonly parent: Session;
}

interface Held extends FrameSession {
  readonly end: AbortController;
}

/**
 * The sessions of a tab's frames. The browser answers no call to a session whose target was replaced: INVARIANT, such
 * calls are ended here as soon as the target is told to be gone, and none is made after that.
 */
export class FrameSessions {
  readonly #held = new Map<string, Held>();
  /** Of the tab's own session, and so of all. */
  #tab = new AbortController();

  get all(): readonly string[] {
    return [...this.#held.keys()];
  }

  get(session: string): FrameSession | null {
    return this.#held.get(session) ?? null;
  }

  /** Aborted, with a BrowserError, when the session has ended. */
  signalOf(session: Session): AbortSignal {
    if (session === null) return this.#tab.signal;
    return this.#held.get(session)?.end.signal ?? AbortSignal.abort(frameGone());
  }

  attached(session: string, frame: FrameSession): void {
    // What is attached to a frame that is gone is gone too, whatever the order in which it is told.
    if (this.#tab.signal.aborted || (frame.parent !== null && !this.#held.has(frame.parent))) return;
    this.#held.set(session, { ...frame, end: new AbortController() });
  }

  /** Ends a session and those of the frames in it, of which the browser tells nothing. Gives all that ended. */
  detached(session: string): readonly string[] {
    const held = this.#held.get(session);
    if (held === undefined) return [];
    this.#held.delete(session);
    held.end.abort(frameGone());
    const inner = [...this.#held].filter(([, { parent }]) => parent === session);
    return [session, ...inner.flatMap(([child]) => this.detached(child))];
  }

  /** The tab's process is there again. */
  reopen(): void {
    if (this.#tab.signal.aborted) this.#tab = new AbortController();
  }

  /** The tab itself is out of reach. */
  close(reason: BrowserError): void {
    this.#tab.abort(reason);
    for (const session of this.all) this.detached(session);
  }
}

function frameGone(): BrowserError {
  return new BrowserError("page_changed", "the frame was replaced or removed before the browser answered");
}
