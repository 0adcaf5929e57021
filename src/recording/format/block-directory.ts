import { RecordingError } from "../library/error.ts";

/**
 * The last block of a sealed recording: what each page has, so that a seek reads the pages it needs and no other. A page
 * is what lies between two index blocks. One entry a page, all numbers big-endian.
 *
 *      0  u64  where its index block begins
 *      8  u32  blocks of pictures before the page
 *     12  u32  blocks of pictures in it
 *     16  u32  number of the last key before it, counted from 1 on; 0: there is none
 *     20  u32  its first block of pictures begins, milliseconds; that of an earlier page where it has none
 *     24  u32  blocks of tracks in it
 *     28  u32  its first block of tracks begins
 *     32  u32  the last of them ends
 */
const ENTRY_BYTES = 8 + 4 + 4 + 4 + 4 + 4 + 4 + 4;

/** What the directory says of a page; `at` 0: its index block is not written yet. */
export interface PageFacts {
  readonly at: number;
  readonly firstPicture: number;
  readonly pictures: number;
  /** -1: none. */
  readonly keyBefore: number;
  readonly picturesFromMs: number;
  readonly tracks: number;
  readonly tracksFromMs: number;
  readonly tracksToMs: number;
}

export function writeDirectory(pages: readonly PageFacts[]): Buffer {
  const out = Buffer.alloc(pages.length * ENTRY_BYTES);
  for (const [i, page] of pages.entries()) {
    const start = i * ENTRY_BYTES;
    out.writeBigUInt64BE(BigInt(page.at), start);
    [
      page.firstPicture,
      page.pictures,
      page.keyBefore + 1,
      page.picturesFromMs,
      page.tracks,
      page.tracksFromMs,
      page.tracksToMs,
    ].forEach((value, field) => {
      out.writeUInt32BE(value, start + 8 + 4 * field);
    });
  }
  return out;
}

/** Throws RecordingError damaged for what is no whole number of entries, or not in order. */
export function readDirectory(bytes: Buffer): PageFacts[] {
  if (bytes.length % ENTRY_BYTES !== 0) {
    throw new RecordingError(
      "damaged",
      `a directory of ${bytes.length} bytes, expected ${ENTRY_BYTES} a page`,
    );
  }
  const pages = Array.from({ length: bytes.length / ENTRY_BYTES }, (_, i) => {
    const start = i * ENTRY_BYTES;
    const field = (number: number): number => bytes.readUInt32BE(start + 8 + 4 * number);
    return {
      at: Number(bytes.readBigUInt64BE(start)),
      firstPicture: field(0),
      pictures: field(1),
      keyBefore: field(2) - 1,
      picturesFromMs: field(3),
      tracks: field(4),
      tracksFromMs: field(5),
      tracksToMs: field(6),
    };
  });
  for (const [i, page] of pages.entries()) {
    const before = pages[i - 1];
    const isNext =
      before === undefined
        ? page.firstPicture === 0
        : page.at > before.at && page.firstPicture === before.firstPicture + before.pictures;
    if (!isNext)
      throw new RecordingError("damaged", `page ${i} of the directory does not follow the one before`);
  }
  return pages;
}
