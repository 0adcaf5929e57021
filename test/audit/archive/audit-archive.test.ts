import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import t, { type Test } from "tap";
import { AuditArchive, type AuditArchiveOptions } from "../../../src/audit/archive/audit-archive.ts";
import { SEALED } from "../../../src/audit/archive/sealed-copy.ts";
import { ChainKey } from "../../../src/audit/chain-key.ts";
import { asideFiles, logFiles } from "../../../src/audit/log-files.ts";
import { verifyLog } from "../../../src/audit/verify-log.ts";
import { ArchiveIndex, isArchived } from "../../../src/storage/archive-index.ts";
import { S3Bucket, type SendToS3 } from "../../../src/storage/s3-bucket.ts";
import { FakeClock } from "../../fake-clock.ts";
import { answer, errorXml, FakeS3 } from "../../storage/fake-s3.ts";
import { until } from "../../support/until.ts";
import { eventOf, fileSink } from "../file-sink.ts";

const PREFIX = "of/us/audit/";
/** Files of a log in this test have some 1,500 bytes. */
const PART_BYTES = 700;

/** A log of some files, each put aside but the last, and what archives them in a fake of S3. */
async function openRoom(t: Test, { isSealed = false, s3 = new FakeS3() } = {}) {
  const dir = mkdtempSync(join(tmpdir(), "oc-audit-archive-"));
  t.teardown(() => rmSync(dir, { recursive: true, force: true }));
  const clock = new FakeClock();
  const told: string[] = [];
  const write = async (files: number, keepBytes = 0): Promise<void> => {
    const mayDelete = (name: string) => isArchived(join(dir, "index"), "there", name);
    const sink = await fileSink(dir, { clock, rotation: { bytes: 1200, keepBytes, mayDelete } });
    for (let event = 0; event < 3 * files; event++)
      await sink.write([eventOf({ type: "auth.login" }, clock)]);
    await sink.close();
  };
  const open = async (more: Partial<AuditArchiveOptions> = {}, send: SendToS3 = s3.send) => {
    const place = { endpoint: "http://127.0.0.1:9", bucket: "bucket", isPathStyle: true };
    const index = join(dir, "index");
    const archive = new AuditArchive({
      bucket: new S3Bucket(place, { region: "here", accessKey: "id", secretKey: "s3cret" }, send),
      index: await ArchiveIndex.open(index, "there"),
      ...{ dir, clock, prefix: PREFIX, lock: null, partBytes: PART_BYTES },
      seal: isSealed ? { key: await ChainKey.open(dir, null), copy: join(index, ".sealed") } : null,
      onArchived: (name) => told.push(`archived ${name}`),
      onTold: ({ files, bytes }) => told.push(`told of ${files} of ${bytes} bytes`),
      onFailed: (name, error) => told.push(`failed ${name}: ${error}`),
      onLooked: (lost, error) => told.push(lost === null ? `not looked: ${error}` : `lost ${lost}`),
      close: () => told.push("closed"),
      ...more,
    });
    t.teardown(() => archive.close());
    await archive.follow();
    return archive;
  };
  const aside = async (): Promise<string[]> => (await asideFiles(dir)).map(({ path }) => basename(path));
  /** All that the archive has and what lies here, in a folder elsewhere. */
  const gathered = (): string => {
    const folder = mkdtempSync(join(tmpdir(), "oc-audit-gathered-"));
    t.teardown(() => rmSync(folder, { recursive: true, force: true }));
    for (const [key, { bytes }] of s3.objects) writeFileSync(join(folder, basename(key)), bytes);
    copyFileSync(join(dir, "audit.ndjson"), join(folder, "audit.ndjson"));
    return folder;
  };
  return { s3, dir, clock, told, write, open, aside, gathered };
}

async function check(folder: string, key: ChainKey) {
  return verifyLog(await logFiles(folder, key), { key, namesGaps: true });
}

