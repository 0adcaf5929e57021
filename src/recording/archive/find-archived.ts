import type { ArchiveIndex } from "../../storage/archive-index.ts";
import type { S3Bucket } from "../../storage/s3-bucket.ts";
import { SEAL_FILE } from "../seal/seal.ts";
import { readWhole } from "./archived-files.ts";
import { type ArchivedFile, readArchived, writeArchived } from "./archived-recording.ts";

const AT_ONCE = 16;
const MAX_SEAL_BYTES = 64 * 1024;
const ID = /^[A-Za-z0-9][A-Za-z0-9-]{0,63}$/;

export interface FoundArchive {
  /** Recordings that are there whole. */
  readonly whole: number;
  /** Of them those that were not known. */
  readonly found: number;
  /** Known ones that are no longer there. */
  readonly lost: number;
}

/**
 * Makes the index that of what is there, by lists of all objects: what is whole, which is what has a seal, is added with its
 * seal; what is no longer there goes, but what `isHere` says is here. Throws S3Error, RecordingError unreachable.
 */
export async function findArchived(
  bucket: S3Bucket,
  prefix: string,
  index: ArchiveIndex,
  isHere: (id: string) => boolean,
  signal: AbortSignal,
): Promise<FoundArchive> {
  const there = new Map<string, ArchivedFile[]>();
  for await (const page of bucket.list(prefix, signal)) {
    for (const { key, bytes } of page) {
      const [id = "", name = "", ...more] = key.slice(prefix.length).split("/");
      if (!ID.test(id) || name === "" || more.length > 0) continue;
      const files = there.get(id) ?? [];
      files.push({ name, bytes });
      there.set(id, files);
    }
  }
  const leaving = new Set(await index.leaving());
  const whole = [...there].filter(
    ([id, files]) => !leaving.has(id) && files.some(({ name }) => name === SEAL_FILE),
  );
  const unknown: (typeof whole)[number][] = [];
  for (const one of whole) if (!isSame((await readArchived(index, one[0]))?.files, one[1])) unknown.push(one);
  for (let next = 0; next < unknown.length; next += AT_ONCE) {
    const some = unknown.slice(next, next + AT_ONCE).map(async ([id, files]) => {
      const file = files.find(({ name }) => name === SEAL_FILE);
      const seal = file && (await readWhole(bucket, `${prefix}${id}/`, file, MAX_SEAL_BYTES));
      if (seal) await writeArchived(index, id, { files, seal: seal.toString("utf8") });
    });
    await Promise.all(some);
  }
  const known = new Set(whole.map(([id]) => id));
  const lost = [...index.ids()].filter((id) => !known.has(id) && !isHere(id));
  for (const id of lost) await index.remove(id);
  return { whole: whole.length, found: unknown.length, lost: lost.length };
}

function isSame(known: readonly ArchivedFile[] | undefined, there: readonly ArchivedFile[]): boolean {
  return (
    known?.length === there.length &&
    there.every(({ name, bytes }) => known.some((file) => file.name === name && file.bytes === bytes))
  );
}
