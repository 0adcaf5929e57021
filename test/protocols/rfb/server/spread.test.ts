import t from "tap";
import { rect } from "../../../../src/framebuffer/rect.ts";
import { Region } from "../../../../src/framebuffer/region.ts";
import { ByteWriter } from "../../../../src/protocols/byte-writer.ts";
import { RfbError } from "../../../../src/protocols/rfb/error.ts";
import { ports } from "./ports.ts";
import { colourful, pictureOf, type SentRect, say, TestViewer } from "./viewer.ts";

const WIDTH = 400;
const HEIGHT = 600;
/** Rows of a piece of so wide a picture: 65,536 pixels, in steps of 16 rows. */
const ROWS = 160;
const PIECES = 4;
const WHOLE = Region.of(rect(0, 0, WIDTH, HEIGHT));

const LAST_RECT = -224;
const FENCE = -312;
const CONTINUOUS = -313;

interface Slow {
  readonly viewer: TestViewer;
  /** How many rectangles more may be encoded. */
  allow(count: number): void;
}

/** A viewer whose server has time for one rectangle at a time, and that asked for what changes. */
function slow(options: object, ...numbers: number[]): Slow {
  let allowed = 1;
  const encodeRect = (_work: object, encode: () => Uint8Array): Uint8Array | null => {
    allowed--;
    return allowed < 0 ? null : encode().slice();
  };
  const viewer = TestViewer.ready({ width: WIDTH, height: HEIGHT, ...options }, { ...ports, encodeRect });
  viewer.say(say.encodings(0, ...numbers), say.request(true, 0, 0, WIDTH, HEIGHT));
  viewer.takeBytes();
  return {
    viewer,
    allow: (count) => {
      allowed = count;
    },
  };
}

/** The red of the first pixel of a Raw rectangle. */
const firstRed = (sent: SentRect | undefined): number => sent?.body[0] ?? -1;

function plain(red: number) {
  const frame = colourful(WIDTH, HEIGHT);
  frame.fill(frame.rect, 0xff000000 | red);
  return pictureOf(frame);
}

t.test(
  "an update goes on over turns, counted at its start also with LastRect, in the newest pixels",
  async (t) => {
    for (const numbers of [[LAST_RECT], []]) {
      const { viewer, allow } = slow({}, ...numbers);
      t.ok(viewer.server.update(plain(1), WHOLE).isEmpty, "all of it is on its way");
      t.ok(viewer.server.isUpdateOpen);
      t.ok(viewer.server.isUpdateWanted);
      allow(0);
      t.ok(viewer.server.update(plain(2), Region.empty).isEmpty, "no time at all");
      allow(1);
      const both = Region.of(rect(0, 0, 8, 8), rect(0, 500, 8, 8));
      const left = viewer.server.update(plain(3), both);
      t.ok(left.equals(Region.of(rect(0, 0, 8, 8))), "what is still to come comes as it is now");
      allow(9);
      t.ok(viewer.server.update(plain(4), left).equals(left));
      t.notOk(viewer.server.isUpdateOpen);
      t.notOk(viewer.server.isUpdateWanted, "it answered the request");
      const messages = viewer.take();
      t.equal(messages.length, 1);
      const [update] = messages;
      const rects = update?.type === "update" ? update.rects : [];
      t.ok(rects.every(({ encoding }) => encoding === 0));
      t.same(rects.map(firstRed), [1, 3, 4, 4]);
      t.same(
        rects.map(({ y }) => y),
        [0, ROWS, 2 * ROWS, 3 * ROWS],
      );
    }
  },
);

t.test("a request that comes meanwhile is for the next update", async (t) => {
  const { viewer, allow } = slow({}, LAST_RECT);
  viewer.server.update(plain(1), WHOLE);
  viewer.say(say.request(true, 0, 0, WIDTH, HEIGHT));
  allow(PIECES);
  const changed = Region.of(rect(0, 0, 8, 8));
  const left = viewer.server.update(plain(2), changed);
  t.ok(left.equals(changed));
  t.ok(viewer.server.isUpdateWanted);
  t.ok(viewer.server.update(plain(2), left).isEmpty);
  t.equal(viewer.take().length, 2);
});

