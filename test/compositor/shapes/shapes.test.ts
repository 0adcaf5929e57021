import { createCanvas } from "@napi-rs/canvas";
import t from "tap";
import { ICON_NAMES } from "../../../src/compositor/look/glyphs.ts";
import type { OverlaySpec } from "../../../src/compositor/overlay.ts";
import { SHAPES, shapeOf } from "../../../src/compositor/shapes/list.ts";
import { holdsPoint, holdsRect, type Rect, rect } from "../../../src/framebuffer/rect.ts";
import { spec } from "../scenes.ts";

const ROOM = rect(40, 30, 300, 200);

/** Alpha of a canvas larger than the room, with its origin at the desktop's. */
function painted(overlay: OverlaySpec): { readonly bounds: Rect; readonly pixels: Uint8ClampedArray } {
  const shape = shapeOf(overlay.kind);
  if (shape === undefined) throw new Error(`no shape ${overlay.kind}`);
  const clamped = { ...overlay, ...shape.clamp(overlay, ROOM) };
  const canvas = createCanvas(400, 300);
  const context = canvas.getContext("2d");
  shape.paint(context, clamped, ROOM);
  return { bounds: shape.bounds(clamped, ROOM), pixels: context.getImageData(0, 0, 400, 300).data };
}

function count(pixels: Uint8ClampedArray, where: (x: number, y: number) => boolean): number {
  let found = 0;
  for (let i = 0; i < 400 * 300; i++) {
    if ((pixels[4 * i + 3] ?? 0) > 0 && where(i % 400, Math.floor(i / 400))) found++;
  }
  return found;
}

t.test("the list holds every kind, each found by its name", async (t) => {
  t.same(
    SHAPES.map(({ kind }) => kind),
    ["box", "label", "arrow", "text", "icon", "ellipse", "freehand", "highlight", "spotlight", "blur"],
  );
  for (const shape of SHAPES) {
    t.equal(shapeOf(shape.kind), shape);
    t.not(shape.summary, "");
  }
  t.equal(shapeOf("toString"), undefined);
});

t.test("each kind paints something, and within the room nothing outside its bounds", async (t) => {
  const places = [rect(100, 100, 80, 50), rect(40, 30, 60, 40), rect(320, 210, 20, 20), rect(41, 229, 1, 1)];
  const labels = [
    "Save",
    "check",
    "a long label that does not fit beside anything at all ".repeat(4),
    "ä\n日本 🙂",
  ];
  for (const { kind } of SHAPES) {
    for (const place of places) {
      for (const label of labels) {
        const { bounds, pixels } = painted(spec({ kind, ...place, label }));
        t.ok(holdsRect(ROOM, bounds), `${kind}: bounds within the room`);
        t.ok(count(pixels, (x, y) => holdsPoint(bounds, x, y)) > 0, `${kind} paints something`);
        const stray = count(pixels, (x, y) => holdsPoint(ROOM, x, y) && !holdsPoint(bounds, x, y));
        t.equal(stray, 0, `${kind} at ${place.x},${place.y} paints nothing else`);
      }
    }
  }
});

t.test("an arrow in any direction stays within its bounds and ends at its point", async (t) => {
  for (let degrees = 0; degrees < 360; degrees += 15) {
    const angle = (degrees * Math.PI) / 180;
    const [width, height] = [Math.round(70 * Math.cos(angle)), Math.round(70 * Math.sin(angle))];
    const { bounds, pixels } = painted(spec({ kind: "arrow", x: 190, y: 130, width, height }));
    t.equal(
      count(pixels, (x, y) => !holdsPoint(bounds, x, y)),
      0,
      `${degrees} degrees`,
    );
    const tip = count(pixels, (x, y) => Math.hypot(x - 190 - width, y - 130 - height) <= 1.5);
    t.ok(tip > 0, "its tip is at the point");
  }
});

t.test("a box's label is above it, or inside where there is no room above", async (t) => {
  const above = painted(spec({ x: 100, y: 100, label: "Save" })).bounds;
  t.same([above.y, above.height], [80, 50]);
  const inside = painted(spec({ x: 100, y: 40, label: "Save" })).bounds;
  t.same([inside.y, inside.height], [40, 30]);
  const atEdge = painted(spec({ x: 330, y: 100, width: 10, label: "Save all files" })).bounds;
  t.equal(atEdge.x + atEdge.width, 340, "it is moved to the left");
});

