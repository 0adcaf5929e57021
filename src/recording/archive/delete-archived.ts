import { RefusedError } from "../../desktop/error.ts";
import type { S3Bucket } from "../../storage/s3-bucket.ts";
import { S3Error } from "../../storage/s3-error.ts";
import { SEAL_FILE } from "../seal/seal.ts";

/**
 * Deletes every version of every file of a recording, the seal first: what has none is no recording. `begin` is called when it
 * is known that nothing is locked, before anything is deleted. Throws RefusedError permission_denied; S3Error.
 */
export async function deleteArchived(
  bucket: S3Bucket,
  folder: string,
  now: Date,
  begin: () => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const isSeal = (key: string): boolean => key === folder + SEAL_FILE;
  const versions = (await bucket.versions(folder, signal)).sort(
    (a, b) => Number(isSeal(b.key)) - Number(isSeal(a.key)),
  );
  for (const version of versions) {
    const until = version.isMarker ? null : await bucket.lockedUntil(version, signal);
    if (until !== null && until > now) throw lockedUntil(until);
  }
  await begin();
  for (const version of versions) {
    try {
      await bucket.remove(version, signal);
    } catch (error) {
      if (!(error instanceof S3Error) || error.status !== 403) throw error;
      throw new RefusedError(
        "permission_denied",
        "the archive lets nobody delete the recording: it is locked there, or the access key has no right to (docs/guides/archive.md lists them)",
        { cause: error },
      );
    }
  }
}

function lockedUntil(until: Date): RefusedError {
  return new RefusedError(
    "permission_denied",
    `the recording is locked in the archive until ${until.toISOString()}: nobody can delete it before, and it stays here too`,
  );
}
