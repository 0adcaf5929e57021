import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { PLATFORM } from "../../../src/appliance/open-links.ts";
import { PLAIN_RFB } from "../../../src/protocols/rfb/client/plain-rfb.ts";
import { RfbClient } from "../../../src/protocols/rfb/client/rfb-client.ts";
import type { Owner } from "../../support/program.ts";
import type { Shot } from "../harness/xwd.ts";

/** Our client on a socket, following a server in a few encodings alone, that counts what it is sent. */
export class EncodingClient {
  /** Rectangles of pixels so far, by the name of their encoding. */
  readonly counts = new Map<string, number>();
  /** All that the server sent, where `keepsBytes`. */
  readonly received: Uint8Array[] = [];
  readonly #keepsBytes: boolean;
  readonly #client: RfbClient;
  readonly #socket: Socket;
  #error: Error | null = null;

  private constructor(
    socket: Socket,
    password: string | null,
    encodings: readonly number[],
    keepsBytes: boolean,
  ) {
    this.#keepsBytes = keepsBytes;
    this.#socket = socket;
    const dialect = {
      ...PLAIN_RFB,
      decoders: (c: Parameters<typeof PLAIN_RFB.decoders>[0]) => {
        const encodingOf = PLAIN_RFB.decoders(c);
        return (number: number) => {
          const encoding = encodingOf(number);
          if (encoding !== undefined) {
            this.counts.set(encoding.name, (this.counts.get(encoding.name) ?? 0) + 1);
          }
          return encoding;
        };
      },
    };
    this.#client = new RfbClient(
      { password, encodings, dialect },
      PLATFORM,
      (bytes) => socket.write(bytes),
      (event) => {
        if (event.type === "ready") this.#client.requestUpdate(false);
        else if (event.type === "resize") this.#client.requestUpdate(false);
        else if (event.type === "update") this.#client.requestUpdate(true);
      },
    );
    socket.on("data", (chunk) => this.#receive(chunk));
    socket.on("error", (error) => this.#fail(error));
  }

  /** Connected to 127.0.0.1; closed with the test. */
  static async open(
    owner: Owner,
    port: number,
    password: string | null,
    encodings: readonly number[],
    keepsBytes = false,
  ): Promise<EncodingClient> {
    const socket = connect(port, "127.0.0.1");
    await once(socket, "connect");
    const client = new EncodingClient(socket, password, encodings, keepsBytes);
    owner.teardown(() => client.close());
    return client;
  }

  /** The picture between updates. Throws what ended the connection, if anything did. */
  shot(): Shot {
    if (this.#error !== null) throw this.#error;
    const { width, height, bytes } = this.#client.framebuffer;
    return { width, height, rgba: bytes };
  }

  get isReady(): boolean {
    if (this.#error !== null) throw this.#error;
    return this.#client.isReady;
  }

  pointer(x: number, y: number): void {
    this.#client.pointer(x, y, 0);
  }

  close(): void {
    this.#socket.destroy();
    this.#client.close();
  }

  #receive(chunk: Uint8Array): void {
    if (this.#keepsBytes) this.received.push(chunk);
    try {
      this.#client.receive(chunk, performance.now());
    } catch (error) {
      this.#fail(error instanceof Error ? error : new Error("not an Error", { cause: error }));
    }
  }

  #fail(error: Error): void {
    this.#error ??= error;
    this.#socket.destroy();
  }
}