t.test("other messages wait for the end of it", async (t) => {
  const { viewer, allow } = slow({}, FENCE, LAST_RECT);
  viewer.server.update(plain(1), WHOLE);
  viewer.server.bell();
  viewer.server.clipboard("text");
  viewer.say(say.fence(0x80000001, Uint8Array.of(5)));
  allow(PIECES);
  viewer.server.update(plain(1), Region.empty);
  t.same(
    viewer.take().map(({ type }) => type),
    ["update", "bell", "cutText", "fence"],
  );
  viewer.server.bell();
  t.equal(viewer.take().length, 1, "and then no longer");
});

t.test("a viewer cannot make too many of them wait", async (t) => {
  const { viewer } = slow({}, FENCE, LAST_RECT);
  viewer.server.update(plain(1), WHOLE);
  const fences = Buffer.concat(Array.from({ length: 1000 }, () => say.fence(0x80000000, new Uint8Array(64))));
  let error: unknown = null;
  for (let i = 0; i < 100 && error === null; i++) {
    try {
      viewer.say(fences);
    } catch (thrown) {
      error = thrown;
    }
  }
  t.ok(error instanceof RfbError && error.code === "too_large");
});

t.test("another format or encoding is for the next update", async (t) => {
  const { viewer, allow } = slow({}, LAST_RECT);
  viewer.server.update(plain(1), WHOLE);
  const format = new ByteWriter().u8(0).pad(3).u8(16).u8(16).u8(1).u8(1).u16(31).u16(63).u16(31);
  viewer.say(format.u8(11).u8(5).u8(0).pad(3).bytes(), say.encodings(16));
  allow(PIECES);
  viewer.server.update(plain(1), Region.empty);
  const rects = viewer.takeRects();
  t.same(
    rects.map(({ encoding }) => encoding),
    [0, 0, 0, 0],
  );
  viewer.say(say.request(false, 0, 0, 8, 8));
  allow(1);
  viewer.server.update(plain(1), Region.empty);
  t.same(
    viewer.takeRects().map(({ encoding }) => encoding),
    [16],
  );
});

t.test("an update of a picture that is gone ends at once, as it was announced", async (t) => {
  for (const numbers of [[LAST_RECT], []]) {
    const { viewer, allow } = slow({}, -223, ...numbers);
    viewer.server.update(plain(1), WHOLE);
    viewer.server.resize(64, 48, []);
    t.notOk(viewer.server.isUpdateOpen);
    const rects = viewer.takeRects();
    t.equal(rects.length, PIECES);
    t.ok(rects.slice(1).every(({ width, height }) => width * height <= 1));
    viewer.say(say.request(true, 0, 0, WIDTH, HEIGHT));
    viewer.server.update(pictureOf(colourful(64, 48)), Region.empty);
    t.match(viewer.takeRects(), [{ encoding: -223, width: 64, height: 48 }]);
    viewer.say(say.request(true, 0, 0, 64, 48));
    allow(1);
    viewer.server.update(pictureOf(colourful(64, 48)), Region.empty);
    t.match(viewer.takeRects(), [{ x: 0, y: 0, width: 64, height: 48 }]);
  }
});

t.test("it is planned to hold as many bytes as an update may, and gives the rest back", async (t) => {
  // Raw: a piece of 160 rows takes 256,000 bytes.
  for (const [maxUpdateBytes, pieces] of [
    [400_000, 2],
    [600_000, 2],
    [800_000, 3],
  ] as const) {
    const { viewer, allow } = slow({ maxUpdateBytes }, LAST_RECT);
    const left = viewer.server.update(plain(1), WHOLE);
    t.ok(left.equals(Region.of(rect(0, pieces * ROWS, WIDTH, HEIGHT - pieces * ROWS))));
    allow(PIECES);
    t.ok(viewer.server.update(plain(1), Region.empty).isEmpty);
    t.notOk(viewer.server.isUpdateOpen);
    t.equal(viewer.takeRects().length, pieces);
  }
});

t.test("continuous updates are not spread but follow each other, round the picture", async (t) => {
  const { viewer, allow } = slow({}, FENCE, CONTINUOUS, LAST_RECT);
  viewer.say(say.continuous(true, 0, 0, WIDTH, HEIGHT));
  const seen: number[] = [];
  let left = viewer.server.update(plain(1), WHOLE);
  for (let i = 0; i < 2 * PIECES; i++) {
    t.notOk(viewer.server.isUpdateOpen);
    for (const sent of viewer.take()) {
      if (sent.type === "update") seen.push(...sent.rects.map(({ y }) => y));
      else if (sent.type === "fence") viewer.say(say.fence(1, sent.payload));
    }
    allow(1);
    left = viewer.server.update(plain(1), left.union(Region.of(rect(0, 0, WIDTH, ROWS))));
  }
  t.same(seen.slice(0, 5), [0, ROWS, 2 * ROWS, 3 * ROWS, 0], "what changes again and again waits its turn");
});

