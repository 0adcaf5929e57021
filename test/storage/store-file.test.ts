import { createHash, randomBytes } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t, { type Test } from "tap";
import { S3Bucket } from "../../src/storage/s3-bucket.ts";
import { S3Error } from "../../src/storage/s3-error.ts";
import { storeFile } from "../../src/storage/store-file.ts";
import { answer, errorXml, FakeS3 } from "./fake-s3.ts";

const PART = 1000;
const SIGNAL = new AbortController().signal;

/** A file of so many bytes, and a bucket to store it in. */
function room(t: Test, bytes: number) {
  const path = join(t.testdir(), "000000.blocks");
  writeFileSync(path, randomBytes(bytes));
  const s3 = new FakeS3();
  const place = { endpoint: "http://127.0.0.1:9", bucket: "bucket", isPathStyle: true };
  const bucket = new S3Bucket(place, { region: "here", accessKey: "id", secretKey: "s3cret" }, s3.send);
  const store = () => storeFile(bucket, "r/1/000000.blocks", path, SIGNAL, PART);
  const isThere = (): boolean =>
    s3.objects.get("r/1/000000.blocks")?.bytes.equals(readFileSync(path)) === true;
  const sha256 = createHash("sha256").update(readFileSync(path)).digest("hex");
  return { s3, store, sha256, isThere };
}

t.test("a file is stored once, whatever its length", async (t) => {
  for (const bytes of [0, 1, PART, PART + 1, 5 * PART]) {
    const { s3, store, isThere } = room(t, bytes);
    await store();
    t.ok(isThere(), `${bytes} bytes`);
    await store();
    t.equal(s3.sentBytes, bytes, "sent once");
    t.equal(s3.uploads.size, 0);
  }
});

t.test("what was cut off goes on with the parts that are missing", async (t) => {
  const { s3, store, isThere } = room(t, 5 * PART + 7);
  s3.fault = (_request, name) => {
    if (name.endsWith("#5")) throw new Error("broke off: ECONNRESET");
    return null;
  };
  await t.rejects(store(), { name: "S3Error", message: "the archive broke off: ECONNRESET", status: 0 });
  t.notOk(isThere());
  s3.fault = () => null;
  s3.asked.length = 0;
  await store();
  t.ok(isThere());
  t.equal(s3.sentBytes, PART + 7, "two of six parts");
  t.equal(s3.uploads.size, 0);
});

t.test("a part that is another than was meant is sent again", async (t) => {
  const { s3, store, sha256, isThere } = room(t, 3 * PART);
  const parts = new Map([2, 9].map((number) => [number, randomBytes(PART)] as const));
  s3.uploads.set("begun", { key: "r/1/000000.blocks", sha256, parts });
  await store();
  t.ok(isThere());
  t.equal(s3.uploads.size, 0);
});

t.test("of uploads whose begin was never answered one goes on and the others are thrown away", async (t) => {
  const { s3, store, sha256, isThere } = room(t, 2 * PART);
  for (const [id, key] of [
    ["lost", "r/1/000000.blocks"],
    ["other", "r/1/000000.blocks.more"],
    ["newest", "r/1/000000.blocks"],
  ] as const)
    s3.uploads.set(id, { key, sha256, parts: new Map() });
  s3.fault = (_request, name) =>
    name.startsWith("GET uploads") ? answer(503, errorXml("SlowDown"), { "retry-after": "7" }) : null;
  await t.rejects(store(), {
    status: 503,
    code: "SlowDown",
    pauseMs: 7000,
    message: /tried again more slowly/,
  });
  s3.fault = () => null;
  await store();
  t.ok(isThere());
  t.same([...s3.uploads.keys()], ["other"], "another file's is left alone");
  t.notOk(s3.asked.some(({ name }) => name.endsWith("?begin")));
});

t.test("what an upload ends with is believed only as far as it is so", async (t) => {
  const { s3, store, isThere } = room(t, 2 * PART);
  s3.fault = (request, name) =>
    request.method === "POST" && name.endsWith("?upload") ? answer(200, errorXml("InternalError")) : null;
  await t.rejects(store(), { message: /refused to end an upload \(200 InternalError\)/ });
  s3.fault = (request, name) =>
    request.method === "POST" && name.endsWith("?upload") ? answer(200, "<Yes/>") : null;
  await t.rejects(store(), { message: "the archive took a file and does not have it" });
  s3.fault = () => null;
  await store();
  t.ok(isThere());
});

t.test("another file of that name is not written over", async (t) => {
  for (const bytes of [PART, 3 * PART]) {
    const { s3, store } = room(t, bytes);
    const other = { bytes: randomBytes(bytes), sha256: "0".repeat(64) };
    s3.objects.set("r/1/000000.blocks", other);
    await t.rejects(store(), { name: "S3Error", code: "Conflict", message: /not written over/ });
    t.equal(s3.objects.get("r/1/000000.blocks"), other);
    t.equal(s3.sentBytes, 0);
    // One that comes between the look and the write.
    let isFirst = true;
    s3.fault = (_request, name) => {
      if (!name.startsWith("HEAD ") || !isFirst) return null;
      isFirst = false;
      return answer(404);
    };
    if (bytes > PART) continue; // of uploads in parts no server promises it
    await t.rejects(store(), { code: "Conflict" });
    t.equal(s3.objects.get("r/1/000000.blocks"), other);
  }
});

t.test("each refusal says what to do, and no key", async (t) => {
  for (const [status, code, words] of [
    [403, "AccessDenied", /rights that docs\/guides\/archive.md lists/],
    [403, "SignatureDoesNotMatch", /secret_key or region/],
    [404, "NoSuchBucket", /make the bucket/],
    [400, "XAmzContentSHA256Mismatch", /not what was sent/],
    [500, "InternalError", /\(500 InternalError\): it is tried again/],
    [418, "", /\(418\): see what the server says of it/],
  ] as const) {
    const { s3, store } = room(t, PART);
    s3.fault = (request) =>
      request.method === "PUT" ? answer(status, code === "" ? "" : errorXml(code)) : null;
    const error: unknown = await store().catch((error: unknown) => error);
    t.match(error, { status, code, message: words });
    t.notMatch(error instanceof S3Error ? error.message : "", /s3cret|words of the server/);
  }
});

t.test("an answer that has no end, or breaks off, is an error", async (t) => {
  const { s3, store } = room(t, 2 * PART);
  s3.fault = (_request, name) => (name.startsWith("GET uploads") ? answer(200, "x".repeat(5_000_000)) : null);
  await t.rejects(store(), { message: /answer is longer than/ });
  s3.fault = (_request, name) => (name.endsWith("?begin") ? answer(200, "<html></html>") : null);
  await t.rejects(store(), { message: /gave it no id/ });
});
