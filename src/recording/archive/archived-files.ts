import type { S3Bucket } from "../../storage/s3-bucket.ts";
import { S3Error } from "../../storage/s3-error.ts";
import { RecordingError } from "../library/error.ts";
import type { CheckedBlocks } from "../read/block-cache.ts";
import { expectLength, type RecordingFiles } from "../read/recording-files.ts";
import { SEAL_FILE } from "../seal/seal.ts";
import { orderSegments, type SegmentFile } from "../write/segments.ts";
import type { ArchivedFile, ArchivedRecording } from "./archived-recording.ts";

/** Read again and again by a person who waits: longer takes nothing that still answers. */
const ANSWER_WITHIN_MS = 60_000;

/**
 * The files of a recording in the archive, read by ranges; what is known of them already, their sizes and the seal, is asked of
 * nobody. `folder`: what their names begin with there, with a slash at its end.
 */
export function archivedFiles(
  bucket: S3Bucket,
  folder: string,
  { files, seal }: ArchivedRecording,
  checked: CheckedBlocks,
): RecordingFiles {
  const segments = files.map(({ name, bytes }) => ({
    ...{ name, size: bytes },
    open: async () => fileOf(bucket, `${folder}${name}`, bytes),
  }));
  return {
    checked,
    names: async () => files.map(({ name }) => name),
    segments: async () => orderSegments(segments),
    async read(name, mostBytes) {
      if (name === SEAL_FILE) return Buffer.from(seal, "utf8");
      const file = files.find((one) => one.name === name);
      return file === undefined ? null : readWhole(bucket, folder, file, mostBytes);
    },
  };
}

/** All of a short file. Throws RecordingError too_large or unreachable; null: it is not there. */
export async function readWhole(
  bucket: S3Bucket,
  folder: string,
  { name, bytes }: ArchivedFile,
  mostBytes: number,
): Promise<Buffer | null> {
  expectLength(name, bytes, mostBytes);
  return reached(() => bucket.read(`${folder}${name}`, 0, bytes, AbortSignal.timeout(ANSWER_WITHIN_MS)));
}

function fileOf(bucket: S3Bucket, key: string, bytes: number): SegmentFile {
  return {
    async read(into, offset, length, position) {
      const count = Math.max(0, Math.min(length, bytes - position));
      const read = await reached(() =>
        bucket.read(key, position, count, AbortSignal.timeout(ANSWER_WITHIN_MS)),
      );
      if (read === null) throw new RecordingError("damaged", `the archive has no longer a file ${key}`);
      return { bytesRead: read.copy(into, offset) };
    },
    close: async () => undefined,
  };
}

async function reached<Result>(ask: () => Promise<Result>): Promise<Result> {
  try {
    return await ask();
  } catch (cause) {
    if (!(cause instanceof S3Error)) throw cause;
    throw new RecordingError("unreachable", cause.message, { cause });
  }
}
