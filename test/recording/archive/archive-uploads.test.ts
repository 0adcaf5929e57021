import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t, { type Test } from "tap";
import { S3Archive } from "../../../src/recording/archive/s3-archive.ts";
import { RecordingArchive } from "../../../src/recording/library/archive.ts";
import { ArchiveIndex } from "../../../src/storage/archive-index.ts";
import { S3Bucket } from "../../../src/storage/s3-bucket.ts";
import { HUMAN } from "../../desktop/house.ts";
import { FakeClock } from "../../fake-clock.ts";
import { answer, errorXml, FakeS3 } from "../../storage/fake-s3.ts";
import { until } from "../../support/until.ts";
import { SEALER, Studio } from "../studio.ts";

/** A studio, and what archives its recordings in a fake of S3. */
async function openRoom(t: Test, s3 = new FakeS3(), dataDir = mkdtempSync(join(tmpdir(), "oc-recording-"))) {
  const studio = await Studio.open(t, {}, dataDir);
  const clock = new FakeClock();
  const archived: string[] = [];
  const failed: string[] = [];
  const open = async (bucket = "bucket") => {
    const place = { endpoint: "http://127.0.0.1:9", bucket, isPathStyle: true };
    const uploads = new S3Archive({
      bucket: new S3Bucket(place, { region: "here", accessKey: "id", secretKey: "s3cret" }, s3.send),
      index: await ArchiveIndex.open(join(dataDir, "recording-archive"), bucket),
      prefix: "of/us/",
      folder: join(dataDir, "recordings"),
      clock,
      onArchived: (id) => archived.push(id),
      onFailed: (id) => failed.push(id),
      ...{ lock: null, cacheBytes: null },
      onLetGo: () => undefined,
      onDoubt: () => undefined,
      onLooked: () => undefined,
      close: () => undefined,
    });
    await uploads.follow(studio.recordings);
    t.teardown(() => uploads.close());
    return uploads;
  };
  const record = async (): Promise<string> => {
    const { id } = await studio.recordings.start("d1", { by: HUMAN });
    await studio.house.clock.live(1000, 50);
    await studio.recordings.stop(id);
    return id;
  };
  const names = (id: string): string[] => [`of/us/${id}/000000.blocks`, `of/us/${id}/seal.json`];
  return { s3, studio, clock, archived, failed, open, record, names, dataDir };
}

t.test("what has ended is archived, and told of in the list", async (t) => {
  const { s3, open, record, names, archived, dataDir, studio } = await openRoom(t);
  const before = await record();
  const uploads = await open();
  await until("the one from before", () => archived.length === 1);
  const id = await record();
  await until("the next one", () => archived.length === 2);
  t.same(archived, [before, id]);
  t.same([...s3.objects.keys()], [...names(before), ...names(id)], "the seal last");
  t.match(uploads.load, { waiting: 0, failing: 0 });
  const archive = await RecordingArchive.open(dataDir, SEALER, uploads);
  const state = { state: "archived", problem: null };
  t.match(await archive.list(), [{ archive: state }, { archive: state }]);
  t.match(await archive.get(id), { archive: state });
  const reader = await archive.read(id);
  t.match(reader.summary, { archive: state });
  await reader.close();
  t.equal((await studio.recordings.get(id)).archive, undefined, "nothing where there is no archive");
});

t.test(
  "a restart asks for nothing that is marked, and sends nothing twice where no mark is left",
  async (t) => {
    const { s3, open, record, archived, dataDir } = await openRoom(t);
    await (await open()).close();
    const id = await record();
    const first = await open();
    await until("it", () => archived.length === 1);
    await first.close();
    s3.asked.length = 0;
    const second = await open();
    await second.close();
    t.match(s3.asked, [{ name: "GET list of of/us/" }], "what is there, and no more");
    t.equal(s3.asked.length, 1);
    t.equal(second.stateOf(id).state, "archived");
    // As a crash before the mark leaves it.
    rmSync(join(dataDir, "recording-archive"), { recursive: true });
    const third = await open();
    t.equal(third.stateOf(id).state, "archived", "the archive says so");
    t.equal(s3.sentBytes, 0);
    await third.close();
    // The other one is empty, and takes nothing.
    s3.objects.clear();
    s3.fault = ({ method }) => (method === "PUT" ? answer(503, errorXml("SlowDown")) : null);
    const elsewhere = await open("other");
    t.not(elsewhere.stateOf(id).state, "archived", "another archive has it not");
  },
);

