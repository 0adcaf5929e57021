export interface ClipboardLine {
  /** True while the viewer is behind with what it was sent: a text waits, and only the newest. */
  isBehind(): boolean;
  send(text: string): void;
}

/** The target's clipboard on its way to one viewer, without the echo of what the viewer put there itself. */
export class ViewerClipboardFeed {
  readonly #line: ClipboardLine;
  #own: string | null = null;
  #waiting: string | null = null;

  constructor(line: ClipboardLine) {
    this.#line = line;
  }

  /** The viewer put this on the target's clipboard. */
  put(text: string): void {
    this.#own = text;
  }

  /** The target says that this is on its clipboard. */
  offer(text: string): void {
    if (text === this.#own) return;
    this.#own = null;
    this.#waiting = text;
    this.flush();
  }

  /** True while a text waits for `flush`. */
  get isWaiting(): boolean {
    return this.#waiting !== null;
  }

  /** Sends what waits, once the viewer has caught up. */
  flush(): void {
    const text = this.#waiting;
    if (text === null || this.#line.isBehind()) return;
    this.#waiting = null;
    this.#line.send(text);
  }
}
