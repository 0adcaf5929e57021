import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t from "tap";
import { readArchived, writeArchived } from "../../../src/recording/archive/archived-recording.ts";
import { JoinedReader } from "../../../src/recording/join/joined-reader.ts";
import { ArchiveIndex } from "../../../src/storage/archive-index.ts";
import { answer, errorXml } from "../../storage/fake-s3.ts";
import { sha1 } from "../../support/recording-desk.ts";
import { makeLongRecording } from "../long-recording.ts";
import { archiveRoom, SECONDS } from "./archive-room.ts";

t.test("one whose files are no longer here is listed, played, sought and verified there", async (t) => {
  const { archive, s3, made, loseLocal } = await archiveRoom(t);
  const { id, truth } = made;
  t.ok([...s3.objects.keys()].length > 2, "several files");
  const here = await archive.list();
  t.match(here, [{ id, state: "sealed", archive: { state: "archived" } }]);
  loseLocal();
  s3.asked.length = 0;
  const listed = await archive.list();
  t.same(listed, [{ ...here[0], archive: { state: "archive_only", problem: null } }]);
  t.same(await archive.get(id), listed[0]);
  t.same(await archive.ids(), [id], "for who searches");
  t.same(s3.asked, [], "nothing was asked for it");
  const reader = await archive.read(id);
  for (const [second, sha] of truth)
    t.equal(sha1((await reader.frameAt(second * 1000)).rgba), sha, `at ${second} s`);
  await reader.close();
  t.match(await archive.verify(id), { state: "sealed", problem: null });
});

t.test("a cold seek reads one key and its tail, and a second one nothing", async (t) => {
  const { archive, s3, made, loseLocal } = await archiveRoom(t);
  loseLocal();
  const ms = 310_500;
  for (const isFirst of [true, false]) {
    s3.readBytes = 0;
    s3.asked.length = 0;
    const reader = await archive.read(made.id);
    const run = await reader.run(ms);
    const runBytes = run.parts.reduce((sum, { chunk }) => sum + chunk.sizeBytes + 100, 0);
    // The head, the directory and one page of it, with what is read ahead of each.
    if (isFirst) t.ok(s3.readBytes <= runBytes + 40_000, `${s3.readBytes} bytes for a run of ${runBytes}`);
    else t.equal(s3.readBytes, 0);
    t.ok(s3.asked.length <= 5, `${s3.asked.length} requests`);
    t.equal((await reader.frameAt(ms)).atMs, 310_000);
    if (!isFirst) t.same(s3.asked, []);
    await reader.close();
  }
});

t.test("as a part of a whole it is read no more than by itself, and lost it is a gap", async (t) => {
  const { archive, s3, made, loseLocal } = await archiveRoom(t);
  loseLocal();
  const dataDir = mkdtempSync(join(tmpdir(), "oc-near-"));
  t.teardown(() => rmSync(dataDir, { recursive: true, force: true }));
  const near = await makeLongRecording(dataDir, 20, { width: 640, height: 480 });
  const place = { startedMs: null, endedMs: null, problem: null };
  s3.readBytes = 0;
  s3.asked.length = 0;
  const far = await archive.read(made.id);
  const last = await near.archive.read(near.id);
  const whole = new JoinedReader(near.id, [
    { ...place, id: made.id, node: "a", summary: far.summary, reader: far },
    { ...place, id: near.id, node: "b", summary: last.summary, reader: last },
  ]);
  const seamMs = whole.summary.parts?.[1]?.fromMs ?? 0;
  const wanted = sha1((await last.frameAt(5_000)).rgba);
  t.equal(sha1((await whole.frameAt(seamMs + 5_000)).rgba), wanted, "a part that is here");
  const opened = s3.readBytes;
  t.ok(opened <= 40_000, `${opened} bytes were read to know where the parts lie, and no picture`);
  const run = await whole.run(310_500);
  const runBytes = run.parts.reduce((sum, { chunk }) => sum + chunk.sizeBytes + 100, 0);
  t.ok(s3.readBytes <= runBytes + 40_000, `${s3.readBytes} bytes for a run of ${runBytes}`);
  t.ok(s3.asked.length <= 5, `${s3.asked.length} requests`);
  t.equal(sha1((await whole.frameAt(310_500)).rgba), made.truth.get(310), "the archived part");
  s3.fault = () => answer(503, errorXml("SlowDown"));
  const lost = { code: "node_unreachable", message: /what node a recorded cannot be read: .*503 SlowDown/ };
  await t.rejects(whole.frameAt(10_500), lost);
  t.match(await whole.events(), [{ type: "gap", fromMs: 0, atMs: seamMs, reason: /503 SlowDown/ }]);
  t.equal(whole.isStale, true);
  await whole.close();
});

t.test("a byte that was changed there is found, by who verifies it and who plays it", async (t) => {
  const { archive, s3, made, loseLocal } = await archiveRoom(t);
  loseLocal();
  const name = `of/us/${made.id}/000001.blocks`;
  const stored = s3.objects.get(name);
  const bytes = Buffer.from(stored?.bytes ?? []);
  const middle = bytes.length >> 1;
  bytes[middle] = (bytes[middle] ?? 0) ^ 1;
  s3.objects.set(name, { bytes, sha256: stored?.sha256 ?? "" });
  t.match(await archive.verify(made.id), { state: "tampered", problem: /hash differs, at byte \d+/ });
  const reader = await archive.read(made.id);
  await t.rejects(
    (async () => {
      for (let second = 0; second < SECONDS; second++) await reader.frameAt(second * 1000);
    })(),
    { name: "RecordingError", code: "damaged" },
  );
  await reader.close();
  s3.objects.delete(name);
  t.match(await archive.verify(made.id), { state: "tampered", problem: /no longer a file/ });
});

t.test(
  "an archive that does not answer is told of, and no recording is called tampered for it",
  async (t) => {
    const { archive, s3, made, loseLocal } = await archiveRoom(t);
    loseLocal();
    s3.fault = () => answer(503, errorXml("SlowDown"));
    t.equal((await archive.list()).length, 1, "the list needs no answer");
    await t.rejects(archive.read(made.id), { code: "unreachable", message: /503 SlowDown/ });
    await t.rejects(archive.verify(made.id), { code: "unreachable" });
    s3.fault = () => answer(200, "short", { "content-length": "5" });
    await t.rejects(archive.read(made.id), { code: "unreachable", message: /gave 5 bytes of a file/ });
  },
);

t.test("who reads one whose files go meanwhile reads on there", async (t) => {
  const { archive, made, loseLocal } = await archiveRoom(t);
  const reader = await archive.read(made.id);
  const [first = 0] = made.truth.keys();
  await reader.frameAt(first * 1000);
  loseLocal();
  for (const [second, sha] of made.truth) t.equal(sha1((await reader.frameAt(second * 1000)).rgba), sha);
  await reader.close();
});

t.test("the index is known after a restart; one that is broken is as none", async (t) => {
  const { made, loseLocal, open, dataDir } = await archiveRoom(t);
  loseLocal();
  t.match(await (await open()).archive.list(), [{ id: made.id, archive: { state: "archive_only" } }]);
  const index = await ArchiveIndex.open(join(dataDir, "recording-archive"), "there");
  const entry = await readArchived(index, made.id);
  t.match(entry, { files: [{ name: "000000.blocks" }] });
  await writeArchived(index, made.id, { files: entry?.files ?? [], seal: "{}" });
  t.match(await (await open()).archive.list(), [{ id: made.id, state: "tampered" }], "its seal is none");
});
