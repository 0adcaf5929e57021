import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { answer, errorXml } from "../../storage/fake-s3.ts";
import { until } from "../../support/until.ts";
import { makeLongRecording } from "../long-recording.ts";
import { archiveRoom } from "./archive-room.ts";

const DAY_MS = 86_400_000;

t.test("what takes too much here goes when the archive surely has it, and is read there", async (t) => {
  const { archive, made, told, dataDir } = await archiveRoom(t, { cacheBytes: 10 });
  await until("that it goes", () => told.includes(`let go ${made.id}`));
  t.notOk(existsSync(join(dataDir, "recordings", made.id)));
  t.match(await archive.list(), [{ id: made.id, archive: { state: "archive_only" } }]);
  t.match(await archive.verify(made.id), { state: "sealed" });
});

t.test("what is in doubt stays, and is told once", async (t) => {
  const { s3, made, told, open, dataDir } = await archiveRoom(t);
  const name = `of/us/${made.id}/000001.blocks`;
  const stored = s3.objects.get(name);
  const other = Buffer.from(stored?.bytes ?? []);
  other[7] = (other[7] ?? 0) ^ 1;
  // Under the checksum that it was given: what the server makes of its own bytes differs.
  s3.objects.set(name, { bytes: other, sha256: stored?.sha256 ?? "" });
  const again = await open({ cacheBytes: 10 });
  await again.follow();
  await until("the doubt", () => told.some((line) => line.startsWith("doubt")));
  t.match(told.at(-1), /other bytes than it was given/);
  s3.objects.delete(name);
  const third = await open({ cacheBytes: 10 });
  await third.follow();
  await until("the doubt", () => told.at(-1)?.includes("does not have a file") === true);
  t.ok(existsSync(join(dataDir, "recordings", made.id)));
  t.notOk(told.some((line) => line.startsWith("let go")));
  await third.far.close();
});

t.test("where the server calls files by no MD5, all is read back", async (t) => {
  const { s3, made, told, open } = await archiveRoom(t);
  for (const [name, object] of s3.objects) s3.objects.set(name, { ...object, etag: "of-a-key-of-its-own" });
  s3.readBytes = 0;
  const again = await open({ cacheBytes: 10 });
  await again.follow();
  await until("that it goes", () => told.includes(`let go ${made.id}`));
  t.ok(s3.readBytes > made.bytes, `${s3.readBytes} bytes`);
});

t.test("what the archive does not have stays, however much it is", async (t) => {
  const { s3, told, open, dataDir } = await archiveRoom(t);
  const next = await makeLongRecording(dataDir, 3, { width: 64, height: 64, id: "next" });
  s3.fault = (request, name) =>
    request.method === "PUT" && name.includes("next") ? answer(403, errorXml("AccessDenied")) : null;
  const again = await open({ cacheBytes: 0 });
  await again.follow();
  await until("the older one's end", () => told.includes("let go long"));
  await until("the failure", () => told.some((line) => line.startsWith("failed next")));
  t.ok(existsSync(join(dataDir, "recordings", next.id)));
});

t.test("a server on an empty disk finds what is there, and one that is there no longer goes", async (t) => {
  const { s3, made, loseLocal, open, told } = await archiveRoom(t);
  loseLocal();
  s3.objects.set("of/us/half/000000.blocks", { bytes: Buffer.from("no seal"), sha256: "" });
  const fresh = await open({}, "another-index");
  t.same(await fresh.archive.list(), []);
  await fresh.follow();
  t.equal(told.at(-1), "found 1");
  t.match(await fresh.archive.list(), [{ id: made.id, state: "sealed", archive: { state: "archive_only" } }]);
  t.match(await fresh.archive.verify(made.id), { state: "sealed" });
  await fresh.far.close();
  for (const name of [...s3.objects.keys()]) if (name.includes(made.id)) s3.objects.delete(name);
  const later = await open({}, "another-index");
  await later.follow();
  t.same(await later.archive.list(), []);
});

t.test("an archive that cannot be looked at is told of, and looked at again", async (t) => {
  const { s3, loseLocal, open, told, clock } = await archiveRoom(t);
  loseLocal();
  s3.fault = () => answer(503, errorXml("SlowDown"));
  const fresh = await open({}, "another-index");
  await fresh.follow();
  t.match(told.at(-1), /not looked.*503 SlowDown/);
  t.match(fresh.far.load, { archived: 0, isReachable: false });
  s3.fault = () => null;
  await clock.live(60_000, 1000);
  await until("what it has", () => told.at(-1) === "found 1");
  t.match(fresh.far.load, { archived: 1, isReachable: true });
});

t.test("what is locked cannot be deleted and says until when; later it is deleted everywhere", async (t) => {
  const { s3, archive, made, clock } = await archiveRoom(t, {
    lock: { mode: "COMPLIANCE", ms: 2 * DAY_MS },
  });
  t.equal(s3.locks.size, s3.objects.size, "each file");
  const until = new Date(clock.date().getTime() + 2 * DAY_MS).toISOString().slice(0, 10);
  const count = s3.objects.size;
  await t.rejects(archive.remove(made.id), {
    name: "RefusedError",
    code: "permission_denied",
    message: new RegExp(`locked in the archive until ${until}`),
  });
  t.equal(s3.objects.size, count);
  t.match(await archive.list(), [{ id: made.id, archive: { state: "archived" } }], "and it is here too");
  s3.locks.clear();
  await archive.remove(made.id);
  t.equal(s3.objects.size, 0);
  t.same(await archive.list(), []);
  await t.rejects(archive.get(made.id), { code: "not_found" });
});

t.test("a deletion that broke off is ended by the next start, and nobody sees half of it", async (t) => {
  const { s3, archive, made, open, loseLocal } = await archiveRoom(t);
  loseLocal();
  s3.fault = (request, name) => {
    if (request.method === "DELETE" && name.includes("000000")) throw new Error("broke off: ECONNRESET");
    return null;
  };
  await t.rejects(archive.remove(made.id), { code: "unreachable" });
  t.notOk(
    [...s3.objects.keys()].some((name) => name.endsWith("seal.json")),
    "the seal first",
  );
  t.same(await archive.list(), []);
  s3.fault = () => null;
  const next = await open();
  await next.follow();
  t.equal(s3.objects.size, 0);
  t.same(await next.archive.list(), []);
});

t.test("who may not delete there is told so, and nothing goes", async (t) => {
  const { s3, archive, made } = await archiveRoom(t);
  const count = s3.objects.size;
  s3.fault = (request) => (request.method === "DELETE" ? answer(403, errorXml("AccessDenied")) : null);
  await t.rejects(archive.remove(made.id), { code: "permission_denied", message: /no right to/ });
  t.equal(s3.objects.size, count);
  rmSync(archive.folderOf(made.id), { recursive: true });
});
