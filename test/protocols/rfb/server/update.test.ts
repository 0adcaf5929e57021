import t from "tap";
import { rect } from "../../../../src/framebuffer/rect.ts";
import { Region } from "../../../../src/framebuffer/region.ts";
import { ByteWriter } from "../../../../src/protocols/byte-writer.ts";
import { RESIZE_STATUS } from "../../../../src/protocols/rfb/resize-status.ts";
import { ports } from "./ports.ts";
import { colourful, pictureOf, type SentRect, say, TestViewer } from "./viewer.ts";

const frame = colourful(64, 48);
const picture = pictureOf(frame);
const WHOLE = Region.of(rect(0, 0, 64, 48));

const NUMBER = {
  desktopSize: -223,
  cursor: -239,
  qemuKey: -258,
  desktopName: -307,
  extendedDesktopSize: -308,
};
const FENCE = -312;
const CONTINUOUS = -313;

/** What a rectangle in Raw and RGBX must hold, taken from the picture's bytes pixel by pixel. */
function wanted({ x, y, width, height }: SentRect): string {
  let hex = "";
  for (let row = y; row < y + height; row++) {
    const start = (row * 64 + x) * 4;
    hex += Buffer.from(frame.bytes.subarray(start, start + width * 4)).toString("hex");
  }
  // The fourth byte of a pixel means nothing; ours is 0.
  return hex.replace(/(.{6})ff/g, "$100");
}

function regionOf(rects: readonly SentRect[]): Region {
  return Region.from(rects.map(({ x, y, width, height }) => rect(x, y, width, height)));
}

t.test("nothing is sent without an open request, and everything is left", async (t) => {
  const viewer = TestViewer.ready();
  t.notOk(viewer.server.isUpdateWanted);
  t.ok(viewer.server.update(picture, WHOLE).equals(WHOLE));
  t.equal(viewer.takeBytes().length, 0);
});

t.test("an incremental request gets what changed within it, once", async (t) => {
  const viewer = TestViewer.ready();
  viewer.say(say.request(true, 8, 8, 16, 16));
  t.ok(viewer.server.isUpdateWanted);
  const left = viewer.server.update(picture, Region.of(rect(0, 0, 12, 12)));
  t.ok(left.equals(Region.of(rect(0, 0, 12, 12)).subtract(Region.of(rect(8, 8, 16, 16)))));
  const rects = viewer.takeRects();
  t.ok(regionOf(rects).equals(Region.of(rect(8, 8, 4, 4))));
  for (const sent of rects) {
    t.equal(sent.encoding, 0);
    t.equal(Buffer.from(sent.body).toString("hex"), wanted(sent));
  }
  t.notOk(viewer.server.isUpdateWanted);
});

t.test("a request stays open until there is something to send", async (t) => {
  const viewer = TestViewer.ready();
  viewer.say(say.request(true, 0, 0, 8, 8));
  viewer.server.update(picture, Region.of(rect(30, 30, 4, 4)));
  t.equal(viewer.takeBytes().length, 0);
  t.ok(viewer.server.isUpdateWanted);
});

t.test("a request that is not incremental gets all of its area, changed or not", async (t) => {
  const viewer = TestViewer.ready();
  viewer.say(say.request(false, 4, 4, 10, 10));
  t.ok(viewer.server.refresh.equals(Region.of(rect(4, 4, 10, 10))));
  viewer.server.update(picture, Region.empty);
  t.ok(regionOf(viewer.takeRects()).equals(Region.of(rect(4, 4, 10, 10))));
  t.ok(viewer.server.refresh.isEmpty);
});

t.test("an update stops at its limit of bytes; the rest comes with the next request", async (t) => {
  const width = 600;
  const height = 400;
  const big = pictureOf(colourful(width, height));
  const whole = Region.of(rect(0, 0, width, height));
  const viewer = TestViewer.ready({ width, height, maxUpdateBytes: 300_000 });
  viewer.say(say.request(true, 0, 0, width, height));
  let left = viewer.server.update(big, whole);
  let sent = regionOf(viewer.takeRects());
  t.notOk(left.isEmpty);
  t.ok(left.equals(whole.subtract(sent)));
  for (let i = 0; i < 10 && !left.isEmpty; i++) {
    viewer.say(say.request(true, 0, 0, width, height));
    left = viewer.server.update(big, left);
    sent = sent.union(regionOf(viewer.takeRects()));
  }
  t.ok(sent.equals(whole));
  t.ok(Math.max(...viewer.sentBytes) < 300_000 + 65_536 * 4 + 100);
});