t.test("a box of any small size has a border and stays in it", async (t) => {
  for (let side = 1; side < 12; side++) {
    const { pixels } = painted(spec({ x: 100, y: 100, width: side, height: side, opacity: 0 }));
    t.equal(
      count(pixels, (x, y) => !holdsPoint(rect(100, 100, side, side), x, y)),
      0,
      `${side}x${side}`,
    );
    t.ok((pixels[4 * (100 * 400 + 100) + 3] ?? 0) === 255, "its corner is solid");
  }
});

t.test("opacity is that of a box's inside, exactly", async (t) => {
  for (const [opacity, alpha] of [
    [0, 0],
    [0.5, 128],
    [1, 255],
  ] as const) {
    const { pixels } = painted(spec({ x: 100, y: 100, width: 60, height: 60, opacity }));
    const got = pixels[4 * (130 * 400 + 130) + 3] ?? -1;
    t.ok(Math.abs(got - alpha) <= 1, `${opacity}: ${got}`);
  }
});

t.test("text is wrapped at the width and grows downwards", async (t) => {
  const label = "some words that need more than a line";
  const narrow = painted(spec({ kind: "text", x: 60, y: 40, width: 100, height: 1, label })).bounds;
  const wide = painted(spec({ kind: "text", x: 60, y: 40, width: 270, height: 1, label })).bounds;
  t.ok(narrow.width <= 100 && narrow.height > wide.height);
  const endless = painted(
    spec({ kind: "text", x: 60, y: 40, width: 100, height: 1, label: "word ".repeat(400) }),
  ).bounds;
  t.ok(holdsRect(ROOM, endless), "and never beyond the room");
});

t.test("every named icon looks different, an unknown name is a pointer with a tag", async (t) => {
  const looks = new Set<string>();
  for (const label of ICON_NAMES) {
    const { pixels } = painted(spec({ kind: "icon", x: 100, y: 100, width: 48, height: 48, label }));
    looks.add(Buffer.from(pixels).toString("base64"));
  }
  t.equal(looks.size, ICON_NAMES.length);
  const named = painted(
    spec({ kind: "icon", x: 100, y: 100, width: 48, height: 48, label: "pointer" }),
  ).bounds;
  const tagged = painted(
    spec({ kind: "icon", x: 100, y: 100, width: 48, height: 48, label: "drag me" }),
  ).bounds;
  t.same([named.x, named.y], [100, 100], "its tip is the overlay's corner");
  t.ok(tagged.width > named.width);
});

t.test("schemas ask for a label where a kind is nothing without one", async (t) => {
  for (const { kind, schema } of SHAPES) {
    const isRequired = kind === "text" || kind === "label";
    t.equal(schema.safeParse({ label: null }).success, !isRequired, kind);
    t.equal(schema.safeParse({ label: "x".repeat(2001) }).success, false, kind);
  }
});

/** Alpha of one pixel of a painted overlay. */
function alphaAt(overlay: OverlaySpec, x: number, y: number): number {
  return painted(overlay).pixels[(y * 400 + x) * 4 + 3] ?? 0;
}

t.test("a spotlight dims all but its region", async (t) => {
  const light = spec({ kind: "spotlight", ...rect(100, 100, 60, 40), opacity: 0.5 });
  t.equal(alphaAt(light, 130, 120), 0, "the region is clear");
  t.equal(alphaAt(light, 60, 60) >> 1, 63, "the rest is dim by half");
  t.equal(alphaAt(light, 39, 60), 0, "and the next monitor is not touched");
});

t.test("an ellipse touches the middles of its sides, not its corners", async (t) => {
  const ring = spec({ kind: "ellipse", ...rect(100, 100, 60, 40), opacity: 0 });
  t.ok(alphaAt(ring, 130, 102) > 200);
  t.equal(alphaAt(ring, 101, 101), 0);
  t.equal(alphaAt(ring, 130, 120), 0, "nothing is tinted without opacity");
});

t.test("a freehand line goes through its points, which move with it", async (t) => {
  const points = [
    { x: 0, y: 0 },
    { x: 40, y: 0 },
  ];
  const line = spec({ kind: "freehand", ...rect(100, 100, 40, 1), points });
  t.ok(alphaAt(line, 120, 100) > 150);
  t.equal(alphaAt(line, 120, 110), 0);
  const moved = { ...line, ...rect(100, 150, 40, 1) };
  t.ok(alphaAt(moved, 120, 150) > 150);
});

t.test("a highlight is its colour at its opacity, without a frame", async (t) => {
  const mark = spec({ kind: "highlight", ...rect(100, 100, 60, 40), opacity: 0.5 });
  t.equal(alphaAt(mark, 130, 101), alphaAt(mark, 130, 120));
  t.equal(alphaAt(mark, 130, 120) >> 1, 63);
});
