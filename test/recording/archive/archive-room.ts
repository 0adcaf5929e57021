import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Test } from "tap";
import { S3Archive, type S3ArchiveOptions } from "../../../src/recording/archive/s3-archive.ts";
import { RecordingArchive } from "../../../src/recording/library/archive.ts";
import { ArchiveIndex } from "../../../src/storage/archive-index.ts";
import { S3Bucket } from "../../../src/storage/s3-bucket.ts";
import { FakeClock } from "../../fake-clock.ts";
import { FakeS3 } from "../../storage/fake-s3.ts";
import { until } from "../../support/until.ts";
import { makeLongRecording } from "../long-recording.ts";
import { SEALER } from "../studio.ts";

/** Of the recording in a room. */
export const SECONDS = 400;
const SIZE = { width: 640, height: 480 };

/** A recording of several files here and in the archive, and how each is opened anew, as after a restart. */
export async function archiveRoom(t: Test, options: Partial<S3ArchiveOptions> = {}, s3 = new FakeS3()) {
  const dataDir = mkdtempSync(join(tmpdir(), "oc-archived-"));
  t.teardown(() => rmSync(dataDir, { recursive: true, force: true }));
  const made = await makeLongRecording(dataDir, SECONDS, { ...SIZE, segmentBytes: 60_000 });
  const clock = new FakeClock();
  const told: string[] = [];
  const open = async (more: Partial<S3ArchiveOptions> = {}, index = "recording-archive") => {
    const far = new S3Archive({
      bucket: new S3Bucket(
        { endpoint: "http://127.0.0.1:9", bucket: "bucket", isPathStyle: true },
        { region: "here", accessKey: "id", secretKey: "s3cret" },
        s3.send,
      ),
      index: await ArchiveIndex.open(join(dataDir, index), "there"),
      prefix: "of/us/",
      folder: join(dataDir, "recordings"),
      clock,
      ...{ lock: null, cacheBytes: null },
      onArchived: (id) => told.push(`archived ${id}`),
      onFailed: (id, error) => told.push(`failed ${id}: ${error}`),
      onLetGo: (id) => told.push(`let go ${id}`),
      onDoubt: (id, error) => told.push(`doubt ${id}: ${error}`),
      onLooked: (found, error) => told.push(found === null ? `not looked: ${error}` : `found ${found.found}`),
      close: () => undefined,
      ...options,
      ...more,
    });
    t.teardown(() => far.close());
    const archive = await RecordingArchive.open(dataDir, SEALER, far);
    const follow = (): Promise<void> =>
      far.follow({
        list: () => archive.list(),
        get: (id) => archive.get(id),
        letGo: (id) => archive.letGo(id),
        on: () => () => undefined,
      });
    return { far, archive, follow };
  };
  const opened = await open();
  await opened.follow();
  await until(
    "that it is archived",
    async () => opened.far.stateOf(made.id).state !== "local" && opened.far.load.archived > 0,
  );
  const loseLocal = (): void => rmSync(join(dataDir, "recordings", made.id), { recursive: true });
  return { ...opened, s3, dataDir, made, loseLocal, open, told, clock };
}