t.test("rectangles are at most 2048 pixels wide and 65,536 pixels large", async (t) => {
  const width = 5000;
  const height = 70;
  const viewer = TestViewer.ready({ width, height });
  viewer.say(say.request(false, 0, 0, width, height));
  do viewer.server.update(pictureOf(colourful(width, height)), Region.empty);
  while (viewer.server.isUpdateOpen);
  const rects = viewer.takeRects();
  t.ok(regionOf(rects).equals(Region.of(rect(0, 0, width, height))));
  t.ok(rects.every((r) => r.width <= 2048 && r.width * r.height <= 65_536));
});

t.test("pixels come in the format the viewer set: 16 bits, big-endian, 565", async (t) => {
  const viewer = TestViewer.ready();
  viewer.bytesPerPixel = 2;
  const format = new ByteWriter().u8(0).pad(3).u8(16).u8(16).u8(1).u8(1).u16(31).u16(63).u16(31);
  viewer.say(format.u8(11).u8(5).u8(0).pad(3).bytes(), say.request(false, 10, 20, 1, 1));
  viewer.server.update(picture, Region.empty);
  const [red = 0, green = 0, blue = 0] = frame.read(rect(10, 20, 1, 1));
  const word =
    (Math.round((red * 31) / 255) << 11) |
    (Math.round((green * 63) / 255) << 5) |
    Math.round((blue * 31) / 255);
  t.same([...(viewer.takeRects()[0]?.body ?? [])], [word >> 8, word & 0xff]);
});

t.test("moves are copied where the viewer can, and come before the pixels", async (t) => {
  const viewer = TestViewer.ready();
  viewer.say(say.encodings(1, 0), say.request(true, 0, 0, 64, 48));
  const move = { fromX: 0, fromY: 16, to: rect(0, 0, 64, 16) };
  t.ok(viewer.server.update(picture, Region.of(rect(0, 40, 64, 8)), [move]).isEmpty);
  const rects = viewer.takeRects();
  t.same(
    rects.map(({ encoding }) => encoding),
    [1, 0],
  );
  t.same([...(rects[0]?.body ?? [])], [0, 0, 0, 16]);
});

t.test("moves become pixels for a viewer that cannot copy", async (t) => {
  const viewer = TestViewer.ready();
  viewer.say(say.encodings(0), say.request(true, 0, 0, 64, 48));
  viewer.server.update(picture, Region.empty, [{ fromX: 0, fromY: 16, to: rect(0, 0, 64, 16) }]);
  t.ok(regionOf(viewer.takeRects()).equals(Region.of(rect(0, 0, 64, 16))));
});

t.test("moves become pixels where the viewer does not show what they would read", async (t) => {
  const move = { fromX: 0, fromY: 16, to: rect(0, 0, 64, 16) };
  const refreshing = TestViewer.ready();
  refreshing.say(say.encodings(1, 0), say.request(false, 0, 16, 64, 16), say.request(true, 0, 0, 64, 48));
  refreshing.server.update(picture, Region.empty, [move]);
  t.notOk(
    refreshing.takeRects().some(({ encoding }) => encoding === 1),
    "a refresh is due",
  );

  const partial = TestViewer.ready();
  partial.say(say.encodings(1, 0), say.request(true, 0, 0, 64, 20));
  partial.server.update(picture, Region.empty, [move]);
  t.notOk(
    partial.takeRects().some(({ encoding }) => encoding === 1),
    "the source was not asked for",
  );
});

t.test("what lies outside the viewport is never sent nor owed, though the whole size is told", async (t) => {
  const viewer = TestViewer.ready({ viewport: rect(16, 16, 16, 16) });
  viewer.say(say.encodings(1, 0), say.request(false, 0, 0, 64, 48));
  const left = viewer.server.update(picture, WHOLE, [{ fromX: 0, fromY: 0, to: rect(16, 16, 4, 4) }]);
  t.ok(left.isEmpty);
  t.ok(regionOf(viewer.takeRects()).equals(Region.of(rect(16, 16, 16, 16))));
});

t.test("the encoding is the first of the viewer's own list that we have", async (t) => {
  for (const [list, expected] of [
    [[99, 16, 0], 16],
    [[0, 16], 0],
    [[99], 0],
    [[1, -239, 16, 7], 16],
  ] as const) {
    const viewer = TestViewer.ready();
    viewer.say(say.encodings(...list), say.request(false, 0, 0, 16, 16));
    viewer.server.update(picture, Region.empty);
    const pixels = viewer.takeRects().filter(({ encoding }) => encoding >= 0);
    t.same([...new Set(pixels.map(({ encoding }) => encoding))], [expected]);
  }
});

