/** What the bridge does with text that this computer's clipboard got. */
export type SendClipboard = (text: string) => void;

/**
 * Keeps this computer's clipboard and the desktop's in step, where the browser permits it: reads ours when the page gets
 * the focus, writes ours when the desktop's changed. What was refused is dropped: the panel still has it.
 */
export class ClipboardBridge {
  readonly #send: SendClipboard;
  readonly #listening = new AbortController();
  /** What both sides have, so that text does not go back where it came from. */
  #shared: string | null = null;

  constructor(send: SendClipboard) {
    this.#send = send;
    addEventListener("focus", () => this.#read(), { signal: this.#listening.signal });
    this.#read();
  }

  /** The desktop's clipboard changed. */
  receive(text: string): void {
    if (text === this.#shared) return;
    this.#shared = text;
    if (document.hasFocus()) navigator.clipboard.writeText(text).catch(() => {});
  }

  close(): void {
    this.#listening.abort();
  }

  #read(): void {
    if (!document.hasFocus()) return;
    navigator.clipboard.readText().then(
      (text) => {
        if (text === "" || text === this.#shared || this.#listening.signal.aborted) return;
        this.#shared = text;
        this.#send(text);
      },
      () => {},
    );
  }
}
