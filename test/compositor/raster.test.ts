import { createCanvas } from "@napi-rs/canvas";
import t from "tap";
import { blendRaster } from "../../src/compositor/blend.ts";
import { rasterOf } from "../../src/compositor/raster.ts";
import { Scene } from "../../src/compositor/scene.ts";
import { rect } from "../../src/framebuffer/rect.ts";
import { HandTimer, spec } from "./scenes.ts";

const MONITOR = rect(0, 0, 2000, 1300);

function placedBox(given: Parameters<typeof spec>[0]) {
  const scene = new Scene(new HandTimer());
  scene.add(spec(given), "ann", MONITOR);
  const [placed] = scene.placed;
  if (placed === undefined) throw new Error("nothing was placed");
  return placed;
}

t.test("a raster is painted once for each overlay", async (t) => {
  const placed = placedBox({});
  t.equal(rasterOf(placed), rasterOf(placed));
});

t.test("packed rows are what the shape paints, over every strip's edge", async (t) => {
  for (const given of [
    { kind: "box", x: 30, y: 60, width: 1900, height: 1200, label: "painted in strips" },
    { kind: "arrow", x: 20, y: 20, width: 300, height: 300, label: null },
    { kind: "text", x: 20, y: 20, width: 120, height: 1, label: "a b c d e f g h ".repeat(12) },
    { kind: "icon", x: 20, y: 20, width: 200, height: 200, label: "star" },
  ]) {
    const placed = placedBox(given);
    const { overlay, shape, room, bounds } = placed;
    const canvas = createCanvas(bounds.width, bounds.height);
    const context = canvas.getContext("2d");
    context.translate(-bounds.x, -bounds.y);
    shape.paint(context, overlay, room);
    const whole = context.getImageData(0, 0, bounds.width, bounds.height).data;
    const ours = new Uint32Array(bounds.width * bounds.height).fill(0xff000000);
    blendRaster(ours, 0, bounds.width, rasterOf(placed), bounds);
    let farthest = 0;
    for (let i = 0; i < ours.length; i++) {
      for (let c = 0; c < 3; c++) {
        const expected = ((whole[4 * i + c] ?? 0) * (whole[4 * i + 3] ?? 0)) / 255;
        farthest = Math.max(farthest, Math.abs((((ours[i] ?? 0) >>> (8 * c)) & 255) - expected));
      }
    }
    t.ok(farthest <= 1, `${given.kind}: ${farthest}`);
  }
});

t.test("a box over a whole screen takes kilobytes", async (t) => {
  const scene = new Scene(new HandTimer());
  const screen = rect(0, 0, 3840, 2160);
  scene.add(spec({ ...screen, label: "everything" }), "ann", screen);
  const [placed] = scene.placed;
  const raster = placed && rasterOf(placed);
  t.ok(raster && raster.runs.byteLength + raster.rows.byteLength < 32 * 1024);
});
