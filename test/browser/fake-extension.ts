import type { BridgeSocket } from "../../src/browser/bridge-socket.ts";
import { PieceJoiner } from "../../src/browser/wire/pieces.ts";
import { type Handshake, proofOf } from "../../src/browser/wire/proof.ts";

export const NONCE = "AAAAAAAAAAAAAAAAAAAAAA";
export const DIALLED = "ws://127.0.0.1:3000/ws/browser";

/** The extension's end of a socket that never leaves the process: what is said to it waits until it is asked for. */
export class FakeExtension {
  readonly socket: BridgeSocket;
  readonly said: Record<string, unknown>[] = [];
  closed: { readonly code: number; readonly reason: string } | null = null;
  bufferedBytes = 0;
  /** Resolves when the server has judged who dialled. */
  accepted: Promise<void> = Promise.resolve();
  readonly #onFrame: ((data: string | Uint8Array) => void)[] = [];
  readonly #onClose: (() => void)[] = [];

  /** `onSaid` is told each message of the server. */
  constructor(onSaid: (message: Record<string, unknown>) => void = () => {}) {
    const self = this;
    this.socket = {
      send: (text) => {
        const message = JSON.parse(text);
        this.said.push(message);
        onSaid(message);
      },
      get bufferedBytes() {
        return self.bufferedBytes;
      },
      close: (code, reason) => this.hangUp(code, reason),
      cut: () => this.hangUp(1006, "cut"),
      onFrame: (listener) => this.#onFrame.push(listener),
      onClose: (listener) => this.#onClose.push(listener),
    };
  }

  hangUp(code = 1000, reason = ""): void {
    if (this.closed !== null) return;
    this.closed = { code, reason };
    for (const listener of this.#onClose) listener();
  }

  say(message: unknown): void {
    this.frame(typeof message === "string" ? message : JSON.stringify(message));
  }

  frame(frame: string | Uint8Array): void {
    for (const listener of this.#onFrame) listener(frame);
  }

  /** The newest message of a type. */
  newest(type: string): Record<string, unknown> | undefined {
    return this.said.findLast((message) => message["type"] === type);
  }

  /** Answers the hello as an extension does that knows the key; `changes` are of one that lies. */
  async introduce(
    type: "pair" | "auth",
    keyId: string,
    key: string,
    changes: Partial<Handshake> & { readonly told?: object } = {},
  ): Promise<Handshake> {
    const { told = {}, ...lies } = changes;
    const handshake: Handshake = {
      ...{ keyId, serverNonce: String(this.newest("hello")?.["nonce"]), extensionNonce: NONCE, url: DIALLED },
      ...lies,
    };
    const mac = await proofOf(key, "extension", handshake);
    this.say({
      ...{ type, key_id: keyId, nonce: NONCE, url: handshake.url, mac, version: "1.0.0" },
      ...{ browser: "Test 1 on Linux", ...told },
    });
    return handshake;
  }
}

/** What pieces make when they are joined. */
export function joined(frames: readonly (string | Uint8Array)[]): string {
  const joiner = new PieceJoiner();
  let text = "";
  for (const frame of frames) {
    if (typeof frame === "string") return frame;
    const added = joiner.add(frame);
    if (added !== null && added !== "more") text = added.text;
  }
  return text;
}
