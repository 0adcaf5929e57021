import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import { gzipSync as namedGzip, strToU8, zipSync } from "fflate";
import sharp from "sharp";
import t from "tap";
import { BLOCK_KIND, writeBlockHeader } from "../../../src/recording/format/block.ts";
import { Signer } from "../../../src/recording/seal/signing-key.ts";
import { WordIndexFiles } from "../../../src/recording/search/word-index-file.ts";
import { requirePeers } from "../harness/peers.ts";
import { CanarySearch } from "./canary-search.ts";
import { randomOf } from "./planted.ts";

const random = randomOf(4);
const LETTERS = "abcdefghjkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789#%+=?\"\\<&'";
const word = (): string =>
  Array.from({ length: 20 }, () => LETTERS[Math.floor(random() * LETTERS.length)]).join("");
const NOISE = Buffer.from(Array.from({ length: 2000 }, () => Math.floor(random() * 256)));

/** In the middle of others, at each place of a group of three. */
const inBase64 = (bytes: Buffer, encoding: "base64" | "base64url"): string =>
  ["", "a", "ab"].map((before) => Buffer.concat([Buffer.from(before), bytes]).toString(encoding)).join(" ");

/** What writes it thus is Node, not the search. */
const SPELLINGS: Readonly<Record<string, (text: string) => Buffer | string>> = {
  plain: (text) => text,
  half: (text) => `${text.slice(0, 11)}\n${"-".repeat(9)}`,
  "the other half": (text) => `${"-".repeat(9)}\n${text.slice(9)}`,
  "small letters": (text) => text.toLowerCase(),
  JSON: (text) => JSON.stringify({ text }),
  "JSON in JSON": (text) => JSON.stringify({ text: JSON.stringify({ text }) }),
  address: (text) => `https://example.com/?q=${encodeURIComponent(text)}`,
  form: (text) => new URLSearchParams({ text: `a ${text}` }).toString(),
  hex: (text) => Buffer.from(text).toString("hex"),
  "hex in capitals": (text) => Buffer.from(text).toString("hex").toUpperCase(),
  base64: (text) => inBase64(Buffer.from(`${text}...`), "base64"),
  base64url: (text) => inBase64(Buffer.from(`${text}...`), "base64url"),
  "UTF-16": (text) => Buffer.from(text, "utf16le"),
  "UTF-16, the other way round": (text) => Buffer.from(text, "utf16le").swap16(),
};

/** A chunk of a PNG; nobody here looks at its sum. */
function chunk(type: string, data: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  return Buffer.concat([length, Buffer.from(type), data, Buffer.alloc(4)]);
}

function block(body: Buffer): Buffer {
  const packed = deflateRawSync(body);
  const header = writeBlockHeader({
    ...{ kind: BLOCK_KIND.tracks, flags: 2, frames: 0, sequence: 3, fromMs: 0, toMs: 1, changedPixels: 0 },
    ...{ bodyBytes: packed.length, rawBytes: body.length },
  });
  return Buffer.concat([header, packed, Buffer.alloc(32)]);
}

const isFirst = (text: string, at: number, all: readonly string[]): boolean => all.indexOf(text) === at;

