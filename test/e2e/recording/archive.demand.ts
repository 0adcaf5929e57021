import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t from "tap";
import { guardedTransfer, keptConnections } from "../../../src/desktop/links/guarded-transfer.ts";
import { systemClock } from "../../../src/platform/clock.ts";
import { S3Archive, type S3ArchiveOptions } from "../../../src/recording/archive/s3-archive.ts";
import { RecordingArchive } from "../../../src/recording/library/archive.ts";
import { ArchiveIndex } from "../../../src/storage/archive-index.ts";
import { S3Bucket } from "../../../src/storage/s3-bucket.ts";
import { makeLongRecording } from "../../recording/long-recording.ts";
import { SEALER } from "../../recording/studio.ts";
import { sha1 } from "../../support/recording-desk.ts";
import { until } from "../../support/until.ts";
import { requirePeers } from "../harness/peers.ts";
import { RADOSGW_PEERS, Radosgw } from "../harness/radosgw.ts";

/** How many recordings are listed, and how often one is sought in. */
const RECORDINGS = Number(process.env["OC_TEST_ARCHIVE_RECORDINGS"] ?? 1000);
const SEEKS = 30;
const SECONDS = 1200;

/** A server's archive in a bucket, with what its requests took. */
async function openServer(
  server: Radosgw,
  bucket: string,
  dataDir: string,
  more: Partial<S3ArchiveOptions> = {},
) {
  const kept = keptConnections();
  const spent = { requests: 0, ms: 0, bytes: 0 };
  const reach = { only: [], deny: [], own: [] };
  const index = await ArchiveIndex.open(join(dataDir, "recording-archive"), bucket);
  const told: string[] = [];
  const far = new S3Archive({
    bucket: new S3Bucket(
      { endpoint: server.url, bucket, isPathStyle: true },
      { region: "us-east-1", accessKey: server.accessKey, secretKey: server.secretKey },
      async (request) => {
        const startMs = performance.now();
        const answer = await guardedTransfer(request, reach, undefined, kept);
        spent.requests++;
        // Until the last byte came: all of that is the storage's.
        answer.body.once("end", () => {
          spent.ms += performance.now() - startMs;
          spent.bytes += Number(answer.headers["content-length"] ?? 0);
        });
        return answer;
      },
    ),
    ...{ index, prefix: "r/", folder: join(dataDir, "recordings"), clock: systemClock },
    ...{ lock: null, cacheBytes: null },
    onArchived: (id) => told.push(`archived ${id}`),
    onFailed: (id, error) => told.push(`failed ${id}: ${error}`),
    onLetGo: (id) => told.push(`let go ${id}`),
    onDoubt: (id, error) => told.push(`doubt ${id}: ${error}`),
    onLooked: (found, error) => told.push(found === null ? `not looked: ${error}` : `found ${found.found}`),
    close: kept.close,
    ...more,
  });
  const archive = await RecordingArchive.open(dataDir, SEALER, far);
  const follow = (): Promise<void> =>
    far.follow({
      list: () => archive.list(),
      get: (id) => archive.get(id),
      letGo: (id) => archive.letGo(id),
      on: () => () => undefined,
    });
  t.teardown(() => far.close());
  return { far, archive, follow, told, spent };
}

function folder(): string {
  const dataDir = mkdtempSync(join(tmpdir(), "oc-archive-demand-"));
  t.teardown(() => rmSync(dataDir, { recursive: true, force: true }));
  return dataDir;
}

async function timed<Result>(run: () => Promise<Result>): Promise<[number, Result]> {
  const startMs = performance.now();
  const result = await run();
  return [performance.now() - startMs, result];
}

const round = (value: number): number => Math.round(value * 10) / 10;
const percentile = (values: readonly number[], part: number): number =>
  round(
    [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * part))] ?? 0,
  );

// Run by itself, it has the time that it takes.
t.setTimeout(0);