t.test("a size is told before its pixels, and alone", async (t) => {
  const viewer = TestViewer.ready();
  viewer.say(say.encodings(0, NUMBER.desktopSize), say.request(true, 0, 0, 64, 48));
  viewer.server.resize(32, 24, []);
  const small = colourful(32, 24);
  const left = viewer.server.update(pictureOf(small), Region.of(small.rect));
  t.ok(left.equals(Region.of(small.rect)));
  t.same(viewer.takeRects(), [
    { x: 0, y: 0, width: 32, height: 24, encoding: NUMBER.desktopSize, body: Buffer.alloc(0) },
  ]);
  viewer.say(say.request(true, 0, 0, 32, 24));
  t.ok(viewer.server.update(pictureOf(small), left).isEmpty);
  t.ok(regionOf(viewer.takeRects()).equals(Region.of(small.rect)));
});

t.test("a viewer that cannot follow a change of size is given up", async (t) => {
  const viewer = TestViewer.ready();
  viewer.say(say.request(true, 0, 0, 64, 48));
  viewer.server.resize(32, 24, []);
  t.throws(() => viewer.server.update(pictureOf(colourful(32, 24)), Region.empty), { code: "refused" });
});

t.test(
  "ExtendedDesktopSize tells the monitors at first, and the outcome of what a viewer asked",
  async (t) => {
    const viewer = TestViewer.ready();
    viewer.say(say.encodings(0, NUMBER.extendedDesktopSize), say.request(true, 0, 0, 64, 48));
    viewer.server.update(picture, Region.empty);
    const screens = (id: number, width: number, height: number): number[] => [
      ...new ByteWriter().u8(1).pad(3).u32(id).u16(0).u16(0).u16(width).u16(height).u32(0).bytes(),
    ];
    const [first] = viewer.takeRects();
    t.match(first, { x: 0, y: 0, width: 64, height: 48, encoding: NUMBER.extendedDesktopSize });
    t.same([...(first?.body ?? [])], screens(7, 64, 48));

    viewer.say(say.request(true, 0, 0, 64, 48), say.desktopSize(80, 60, rect(0, 0, 80, 60)));
    viewer.server.refuseResize(RESIZE_STATUS.prohibited);
    viewer.server.update(picture, Region.empty);
    t.match(viewer.takeRects(), [{ x: 1, y: 1, width: 64, height: 48 }]);

    viewer.say(say.request(true, 0, 0, 64, 48), say.desktopSize(80, 60, rect(0, 0, 80, 60)));
    viewer.server.resize(80, 60, []);
    viewer.server.update(pictureOf(colourful(80, 60)), Region.empty);
    const [done] = viewer.takeRects();
    t.match(done, { x: 1, y: 0, width: 80, height: 60 });
    t.same([...(done?.body ?? [])], screens(1, 80, 60));
  },
);

t.test("a layout is told beside an answer that does not count as one", async (t) => {
  const viewer = TestViewer.ready();
  viewer.say(say.encodings(0, NUMBER.extendedDesktopSize), say.request(true, 0, 0, 64, 48));
  viewer.server.update(picture, Region.empty);
  viewer.take();
  viewer.say(say.desktopSize(80, 60, rect(0, 0, 40, 60), rect(40, 0, 40, 60)));
  viewer.server.refuseResize(RESIZE_STATUS.forwarded);
  const screens = [0, 40].map((x, id) => ({ id: id + 1, rect: rect(x, 0, 40, 60), flags: 0 }));
  viewer.server.resize(80, 60, screens);
  viewer.say(say.request(true, 0, 0, 64, 48));
  viewer.server.update(pictureOf(colourful(80, 60)), Region.empty);
  const [answer, layout, ...more] = viewer.takeRects();
  t.match(answer, { x: 1, y: RESIZE_STATUS.forwarded, width: 80, height: 60 });
  t.match(layout, { x: 0, y: 0, width: 80, height: 60 });
  t.equal(layout?.body[0], 2, "both screens");
  t.same(more, []);
});

t.test("no screen is told with id 0, which libvncclient refuses", async (t) => {
  const half = { x: 0, y: 0, width: 32, height: 48 };
  const screens = [
    { id: 1, rect: half, flags: 0 },
    { id: 0, rect: { ...half, x: 32 }, flags: 0 },
  ];
  const viewer = TestViewer.ready({ screens });
  viewer.say(say.encodings(0, NUMBER.extendedDesktopSize), say.request(true, 0, 0, 64, 48));
  viewer.server.update(picture, Region.empty);
  const view = Buffer.from(viewer.takeRects()[0]?.body ?? []);
  t.same([view.readUInt32BE(4), view.readUInt32BE(20)], [1, 2]);
});