t.test(
  "what fails is tried again later each time, told once, and keeps no other waiting for good",
  async (t) => {
    const { s3, open, record, names, clock, archived, failed } = await openRoom(t);
    const [bad, good] = [await record(), await record()];
    s3.fault = (request, name) =>
      request.method === "PUT" && name.includes(bad) ? answer(403, errorXml("AccessDenied")) : null;
    const uploads = await open();
    await until("the failure", () => failed.length === 1);
    t.match(uploads.stateOf(bad), { state: "failed", problem: /403 AccessDenied/ });
    t.same(
      [archived, uploads.stateOf(good)],
      [[], { state: "local", problem: null }],
      "it waits for its time",
    );
    await clock.live(1000, 100);
    await until("the other one", () => archived.length === 1);
    t.same(archived, [good]);
    // Behind it the first one fails again, by itself: 1 s, for something had succeeded, then 2 s, 4 s …
    const tries = (): number => s3.asked.filter(({ name }) => name === `PUT ${names(bad)[0]}`).length;
    await until("its next try", () => tries() === 2);
    for (const [nth, waitMs] of [1000, 2000, 4000].entries()) {
      await until("the timer", () => clock.waiting === 1);
      await clock.live(waitMs - 100, 100);
      t.equal(tries(), nth + 2, `not before ${waitMs} ms`);
      await clock.live(100, 100);
      await until("a try", () => tries() === nth + 3);
    }
    t.same(failed, [bad], "told once");
    t.match(uploads.load, { waiting: 1, failing: 1 });
    s3.fault = () => null;
    await until("the timer", () => clock.waiting === 1);
    await clock.live(300_000, 10_000);
    await until("its end", () => archived.length === 2);
    t.same(uploads.stateOf(bad), { state: "archived", problem: null });
    t.match(uploads.load, { waiting: 0, failing: 0 });
  },
);

t.test("an archive that asks for time gets it", async (t) => {
  const { s3, open, record, clock, archived, failed } = await openRoom(t);
  await record();
  s3.fault = () => answer(503, errorXml("SlowDown"), { "retry-after": "60" });
  await open();
  await until("the failure", () => failed.length === 1);
  s3.fault = () => null;
  s3.asked.length = 0;
  await clock.live(59_900, 1000);
  t.same(s3.asked, []);
  await clock.live(100, 100);
  await until("its end", () => archived.length === 1);
});

t.test("one that is deleted while it is sent is let go of, and the next one is sent", async (t) => {
  const { s3, open, record, studio, archived, failed } = await openRoom(t);
  const [gone, stays] = [await record(), await record()];
  let deleted: Promise<void> | null = null;
  s3.fault = (request, name) => {
    if (request.method === "PUT" && name.includes(gone)) deleted ??= studio.recordings.remove(gone);
    return null;
  };
  await open();
  await until("the other one", () => archived.length === 1);
  await deleted;
  t.same([archived, failed], [[stays], []]);
});

t.test("one that is gone before that is told has not failed, and the next one is sent", async (t) => {
  const { s3, open, record, dataDir, archived, failed } = await openRoom(t);
  const [gone, stays] = [await record(), await record()];
  s3.fault = (request, name) => {
    if (request.method === "PUT" && name.includes(gone)) {
      rmSync(join(dataDir, "recordings", gone), { recursive: true, force: true });
    }
    return null;
  };
  await open();
  await until("the other one", () => archived.length === 1);
  t.same([archived, failed], [[stays], []]);
});

t.test("closing ends what goes on, and it is neither failed nor lost", async (t) => {
  const { s3, open, record, clock, archived, failed } = await openRoom(t);
  const id = await record();
  s3.hang = (name) => name.startsWith("HEAD ");
  const uploads = await open();
  await until("its beginning", () => s3.asked.length === 2);
  t.equal(uploads.stateOf(id).state, "uploading");
  const closing = uploads.close();
  await clock.live(2000, 100);
  await closing;
  t.same([archived, failed], [[], []]);
  s3.hang = () => false;
  await open();
  await until("its end", () => archived.length === 1);
});

t.test("what is no finished recording is not archived", async (t) => {
  const { s3, open, record, dataDir } = await openRoom(t);
  const id = await record();
  rmSync(join(dataDir, "recordings", id, "seal.json"));
  const uploads = await open();
  await uploads.close();
  t.same(
    s3.asked.filter(({ name }) => !name.startsWith("GET list")),
    [],
  );
  t.same(uploads.stateOf(id), { state: "local", problem: null });
});
