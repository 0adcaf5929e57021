import { hash } from "node:crypto";
import { deflateRawSync } from "node:zlib";
import { FramePicture } from "../src/framebuffer/frame-picture.ts";
import { Region } from "../src/framebuffer/region.ts";
import { type Grain, PictureEncoder } from "../src/protocols/recording/picture-encoder.ts";
import { PictureGroup } from "../src/recording/format/picture-group.ts";
import type { RecordingDesk } from "../test/support/recording-desk.ts";

const GRAINS: Readonly<Record<string, Grain>> = {
  "tiles, content-addressed": { isTile: true, isShared: true },
  "damage as it came": { isTile: false, isShared: false },
  "damage, content-addressed": { isTile: false, isShared: true },
};

/** Writes a recorded session again in each grain: the same pictures, in bytes and milliseconds of this thread. */
export async function grainsOf(desk: RecordingDesk, id: string): Promise<string> {
  const results: string[] = [];
  for (const [name, grain] of Object.entries(GRAINS)) {
    const reader = await desk.recordings.open(id);
    const times = await reader.frameTimes(0, reader.summary.durationMs);
    const encoder = new PictureEncoder((bytes) => hash("sha256", bytes, "base64"), grain);
    const group = new PictureGroup();
    let bytes = 0;
    let ms = 0;
    let second = 0;
    for (const atMs of times) {
      await reader.step(atMs, ({ frame, head, damage }) => {
        const area = frame.width * frame.height;
        const isKey = damage === null || group.needsKey(damage.area, area);
        const startMs = performance.now();
        if (isKey || Math.floor(atMs / 1000) !== second) {
          bytes += deflateRawSync(encoder.take(), { level: 4, memLevel: 9 }).length;
          group.closedBlock();
          second = Math.floor(atMs / 1000);
        }
        const raw = encoder.add({
          ...{ picture: new FramePicture(frame), damage: damage ?? Region.empty, copies: [], atMs },
          ...{ generation: head.generation, isKey, isPartial: false },
        });
        group.added(isKey, raw, area);
        ms += performance.now() - startMs;
      });
    }
    bytes += deflateRawSync(encoder.take(), { level: 4, memLevel: 9 }).length;
    await reader.close();
    results.push(`${name} ${bytes} bytes ${ms.toFixed(0)} ms`);
  }
  return results.join(", ");
}
