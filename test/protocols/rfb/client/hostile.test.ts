import fc from "fast-check";
import t from "tap";
import { ByteWriter } from "../../../../src/protocols/byte-writer.ts";
import { RfbError } from "../../../../src/protocols/rfb/error.ts";
import { errorOf, Peer } from "./peer.ts";
import { ascii, hello, join, rectangle, solid, u32, update } from "./server-bytes.ts";

// The numbers are those of docs/hostile-cases.md. Cases 1 to 7 belong to the handshake.

const START = join(ascii("RFB 003.008\n"), Uint8Array.of(1, 1), u32(0));

function init(width: number, height: number, nameLength: number, format = new Uint8Array(16)): Uint8Array {
  return join(START, new ByteWriter().u16(width).u16(height).put(format).u32(nameLength).bytes());
}

function live(): Peer {
  return new Peer().say(hello(8, 8));
}

/** The error after this update; a live client of 8x8 pixels. */
function errorAfter(...rectangles: readonly Uint8Array[]): RfbError {
  return errorOf(() => live().say(update(...rectangles)));
}

function screens(...list: readonly (readonly [x: number, y: number, width: number, height: number])[]) {
  const body = new ByteWriter().u8(list.length).pad(3);
  for (const [i, [x, y, width, height]] of list.entries()) {
    body.u32(i).u16(x).u16(y).u16(width).u16(height).u32(0);
  }
  return body.bytes();
}

t.test("case 1: what is no VNC server is told by its first bytes", async (t) => {
  for (const banner of ["HTTP/1.1 400", "rfb 003.008\n", "SSH-2.0-x", "RFB 002.002\n", "RFB x"]) {
    t.match(
      errorOf(() => new Peer().say(ascii(banner))),
      { code: "bad_version", phase: "version" },
      banner,
    );
  }
});

t.test("case 3: a reason of 2 GiB is not waited for", async (t) => {
  t.match(
    errorOf(() => new Peer().say(ascii("RFB 003.008\n"), Uint8Array.of(0), u32(0x7fffffff))),
    { code: "refused" },
  );
});

t.test("case 8: a name of absurd length ends it at its length, here and later", async (t) => {
  for (const length of [0x7ffffff0, 0xffffffff, 65_537]) {
    const error = errorOf(() => new Peer().say(init(10, 10, length)));
    t.match(error, { code: "too_large", phase: "init", message: new RegExp(`name of ${length} bytes`) });
    t.equal(error.offset, START.length + 24);
    t.match(errorAfter(rectangle(0, 0, 0, 0, -307, u32(length))), { code: "too_large", phase: "rectangle" });
  }
});

t.test("case 9: names come out with nothing that acts on a terminal, a log or a reader", async (t) => {
  const nasty = "a\x1b[31m\n2026 forged\u202e<b>\u200b\u2028";
  const safe = "a\\u{1b}[31m\\u{a}2026 forged\\u{202e}<b>\\u{200b}\\u{2028}";
  const peer = new Peer().say(hello(8, 8, nasty));
  t.equal(peer.of("ready")[0]?.name, safe);
  const utf8 = new TextEncoder().encode(nasty);
  peer.say(update(rectangle(0, 0, 0, 0, -307, join(u32(utf8.length), utf8))));
  t.equal(peer.of("name")[0]?.name, safe);
});

t.test("case 10: a picture of no or too many pixels is refused, and none is allocated", async (t) => {
  for (const [width, height] of [
    [0, 0],
    [0, 10],
    [65535, 65535],
    [16385, 1],
    [8192, 8192],
  ] as const) {
    const expected = "expected 1x1 to 16384 pixels a side, and at most 33200000 pixels in all";
    const peer = new Peer();
    const error = errorOf(() => peer.say(init(width, height, 0)));
    const desktop = `got a desktop of ${width}x${height} pixels, ${expected}`;
    t.match(error, { code: "bad_size", phase: "init", message: desktop });
    t.equal(peer.client.framebuffer.bytes.length, 4);
    const message = `got a new size of ${width}x${height}, ${expected}`;
    t.match(errorAfter(rectangle(0, 0, width, height, -223)), {
      code: "bad_size",
      phase: "rectangle",
      message,
    });
  }
});

