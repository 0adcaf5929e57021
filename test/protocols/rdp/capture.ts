import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { rfbCrypto } from "../../../src/desktop/links/vnc/rfb-crypto.ts";
import type { ColourDepth, RdpClientEvent } from "../../../src/protocols/rdp/client-context.ts";
import { RdpClient } from "../../../src/protocols/rdp/rdp-client.ts";

/** One line of test/wire/rdp/captures.json: a file of all that a server sent, gzipped; `test/e2e/targets/record-rdp.ts` makes them. */
export interface RdpCapture {
  readonly file: string;
  readonly server: string;
  /** Of its Debian package. */
  readonly version: string;
  readonly colourDepth: ColourDepth;
  /** Bytes before TLS. */
  readonly tlsAt: number;
  /** The picture is the server's own display's; else it is what we showed when it was recorded. */
  readonly isExact: boolean;
  /** `pictureHash` at the end. */
  readonly picture: string;
}

/** A host is not so fast that it resizes five times a second. */
const BYTES_A_MS = 5;

const FOLDER = fileURLToPath(new URL("../../wire/rdp/", import.meta.url));

export function readCaptures(): RdpCapture[] {
  const captures: RdpCapture[] = JSON.parse(readFileSync(`${FOLDER}captures.json`, "utf8"));
  return captures;
}

/** All that the server of a capture sent. */
export function streamOf({ file }: RdpCapture): Buffer {
  return gunzipSync(readFileSync(`${FOLDER}${file}`));
}

/** What a client made of a stream. */
export interface Replay {
  readonly client: RdpClient;
  readonly events: readonly RdpClientEvent[];
  readonly sent: readonly Uint8Array[];
}

/**
 * Plays a server's stream to a client of ours, in chunks of `chunkBytes`; `isOver` is asked before each. Throws what the
 * client throws.
 */
export function replay(
  { tlsAt, colourDepth }: Pick<RdpCapture, "tlsAt" | "colourDepth">,
  stream: Uint8Array,
  chunkBytes: number,
  isOver: () => boolean = () => false,
): Replay {
  const events: RdpClientEvent[] = [];
  const sent: Uint8Array[] = [];
  let nowMs = 0;
  let waiting: (() => void) | null = null;
  const client = new RdpClient(
    { username: "rdptest", password: "Secret-123", size: { width: 320, height: 240 }, colourDepth },
    { hash: rfbCrypto.hash, randomBytes: (count) => new Uint8Array(count).fill(7), fileTime: () => 0n },
    (bytes) => sent.push(Uint8Array.from(bytes)),
    (event) => {
      events.push(event);
      if (event.type === "effect") waiting = () => event.effect.take(new Uint8Array(270));
    },
  );
  client.start(nowMs);
  const perform = (): void => {
    const act = waiting;
    waiting = null;
    if (act === null) return;
    act();
    client.resume(nowMs);
  };
  for (const part of [stream.subarray(0, tlsAt), stream.subarray(tlsAt)]) {
    for (let at = 0; at < part.length && !isOver(); at += chunkBytes) {
      nowMs += chunkBytes / BYTES_A_MS;
      client.receive(part.subarray(at, at + chunkBytes), nowMs);
    }
    perform();
  }
  return { client, events, sent };
}