t.test("what is sought is found however it is written and packed, and nothing else", async (t) => {
  if (!requirePeers(t, ["zstd"])) return;
  const folder = mkdtempSync(join(tmpdir(), "oc-search-"));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const png = await sharp({ create: { width: 9, height: 9, channels: 3, background: "red" } })
    .png()
    .toBuffer();
  const withChunk = (type: string, data: Buffer): Buffer =>
    Buffer.concat([png.subarray(0, 33), chunk(type, data), png.subarray(33)]);
  const zstd = (bytes: Buffer): Buffer => spawnSync("zstd", ["-cq"], { input: bytes }).stdout;
  const simple = (bytes: Buffer): Buffer => {
    const head = Buffer.alloc(24);
    Buffer.from("305c72a71b6dfbfc", "hex").copy(head);
    head.writeUInt32LE(5, 12);
    return Buffer.concat([head, Buffer.from("a key"), bytes, NOISE]);
  };
  const packings: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
    nothing: (bytes) => bytes,
    gzip: (bytes) => Buffer.concat([NOISE, gzipSync(bytes), NOISE]),
    "gzip with a name": (bytes) =>
      Buffer.concat([NOISE, namedGzip(bytes, { filename: "a name.txt" }), NOISE]),
    "gzip that is cut off": (bytes) => gzipSync(Buffer.concat([bytes, NOISE])).subarray(0, -500),
    zlib: (bytes) => Buffer.concat([NOISE, deflateSync(bytes, { level: 9 }), NOISE]),
    zip: (bytes) => Buffer.from(zipSync({ "a.txt": strToU8("a"), "b.bin": bytes })),
    zstd: (bytes) => Buffer.concat([NOISE, zstd(bytes), NOISE]),
    brotli: (bytes) => brotliCompressSync(bytes),
    "an answer in a browser's cache": (bytes) => simple(brotliCompressSync(bytes)),
    "tEXt of PNG": (bytes) => withChunk("tEXt", Buffer.concat([Buffer.from("Comment\0"), bytes])),
    "zTXt of PNG": (bytes) =>
      withChunk("zTXt", Buffer.concat([Buffer.from("Comment\0\0"), deflateSync(bytes)])),
    "iTXt of PNG": (bytes) =>
      withChunk("iTXt", Buffer.concat([Buffer.from("Comment\0\x01\0\0\0"), deflateSync(bytes)])),
    "a block of a recording": (bytes) => Buffer.concat([NOISE, block(bytes), NOISE]),
    "gzip in base64 in JSON in zip": (bytes) => {
      const json = JSON.stringify({ data: gzipSync(Buffer.concat([bytes, NOISE])).toString("base64") });
      return Buffer.from(zipSync({ "a.json": strToU8(json) }));
    },
  };
  const search = new CanarySearch(folder);
  const expected = new Map<string, string>();
  const control = "a control of the search";
  for (const [spelling, spell] of Object.entries(SPELLINGS)) {
    for (const [packing, pack] of Object.entries(packings)) {
      const [what, text] = [`${spelling} in ${packing}`, word()];
      const told = Buffer.concat([Buffer.from(`${control}, `), Buffer.from(spell(text))]);
      search.add({ what, content: pack(told), control });
      expected.set(what, text);
    }
  }
  search.add({ what: "two that are alike", content: "they are alike", control: "They Are Alike" });
  expected.set("two that are alike", "they are alike");
  const signer = await Signer.open(join(folder, "key"));
  await new WordIndexFiles(folder, signer).write("words", "00", [Buffer.from(`\n${control}\nof what\n`)]);
  search.add({ what: "an index of words", content: [join(folder, "words.words")], control });
  const seed = Buffer.from("00ff10203040506070800a0b0c0d0e0f10111213", "hex");
  writeFileSync(join(folder, "seed"), Buffer.concat([NOISE, seed, NOISE, Buffer.from(control)]));
  search.add({ what: "bytes", content: [join(folder, "seed")], control });
  expected.set("bytes", "a seed");

  const sought = [...expected.values()].map((text) => ({
    text,
    ...(text === "a seed" ? { bytes: seed } : {}),
  }));
  const found = await search.find([...sought, { text: word() }]);
  for (const { place, found: texts } of found) {
    const secret = expected.get(place.what);
    t.same(
      [...texts.keys()].sort(),
      [place.control, secret ?? place.control].sort().filter(isFirst),
      place.what,
    );
  }
  t.equal(found.length, expected.size + 1);
  t.equal(readFileSync(join(folder, "seed")).length, 2 * NOISE.length + 20 + control.length, "files stay");
});