t.test("case 11: an impossible pixel format is not used: ours is asked for, or it ends there", async (t) => {
  const impossible = {
    "255 bits": Uint8Array.of(255, 24, 0, 1, 0, 255, 0, 255, 0, 255, 16, 8, 0, 0, 0, 0),
    "7 bits": Uint8Array.of(7, 7, 0, 1, 0, 1, 0, 1, 0, 1, 2, 1, 0, 0, 0, 0),
    "shift 99": Uint8Array.of(32, 24, 0, 1, 0, 255, 0, 255, 0, 255, 99, 8, 0, 0, 0, 0),
    "maximum 0": Uint8Array.of(32, 24, 0, 1, 0, 0, 0, 255, 0, 255, 16, 8, 0, 0, 0, 0),
    "more than fits": Uint8Array.of(16, 32, 0, 1, 0, 255, 0, 255, 0, 255, 16, 8, 0, 0, 0, 0),
  };
  for (const [name, format] of Object.entries(impossible)) {
    const forced = new Peer().say(init(8, 8, 0, format));
    t.same(forced.takeSent().slice(14, 20), [0, 0, 0, 0, 32, 24], `${name}: ours is asked for`);
    forced.say(update(rectangle(0, 0, 1, 1, 0, solid(1, 1, [1, 2, 3]))));
    t.same([...forced.client.framebuffer.bytes.subarray(0, 4)], [1, 2, 3, 255]);
    t.match(
      errorOf(() => new Peer({ pixelFormat: "server" }).say(init(8, 8, 0, format))),
      { code: "bad_pixel_format" },
      name,
    );
  }
});

t.test("case 12: a rectangle outside the picture ends it before its pixels", async (t) => {
  for (const encoding of [0, 1, 2, 5, 7, 16]) {
    for (const [x, y, width, height] of [
      [4, 4, 5, 1],
      [0, 0, 65535, 65535],
      [65535, 0, 1, 1],
      [65535, 65535, 65535, 65535],
    ] as const) {
      t.match(errorAfter(rectangle(x, y, width, height, encoding)), {
        code: "bad_rect",
        phase: "rectangle",
        message: new RegExp(`${width}x${height} at ${x},${y}`),
      });
    }
  }
});

t.test("case 13: a move from outside the picture ends it", async (t) => {
  for (const source of [
    [0, 7, 0, 7],
    [255, 255, 255, 255],
  ]) {
    t.match(errorAfter(rectangle(0, 0, 4, 4, 1, Uint8Array.from(source))), { phase: "rectangle" });
  }
});

t.test(
  "case 14: 65534 empty rectangles are read in pieces, between which others have their turn",
  async (t) => {
    const peer = live();
    const empty = rectangle(0, 0, 0, 0, 0);
    peer.say(Uint8Array.of(0, 0, 0xff, 0xfe));
    const piece = Buffer.concat(Array.from({ length: 1000 }, () => empty));
    for (let left = 65_534; left > 0; left -= 1000) {
      peer.client.receive(piece.subarray(0, Math.min(1000, left) * empty.length), 0);
      if (left > 1000) t.equal(peer.of("update").length, 0);
    }
    t.equal(peer.of("update").length, 1);
    t.ok((peer.of("update")[0]?.painted.rects.length ?? 0) <= 2048);
  },
);

t.test("case 14: an update that never ends takes no more memory the longer it gets", async (t) => {
  const peer = live();
  peer.say(Uint8Array.of(0, 0, 0xff, 0xff));
  const cursor = rectangle(0, 0, 64, 64, 0x574d5664, join(Uint8Array.of(1, 0), new Uint8Array(64 * 64 * 4)));
  const move = rectangle(0, 0, 2, 2, 1, Uint8Array.of(0, 4, 0, 4));
  const piece = Buffer.concat([cursor, move, rectangle(1, 1, 0, 0, -232)]);
  for (let i = 0; i < 5000; i++) peer.client.receive(piece, 0);
  peer.say(rectangle(0, 0, 0, 0, -224));
  t.equal(peer.of("cursor").length, 1, "only the last cursor is kept");
  t.equal(peer.of("pointer").length, 1);
  const [told] = peer.of("update");
  t.ok((told?.copies.length ?? 0) <= 2048);
});

