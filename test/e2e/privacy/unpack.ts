import { spawnSync } from "node:child_process";
import { brotliDecompressSync, constants, inflateRawSync, inflateSync } from "node:zlib";

/** What is packed within what is packed: a PNG in base64 in a page in an archive. */
const MOST_DEEP = 4;
/** A larger one would be too much to hold: it fails rather than being left out. */
const MOST_BYTES = 512 * 2 ** 20;
const LEAST_BASE64 = 64;

const GZIP = Buffer.from("1f8b08", "hex");
const ZSTD = Buffer.from("28b52ffd", "hex");
const ZIP = Buffer.from("504b0304", "hex");
const PNG = Buffer.from("89504e470d0a1a0a", "hex");
const SIMPLE_CACHE = Buffer.from("305c72a71b6dfbfc", "hex");
const SIMPLE_CACHE_HEAD = 24;
/** Blocks of recordings, src/recording/format/block.ts. */
const BLOCK = Buffer.from("OCRB");
const BLOCK_HEAD = 32;
const FLAG_DEFLATED = 2;
/** Indices of words, src/recording/search/word-index-file.ts. */
const WORDS = Buffer.from("OCWI");

/** Cut off where the rest is not there. */
const CUT = { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: MOST_BYTES };
const CUT_BROTLI = { finishFlush: constants.BROTLI_OPERATION_FLUSH, maxOutputLength: MOST_BYTES };

interface Found {
  readonly at: number;
  /** null: no such thing, whatever its first bytes say. */
  readonly unpack: () => Buffer | null;
}

/**
 * All that is packed in some bytes, wherever it begins: gzip, zlib, zip, zstd, brotli (a whole file, or the answer in a
 * browser's cache), texts of PNG, base64, and the deflated parts of this program's own files. Not the pixels of PNG:
 * pictures are looked at.
 */
export function unpack(bytes: Buffer, deep = 0): Buffer[] {
  const pictures = pngsIn(bytes);
  const found = [
    ...[...gzips(bytes), ...zlibs(bytes), ...zips(bytes), ...zstds(bytes), ...blocks(bytes), ...words(bytes)],
    ...[...cached(bytes), ...brotli(bytes)],
  ]
    .filter(({ at }) => !pictures.some(({ from, to }) => at >= from && at < to))
    .flatMap(({ unpack }) => unpack() ?? []);
  const all = [...found, ...base64sIn(bytes)].filter(({ length }) => length > 0);
  const texts = pictures.flatMap((picture) => picture.texts);
  if (deep === MOST_DEEP) return all;
  return [...all, ...[...all, ...texts].flatMap((one) => unpack(one, deep + 1))];
}

/** What a process has in memory: what has a beginning that is not there by chance. */
export function unpackMemory(memory: Buffer): Buffer[] {
  const found = [...gzips(memory), ...zips(memory), ...blocks(memory)];
  return found.flatMap(({ unpack }) => unpack() ?? []);
}

/** RFC 1952. Node's own reader takes what follows for more of it, and fails. */
const gzips = (bytes: Buffer): Found[] =>
  placesOf(bytes, GZIP).map((at) => ({
    at,
    unpack: () => {
      const flags = bytes[at + 3] ?? 0;
      let from = at + 10;
      if ((flags & 4) !== 0) from += 2 + (bytes[from] ?? 0) + 256 * (bytes[from + 1] ?? 0);
      // A name, and a comment, each up to its zero.
      for (const flag of [8, 16]) if ((flags & flag) !== 0) from = bytes.indexOf(0, from) + 1;
      if ((flags & 2) !== 0) from += 2;
      return attempt(() => inflateRawSync(bytes.subarray(from), CUT));
    },
  }));

/** RFC 1950: deflate with a window of 32 KiB, at any level. */
const zlibs = (bytes: Buffer): Found[] =>
  [0x01, 0x5e, 0x9c, 0xda].flatMap((level) =>
    placesOf(bytes, Buffer.from([0x78, level])).map((at) => ({
      at,
      unpack: () => attempt(() => inflateSync(bytes.subarray(at), CUT)),
    })),
  );

