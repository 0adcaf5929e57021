import { createHash } from "node:crypto";
import { type FileHandle, open } from "node:fs/promises";
import { hashOfFile, readPiece } from "./piece.ts";
import type { S3Bucket, S3Object } from "./s3-bucket.ts";
import { S3Error } from "./s3-error.ts";

/** S3 takes parts of 5 MiB or more, but for the last, and 10,000 at most; a file of a recording has 64 MiB. */
const PART_BYTES = 8 * 1024 * 1024;
const MOST_PARTS = 10_000;

/**
 * Stores a file that no longer changes, unless it is there; what was uploaded of it before a crash is not sent again. Resolves
 * when the archive says that it has it, in its whole length and under its SHA-256. Throws S3Error; the file system's error.
 */
export async function storeFile(
  bucket: S3Bucket,
  key: string,
  path: string,
  signal: AbortSignal,
  partBytes = PART_BYTES,
): Promise<void> {
  await withFile(path, async (file, wanted) => {
    if (isSame(await bucket.head(key, signal), wanted)) return;
    if (wanted.bytes <= partBytes) await bucket.put(key, await readPiece(file, 0, wanted.bytes), signal);
    else await storeParts(bucket, key, file, { ...wanted, partBytes }, signal);
    if (!isSame(await bucket.head(key, signal), wanted)) {
      throw new S3Error("the archive took a file and does not have it", {});
    }
  });
}

/**
 * Says that the archive has a file as it is here: its length, and the MD5 that the server made of it, by parts where it came in
 * parts. Where the server calls files by something else, all of it is read back. Throws S3Error for a missing or another one.
 */
export async function confirmFile(
  bucket: S3Bucket,
  key: string,
  path: string,
  signal: AbortSignal,
  partBytes = PART_BYTES,
): Promise<void> {
  await withFile(path, async (file, wanted) => {
    const { bytes: size } = wanted;
    const stored = await bucket.head(key, signal);
    if (stored === null) throw new S3Error("the archive does not have a file that it took", {});
    isSame(stored, wanted);
    const md5s: Buffer[] = [];
    const sha256 = createHash("sha256");
    const isCalledByMd5 = /^[0-9a-f]{32}(-\d+)?$/.test(stored.etag);
    for (let at = 0; at < size; at += partBytes) {
      if (isCalledByMd5) md5s.push(Buffer.from((await readPiece(file, at, partBytes)).md5, "hex"));
    }
    if (isCalledByMd5 && etagsOf(md5s, size > partBytes).includes(stored.etag)) return;
    for (let at = 0; at < size; at += partBytes) {
      const bytes = await bucket.read(key, at, Math.min(partBytes, size - at), signal);
      if (bytes !== null) sha256.update(bytes);
    }
    if (sha256.digest("hex") !== wanted.sha256) {
      throw new S3Error("the archive holds other bytes than it was given: see who writes there", {
        code: "Conflict",
      });
    }
  });
}

/** Of a file that no longer changes, with its length and its SHA-256. */
async function withFile(
  path: string,
  work: (file: FileHandle, wanted: S3Object) => Promise<void>,
): Promise<void> {
  const file = await open(path, "r");
  try {
    const { size } = await file.stat();
    await work(file, { bytes: size, sha256: await hashOfFile(file, size) });
  } finally {
    await file.close();
  }
}

/** What a server calls a file of which it had these parts. */
function etagsOf(md5s: readonly Buffer[], isInParts: boolean): string[] {
  if (!isInParts) return md5s.map((md5) => md5.toString("hex"));
  const all = createHash("md5").update(Buffer.concat(md5s)).digest("hex");
  return [`${all}-${md5s.length}`];
}

/** Throws S3Error for another one: nothing in the archive is written over. */
function isSame(there: S3Object | null, wanted: S3Object): boolean {
  if (there === null) return false;
  if (there.bytes === wanted.bytes && there.sha256 === wanted.sha256) return true;
  throw new S3Error(
    `the archive holds another file under that name (${there.bytes} bytes, expected ${wanted.bytes}; its SHA-256 is ${there.sha256 || "not told"}): it is not written over, so delete it there or choose another recording.archive.prefix`,
    { code: "Conflict" },
  );
}

async function storeParts(
  bucket: S3Bucket,
  key: string,
  file: FileHandle,
  { bytes, sha256, partBytes }: S3Object & { readonly partBytes: number },
  signal: AbortSignal,
): Promise<void> {
  const count = Math.ceil(bytes / partBytes);
  if (count > MOST_PARTS) {
    throw new S3Error(`the file has ${bytes} bytes, expected at most ${MOST_PARTS * partBytes}`, {});
  }
  const begun = await bucket.uploads(key, signal);
  const id = begun.pop() ?? (await bucket.begin(key, sha256, signal));
  // Who was killed before its begin was answered knows nothing of that upload.
  for (const other of begun) await bucket.abort(key, other, signal);
  const there = await bucket.parts(key, id, signal);
  const etags: string[] = [];
  for (let number = 1; number <= count; number++) {
    const piece = await readPiece(file, (number - 1) * partBytes, partBytes);
    const part = there.get(number);
    const isThere = part !== undefined && part.bytes === piece.bytes && part.etag === piece.md5;
    etags.push(isThere ? part.etag : await bucket.putPart(key, { id, number }, piece, signal));
  }
  await bucket.complete(key, id, etags, signal);
}