t.test(
  "what was put aside goes there, also what is put aside later, and a restart sends nothing",
  async (t) => {
    const { s3, dir, write, open, aside, told } = await openRoom(t);
    await write(3);
    const first = await open();
    const before = await aside();
    await until("those from before", () => first.load.archived === before.length);
    await write(2);
    const all = await aside();
    t.ok(all.length > before.length && before.length > 1);
    await until("the later ones", () => first.load.archived === all.length);
    t.same(
      [...s3.objects.keys()],
      all.map((name) => `${PREFIX}${name}`),
      "what is written to is not among them",
    );
    for (const name of all)
      t.ok(s3.objects.get(PREFIX + name)?.bytes.equals(readFileSync(join(dir, name))), name);
    t.match(first.load, { waiting: 0, failing: 0 });
    await first.close();
    s3.asked.length = 0;
    const second = await open();
    await second.close();
    t.equal(s3.sentBytes, 0);
    t.ok(s3.asked.every(({ name }) => name === `GET list of ${PREFIX}`));
    t.equal(told.at(-1), "closed");
  },
);

t.test("what reached it is told together, once a minute at most, and before it is closed", async (t) => {
  const { s3, clock, write, open, told } = await openRoom(t);
  const batches = () => told.filter((line) => line.startsWith("told"));
  const bytesNow = () => [...s3.objects.values()].reduce((sum, { bytes }) => sum + bytes.length, 0);
  await write(3);
  const archive = await open();
  await until("those from before", () => archive.load.waiting === 0 && archive.load.archived > 1);
  const [files, bytes] = [archive.load.archived, bytesNow()];
  clock.advance(59_000);
  t.same(batches(), [], "not each by itself");
  clock.advance(1000);
  const first = `told of ${files} of ${bytes} bytes`;
  t.same(batches(), [first]);
  clock.advance(600_000);
  t.same(batches(), [first], "and nothing where nothing came");
  await write(2);
  await until("the later ones", () => archive.load.waiting === 0 && archive.load.archived > files + 1);
  archive.tell();
  const rest = `told of ${archive.load.archived - files} of ${bytesNow() - bytes} bytes`;
  t.same(batches(), [first, rest]);
  clock.advance(600_000);
  archive.tell();
  t.same(batches(), [first, rest], "once");
});

t.test("what the archive has not confirmed stays, whatever is to be kept", async (t) => {
  const { s3, dir, write, open, aside, clock, told, gathered } = await openRoom(t);
  s3.fault = ({ method }) => (method === "PUT" ? answer(503, errorXml("SlowDown")) : null);
  await write(3);
  const archive = await open();
  await until("the failure", () => archive.load.failing > 0);
  await write(2, 1);
  const all = await aside();
  t.ok(all.length > 3);
  t.equal(archive.load.archived, 0);
  // One in the middle is another there than it was given: neither it nor what came after it goes.
  const middle = all[2] ?? "";
  s3.fault = ({ method }, name) => {
    if (!name.endsWith(middle) || !s3.objects.has(PREFIX + middle)) return null;
    if (method === "GET") return answer(403, errorXml("AccessDenied"));
    return method === "HEAD" ? answer(200, "", headOf(s3, PREFIX + middle, "0".repeat(32))) : null;
  };
  await until("the others", async () => {
    await clock.live(2000, 500);
    return archive.load.waiting === 1;
  });
  t.equal(archive.load.archived, all.length - 1);
  await write(1, 1);
  t.same((await aside()).slice(0, all.length - 2), all.slice(2));
  t.match(readFileSync(join(dir, "audit.ndjson"), "utf8") + gatheredText(dir), /"audit\.pruned".*"files":2/);
  t.notOk(told.some((line) => line.includes(`archived ${middle}`)));
  const key = await ChainKey.open(dir, null);
  const folder = gathered();
  for (const name of await aside()) copyFileSync(join(dir, name), join(folder, name));
  t.match(await check(folder, key), { fault: null, gaps: [], firstSeq: 1 });
});