t.test("case 22: messages and rectangles that nobody asked for end it by name", async (t) => {
  // 7: UltraVNC file transfer, 11: its text chat, 77: nothing, 252 and 253: numbers with two meanings
  for (const type of [7, 11, 77, 180, 252, 253]) {
    const error = errorOf(() => live().say(Uint8Array.of(type)));
    t.match(error, { code: "unknown_message", phase: "message", message: new RegExp(`type ${type}`) });
    t.equal(error.offset, hello(8, 8).length + 1);
  }
  // 4, 6, 15, 17, 21 and -260 are spoken, but only where they were asked for.
  for (const encoding of [4, 6, 8, 9, 15, 17, 21, 50, -260, -1000, 0xffff0000 | 0]) {
    t.match(errorAfter(rectangle(0, 0, 4, 4, encoding)), {
      code: "unsolicited_encoding",
      message: new RegExp(`encoding ${encoding}`),
    });
  }
});

t.test("case 24: a cut text too long to take is passed over, an absurd one ends it", async (t) => {
  const peer = live();
  const cutText = (length: number) => join(Uint8Array.of(3, 0, 0, 0), new ByteWriter().i32(length).bytes());
  peer.say(cutText(300_000), new Uint8Array(300_000), cutText(2), ascii("ok"));
  t.same(
    peer.of("clipboard").map(({ text }) => text),
    [null, "ok"],
  );
  for (const length of [0x7fffffff, -0x80000000]) {
    t.match(
      errorOf(() => live().say(cutText(length))),
      { code: "too_large" },
    );
  }
  t.match(
    errorOf(() => live().say(cutText(-3), ascii("abc"))),
    { code: "bad_data" },
  );
});

t.test("case 24: a cut text that never ends is given up after 30 s", async (t) => {
  for (const length of [100, 1_000_000]) {
    const peer = live().say(Uint8Array.of(3, 0, 0, 0), u32(length));
    for (let i = 0; i < 30; i++) {
      peer.nowMs += 1000;
      peer.say(Uint8Array.of(65));
    }
    peer.nowMs += 1000;
    t.match(
      errorOf(() => peer.say(Uint8Array.of(65))),
      { code: "too_slow", phase: "message" },
    );
  }
});

t.test("case 25: more than five sizes a second end it, five do not", async (t) => {
  const peer = live();
  for (let i = 0; i < 5; i++) peer.say(update(rectangle(0, 0, 10 + i, 8, -223)));
  t.match(
    errorOf(() => peer.say(update(rectangle(0, 0, 30, 8, -223)))),
    { code: "bad_size" },
  );
  const slow = live();
  for (let i = 0; i < 20; i++) {
    slow.nowMs += 300;
    slow.say(update(rectangle(0, 0, 10 + i, 8, -223)));
  }
  t.equal(slow.client.framebuffer.width, 29);
});

t.test("case 25: a thousand layouts of one size are told once an update, and allocate nothing", async (t) => {
  const peer = live();
  const { bytes } = peer.client.framebuffer;
  const flip = [screens([0, 0, 8, 8]), screens([0, 0, 4, 8], [4, 0, 4, 8])] as const;
  const storm = Array.from({ length: 1000 }, (_, i) => rectangle(0, 0, 8, 8, -308, flip[i % 2] ?? flip[0]));
  peer.say(update(...storm));
  t.equal(peer.of("resize").length, 1);
  t.equal(peer.of("resize")[0]?.screens.length, 2);
  t.equal(peer.client.framebuffer.bytes, bytes);
});