t.test(
  "RFC 6143 7.5.3 and 7.6.1: all that is asked for without incremental is one update, however large",
  async (t) => {
    const encodings = { raw: 0, hextile: 5, zrle: 16, tight: 7 };
    for (const [name, number] of Object.entries(encodings)) {
      // A limit of one piece's bytes, where what changed would take several updates.
      const { viewer, allow } = slow({ maxUpdateBytes: 100_000 });
      viewer.say(say.encodings(number), say.request(false, 0, 0, WIDTH, HEIGHT));
      allow(PIECES);
      const picture = pictureOf(colourful(WIDTH, HEIGHT));
      t.ok(viewer.server.update(picture, WHOLE).isEmpty, "all of it is on its way");
      t.ok(viewer.server.refresh.isEmpty);
      viewer.server.bell();
      for (let i = 0; i < PIECES && viewer.server.isUpdateOpen; i++)
        viewer.server.update(picture, Region.empty);
      t.notOk(viewer.server.isUpdateOpen);
      t.notOk(viewer.server.isUpdateWanted);
      const bytes = Buffer.from(viewer.takeBytes());
      t.equal(bytes.readUInt16BE(2), PIECES, `${name}: its header counts all rectangles`);
      t.equal(bytes.at(-1), 2, "the bell comes after it");
      t.ok(
        viewer.sentBytes.every((size) => size < 100_000 + 65_536 * 4 + 100),
        "by parts",
      );
    }
  },
);

t.test("RFC 6143 7.5.3: a whole area is one update with continuous updates too", async (t) => {
  const { viewer, allow } = slow({ maxUpdateBytes: 100_000 }, FENCE, CONTINUOUS);
  viewer.say(say.continuous(true, 0, 0, WIDTH, HEIGHT), say.request(false, 0, 0, WIDTH, HEIGHT));
  viewer.server.update(plain(1), WHOLE);
  t.ok(viewer.server.isUpdateOpen);
  allow(PIECES);
  while (viewer.server.isUpdateOpen) viewer.server.update(plain(1), Region.empty);
  const [update, ...rest] = viewer.take();
  t.equal(update?.type === "update" ? update.rects.length : 0, PIECES);
  t.same(
    rest.map(({ type }) => type),
    ["fence"],
    "and is confirmed as others are",
  );
});

t.test("a whole area that is asked for during an update is all of the next one", async (t) => {
  const { viewer, allow } = slow({ maxUpdateBytes: 300_000 });
  const left = viewer.server.update(plain(1), WHOLE);
  viewer.say(say.request(false, 0, 0, WIDTH, HEIGHT));
  allow(2 * PIECES);
  for (let i = 0; i < 2 * PIECES && viewer.server.isUpdateWanted; i++) viewer.server.update(plain(2), left);
  const messages = viewer.take();
  t.same(
    messages.map((sent) => (sent.type === "update" ? sent.rects.length : 0)),
    [2, PIECES],
  );
});

t.test("a viewer that keeps up is asked by every third update alone", async (t) => {
  const viewer = TestViewer.ready();
  viewer.say(say.encodings(0, FENCE, CONTINUOUS), say.continuous(true, 0, 0, 64, 48));
  viewer.take();
  const kinds: string[] = [];
  const spot = Region.of(rect(0, 0, 16, 16));
  const small = pictureOf(colourful(64, 48));
  for (let i = 0; i < 8; i++) {
    t.ok(viewer.server.isUpdateWanted);
    viewer.server.update(small, spot);
    for (const sent of viewer.take()) {
      kinds.push(sent.type);
      if (sent.type === "fence") viewer.say(say.fence(1, sent.payload));
    }
    t.equal(viewer.server.updatesInFlight, 0);
  }
  const expected = ["update", "fence", "update", "update", "update", "fence", "update", "update", "update"];
  t.same(kinds, [...expected, "fence", "update"]);
  for (let i = 0; i < 9; i++) viewer.server.update(small, spot);
  const unanswered = viewer.take().filter(({ type }) => type === "update");
  t.equal(unanswered.length, 3, "and waited for when it does not answer");
  t.notOk(viewer.server.isUpdateWanted);
});