t.test(
  "another file than was sent, and one that is gone there, are neither confirmed nor forgotten",
  async (t) => {
    const { s3, dir, write, open, aside, told } = await openRoom(t);
    await write(2);
    const [name = ""] = await aside();
    const bytes = readFileSync(join(dir, name));
    const other = Buffer.from(bytes);
    other[5] = (other[5] ?? 0) ^ 1;
    const archive = await open();
    await until("it", () => archive.load.archived > 0 && archive.load.waiting === 0);
    await archive.close();
    // Under the checksum that it was given.
    rmSync(join(dir, "index"), { recursive: true });
    s3.objects.set(PREFIX + name, { bytes: other, sha256: s3.objects.get(PREFIX + name)?.sha256 ?? "" });
    const again = await open();
    await until("the doubt", () => again.load.failing === 1);
    t.match(
      told.find((line) => line.startsWith("failed")),
      /other bytes than it was given/,
    );
    await again.close();
    s3.objects.delete(PREFIX + name);
    const third = await open();
    await until("that it is there", () => third.load.waiting === 0);
    t.ok(s3.objects.get(PREFIX + name)?.bytes.equals(bytes));
    await third.close();
    // As a rule of the bucket deletes it.
    s3.objects.delete(PREFIX + name);
    const fourth = await open();
    await until("that it is there again", () => s3.objects.has(PREFIX + name) && fourth.load.waiting === 0);
    t.equal(told.filter((line) => line === "lost 1").length, 1);
  },
);

for (const isSealed of [false, true]) {
  t.test(
    `killed at each step, nothing is lost and nothing doubled${isSealed ? ", encrypted" : ""}`,
    async (t) => {
      let steps = Number.POSITIVE_INFINITY;
      // The answer that is lost is that of the last request that arrived; 0: none did.
      for (let kill = 0; kill <= steps; kill++) {
        const { s3, dir, clock, write, open, aside } = await openRoom(t, { isSealed });
        await write(2);
        const lock = { mode: "COMPLIANCE", ms: 86_400_000 } as const;
        let asked = 0;
        const killed = await open({ lock }, async (request) => {
          asked++;
          if (asked > kill) throw new Error("killed");
          const given = await s3.send(request);
          if (asked === kill) throw new Error("killed");
          return given;
        });
        await until("the kill, or the end", () => asked >= Math.max(kill, 1) || killed.load.waiting === 0);
        if (asked < kill) steps = kill - 1;
        await killed.close();
        await write(1, 1);
        const here = await aside();
        const next = await open({ lock });
        await until("all", () => next.load.waiting === 0);
        t.equal(next.load.failing, 0);
        t.equal(s3.uploads.size, 0, "no part is left lying");
        t.equal(new Set(s3.objects.keys()).size, next.load.archived);
        for (const name of here) t.ok(s3.objects.has(`${PREFIX}${name}${isSealed ? SEALED : ""}`), name);
        t.same([...s3.locks.keys()].sort(), [...s3.objects.keys()].sort(), "each is locked");
        t.notOk(existsSync(join(dir, "index", ".sealed")));
        const folder = mkdtempSync(join(tmpdir(), "oc-audit-gathered-"));
        for (const [name, { bytes }] of s3.objects) writeFileSync(join(folder, basename(name)), bytes);
        copyFileSync(join(dir, "audit.ndjson"), join(folder, "audit.ndjson"));
        const report = await check(folder, await ChainKey.open(dir, null));
        rmSync(folder, { recursive: true });
        t.match(report, { fault: null, gaps: [], firstSeq: 1 }, `killed at ${kill}`);
        await next.close();
        t.equal(clock.waiting, 0);
      }
      t.ok(steps > 10 && Number.isFinite(steps), `${steps} steps`);
    },
  );
}

