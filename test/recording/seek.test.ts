import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t, { type Test } from "tap";
import { sha1 } from "../support/recording-desk.ts";
import { makeLongRecording } from "./long-recording.ts";
import { randomOf } from "./studio.ts";

const SIZE = { width: 640, height: 480 };
/** A group is one key and at most so much beside it, and so many blocks: see PictureGroup. */
const MOST_BLOCKS = 301;

/** The dearest of many seeks, each in a reader that has seen nothing. */
async function dearest(t: Test, seconds: number): Promise<{ blocks: number; bytes: number; wrong: number }> {
  const dataDir = mkdtempSync(join(tmpdir(), "oc-long-"));
  t.teardown(() => rmSync(dataDir, { recursive: true, force: true }));
  const { archive, id, truth } = await makeLongRecording(dataDir, seconds, SIZE);
  t.equal((await archive.verify(id)).state, "sealed");
  const times = [...truth.keys()];
  const random = randomOf(9);
  let blocks = 0;
  let bytes = 0;
  let wrong = 0;
  for (let i = 0; i < 40; i++) {
    const second = times[Math.floor(random() * times.length)] ?? 0;
    const reader = await archive.read(id);
    const frame = await reader.frameAt(second * 1000 + 500);
    if (frame.atMs !== second * 1000 || sha1(frame.rgba) !== truth.get(second)) wrong++;
    blocks = Math.max(blocks, reader.cost.blocks);
    bytes = Math.max(bytes, reader.cost.bytes);
    await reader.close();
  }
  return { blocks, bytes, wrong };
}

t.test("a seek costs one key and about as much again, however long the recording is", async (t) => {
  const short = await dearest(t, 400);
  const long = await dearest(t, 4_000);
  t.equal(short.wrong + long.wrong, 0, "the right pictures");
  t.ok(long.blocks <= MOST_BLOCKS, `${long.blocks} blocks decoded at most`);
  const dataDir = mkdtempSync(join(tmpdir(), "oc-long-"));
  t.teardown(() => rmSync(dataDir, { recursive: true, force: true }));
  const { archive, id } = await makeLongRecording(dataDir, 2, SIZE);
  const reader = await archive.read(id);
  const [key] = await reader.chunks(0, 0);
  await reader.close();
  const keyBytes = Math.max(key?.rawBytes ?? 0, 256 * 1024);
  t.ok(long.bytes <= 2.2 * keyBytes, `${long.bytes} raw bytes at most, a key has ${keyBytes}`);
  t.ok(long.bytes <= 1.2 * short.bytes, "no more than in a recording of a tenth of the length");
});