t.test("an archive of Ceph's S3 server", { timeout: 1_800_000 }, async (t) => {
  if (!requirePeers(t, RADOSGW_PEERS)) return;
  const server = await Radosgw.start(t);

  await t.test("a cold seek costs one key and its tail", async (t) => {
    await server.makeBucket("seek");
    const dataDir = folder();
    const { id, truth, bytes } = await makeLongRecording(dataDir, SECONDS, {
      ...{ width: 1280, height: 720, segmentBytes: 2 ** 21 },
    });
    const moments = [...truth.keys()];
    const local: number[] = [];
    for (let seek = 0; seek < SEEKS; seek++) {
      const archive = await RecordingArchive.open(dataDir, SEALER);
      const [ms] = await timed(async () => {
        const reader = await archive.read(id);
        await reader.frameAt((moments[(seek * 7) % moments.length] ?? 0) * 1000 + 500);
        await reader.close();
      });
      local.push(ms);
    }
    const first = await openServer(server, "seek", dataDir, { cacheBytes: 0 });
    await first.follow();
    await until("that it is in the archive alone", () => first.told.includes(`let go ${id}`), 120_000);
    const totals: number[] = [];
    const beyond: number[] = [];
    const read: number[] = [];
    const requests: number[] = [];
    for (let seek = 0; seek < SEEKS; seek++) {
      // Nothing of it is known yet but what a list needs.
      const { archive, spent, far } = await openServer(server, "seek", dataDir);
      const second = moments[(seek * 7) % moments.length] ?? 0;
      const [ms, frame] = await timed(async () => {
        const reader = await archive.read(id);
        const frame = await reader.frameAt(second * 1000 + 500);
        await reader.close();
        return frame;
      });
      t.equal(sha1(frame.rgba), truth.get(second), `the picture of ${second} s`);
      totals.push(ms);
      beyond.push(ms - spent.ms);
      read.push(spent.bytes);
      requests.push(spent.requests);
      await far.close();
    }
    t.comment(
      `seek in ${bytes} bytes: here p50 ${percentile(local, 0.5)} p95 ${percentile(local, 0.95)} ms; in the archive p50 ${percentile(totals, 0.5)} p95 ${percentile(totals, 0.95)} ms, beyond the storage p50 ${percentile(beyond, 0.5)} p95 ${percentile(beyond, 0.95)} ms, ${percentile(requests, 0.5)} requests, ${percentile(read, 0.5)} bytes (most ${Math.max(...read)})`,
    );
  });

  await t.test("a byte that was changed in the archive is found", async (t) => {
    await server.makeBucket("changed");
    const dataDir = folder();
    const { id } = await makeLongRecording(dataDir, 60, { width: 640, height: 480 });
    const { follow, told, archive } = await openServer(server, "changed", dataDir, { cacheBytes: 0 });
    await follow();
    await until("that it is in the archive alone", () => told.includes(`let go ${id}`), 60_000);
    t.match(await archive.verify(id), { state: "sealed" });
    const key = `changed/r/${id}/000000.blocks`;
    const bytes = new Uint8Array(await (await server.ask("GET", key)).arrayBuffer());
    const middle = bytes.length >> 1;
    bytes[middle] = (bytes[middle] ?? 0) ^ 1;
    await server.ask("PUT", key, bytes);
    t.match(await archive.verify(id), { state: "tampered" });
  });

  await t.test("what is locked cannot be deleted, by us or by anybody", async (t) => {
    await server.ask("PUT", "locked", undefined, { "x-amz-bucket-object-lock-enabled": "true" });
    const dataDir = folder();
    const { id } = await makeLongRecording(dataDir, 5, { width: 64, height: 64 });
    const lock = { mode: "COMPLIANCE", ms: 86_400_000 } as const;
    const { follow, archive, told } = await openServer(server, "locked", dataDir, { lock });
    await follow();
    await until("that it is archived", () => told.includes(`archived ${id}`), 60_000);
    await t.rejects(archive.remove(id), {
      code: "permission_denied",
      message: /locked in the archive until/,
    });
    const versions = await server.versions("locked");
    t.equal(versions.length, 2);
    for (const { key, versionId } of versions) {
      await t.rejects(server.ask("DELETE", `locked/${key}?versionId=${versionId}`), /403/);
    }
    t.equal((await server.versions("locked")).length, 2);
  });

  await t.test("what is deleted is deleted in every version", async (t) => {
    await server.makeBucket("deleted");
    const dataDir = folder();
    const { id } = await makeLongRecording(dataDir, 5, { width: 64, height: 64 });
    const { follow, archive, told } = await openServer(server, "deleted", dataDir);
    await follow();
    await until("that it is archived", () => told.includes(`archived ${id}`), 60_000);
    await archive.remove(id);
    t.same(await server.versions("deleted"), []);
    t.same(await archive.list(), []);
  });

  await t.test("many are found by a server on an empty disk, and listed", async (t) => {
    await server.makeBucket("many");
    const dataDir = folder();
    for (let number = 0; number < RECORDINGS; number++) {
      await makeLongRecording(dataDir, 2, { width: 64, height: 64, id: `r-${number}` });
    }
    const first = await openServer(server, "many", dataDir, { cacheBytes: 0 });
    await first.follow();
    await until(
      "that all are in the archive alone",
      () => first.told.filter((line) => line.startsWith("let go")).length === RECORDINGS,
      900_000,
    );
    rmSync(join(dataDir, "recording-archive"), { recursive: true });
    const fresh = await openServer(server, "many", dataDir);
    const [foundMs] = await timed(fresh.follow);
    const [firstMs, all] = await timed(() => fresh.archive.list());
    const [nextMs] = await timed(() => fresh.archive.list());
    t.equal(all.length, RECORDINGS);
    t.ok(all.every(({ state, archive }) => state === "sealed" && archive?.state === "archive_only"));
    t.comment(
      `${RECORDINGS} recordings: found in ${round(foundMs)} ms, listed in ${round(firstMs)} ms the first time, then ${round(nextMs)} ms`,
    );
  });
});