t.test("what is locked is locked before it is confirmed", async (t) => {
  const { s3, write, open, clock, told } = await openRoom(t);
  await write(2);
  s3.fault = (_request, name) =>
    name.endsWith("?retention") ? answer(400, errorXml("InvalidRequest")) : null;
  const archive = await open({ lock: { mode: "GOVERNANCE", ms: 86_400_000 } });
  await until("the failure", () => archive.load.failing === 1);
  t.equal(archive.load.archived, 0);
  t.match(told.at(-1), /bucket has to be made with Object Lock/);
  let modes = "";
  s3.fault = ({ body }, name) => {
    if (name.endsWith("?retention")) modes += Buffer.concat(body).toString();
    return null;
  };
  await clock.live(2000, 500);
  await until("all", () => archive.load.waiting === 0);
  t.match(modes, /<Mode>GOVERNANCE<\/Mode><RetainUntilDate>2026-11-22T/);
  t.same([...s3.locks.keys()].sort(), [...s3.objects.keys()].sort());
});

t.test("an encrypted copy is opened by the secret alone, and one that was changed is found", async (t) => {
  const { s3, dir, write, open, aside, gathered } = await openRoom(t, { isSealed: true });
  await write(3);
  const archive = await open();
  await until("all", () => archive.load.waiting === 0 && archive.load.archived > 0);
  t.ok([...s3.objects.keys()].every((key) => key.endsWith(SEALED)));
  for (const { bytes } of s3.objects.values())
    t.notMatch(bytes.toString("latin1"), /auth\.login|event_id|"chain"/);
  const key = await ChainKey.open(dir, null);
  const folder = gathered();
  t.match(await check(folder, key), { fault: null, gaps: [], firstSeq: 1 });
  const other = new ChainKey("another secret of 32 characters or more");
  t.ok((await check(folder, other)).fault !== null);
  const path = join(folder, `${(await aside())[0]}${SEALED}`);
  const bytes = readFileSync(path);
  for (const place of [3, 40, 90, bytes.length >> 1, bytes.length - 20, bytes.length - 3]) {
    const changed = Buffer.from(bytes);
    changed[place] = (changed[place] ?? 0) ^ 1;
    writeFileSync(path, changed);
    const { fault, gaps } = await check(folder, key);
    t.ok(fault !== null || gaps.length > 0, `byte ${place}`);
  }
  writeFileSync(path, bytes.subarray(0, 50));
  t.match((await check(folder, key)).fault, { kind: "changed", message: /expected an encrypted copy/ });
});

t.test("a byte that was changed in the archive is found", async (t) => {
  const { dir, write, open, aside, gathered } = await openRoom(t);
  await write(3);
  const archive = await open();
  await until("all", () => archive.load.waiting === 0 && archive.load.archived > 0);
  const folder = gathered();
  const key = await ChainKey.open(dir, null);
  t.match(await check(folder, key), { fault: null, gaps: [], firstSeq: 1 });
  const path = join(folder, (await aside())[1] ?? "");
  const bytes = readFileSync(path);
  bytes[200] = (bytes[200] ?? 0) ^ 1;
  writeFileSync(path, bytes);
  t.match((await check(folder, key)).fault, { kind: "changed", path });
});

t.test(
  "an archive that cannot be looked at is told of, and sent to all the same when it is back",
  async (t) => {
    const { s3, write, open, clock, told } = await openRoom(t);
    await write(2);
    s3.fault = () => answer(503, errorXml("SlowDown"));
    const archive = await open();
    t.match(told[0], /not looked.*503 SlowDown/);
    await until("the failure", () => archive.load.failing === 1);
    s3.fault = () => null;
    await clock.live(2000, 500);
    await until("all", () => archive.load.waiting === 0);
    t.match(archive.load, { failing: 0 });
  },
);

function headOf(s3: FakeS3, key: string, etag: string): Record<string, string> {
  const { bytes, sha256 } = s3.objects.get(key) ?? { bytes: Buffer.alloc(0), sha256: "" };
  return { "content-length": String(bytes.length), "x-amz-meta-sha256": sha256, etag: `"${etag}"` };
}

/** Of every file of a log. */
function gatheredText(dir: string): string {
  const names = readdirSync(dir).filter((name) => name.endsWith(".ndjson"));
  return names.map((name) => readFileSync(join(dir, name), "utf8")).join("");
}
