import { WebSocket } from "ws";
import { PLATFORM } from "../src/appliance/open-links.ts";
import { PLAIN_RFB } from "../src/protocols/rfb/client/plain-rfb.ts";
import { RfbClient } from "../src/protocols/rfb/client/rfb-client.ts";

/** What noVNC asks for: Tight with JPEG quality 6 and compression level 2, rfbproto. */
const ENCODINGS = [1, 7, 16, 5, 0, -26, -254];

/** A viewer on a WebSocket that decodes all it gets and asks for more at once. */
export class WebViewer {
  readonly #socket: WebSocket;
  readonly #client: RfbClient;
  receivedBytes = 0;
  updates = 0;
  /** Called with each update, once it is decoded. */
  onUpdate = (): void => undefined;

  private constructor(url: string, headers: Readonly<Record<string, string>>, ready: () => void) {
    const socket = new WebSocket(url, ["binary"], { headers: { ...headers }, perMessageDeflate: false });
    const client = new RfbClient(
      { password: null, encodings: ENCODINGS, dialect: { ...PLAIN_RFB, pseudoEncodings: [] } },
      PLATFORM,
      (bytes) => socket.send(Buffer.from(bytes)),
      (event) => {
        if (event.type === "ready") client.requestUpdate(false);
        if (event.type !== "update") return;
        this.updates++;
        if (this.updates === 1) ready();
        this.onUpdate();
        client.requestUpdate(true);
      },
    );
    socket.on("message", (data: Buffer) => {
      this.receivedBytes += data.length;
      client.receive(data, performance.now());
    });
    this.#socket = socket;
    this.#client = client;
  }

  /** Resolves with the first picture. */
  static open(url: string, headers: Readonly<Record<string, string>> = {}): Promise<WebViewer> {
    return new Promise((resolve, reject) => {
      const viewer = new WebViewer(url, headers, () => resolve(viewer));
      viewer.#socket.once("error", reject);
    });
  }

  /** RGBA; valid until the next update. */
  get picture(): Uint8Array {
    return this.#client.framebuffer.bytes;
  }

  close(): void {
    this.#socket.removeAllListeners("message");
    this.#socket.close();
    this.#client.close();
  }
}
