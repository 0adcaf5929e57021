import type { TransportListener, ViewerTransport } from "../../src/web/viewer/transport.ts";

/** A transport that takes nothing until it is told to: a viewer that reads when the test wants it to. */
export class FakeTransport implements ViewerTransport {
  readonly closed: { readonly code: number; readonly reason: string }[] = [];
  #listener: TransportListener | null = null;
  #queue: Uint8Array[] = [];
  #onSend: () => void = () => {};
  bufferedBytes = 0;
  mostBufferedBytes = 0;

  send(bytes: Uint8Array): void {
    this.#queue.push(bytes);
    this.bufferedBytes += bytes.length;
    this.mostBufferedBytes = Math.max(this.mostBufferedBytes, this.bufferedBytes);
    this.#onSend();
  }

  close(code: number, reason: string): void {
    this.closed.push({ code, reason });
  }

  listen(listener: TransportListener): void {
    this.#listener = listener;
  }

  say(...chunks: Uint8Array[]): void {
    for (const chunk of chunks) this.#listener?.receive(chunk);
  }

  /** The far end is gone. */
  hangUp(): void {
    this.#listener?.closed();
  }

  /** Everything sent since the last call, and the news that it has left. */
  drain(): Uint8Array {
    const bytes = Buffer.concat(this.#queue);
    this.#queue = [];
    this.bufferedBytes = 0;
    this.#listener?.drained();
    return bytes;
  }

  /** Resolves when something is waiting to be read. */
  whenSent(): Promise<void> {
    return new Promise((resolve) => {
      this.#onSend = () => {
        if (this.bufferedBytes > 0) resolve();
      };
      this.#onSend();
    });
  }
}
