import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t, { type Test } from "tap";
import { RefusedError } from "../../../src/desktop/error.ts";
import {
  type FleetArchives,
  GoneArchives,
  type NodeArchive,
} from "../../../src/recording/archive/gone-archives.ts";
import { S3Archive } from "../../../src/recording/archive/s3-archive.ts";
import { WholeRecordings } from "../../../src/recording/join/whole-recordings.ts";
import { RecordingArchive } from "../../../src/recording/library/archive.ts";
import { RecordingNotes } from "../../../src/recording/library/recording-notes.ts";
import type { RecordingParts } from "../../../src/recording/library/recording-types.ts";
import { PublicKey, Signer } from "../../../src/recording/seal/signing-key.ts";
import { ArchiveIndex } from "../../../src/storage/archive-index.ts";
import { S3Bucket } from "../../../src/storage/s3-bucket.ts";
import { FakeClock } from "../../fake-clock.ts";
import { answer, errorXml } from "../../storage/fake-s3.ts";
import { until } from "../../support/until.ts";
import { makeLongRecording } from "../long-recording.ts";
import { SEALER } from "../studio.ts";
import { archiveRoom, SECONDS } from "./archive-room.ts";

const PLACE = "http://127.0.0.1:9/bucket";

/** Node a, which archived a recording and is gone, and node b, which is asked. `said`: what a told of itself. */
async function twoNodes(t: Test, said: Partial<NodeArchive> = {}) {
  const room = await archiveRoom(t);
  const { s3, archive, made } = room;
  const dataDir = mkdtempSync(join(tmpdir(), "oc-gone-"));
  t.teardown(() => rmSync(dataDir, { recursive: true, force: true }));
  const listeners = new Set<() => void>();
  const table = { gone: ["a"] };
  const told: NodeArchive = { place: PLACE, prefix: "of/us/", publicKey: archive.signer.publicKey, ...said };
  const fleet: FleetArchives = {
    tell: () => undefined,
    of: (node) => (node === "a" ? [told] : []),
    get gone() {
      return table.gone;
    },
    whenChanged(look) {
      listeners.add(look);
      return () => listeners.delete(look);
    },
  };
  const bucket = new S3Bucket(
    { endpoint: "http://127.0.0.1:9", bucket: "bucket", isPathStyle: true },
    { region: "here", accessKey: "id", secretKey: "s3cret" },
    s3.send,
  );
  const clock = new FakeClock();
  const looked: string[] = [];
  const openIndex = (place: string): Promise<ArchiveIndex> =>
    ArchiveIndex.open(join(dataDir, "index"), place);
  const gone = new GoneArchives({
    ...{ fleet, bucket, clock, place: PLACE, prefix: "of/b/", openIndex },
    onLooked: (node, found, error) => looked.push(`${node} ${found === null ? error : found.whole}`),
  });
  const far = new S3Archive({
    ...{ bucket, clock, gone, prefix: "of/b/", folder: join(dataDir, "recordings"), lock: null },
    ...{ index: await openIndex("of/b/"), cacheBytes: null, close: () => undefined },
    onArchived: () => undefined,
    onFailed: (id, error) => t.fail(`${id}: ${error}`),
    onLetGo: (id) => t.fail(id),
    onDoubt: (id) => t.fail(id),
    onLooked: () => undefined,
  });
  t.teardown(() => far.close());
  const there = await RecordingArchive.open(dataDir, SEALER, far);
  const follow = (): Promise<void> =>
    far.follow({
      list: () => there.list(),
      get: (id) => there.get(id),
      letGo: (id) => there.letGo(id),
      on: () => () => undefined,
    });
  /** Who is not there is told. */
  const setGone = (nodes: string[]): void => {
    table.gone = nodes;
    for (const look of listeners) look();
  };
  const notes = await RecordingNotes.open(dataDir);
  /** Recordings as wholes, of a desktop that nodes told these parts of. */
  const wholes = (parts: readonly { readonly id: string; readonly node: string }[]): WholeRecordings => {
    const placed = parts.map((part) => ({ ...part, startedMs: null, endedMs: null }));
    const house: RecordingParts = {
      name: "b",
      interrupted: () => null,
      around: () => ({ earlierEndedAt: null, next: null }),
      chain: (id) => (placed.some((part) => part.id === id) ? { desktopId: "d1", parts: placed } : null),
      ask: () => Promise.reject(new RefusedError("node_unreachable", "that node is not there")),
    };
    const recordings = {
      ...{ notes, copies: far },
      list: () => there.list(),
      get: (id: string) => there.get(id),
      open: (id: string) => there.read(id),
      verify: (id: string) => there.verify(id),
      remove: (id: string) => there.remove(id),
    };
    return new WholeRecordings(recordings, house);
  };
  return { s3, made, there, far, follow, setGone, looked, clock, dataDir, wholes };
}

