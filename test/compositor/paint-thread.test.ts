import t from "tap";
import { PAINT_THREAD_URL, PaintThread } from "../../src/compositor/paint-thread.ts";
import { decodePicture, encodePicture } from "../../src/compositor/picture-file.ts";
import { annotateFile } from "../../src/compositor/picture-file-marks.ts";
import type { PlacedOverlay } from "../../src/compositor/placed-overlay.ts";
import { paintRaster } from "../../src/compositor/raster.ts";
import { Scene } from "../../src/compositor/scene.ts";
import { SHAPES } from "../../src/compositor/shapes/list.ts";
import { rect } from "../../src/framebuffer/rect.ts";
import { openThread } from "../../src/platform/worker-thread.ts";
import { HandTimer, spec } from "./scenes.ts";

const MONITOR = rect(0, 0, 640, 480);
const NEVER = new AbortController().signal;

function thread(t: { teardown(call: () => Promise<void>): void }) {
  let opened = 0;
  const painter = new PaintThread(new HandTimer(), () => {
    opened++;
    return openThread("paint-worker", PAINT_THREAD_URL);
  });
  t.teardown(() => painter.close());
  return { painter, opened: () => opened };
}

function placed(ownerId: string, ...specs: Parameters<typeof spec>[0][]): readonly PlacedOverlay[] {
  const scene = new Scene(new HandTimer());
  for (const one of specs) scene.add(spec(one), ownerId, MONITOR);
  return scene.placed;
}

t.test("the thread paints every shape as it is painted here, letters too", async (t) => {
  const { painter, opened } = thread(t);
  const all = placed(
    "ann",
    ...SHAPES.map(({ kind }, i) => ({ kind, x: 20 * i, y: 30, width: 120, height: 80, label: "Press Save" })),
  );
  const painted = await Promise.all(all.map((one) => painter.raster(one)));
  for (const [i, one] of all.entries()) {
    const here = paintRaster(one);
    t.same(painted[i]?.bounds, here.bounds);
    t.same(painted[i]?.runs, here.runs, one.overlay.kind);
    t.same(painted[i]?.rows, here.rows);
  }
  t.equal(opened(), 1);
});

t.test("owners take turns: one overlay is painted before another owner's hundredth", async (t) => {
  const { painter } = thread(t);
  const done: string[] = [];
  const flood = placed("flood", ...Array.from({ length: 100 }, (_, x) => ({ kind: "ellipse", x })));
  const one = placed("one", { kind: "ellipse" });
  await Promise.all(
    [...flood, ...one].map(async (overlay) => {
      await painter.raster(overlay);
      done.push(overlay.overlay.ownerId);
    }),
  );
  t.ok(done.indexOf("one") < 10, `its turn came after ${done.indexOf("one")} of 100`);
});

t.test(
  "a picture is annotated there as here, few wait at a time, and who is called off waits no more",
  async (t) => {
    const { painter } = thread(t);
    const rgba = new Uint8ClampedArray(200 * 100 * 4).fill(255);
    const file = await encodePicture({ width: 200, height: 100, rgba }, "png");
    const marks = [
      { type: "rect", color: "#ff0000", strokeWidth: 3, x: 20, y: 20, width: 90, height: 40 },
    ] as const;
    const there = await decodePicture(await painter.annotate("ann", file, marks, NEVER));
    const here = await decodePicture(await annotateFile(file, marks, NEVER));
    t.ok(Buffer.from(there.rgba).equals(Buffer.from(here.rgba)));
    const abort = new AbortController();
    const calls = Array.from({ length: 7 }, () => painter.annotate("ann", file, marks, abort.signal));
    abort.abort(new Error("gone"));
    const ends = await Promise.allSettled(calls);
    const reasons = ends.map((end) => (end.status === "rejected" ? String(end.reason) : "done"));
    t.equal(reasons.filter((reason) => reason.includes("RangeError")).length, 2, "one runs, four wait");
    t.equal(reasons.filter((reason) => reason === "Error: gone").length, 5);
    t.ok(await painter.annotate("ann", file, marks, NEVER), "and there is room again");
  },
);

t.test("what cannot be read fails alone, and a closed painter says so", async (t) => {
  const { painter, opened } = thread(t);
  await t.rejects(painter.annotate("ann", Uint8Array.of(1, 2, 3), [], NEVER), {
    message: /cannot be decoded/,
  });
  const [one] = placed("ann", { kind: "box" });
  if (one === undefined) throw new Error("nothing was placed");
  t.ok(await painter.raster(one));
  t.equal(opened(), 1);
  await painter.close();
  await t.rejects(painter.raster(one), { message: /ended/ });
});
