import { open } from "node:fs/promises";
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
  const file = await open(path, "r");
  try {
    const { size } = await file.stat();
    const wanted = { bytes: size, sha256: await hashOfFile(file, size) };
    if (isSame(await bucket.head(key, signal), wanted)) return;
    if (size <= partBytes) await bucket.put(key, await readPiece(file, 0, size), signal);
    else await storeParts(bucket, key, file, { ...wanted, partBytes }, signal);
    if (!isSame(await bucket.head(key, signal), wanted)) {
      throw new S3Error("the archive took a file and does not have it", {});
    }
  } finally {
    await file.close();
  }
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
  file: Awaited<ReturnType<typeof open>>,
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
