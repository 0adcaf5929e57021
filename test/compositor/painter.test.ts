import t from "tap";
import { composePicture } from "../../src/compositor/compose.ts";
import type { Painter } from "../../src/compositor/painter.ts";
import type { PlacedOverlay } from "../../src/compositor/placed-overlay.ts";
import { paintRaster, type Raster } from "../../src/compositor/raster.ts";
import { Scene } from "../../src/compositor/scene.ts";
import { Framebuffer } from "../../src/framebuffer/framebuffer.ts";
import { rect } from "../../src/framebuffer/rect.ts";
import { HandTimer, spec } from "./scenes.ts";

const MONITOR = rect(0, 0, 80, 60);
const RED = 0xff0000ff;

/** Paints when told to. */
class HandPainter implements Painter {
  readonly asked: { readonly placed: PlacedOverlay; finish(raster: Raster | null): void }[] = [];

  raster(placed: PlacedOverlay): Promise<Raster> {
    return new Promise((resolve, reject) => {
      this.asked.push({
        placed,
        finish: (raster) => (raster === null ? reject(new Error("cannot")) : resolve(raster)),
      });
    });
  }

  annotate(): Promise<Uint8Array> {
    return Promise.reject(new Error("no picture was to be annotated"));
  }
}

function scene(t: { teardown(call: () => void): void }) {
  const painter = new HandPainter();
  const made = new Scene(new HandTimer(), painter);
  const events: string[] = [];
  made.on(({ type }) => events.push(type));
  t.teardown(() => made.close());
  const frame = new Framebuffer(80, 60);
  const picture = composePicture(frame, made);
  const pixel = (): number => {
    const { bytes, offset } = picture.pixels(rect(20, 20, 1, 1));
    return new DataView(bytes.buffer, bytes.byteOffset).getUint32(offset, true);
  };
  return { painter, scene: made, events, pixel, below: pixel() };
}

t.test("a picture never waits for an overlay: it shows it once it is painted, which is told", async (t) => {
  const { painter, scene: drawn, events, pixel, below } = scene(t);
  drawn.add(spec({ x: 10, y: 10, width: 40, height: 30, color: "red", opacity: 1 }), "ann", MONITOR);
  t.equal(painter.asked.length, 0, "nobody looked");
  t.equal(pixel(), below);
  t.equal(pixel(), below);
  t.equal(painter.asked.length, 1, "painted once, however many look");
  const whenPainted = drawn.whenPainted();
  const [asked] = painter.asked;
  if (asked === undefined) throw new Error("nothing was asked for");
  asked.finish(paintRaster(asked.placed));
  await whenPainted;
  t.equal(pixel(), RED);
  t.same(events, ["created", "painted"]);
  t.equal(painter.asked.length, 1);
});

t.test(
  "what was removed while it was painted is not told, and what cannot be painted stays away",
  async (t) => {
    const { painter, scene: drawn, events, pixel, below } = scene(t);
    const gone = drawn.add(spec(), "ann", MONITOR);
    const first = drawn.whenPainted();
    drawn.remove(gone.id);
    painter.asked[0]?.finish(null);
    await first;
    t.same(events, ["created", "removed"]);
    drawn.add(spec({ x: 10, y: 10, width: 40, height: 30, opacity: 1 }), "ann", MONITOR);
    const second = drawn.whenPainted();
    painter.asked[1]?.finish(null);
    await second;
    t.equal(pixel(), below);
    await drawn.whenPainted();
    t.equal(painter.asked.length, 2, "and is not tried again and again");
  },
);
