import type { Duplex } from "node:stream";
import type { Action } from "../../desktop/control/action.ts";
import { LinkError, RefusedError } from "../../desktop/error.ts";
import { PLATFORM } from "../../desktop/links/link-platform.ts";
import { rect } from "../../framebuffer/rect.ts";
import type { Clock } from "../../platform/clock.ts";
import { PLAIN_RFB } from "../../protocols/rfb/client/plain-rfb.ts";
import { RfbClient } from "../../protocols/rfb/client/rfb-client.ts";
import { ENCODING } from "../../protocols/rfb/numbers.ts";

/** Raw first, of which nothing comes: a seat asks for no pixels. */
const DIALECT = {
  ...PLAIN_RFB,
  encodings: [ENCODING.raw],
  pseudoEncodings: [
    ENCODING.extendedDesktopSize,
    ENCODING.qemuExtendedKey,
    ENCODING.extendedMouseButtons,
    ENCODING.extendedClipboard,
    ENCODING.fence,
  ],
};

interface SeatEvents {
  /** Somebody copied this on the desktop, and who sits here may know. */
  copied(text: string): void;
  /** The owner ended it. */
  ended(): void;
}

/**
 * One person's place at a desktop that another server has: an RFB session as theirs, by which that server counts them among its viewers,
 * judges their input and tells them what was copied. Their picture comes by another way.
 */
export class FarSeat {
  readonly #client: RfbClient;
  readonly #stream: Duplex;
  readonly #ready: Promise<void>;

  constructor(stream: Duplex, clock: Clock, events: SeatEvents) {
    this.#stream = stream;
    let ready = (): void => undefined;
    this.#client = new RfbClient(
      { password: null, dialect: DIALECT },
      PLATFORM,
      (bytes) => stream.write(bytes),
      (event) => {
        if (event.type === "clipboard" && event.text !== null) events.copied(event.text);
        if (event.type === "ready") ready();
      },
    );
    stream.on("data", (chunk: Uint8Array) => this.#receive(chunk, clock.nowMs()));
    this.#ready = new Promise((resolve, reject) => {
      ready = () => {
        // Answered without a pixel, by what the server can do.
        this.#client.requestUpdate(true, rect(0, 0, 1, 1));
        resolve();
      };
      stream.once("error", reject);
      stream.once("close", () => {
        this.#client.close();
        reject(new LinkError("target_closed", "the server that has the desktop ended the session"));
        events.ended();
      });
    });
    this.#ready.catch(() => undefined);
  }

  /** Resolves when the owner let them in; rejects with why not. */
  whenReady(): Promise<void> {
    return this.#ready;
  }

  /** Throws RefusedError not_supported for what no viewer does. */
  perform(action: Action): void {
    const client = this.#client;
    switch (action.kind) {
      case "pointer":
        client.pointer(action.x, action.y, action.buttons);
        return;
      case "key":
        client.key(action.keysym, action.isDown, action.scancode ?? null);
        return;
      case "write_clipboard":
        client.clipboard(action.text);
        return;
      case "resize":
        if (client.arrange(action.screens ?? [rect(0, 0, action.width, action.height)])) return;
        break;
      default:
    }
    throw new RefusedError("not_supported", `a viewer does not ${action.kind} a desktop of another node`);
  }

  close(): void {
    this.#stream.destroy();
  }

  #receive(chunk: Uint8Array, nowMs: number): void {
    try {
      this.#client.receive(chunk, nowMs);
    } catch (error) {
      this.#stream.destroy(error instanceof Error ? error : undefined);
    }
  }
}
