import pixelmatch from "pixelmatch";
import sharp from "sharp";
import { composePicture } from "../../src/compositor/compose.ts";
import { Scene as Overlays } from "../../src/compositor/scene.ts";
import { Framebuffer } from "../../src/framebuffer/framebuffer.ts";
import { publishDamage } from "../../src/framebuffer/publish.ts";
import { rect } from "../../src/framebuffer/rect.ts";
import { Region } from "../../src/framebuffer/region.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { type Line, line } from "../line.ts";
import { measure } from "../stopwatch.ts";
import { changeLine, type Scene } from "./scene.ts";

const RUNS = 25;

/** P8: an overlay drawn into what changed, beside sharp. */
export async function benchBlend({ frame, name }: Scene, isShort: boolean): Promise<Line[]> {
  const overlays = new Overlays(systemClock);
  const place = rect(300, 200, 600, 300);
  overlays.add(
    {
      ...{ kind: "box", ...place, color: "#ff8800", opacity: 0.5, label: null },
      ...{ temporaryMs: null, clickThrough: true, monitorIndex: 0 },
    },
    "bench",
    frame.rect,
  );
  const composed = composePicture(frame, overlays);
  const layer = Buffer.alloc(place.width * place.height * 4, Buffer.from([255, 136, 0, 128]));
  const size = { width: frame.width, height: frame.height, channels: 4 } as const;
  const input = { input: layer, raw: { width: place.width, height: place.height, channels: 4 } } as const;
  const ours = {
    name: `overlay of 600x300 into damage, ${name}`,
    run: async () => composed.pixels(place),
  };
  const theirs = {
    name: "sharp.composite",
    run: () =>
      sharp(frame.bytes, { raw: size })
        .composite([{ ...input, left: place.x, top: place.y }])
        .raw()
        .toBuffer(),
  };
  const times = await measure([ours, theirs], RUNS, isShort);
  return [line(times, ours.name, theirs.name, { id: "P8", goal: { atLeast: 20 } })];
}

/** P9: finding what an update changed, beside pixelmatch over the whole frame. */
export async function benchChange(scene: Scene, isShort: boolean): Promise<Line[]> {
  const { frame, name } = scene;
  const decoded = new Framebuffer(frame.width, frame.height);
  decoded.words.set(frame.words);
  const later: Scene = { ...scene, frame: decoded };
  let turn = 0;
  const oneLine = {
    name: `what a line of text changed, ${name}`,
    run: async () => publishDamage(decoded, frame, Region.of(changeLine(later, turn++))),
  };
  const everything = {
    name: `what changed, told that everything did, ${name}`,
    run: async () => publishDamage(decoded, frame, Region.of(frame.rect)),
  };
  const { width, height } = frame;
  const theirs = {
    name: "pixelmatch",
    run: async () => pixelmatch(decoded.bytes, frame.bytes, undefined, width, height),
  };
  const times = await measure([oneLine, everything, theirs], RUNS, isShort);
  return [
    line(times, oneLine.name, theirs.name, { id: "P9", goal: { atLeast: 5 } }),
    line(times, everything.name, theirs.name),
  ];
}
