import { createHash } from "node:crypto";
import type { FileHandle } from "node:fs/promises";

/** Read and hashed at once: about a millisecond of the event loop. */
const CHUNK_BYTES = 256 * 1024;

/** A part of a file in memory, with what the archive checks it by. */
export interface Piece {
  readonly chunks: readonly Buffer[];
  readonly bytes: number;
  /** Both in hex. */
  readonly sha256: string;
  readonly md5: string;
}

export function pieceOf(bytes: Buffer): Piece {
  const hash = (name: string): string => createHash(name).update(bytes).digest("hex");
  return { chunks: [bytes], bytes: bytes.length, sha256: hash("sha256"), md5: hash("md5") };
}

/** So many bytes of a file from a place on, or up to its end. */
export async function readPiece(file: FileHandle, at: number, count: number): Promise<Piece> {
  const chunks: Buffer[] = [];
  const sha256 = createHash("sha256");
  const md5 = createHash("md5");
  let bytes = 0;
  for await (const chunk of readChunks(file, at, count)) {
    chunks.push(chunk);
    sha256.update(chunk);
    md5.update(chunk);
    bytes += chunk.length;
  }
  return { chunks, bytes, sha256: sha256.digest("hex"), md5: md5.digest("hex") };
}

/** SHA-256 of so many bytes of a file, hex. */
export async function hashOfFile(file: FileHandle, count: number): Promise<string> {
  const sha256 = createHash("sha256");
  for await (const chunk of readChunks(file, 0, count)) sha256.update(chunk);
  return sha256.digest("hex");
}

async function* readChunks(file: FileHandle, at: number, count: number): AsyncGenerator<Buffer> {
  for (let done = 0; done < count; ) {
    const room = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, count - done));
    const { bytesRead } = await file.read(room, 0, room.length, at + done);
    if (bytesRead === 0) return;
    done += bytesRead;
    yield room.subarray(0, bytesRead);
  }
}
