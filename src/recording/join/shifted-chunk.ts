import { promisify } from "node:util";
import { deflateRaw, inflateRaw } from "node:zlib";
import { readHeads } from "../../protocols/recording/picture-decoder.ts";
import { MAX_CHUNK_BYTES, PICTURE_HEADER_BYTES } from "../../protocols/recording/picture-format.ts";
import { RecordingError } from "../library/error.ts";

const inflate = promisify(inflateRaw);
const deflate = promisify(deflateRaw);
/** It is sent once, and not kept. */
const FAST = { level: 1 } as const;
/** Where a picture says when it was taken, before its records. */
const TIME_BEFORE_RECORDS = PICTURE_HEADER_BYTES - 4;

/** A chunk whose pictures were taken so much later; `isDeflated`: raw deflate, and given back so. Throws RecordingError damaged. */
export async function shiftedChunk(
  bytes: Uint8Array,
  isDeflated: boolean,
  shiftMs: number,
): Promise<Uint8Array<ArrayBuffer>> {
  if (shiftMs === 0) return Uint8Array.from(bytes);
  const raw = isDeflated ? await inflatedChunk(bytes) : Uint8Array.from(bytes);
  const view = new DataView(raw.buffer, raw.byteOffset, raw.byteLength);
  for (const { offset, atMs } of readHeads(raw)) view.setUint32(offset - TIME_BEFORE_RECORDS, atMs + shiftMs);
  return Uint8Array.from(isDeflated ? await deflate(raw, FAST) : raw);
}

/** Throws RecordingError damaged. */
export async function inflatedChunk(bytes: Uint8Array): Promise<Buffer> {
  try {
    return await inflate(bytes, { maxOutputLength: MAX_CHUNK_BYTES });
  } catch (cause) {
    throw new RecordingError("damaged", "a chunk of pictures does not inflate", { cause });
  }
}