t.test("acknowledgements, cursor and name go before the pixels, each once", async (t) => {
  const viewer = TestViewer.ready();
  const red = {
    width: 2,
    height: 1,
    hotspotX: 1,
    hotspotY: 0,
    rgba: Uint8Array.of(255, 0, 0, 255, 0, 0, 255, 10),
  };
  viewer.server.cursor(red);
  viewer.say(
    say.encodings(0, NUMBER.qemuKey, -316, NUMBER.cursor, NUMBER.desktopName),
    say.request(false, 0, 0, 4, 4),
  );
  viewer.server.name("näme");
  viewer.server.update(picture, Region.empty);
  const rects = viewer.takeRects();
  t.same(
    rects.map(({ encoding }) => encoding),
    [NUMBER.qemuKey, -316, NUMBER.cursor, NUMBER.desktopName, 0],
  );
  t.match(rects[2], { x: 1, y: 0, width: 2, height: 1 });
  t.same([...(rects[2]?.body ?? [])], [255, 0, 0, 0, 0, 0, 255, 0, 0x80]);
  t.equal(Buffer.from(rects[3]?.body ?? []).toString("utf8", 4), "näme");
  viewer.say(say.encodings(0, NUMBER.qemuKey, -316, NUMBER.cursor), say.request(false, 0, 0, 4, 4));
  viewer.server.update(picture, Region.empty);
  t.same(
    viewer.takeRects().map(({ encoding }) => encoding),
    [0],
  );
});

t.test("a cursor comes in the best form the viewer takes", async (t) => {
  const half = { width: 1, height: 1, hotspotX: 0, hotspotY: 0, rgba: Uint8Array.of(200, 100, 0, 128) };
  const sent = (...numbers: number[]): SentRect | undefined => {
    const viewer = TestViewer.ready();
    viewer.say(say.encodings(0, ...numbers), say.request(true, 0, 0, 64, 48));
    t.equal(viewer.server.drawsCursor, numbers.length > 0);
    viewer.server.cursor(half);
    viewer.server.update(picture, Region.empty);
    return viewer.takeRects()[0];
  };
  t.same([...(sent(-239, 0x574d5664, -314)?.body ?? [])], [0, 0, 0, 0, 100, 50, 0, 128], "premultiplied");
  t.same([...(sent(-239, 0x574d5664)?.body ?? [])], [1, 0, 200, 100, 0, 128], "straight");
  t.same([...(sent(-239)?.body ?? [])], [200, 100, 0, 0, 0x80], "masked");
  t.equal(sent(), undefined);
});

t.test("a hidden cursor is one of no size", async (t) => {
  const viewer = TestViewer.ready();
  viewer.say(say.encodings(0, NUMBER.cursor), say.request(true, 0, 0, 64, 48));
  viewer.server.cursor(null);
  viewer.server.update(picture, Region.empty);
  t.match(viewer.takeRects(), [{ width: 0, height: 0, encoding: NUMBER.cursor }]);
});

t.test("a viewer that asked for nothing special is sent nothing special", async (t) => {
  const viewer = TestViewer.ready();
  viewer.say(say.encodings(0), say.request(true, 0, 0, 64, 48), say.fence(0x80000001, Uint8Array.of(1)));
  viewer.say(say.continuous(true, 0, 0, 64, 48));
  viewer.server.cursor({ width: 1, height: 1, hotspotX: 0, hotspotY: 0, rgba: new Uint8Array(4) });
  viewer.server.name("other");
  viewer.server.resize(64, 48, []);
  viewer.server.update(picture, Region.empty);
  t.equal(viewer.takeBytes().length, 0);
});

t.test("fences are answered with the flags we know", async (t) => {
  const viewer = TestViewer.ready();
  viewer.say(say.encodings(0, FENCE));
  t.same(viewer.take(), [{ type: "fence", flags: 0x80000000, payload: Buffer.alloc(0) }], "support is told");
  viewer.say(say.fence(0xffffffff, Uint8Array.of(9, 8, 7)), say.fence(0x80000002, new Uint8Array(64)));
  t.same(viewer.take(), [
    { type: "fence", flags: 7, payload: Buffer.from([9, 8, 7]) },
    { type: "fence", flags: 2, payload: Buffer.alloc(64) },
  ]);
});

t.test("continuous updates are offered only together with Fence", async (t) => {
  const alone = TestViewer.ready();
  alone.say(say.encodings(0, CONTINUOUS), say.continuous(true, 0, 0, 64, 48));
  t.equal(alone.takeBytes().length, 0);
  t.notOk(alone.server.isUpdateWanted);
  const both = TestViewer.ready();
  both.say(say.encodings(0, CONTINUOUS, FENCE));
  t.same(
    both.take().map(({ type }) => type),
    ["fence", "endOfContinuousUpdates"],
  );
});