t.test("what a node archived that is gone is listed, sought in and verified by another one", async (t) => {
  const { s3, made, there, follow, looked } = await twoNodes(t);
  t.same(await there.list(), [], "before it looked");
  await follow();
  t.same(looked, ["a 1"]);
  const archive = { state: "archive_only", node: "a" } as const;
  const [listed] = await there.list();
  t.match(listed, { id: made.id, desktopId: "d1", startedById: "ann", state: "sealed", archive });
  t.match(await there.get(made.id), { id: made.id, archive });
  s3.readBytes = 0;
  const reader = await there.read(made.id);
  const [second = 0] = [...made.truth.keys()].slice(-2);
  const frame = await reader.frameAt(second * 1000);
  t.equal(frame.atMs, second * 1000);
  t.equal((await reader.keyframes()).length > 1, true);
  t.ok(s3.readBytes < made.bytes, `a seek reads ${s3.readBytes} of ${made.bytes} bytes`);
  t.equal(reader.summary.durationMs, SECONDS * 1000);
  await reader.close();
  t.match(await there.verify(made.id), { state: "sealed", problem: null, bytes: made.bytes });
  t.notOk(
    s3.asked.some(({ name }) => name.startsWith("PUT") && name.includes("of/b/")),
    "it is not archived anew",
  );
});

t.test("a byte that was changed in the archive of a node that is gone is found", async (t) => {
  const { s3, made, there, follow } = await twoNodes(t);
  await follow();
  const name = `of/us/${made.id}/000001.blocks`;
  const stored = s3.objects.get(name);
  const other = Buffer.from(stored?.bytes ?? []);
  other[99] = (other[99] ?? 0) ^ 1;
  s3.objects.set(name, { bytes: other, sha256: "" });
  t.match(await there.verify(made.id), { state: "tampered", problem: /at byte/ });
});

t.test("what another key sealed is told as tampered, of no desktop, and is not read", async (t) => {
  const other = mkdtempSync(join(tmpdir(), "oc-other-"));
  t.teardown(() => rmSync(other, { recursive: true, force: true }));
  const { publicKey } = (await RecordingArchive.open(other, SEALER)).signer;
  const { made, there, follow } = await twoNodes(t, { publicKey });
  await follow();
  // Who may see recordings of some desktops alone does not see it, nor does any agent.
  t.match(await there.list(), [{ id: made.id, state: "tampered", desktopId: "", startedById: null }]);
  await t.rejects(there.read(made.id), { code: "damaged", message: /not what node a signed/ });
  t.match(await there.verify(made.id), { state: "tampered", problem: "the seal is another appliance's" });
});

t.test("a recording under another one's name is not shown as that one", async (t) => {
  const { s3, made, there, follow } = await twoNodes(t);
  for (const [name, object] of [...s3.objects]) s3.objects.set(name.replace(made.id, "short"), object);
  await follow();
  t.match(await there.get("short"), { state: "tampered", desktopId: "" });
  await t.rejects(there.read("short"), { code: "damaged" });
  t.match(await there.verify("short"), { state: "tampered" });
});

t.test("a node that is back tells of its own itself, and is looked at anew when it goes", async (t) => {
  const { s3, made, there, follow, setGone, looked } = await twoNodes(t);
  await follow();
  t.equal((await there.list()).length, 1);
  setGone([]);
  t.same(await there.list(), []);
  await t.rejects(there.get(made.id), { code: "not_found" });
  for (const [name, object] of [...s3.objects]) s3.objects.set(name.replace(made.id, "later"), object);
  setGone(["a"]);
  await until("that it is looked at", () => looked.length === 2);
  t.same((await there.list()).map(({ id }) => id).sort(), ["later", made.id]);
});

t.test(
  "what a node archived that does not answer is there for a while, then it is asked again",
  async (t) => {
    const { made, there, follow, setGone, far, looked, clock } = await twoNodes(t);
    setGone([]);
    await follow();
    t.same(await there.list(), [], "it lives, and tells of its own itself");
    t.equal(far.unanswered("a"), "its archive is being looked at");
    await until("what it has", () => looked.at(-1) === "a 1");
    t.match(await there.get(made.id), { state: "sealed", archive: { node: "a" } });
    await clock.live(60_000, 1000);
    t.same(await there.list(), []);
  },
);