/** APPNOTE 4.3.7. What is stored as it is needs nothing. */
const zips = (bytes: Buffer): Found[] =>
  placesOf(bytes, ZIP).map((at) => ({
    at,
    unpack: () => {
      if (at + 30 > bytes.length || bytes.readUInt16LE(at + 8) !== 8) return null;
      const from = at + 30 + bytes.readUInt16LE(at + 26) + bytes.readUInt16LE(at + 28);
      return attempt(() => inflateRawSync(bytes.subarray(from), CUT));
    },
  }));

/** Its program tells what it read before what is no more of it. */
const zstds = (bytes: Buffer): Found[] =>
  placesOf(bytes, ZSTD).map((at) => ({
    at,
    unpack: () => {
      const input = bytes.subarray(at);
      const { stdout, error } = spawnSync("zstd", ["-dcq"], { input, maxBuffer: MOST_BYTES });
      // It ends before all was written to it where that is no zstd.
      if (error !== undefined && !("code" in error && error.code === "EPIPE")) throw error;
      return stdout;
    },
  }));

const blocks = (bytes: Buffer): Found[] =>
  placesOf(bytes, BLOCK).map((at) => ({
    at,
    unpack: () => {
      if (at + BLOCK_HEAD > bytes.length || (bytes.readUInt8(at + 5) & FLAG_DEFLATED) === 0) return null;
      const from = at + BLOCK_HEAD;
      return attempt(() => inflateRawSync(bytes.subarray(from, from + bytes.readUInt32BE(at + 12)), CUT));
    },
  }));

function words(bytes: Buffer): Found[] {
  if (!bytes.subarray(0, WORDS.length).equals(WORDS)) return [];
  const parts = bytes.readUInt32BE(8);
  let next = 12 + 40 * parts + 64;
  return Array.from({ length: parts }, (_, part) => {
    const from = next;
    next += bytes.readUInt32BE(12 + 40 * part + 4);
    const to = next;
    return { at: from, unpack: () => attempt(() => inflateRawSync(bytes.subarray(from, to), CUT)) };
  });
}

/** An answer as it came, behind its address: Chromium's net/disk_cache/simple/simple_entry_format.h. */
const cached = (bytes: Buffer): Found[] =>
  placesOf(bytes, SIMPLE_CACHE)
    .filter((at) => at + SIMPLE_CACHE_HEAD <= bytes.length)
    .map((at) => at + SIMPLE_CACHE_HEAD + bytes.readUInt32LE(at + 12))
    .map((at) => ({ at, unpack: () => attempt(() => brotliDecompressSync(bytes.subarray(at), CUT_BROTLI)) }));

/** It has no first bytes of its own. */
const brotli = (bytes: Buffer): Found[] => [
  { at: 0, unpack: () => attempt(() => brotliDecompressSync(bytes, CUT_BROTLI)) },
];

function base64sIn(bytes: Buffer): Buffer[] {
  const runs = new RegExp(`[A-Za-z0-9+/_-]{${LEAST_BASE64},}`, "g");
  return [...bytes.toString("latin1").matchAll(runs)].map(([run]) => Buffer.from(run, "base64"));
}

/** Where PNGs stand, and what of them is no pixels. */
function pngsIn(bytes: Buffer) {
  return placesOf(bytes, PNG).map((from) => {
    const texts: Buffer[] = [];
    let at = from + PNG.length;
    while (at + 12 <= bytes.length) {
      const length = bytes.readUInt32BE(at);
      const type = bytes.toString("latin1", at + 4, at + 8);
      if (!/^[A-Za-z]{4}$/.test(type)) break;
      if (!/^(IHDR|PLTE|IDAT|IEND)$/.test(type)) texts.push(bytes.subarray(at + 8, at + 8 + length));
      at += 12 + length;
      if (type === "IEND") break;
    }
    return { from, to: Math.min(at, bytes.length), texts };
  });
}

function placesOf(bytes: Buffer, sought: Buffer): number[] {
  const places: number[] = [];
  for (let at = bytes.indexOf(sought); at >= 0; at = bytes.indexOf(sought, at + 1)) places.push(at);
  return places;
}

/** null for what is no such thing. Throws for what is too large: nothing is left out unseen. */
function attempt(unpack: () => Buffer): Buffer | null {
  try {
    return unpack();
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ERR_BUFFER_TOO_LARGE") throw error;
    return null;
  }
}