t.test("case 25: no screens, 255 of them, and ones outside the picture", async (t) => {
  const peer = live();
  peer.say(update(rectangle(0, 0, 10, 8, -308, screens())));
  t.same(
    peer.of("resize")[0]?.screens.map(({ rect }) => rect.width),
    [10],
    "none is one of the whole size",
  );
  const many = Array.from({ length: 255 }, (_, i) => [i, 0, 1, 1] as const);
  peer.say(update(rectangle(0, 0, 300, 8, -308, screens(...many))));
  t.equal(peer.of("resize")[1]?.screens.length, 255);
  peer.say(update(rectangle(0, 0, 9, 8, -308, screens([0, 0, 9, 8], [8, 0, 9, 8], [65535, 65535, 1, 1]))));
  t.equal(peer.of("resize")[2]?.screens.length, 1);
});

t.test("case 25: a smaller size within an update holds for the rectangles after it", async (t) => {
  const error = errorAfter(rectangle(0, 0, 4, 4, -223), rectangle(0, 0, 8, 8, 0));
  t.match(error, { code: "bad_rect", message: /within 4x4/ });
});

t.test("case 26: fences are answered without the request bit; too long a payload ends it", async (t) => {
  const peer = live();
  peer.takeSent();
  peer.say(Uint8Array.of(248, 0, 0, 0), u32(0x8000_00ff), Uint8Array.of(2, 7, 8));
  t.same(peer.takeSent(), [248, 0, 0, 0, 0, 0, 0, 7, 2, 7, 8]);
  t.equal(peer.client.features.hasFence, true);
  peer.say(Uint8Array.of(248, 0, 0, 0), u32(1), Uint8Array.of(1, 5));
  t.same([...(peer.of("fence")[0]?.payload ?? [])], [5]);
  for (const length of [65, 255]) {
    t.match(
      errorOf(() => live().say(Uint8Array.of(248, 0, 0, 0), u32(1), Uint8Array.of(length))),
      { code: "too_large", phase: "message" },
    );
  }
});

t.test(
  "case 26: an end of continuous updates that nobody began is only a sign that it has them",
  async (t) => {
    const peer = live();
    peer.takeSent();
    peer.say(new Uint8Array(100).fill(150));
    t.same(peer.takeSent(), []);
    t.equal(peer.client.features.hasContinuousUpdates, true);
  },
);

t.test("case 27: a stream cut at any byte leaves the picture of its last whole update", async (t) => {
  const start = hello(8, 8);
  const stream = join(start, update(rectangle(0, 0, 8, 8, 0, solid(8, 8, [1, 2, 3]))));
  for (let length = 0; length < stream.length; length++) {
    const peer = new Peer().say(stream.subarray(0, length));
    if (peer.of("update").length > 0) t.fail(`an update was told after ${length} of ${stream.length} bytes`);
    peer.client.close();
  }
  t.equal(new Peer().say(stream).of("update").length, 1);
});

t.test("hostile bytes after the handshake end in an RfbError or wait, whatever they are", async (t) => {
  const start = hello(32, 32);
  const survives = (...parts: readonly Uint8Array[]): boolean => {
    const peer = new Peer().say(start);
    try {
      peer.say(...parts);
    } catch (error) {
      return error instanceof RfbError;
    }
    return true;
  };
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => survives(Uint8Array.of(0, 0, 0, 200), bytes)),
    { numRuns: 500 },
  );
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => survives(bytes)),
    { numRuns: 500 },
  );
  const pseudo = fc.constantFrom(
    -223,
    -224,
    -232,
    -239,
    -240,
    -257,
    -258,
    -261,
    -307,
    -308,
    -316,
    0x574d5664,
  );
  fc.assert(
    fc.property(pseudo, fc.nat(40), fc.nat(40), fc.uint8Array({ maxLength: 300 }), (number, x, y, bytes) =>
      survives(Uint8Array.of(0, 0, 0, 9), rectangle(x, y, x, y, number, bytes)),
    ),
    { numRuns: 500 },
  );
  t.pass("1500 streams");
});
