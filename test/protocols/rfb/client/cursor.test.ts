import t from "tap";
import type { Cursor } from "../../../../src/framebuffer/cursor.ts";
import { checkChunking, errorOf, Peer } from "./peer.ts";
import { hello, join, rectangle, solid, u32, update } from "./server-bytes.ts";

const VMWARE = 0x574d5664;
const RED = [255, 0, 0] as const;

/** The pointer's picture after one pseudo-rectangle. */
function cursorAfter(said: Uint8Array): Cursor | null | undefined {
  return new Peer().say(hello(8, 8), update(said)).of("cursor")[0]?.cursor;
}

function rgbaAfter(said: Uint8Array): number[] {
  return [...(cursorAfter(said)?.rgba ?? [])];
}

t.test("Cursor: pixels where the mask is set, the hotspot kept inside", async (t) => {
  const said = rectangle(9, 9, 2, 1, -239, join(solid(2, 1, RED), Uint8Array.of(0x40)));
  t.match(cursorAfter(said), { width: 2, height: 1, hotspotX: 1, hotspotY: 0 });
  t.same(rgbaAfter(said), [255, 0, 0, 0, 255, 0, 0, 255]);
});

t.test("XCursor: a bitmap chooses between two colours, rows padded to bytes", async (t) => {
  const colours = Uint8Array.of(1, 2, 3, 4, 5, 6);
  const said = rectangle(
    0,
    0,
    3,
    2,
    -240,
    join(colours, Uint8Array.of(0xa0, 0x40), Uint8Array.of(0xe0, 0x60)),
  );
  t.same(rgbaAfter(said), [1, 2, 3, 255, 4, 5, 6, 255, 1, 2, 3, 255, 4, 5, 6, 0, 1, 2, 3, 255, 4, 5, 6, 255]);
});

t.test("CursorWithAlpha: premultiplied alpha is undone", async (t) => {
  const said = rectangle(0, 0, 1, 1, -314, join(u32(0), Uint8Array.of(64, 0, 32, 128)));
  t.same(rgbaAfter(said), [128, 0, 64, 128]);
  t.match(
    errorOf(() => cursorAfter(rectangle(0, 0, 1, 1, -314, join(u32(5), new Uint8Array(20))))),
    { code: "unsolicited_encoding" },
  );
});

t.test("VMware cursor with alpha: as it is", async (t) => {
  t.same(rgbaAfter(rectangle(0, 0, 1, 1, VMWARE, Uint8Array.of(1, 0, 64, 0, 32, 128))), [64, 0, 32, 128]);
});

t.test("VMware cursor, classic: opaque where AND is black, clear, and inverting ones black", async (t) => {
  const and = Uint8Array.of(0, 0, 0, 0, 255, 255, 255, 0, 255, 255, 255, 0);
  const xor = Uint8Array.of(1, 2, 3, 0, 0, 0, 0, 0, 255, 255, 255, 0);
  t.same(
    rgbaAfter(rectangle(0, 0, 3, 1, VMWARE, join(Uint8Array.of(0, 0), and, xor))),
    [1, 2, 3, 255, 0, 0, 0, 0, 0, 0, 0, 255],
  );
  t.match(
    errorOf(() => cursorAfter(rectangle(0, 0, 1, 1, VMWARE, Uint8Array.of(2, 0)))),
    { code: "bad_data" },
  );
});

t.test("an empty cursor of any kind is none", async (t) => {
  t.equal(cursorAfter(rectangle(0, 0, 0, 0, -239)), null);
  t.equal(cursorAfter(rectangle(0, 0, 0, 0, -240)), null);
  t.equal(cursorAfter(rectangle(0, 0, 0, 0, -314, u32(0))), null);
  t.equal(cursorAfter(rectangle(0, 0, 0, 0, VMWARE, Uint8Array.of(1, 0))), null);
  t.equal(cursorAfter(rectangle(0, 0, 0, 0, VMWARE, Uint8Array.of(0, 0))), null);
});

t.test("case 23: a cursor of 65535x65535 ends it in every encoding, before any of its bytes", async (t) => {
  for (const encoding of [-239, -240, -314, VMWARE]) {
    for (const [width, height] of [
      [65535, 65535],
      [257, 1],
      [1, 257],
    ] as const) {
      t.match(
        errorOf(() => cursorAfter(rectangle(0, 0, width, height, encoding))),
        { code: "too_large", phase: "rectangle", message: /cursor of \d+x\d+/ },
        `${encoding}, ${width}x${height}`,
      );
    }
  }
});

t.test("case 23: a hotspot outside is moved inside", async (t) => {
  const said = rectangle(65535, 65535, 1, 1, VMWARE, Uint8Array.of(1, 0, 1, 2, 3, 4));
  t.match(cursorAfter(said), { hotspotX: 0, hotspotY: 0 });
});

t.test("cursors come out the same in any pieces", async (t) => {
  checkChunking(
    t,
    join(
      hello(8, 8),
      update(rectangle(9, 9, 2, 1, -239, join(solid(2, 1, RED), Uint8Array.of(0x40)))),
      update(rectangle(0, 0, 3, 2, -240, new Uint8Array(10))),
      update(rectangle(0, 0, 1, 1, -314, join(u32(0), Uint8Array.of(64, 0, 32, 128)))),
      update(rectangle(0, 0, 1, 1, VMWARE, Uint8Array.of(0, 0, 0, 0, 0, 0, 1, 2, 3, 0))),
    ),
  );
});
