import { systemClock } from "../../src/platform/clock.ts";
import { ENCODING } from "../../src/protocols/rfb/numbers.ts";
import { ViewerSession } from "../../src/web/viewer/session.ts";
import type { TransportListener, ViewerTransport } from "../../src/web/viewer/transport.ts";
import { say } from "../../test/protocols/rfb/server/viewer.ts";
import type { DrawnDesktop } from "../../test/web/drawn-desktop.ts";
import { KeptLog, oneCache, rfbPorts } from "../../test/web/viewer-ports.ts";

const UPDATE = 0;
/** U8 type, pad 3, U32 flags, U8 length: a fence without payload offers them, one with 4 bytes ends an update. */
const OFFER = Buffer.of(248, 0, 0, 0, 0x80, 0, 0, 0, 0);
const CONFIRM = Buffer.of(248, 0, 0, 0, 0x80, 0, 0, 1, 4);
const PAYLOAD_BYTES = 4;

/** continuous: it is sent what changes unasked; asking, counted: it asks for each update, and knows LastRect or not. */
export type FastViewerKind = "continuous" | "asking" | "counted";

const ENCODINGS = {
  continuous: [ENCODING.tight, ENCODING.lastRect, ENCODING.fence, ENCODING.continuousUpdates],
  asking: [ENCODING.tight, ENCODING.lastRect],
  counted: [ENCODING.tight],
} as const;

/** A viewer in this process that has read everything at once. */
export class FastViewer implements ViewerTransport {
  readonly bufferedBytes = 0;
  #listener: TransportListener | null = null;
  readonly #kind: FastViewerKind;
  readonly #ask: () => void;
  #unseen = 0;

  constructor(desktop: DrawnDesktop, kind: FastViewerKind) {
    this.#kind = kind;
    const { width, height } = desktop.size;
    this.#ask = () => this.#say(say.request(true, 0, 0, width, height));
    new ViewerSession(
      { rfb: rfbPorts, cacheOf: oneCache(desktop.view()), clock: systemClock, log: new KeptLog() },
      {
        ...{ desktop, transport: this, security: [{ type: "none" }], isComposited: false, viewport: null },
        rights: () => ({
          ...{ actor: { kind: "human", id: "bench", name: "Bench" } },
          ...{ audience: "viewer", isViewOnly: true, hasClipboard: false },
        }),
      },
    );
    this.#say(Buffer.from("RFB 003.008\n"), Uint8Array.of(1), Uint8Array.of(1));
    this.#say(say.encodings(...ENCODINGS[kind]), say.request(false, 0, 0, width, height));
    if (kind === "continuous") this.#say(say.continuous(true, 0, 0, width, height));
  }

  /** Resolves when no more comes of what changed. */
  async whenSeen(): Promise<void> {
    do {
      this.#unseen = 0;
      await new Promise((resolve) => setImmediate(resolve));
      await new Promise((resolve) => setImmediate(resolve));
    } while (this.#unseen > 0);
  }

  send(bytes: Uint8Array): void {
    this.#unseen += bytes.length;
    // The first bytes of a part that goes on may be anything: then it asks once more than it need.
    if (this.#kind !== "continuous" && bytes[0] === UPDATE) setImmediate(this.#ask);
    if (this.#kind !== "continuous") return;
    const payload = payloadOf(bytes);
    if (payload !== null) setImmediate(() => this.#say(say.fence(0, payload)));
  }

  close(): void {}

  listen(listener: TransportListener): void {
    this.#listener = listener;
  }

  #say(...messages: readonly Uint8Array[]): void {
    for (const message of messages) this.#listener?.receive(message);
  }
}

/** Of the fence that a message is or ends with; null where there is none. */
function payloadOf(bytes: Uint8Array): Uint8Array | null {
  if (OFFER.equals(bytes)) return new Uint8Array(0);
  const end = bytes.slice(-CONFIRM.length - PAYLOAD_BYTES);
  return CONFIRM.equals(end.subarray(0, CONFIRM.length)) ? end.subarray(CONFIRM.length) : null;
}