t.test("continuous updates flow until the viewer is behind, and again when it caught up", async (t) => {
  const viewer = TestViewer.ready();
  viewer.say(say.encodings(0, CONTINUOUS, FENCE), say.continuous(true, 0, 0, 64, 48));
  viewer.take();
  const spot = Region.of(rect(0, 0, 16, 16));
  const fences: Uint8Array[] = [];
  for (let i = 0; i < 20; i++) {
    viewer.server.update(picture, spot);
    for (const sent of viewer.take()) if (sent.type === "fence") fences.push(sent.payload);
  }
  t.equal(fences.length, 4);
  t.equal(viewer.server.updatesInFlight, 4);
  t.notOk(viewer.server.isUpdateWanted);
  viewer.events.length = 0;
  viewer.say(say.fence(1, fences[1] ?? new Uint8Array(0)));
  t.equal(viewer.server.updatesInFlight, 2, "a fence confirms all before it");
  t.same(viewer.events, [{ type: "updateWanted" }]);
  viewer.say(say.fence(1, Uint8Array.of(0, 0, 0, 99)), say.fence(1, Uint8Array.of(1)));
  t.equal(viewer.server.updatesInFlight, 2, "answers to nothing confirm nothing");
  viewer.say(say.continuous(false, 0, 0, 0, 0));
  t.same(viewer.take(), [{ type: "endOfContinuousUpdates" }]);
  t.notOk(viewer.server.isUpdateWanted);
});

t.test("viewers of one picture are asked to confirm it by the same bytes", async (t) => {
  let number = 0;
  const sent: string[][] = [[], []];
  const viewers = [0, 1].map(() => TestViewer.ready({}, { ...ports, pictureNumber: () => number }));
  for (const viewer of viewers) {
    viewer.say(say.encodings(0, CONTINUOUS, FENCE), say.continuous(true, 0, 0, 64, 48));
    viewer.take();
  }
  const spot = Region.of(rect(0, 0, 16, 16));
  // One was there before the other.
  viewers[0]?.server.update(picture, spot);
  viewers[0]?.take();
  for (number of [7, 8, 8]) {
    for (const [i, viewer] of viewers.entries()) {
      viewer.server.update(picture, spot);
      for (const message of viewer.take()) {
        if (message.type === "fence") sent[i]?.push(Buffer.from(message.payload).toString("hex"));
      }
    }
  }
  t.same(sent, [
    ["00000007", "00000008", "00000009"],
    ["00000007", "00000008", "00000009"],
  ]);
});

t.test("a large update in flight stops the flow by its bytes", async (t) => {
  const width = 600;
  const height = 400;
  const viewer = TestViewer.ready({ width, height });
  viewer.say(say.encodings(0, CONTINUOUS, FENCE), say.continuous(true, 0, 0, width, height));
  viewer.server.update(pictureOf(colourful(width, height)), Region.of(rect(0, 0, width, height)));
  t.notOk(viewer.server.isUpdateWanted);
  viewer.say(say.request(true, 0, 0, width, height));
  t.ok(viewer.server.isUpdateWanted, "a request of its own is always answered");
});

t.test("a body that was encoded for all is sent to each, ZRLE's stream begun for each", async (t) => {
  let encoded = 0;
  const bodies = new Map<string, Uint8Array>();
  const sharing = {
    ...ports,
    encodeRect: (work: { rect: object }, encode: () => Uint8Array) => {
      const key = JSON.stringify(work.rect);
      const body = bodies.get(key) ?? encode().slice();
      if (!bodies.has(key)) encoded++;
      bodies.set(key, body);
      return body;
    },
  };
  const sent = [1, 2].map(() => {
    const viewer = TestViewer.ready({}, sharing);
    viewer.say(say.encodings(16), say.request(false, 0, 0, 64, 24), say.request(false, 0, 24, 64, 24));
    viewer.server.update(picture, Region.empty);
    viewer.say(say.request(false, 0, 0, 64, 48));
    viewer.server.update(picture, Region.empty);
    return viewer.takeRects().map(({ body }) => Buffer.from(body).toString("hex"));
  });
  t.equal(encoded, 1);
  t.same(sent[0], sent[1]);
  t.match(sent[0]?.[0], /^.{8}78/, "a zlib header in the first");
  t.equal(sent[0]?.[0]?.slice(12), sent[0]?.[1]?.slice(8), "and the same segment without it in the second");
});
