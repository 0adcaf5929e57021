import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { ByteQueue } from "../../../../src/protocols/byte-queue.ts";

const FOLDER = new URL("../../../wire/rdp-egfx/", import.meta.url);

/** The static channel that carries the dynamic ones in the recorded session. */
const DRDYNVC = 1005;

/** A file of the recorded session; see its meta.json. */
export function recorded(name: string): Buffer {
  return readFileSync(new URL(name, FOLDER));
}

/** What the host sent after it had signed us in: TPKT and fast-path frames, end to end. */
export function hostBytes(): Buffer {
  const meta: unknown = JSON.parse(recorded("meta.json").toString());
  const first = isObject(meta) && typeof meta["firstRdpLine"] === "number" ? meta["firstRdpLine"] : 0;
  const lines = gunzipSync(recorded("session.jsonl.gz")).toString().trim().split("\n").slice(first);
  const chunks = lines.flatMap((line) => {
    const entry: unknown = JSON.parse(line);
    if (!isObject(entry) || entry["dir"] !== "s" || typeof entry["b64"] !== "string") return [];
    return [Buffer.from(entry["b64"], "base64")];
  });
  return Buffer.concat(chunks);
}

/**
 * The messages of the channel drdynvc in bytes that arrive in pieces: just enough of X.224, MCS and the static channels
 * (MS-RDPBCGR 2.2.6.1) to find them.
 */
export class ChannelMessages {
  readonly #from = new ByteQueue();
  readonly #receive: (message: Uint8Array) => void;
  #parts: Buffer[] = [];

  constructor(receive: (message: Uint8Array) => void) {
    this.#receive = receive;
  }

  push(chunk: Uint8Array): void {
    this.#from.push(chunk);
    for (;;) {
      if (!this.#from.has(4)) return;
      const [version = 0, second = 0, third = 0, fourth = 0] = this.#from.peek(4);
      const isFast = version !== 3;
      const fastLength = (second & 0x80) === 0 ? second : ((second & 0x7f) << 8) | third;
      const length = isFast ? fastLength : (third << 8) | fourth;
      if (!this.#from.has(length)) return;
      const frame = Buffer.from(this.#from.take(length));
      if (!isFast) this.#frame(frame);
    }
  }

  #frame(frame: Buffer): void {
    // TPKT (4), X.224 data (3), MCS send data indication (0x68), initiator (2), channel (2), priority (1), length.
    if (frame[7] !== 0x68 || frame.readUInt16BE(10) !== DRDYNVC) return;
    const at = 13 + ((frame[13] ?? 0) & 0x80 ? 2 : 1);
    const flags = frame.readUInt32LE(at + 4);
    if (flags & 1) this.#parts = [];
    this.#parts.push(frame.subarray(at + 8));
    if (flags & 2) this.#receive(Buffer.concat(this.#parts));
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
