import { hash, randomFillSync } from "node:crypto";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { FramePicture } from "../../src/framebuffer/frame-picture.ts";
import { Framebuffer } from "../../src/framebuffer/framebuffer.ts";
import { Region } from "../../src/framebuffer/region.ts";
import { PictureEncoder } from "../../src/protocols/recording/picture-encoder.ts";
import { BLOCK_KIND } from "../../src/recording/format/block.ts";
import { BlockIndex } from "../../src/recording/format/block-index.ts";
import { writeHead } from "../../src/recording/format/head.ts";
import { PictureGroup } from "../../src/recording/format/picture-group.ts";
import { NO_COUNTS } from "../../src/recording/format/summary.ts";
import { RecordingArchive } from "../../src/recording/library/archive.ts";
import { writeSeal } from "../../src/recording/seal/seal.ts";
import { BlockWriter } from "../../src/recording/write/block-writer.ts";
import { SegmentWriter } from "../../src/recording/write/segments.ts";
import { SEALER } from "./studio.ts";

const ID = "long";

export interface LongPlan {
  readonly width: number;
  readonly height: number;
  /** Default "long". */
  readonly id?: string;
  /** Each picture is noise all over, which takes as many bytes as it has. */
  readonly isNoise?: boolean;
  readonly segmentBytes?: number;
}

export interface LongRecording {
  readonly archive: RecordingArchive;
  readonly id: string;
  readonly bytes: number;
  /** SHA-1 of the picture of every so many seconds, by second. */
  readonly truth: ReadonlyMap<number, string>;
}

/**
 * Writes a recording of so many seconds as fast as the disk takes it, one picture a second: a line of text is written
 * into a page, and now and then the page is another one.
 */
export async function makeLongRecording(
  dataDir: string,
  seconds: number,
  { width, height, id = ID, isNoise = false, segmentBytes }: LongPlan,
): Promise<LongRecording> {
  const archive = await RecordingArchive.open(dataDir, SEALER);
  const folder = join(archive.folder, id);
  mkdirSync(folder, { recursive: true });
  const segments = new SegmentWriter(folder, segmentBytes);
  const index = new BlockIndex();
  const writer = new BlockWriter(segments, index, archive.signer, null);
  const startedAt = new Date(0).toISOString();
  const about = {
    id,
    desktopId: "d1",
    title: "long",
    startedAt,
    reason: "manual",
    startedBy: "Ann",
    startedById: "ann",
  } as const;
  const { publicKey } = archive.signer;
  await writer.append({
    ...{ kind: BLOCK_KIND.head, fromMs: 0, toMs: 0 },
    raw: writeHead({ ...about, publicKey, sealedKey: null }),
  });
  const frame = new Framebuffer(width, height);
  const picture = new FramePicture(frame);
  const encoder = new PictureEncoder((bytes) => hash("sha256", bytes, "base64"));
  const group = new PictureGroup();
  const truth = new Map<number, string>();
  const area = width * height;
  for (let second = 0; second < seconds; second++) {
    const damage = isNoise
      ? makeNoise(frame)
      : second % 97 === 0
        ? turnPage(frame, second)
        : writeLine(frame, second);
    const isKey = group.needsKey(damage.area, area);
    const atMs = second * 1000;
    const input = { picture, damage, copies: [], atMs, generation: second + 1, isKey, isPartial: false };
    group.added(isKey, encoder.add(input), area);
    const raw = encoder.take();
    const changedPixels = damage.area;
    await writer.append({
      kind: BLOCK_KIND.pictures,
      isKey,
      frames: 1,
      fromMs: atMs,
      toMs: atMs,
      changedPixels,
      raw,
    });
    group.closedBlock();
    if (second % 31 === 0) truth.set(second, hash("sha1", frame.bytes));
  }
  await writer.finish(seconds * 1000);
  await writeSeal(
    folder,
    {
      ...{ ...about, sealedAt: startedAt, isEncrypted: "no", width, height },
      durationMs: index.durationMs,
      counts: { ...NO_COUNTS, frames: seconds },
      segments: segments.count,
      bytes: segments.length,
      blocks: writer.blocks,
      indexAt: writer.indexAt,
      directoryAt: writer.directoryAt,
      hash: writer.hash,
      publicKey,
    },
    archive.signer,
    archive.seals,
  );
  await writer.close();
  return { archive, id, bytes: segments.length, truth };
}

/** Something like letters, other ones for each seed. */
function scribble(
  frame: Framebuffer,
  seed: number,
  left: number,
  top: number,
  right: number,
  bottom: number,
): void {
  const { words, width } = frame;
  for (let y = top; y < bottom; y++) {
    for (let x = left; x < right; x++) {
      const noise = Math.imul((x >> 1) * 7919 + (y >> 1) * 104_729 + seed * 31, 0x9e3779b1) >>> 28;
      words[y * width + x] = noise < 3 && y % 16 > 3 ? 0xff202020 : 0xfff8f8f8;
    }
  }
}

function makeNoise(frame: Framebuffer): Region {
  randomFillSync(frame.bytes);
  return Region.of({ x: 0, y: 0, width: frame.width, height: frame.height });
}

function turnPage(frame: Framebuffer, second: number): Region {
  scribble(frame, second, 0, 0, frame.width, frame.height >> 1);
  return Region.of({ x: 0, y: 0, width: frame.width, height: frame.height >> 1 });
}

function writeLine(frame: Framebuffer, second: number): Region {
  const top = (second % Math.floor(frame.height / 16)) * 16;
  const width = Math.min(320, frame.width);
  scribble(frame, second, 0, top, width, top + 16);
  return Region.of({ x: 0, y: top, width, height: 16 });
}