t.test("an archive that does not answer is looked at again, and its part says so", async (t) => {
  const { s3, made, there, follow, far, looked, clock } = await twoNodes(t);
  s3.fault = (_request, name) => (name.includes("of/b") ? null : answer(503, errorXml("SlowDown")));
  await follow();
  t.match(looked, [/a .*SlowDown/]);
  t.equal(far.unanswered("a"), "its archive does not answer");
  s3.fault = () => null;
  await clock.live(60_000, 1000);
  await until("what it has", () => looked.at(-1) === "a 1");
  t.match(await there.list(), [{ id: made.id }]);
});

t.test("a part of a node that is gone is played from its archive, in its place", async (t) => {
  const { made, there, follow, dataDir, wholes, far } = await twoNodes(t);
  const own = await makeLongRecording(dataDir, 40, { width: 320, height: 240, id: "own" });
  const whole = wholes([
    { id: made.id, node: "a" },
    { id: own.id, node: "b" },
  ]);
  const before = await whole.get(own.id);
  t.match(before.parts?.[0], { problem: "that node is not there, and its archive is being looked at" });
  await follow();
  for (const id of [made.id, own.id]) {
    const reader = await whole.open(id);
    const { summary } = reader;
    t.match(summary, { id, durationMs: (SECONDS + 40) * 1000, counts: { gaps: 0 } });
    t.match(summary.parts, [
      { id: made.id, node: "a", fromMs: 0, problem: null },
      { id: own.id, node: "b", fromMs: SECONDS * 1000, problem: null },
    ]);
    const early = await reader.frameAt(93_000);
    t.same([early.width, early.atMs], [640, 93_000]);
    t.equal((await reader.frameAt((SECONDS + 5) * 1000)).width, 320);
    await reader.close();
    t.match(await whole.verify(id), { state: "sealed", problem: null });
  }
  const notMine = await whole.open(own.id, ({ id }) => id === own.id);
  t.match(notMine.summary.parts?.[0], { problem: "it is not for who asks" });
  await notMine.close();
  const lost = wholes([
    { id: "20260101T000000Z-00000000", node: "a" },
    { id: own.id, node: "b" },
  ]);
  t.match((await lost.get(own.id)).parts?.[0], {
    problem: "that node is not there, and it is not in its archive",
  });
  t.equal(far.unanswered("c"), "it told of no archive");

  await whole.change(own.id, { name: "both" });
  t.match(
    await whole.noteOf(await whole.get(made.id)),
    { name: "both" },
    "kept by the part that can be changed",
  );
  const marker = { atMs: 1000, label: "here", by: "Ann" };
  await t.rejects(whole.mark(own.id, marker), { code: "node_unreachable", message: /node a recorded/ });
  const alone = wholes([{ id: made.id, node: "a" }]);
  await t.rejects(alone.change(made.id, { name: "x" }), { code: "node_unreachable" });
  await t.rejects(alone.mark(made.id, marker), { code: "node_unreachable" });
  await t.rejects(alone.unmark(made.id, "m1"), { code: "node_unreachable" });
  await t.rejects(alone.remove(made.id), { code: "node_unreachable", message: /node a, which is gone/ });
  t.match(await there.verify(made.id), { state: "sealed" }, "nothing was deleted");
});

t.test("where a node archived elsewhere nothing is asked there, and its part says so", async (t) => {
  const { there, follow, far, looked } = await twoNodes(t, { place: "https://other.example/bucket" });
  await follow();
  t.same(await there.list(), []);
  t.same(looked, []);
  t.equal(far.unanswered("a"), "its archive is not the one of this node");
});

t.test("what is here is judged by this node's own key, whatever lies elsewhere under its name", async (t) => {
  const { s3, made, there, follow, dataDir } = await twoNodes(t);
  const own = await makeLongRecording(dataDir, 3, { width: 64, height: 64, id: "own" });
  for (const [name, object] of [...s3.objects]) s3.objects.set(name.replace(made.id, own.id), object);
  await follow();
  t.match(await there.get(own.id), { state: "sealed", bytes: own.bytes });
  t.match(await there.verify(own.id), { state: "sealed", bytes: own.bytes });
  await (await there.read(own.id)).close();
});

t.test("a key is read as a seal names it", async (t) => {
  const signer = await Signer.open(join(t.testdir(), "key.pem"));
  const bytes = Buffer.from("x");
  t.ok(PublicKey.of(signer.publicKey).isOurs(bytes, signer.sign(bytes)));
  t.throws(() => PublicKey.of("AAAA"));
});
