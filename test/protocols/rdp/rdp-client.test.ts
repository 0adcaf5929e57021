import fc from "fast-check";
import t from "tap";
import { RdpError } from "../../../src/protocols/rdp/error.ts";
import { Peer } from "./peer.ts";
import * as server from "./server-bytes.ts";

const { bytes } = server;
const BITMAP = 1;

/** Runs what has to fail and gives the RdpError. */
function errorOf(run: () => unknown): RdpError {
  try {
    run();
  } catch (error) {
    if (error instanceof RdpError) return error;
    throw error;
  }
  throw new Error("nothing was thrown");
}

t.test("a session begins at every chunk size", async (t) => {
  for (const step of [1, 2, 3, 7, 64, Number.POSITIVE_INFINITY]) {
    const peer = new Peer()
      .sayIn(step, server.confirm(1))
      .sayIn(step, ...server.untilReady({ width: 64, height: 48 }));
    t.match(peer.last("ready"), { screens: [{ rect: { x: 0, y: 0, width: 64, height: 48 } }] });
    t.same([peer.client.framebuffer.width, peer.client.framebuffer.height], [64, 48]);
    t.equal(peer.client.description, "RDP, TLS");
    t.match(
      peer.events.flatMap((event) => (event.type === "handshake" ? [event.step] : [])),
      ["version", "security", "authentication"],
    );
  }
});

t.test("nothing but the negotiation leaves before TLS is up", async (t) => {
  const peer = new Peer();
  t.equal(peer.sent.length, 1);
  t.notMatch(Buffer.concat(peer.sent).toString("latin1"), /ada|secret|mstshash/);
  const error = errorOf(() =>
    peer.client.receive(Buffer.concat([server.confirm(1), Buffer.from("smuggled")]), 0),
  );
  t.match(error, { code: "bad_data", phase: "tls" });
});

t.test("a refused negotiation is said in words", async (t) => {
  const words = new Map([
    [2, /turn TLS or NLA on/],
    [3, /no certificate/],
    [5, /demands NLA/],
    [6, /client certificate/],
  ]);
  for (const [code, pattern] of words) {
    const error = errorOf(() => new Peer().say(server.failure(code)));
    t.match(error, { code: "no_common_security", phase: "negotiation", message: pattern });
  }
  t.match(
    errorOf(() => new Peer().say(server.failure(99))),
    { code: "refused", message: /code 99/ },
  );
  t.match(
    errorOf(() => new Peer().say(server.confirm(0))),
    { code: "no_common_security" },
  );
  const unasked = errorOf(() => new Peer({ needsNla: true }).say(server.confirm(1)));
  t.match(unasked, { code: "bad_data", message: /expected one that was offered/ });
  t.match(
    errorOf(() => new Peer().say(server.tpkt(bytes().u8(6).u8(0xd0).pad(5).bytes()))),
    {
      code: "no_common_security",
    },
  );
  t.match(
    errorOf(() => new Peer().say(Buffer.from("RFB 003.008\n"))),
    { message: /not an RDP host/ },
  );
});

t.test("lengths that cannot be are refused at once", async (t) => {
  for (const length of [0, 3, 6]) {
    const tpkt = bytes().u8(3).u8(0).bigU16(length).bytes();
    t.match(
      errorOf(() => new Peer().say(tpkt)),
      { code: "bad_data", message: /expected at least 7/ },
    );
  }
  const peer = Peer.ready();
  t.match(
    errorOf(() => peer.say(Uint8Array.of(0, 1))),
    { message: /more than its header/ },
  );
  const beyond = bytes().u8(0).u8(5).u8(BITMAP).u16(600).bytes();
  t.match(
    errorOf(() => Peer.ready().say(beyond)),
    { code: "bad_data", phase: "graphics" },
  );
});

t.test("bitmaps of every depth are painted bottom up", async (t) => {
  const lower = new Map<number, readonly number[]>([
    [32, [0x10, 0x20, 0x30, 0]],
    [24, [0x10, 0x20, 0x30]],
    [16, [0x1f, 0x00]],
    [15, [0x00, 0x7c]],
    [8, [3]],
  ]);
  const expected = new Map([
    [32, "302010"],
    [24, "302010"],
    [16, "0000ff"],
    [15, "ff0000"],
    [8, "030405"],
  ]);
  for (const [bits, pixel] of lower) {
    const peer = Peer.ready();
    const palette = bytes().u16(2).u16(0).u32(256);
    for (let i = 0; i < 256; i++)
      palette
        .u8(i)
        .u8(i + 1)
        .u8(i + 2);
    peer.say(server.fastPath(2, palette.bytes()));
    const rowBytes = (2 * pixel.length + 3) & ~3;
    const data = new Uint8Array(rowBytes * 2);
    data.set(pixel, 0);
    peer.say(server.fastPath(BITMAP, server.bitmaps({ x: 5, y: 9, width: 2, height: 2, bits, data })));
    t.equal(peer.pixel(5, 10), expected.get(bits), `${bits} bits a pixel`);
    t.same(peer.last("update")?.painted.rects, [{ x: 5, y: 9, width: 2, height: 2 }]);
  }
});

t.test("compressed bitmaps are painted, with and without their header", async (t) => {
  const run = bytes()
    .u8(0x60 | 4)
    .u8(1)
    .u8(2)
    .u8(3)
    .bytes(); // colour run of 4, 24 bits
  const place = { x: 0, y: 0, width: 2, height: 2, bits: 24 };
  for (const [flags, data] of [
    [0x401, run],
    [0x001, bytes().pad(8).put(run).bytes()],
  ] as const) {
    const peer = Peer.ready().say(server.fastPath(BITMAP, server.bitmaps({ ...place, flags, data })));
    t.equal(peer.pixel(1, 1), "030201");
  }
});

t.test(
  "bitmaps beyond the desktop are clipped, and ones far larger refused before memory is taken",
  async (t) => {
    const data = new Uint8Array(16 * 4).fill(0x55);
    const place = { width: 4, height: 4, bits: 32, data };
    const peer = Peer.ready();
    peer.say(server.fastPath(BITMAP, server.bitmaps({ ...place, x: 62, y: 46 })));
    t.same(peer.last("update")?.painted.rects, [{ x: 62, y: 46, width: 2, height: 2 }]);
    const huge = {
      x: 0,
      y: 0,
      width: 0xffff,
      height: 0xffff,
      bits: 32,
      flags: 0x401,
      data: new Uint8Array(4),
    };
    const error = errorOf(() => peer.say(server.fastPath(BITMAP, server.bitmaps(huge))));
    t.match(error, { code: "bad_data", message: /65535x65535/ });
    const odd = { ...place, x: 0, y: 0, bits: 17 };
    t.match(
      errorOf(() => Peer.ready().say(server.fastPath(BITMAP, server.bitmaps(odd)))),
      {
        message: /17 bits a pixel/,
      },
    );
  },
);

t.test("fragments are put together, and ones without a beginning or without an end refused", async (t) => {
  const whole = server.bitmaps({
    x: 0,
    y: 0,
    width: 2,
    height: 1,
    bits: 32,
    data: new Uint8Array(8).fill(0x7f),
  });
  const cut = [whole.subarray(0, 7), whole.subarray(7, 20), whole.subarray(20)];
  const [first = whole, next = whole, last = whole] = cut;
  const peer = Peer.ready().say(
    server.fastPath(BITMAP, first, 2),
    server.fastPath(BITMAP, next, 3),
    server.fastPath(BITMAP, last, 1),
  );
  t.equal(peer.pixel(1, 0), "7f7f7f");
  t.match(
    errorOf(() => Peer.ready().say(server.fastPath(BITMAP, next, 3))),
    { message: /without its beginning/ },
  );
  const endless = Peer.ready().say(server.fastPath(BITMAP, new Uint8Array(30_000), 2));
  const error = errorOf(() => {
    for (let i = 0; i < 200; i++) endless.say(server.fastPath(BITMAP, new Uint8Array(30_000), 3));
  });
  t.match(error, { code: "too_large", phase: "graphics" });
});

t.test(
  "what lies between frame markers is one update, and is acknowledged where the host wants it",
  async (t) => {
    const pixels = bytes().u16(1).u16(3).u16(4).u16(5).u16(5);
    pixels.u8(32).u8(0).u8(0).u8(0).u16(2).u16(1).u32(8).put(new Uint8Array(8).fill(0x33));
    const begin = bytes().u16(4).u16(0).u32(9).bytes();
    const end = bytes().u16(4).u16(1).u32(9).bytes();
    const peer = Peer.ready().say(server.fastPath(4, begin), server.fastPath(4, pixels.bytes()));
    t.equal(peer.last("update"), undefined, "not before the end");
    peer.say(server.fastPath(4, end));
    t.same(peer.last("update")?.painted.rects, [{ x: 3, y: 4, width: 2, height: 1 }]);
    const jpeg = bytes().u16(1).pad(8).u8(32).u8(0).u8(0).u8(3).u16(2).u16(1).u32(0).bytes();
    t.match(
      errorOf(() => peer.say(server.fastPath(4, jpeg))),
      { code: "unsupported", message: /codec 3/ },
    );
  },
);

t.test("pointers: new, cached, hidden, default and one that is too large", async (t) => {
  const pointer = (index: number, side: number, data: Uint8Array): Uint8Array =>
    bytes().u16(32).u16(index).u16(1).u16(0).u16(side).u16(side).u16(0).u16(data.length).put(data).bytes();
  const peer = Peer.ready();
  const shape = bytes()
    .put(Uint8Array.of(9, 8, 7, 255, 0, 0, 0, 0, 1, 2, 3, 128, 0, 0, 0, 0))
    .bytes();
  peer.say(server.fastPath(11, pointer(4, 2, shape)));
  t.match(peer.last("cursor")?.cursor, { width: 2, height: 2, hotspotX: 1, hotspotY: 0 });
  t.same([...(peer.last("cursor")?.cursor?.rgba ?? [])].slice(0, 4), [3, 2, 1, 128], "bottom up");
  peer.say(server.fastPath(5, new Uint8Array(0)));
  t.equal(peer.last("cursor")?.cursor, null);
  peer.say(server.fastPath(10, bytes().u16(4).bytes()));
  t.equal(peer.last("cursor")?.cursor?.width, 2);
  peer.say(server.shareData(0x1b, bytes().u16(1).u16(0).u32(0x7f00).bytes()));
  t.ok((peer.last("cursor")?.cursor?.width ?? 0) > 8, "an arrow of our own");
  t.match(
    errorOf(() => peer.say(server.fastPath(10, bytes().u16(9).bytes()))),
    { phase: "pointer" },
  );
  t.match(
    errorOf(() => Peer.ready().say(server.fastPath(11, pointer(0, 385, shape)))),
    { code: "bad_size" },
  );
  t.match(
    errorOf(() => Peer.ready().say(server.fastPath(11, pointer(33, 2, shape)))),
    { phase: "pointer" },
  );
});

t.test("a session that is set up anew has its new size, and nothing is held in it", async (t) => {
  const peer = Peer.ready();
  peer.client.key(0xffe3, true, null);
  peer.say(server.deactivateAll());
  const before = peer.sent.length;
  peer.client.pointer(1, 1, 1);
  t.equal(peer.sent.length, before, "no input while it is not there");
  peer.say(server.demandActive({ width: 80, height: 60 }), server.fontMap());
  t.match(peer.last("resize"), { screens: [{ rect: { width: 80, height: 60 } }] });
  t.equal(peer.events.filter(({ type }) => type === "ready").length, 1);
  const [synchronise] = peer.sent.slice(-1);
  t.equal((synchronise?.[2] ?? 0) >> 5, 3, "the first event of the new session is a synchronise");
});

t.test("sizes that cannot be, and ones that never stop, end it", async (t) => {
  const sized = (width: number, height: number): RdpError => errorOf(() => Peer.ready({}, { width, height }));
  for (const [width, height] of [
    [0, 0],
    [65_535, 65_535],
    [8193, 100],
    [8192, 8192],
  ] as const) {
    t.match(sized(width, height), {
      code: "bad_size",
      message: `got a desktop of ${width}x${height} pixels, expected 1x1 to 8192 pixels a side, and at most 33200000 pixels in all`,
    });
  }
  t.equal(Peer.ready({}, { width: 8192, height: 4 }).client.framebuffer.width, 8192, "the largest side");
  const peer = Peer.ready();
  const storm = errorOf(() => {
    for (let i = 0; i < 10; i++) peer.say(server.demandActive({ width: 100 + i, height: 60 }));
  });
  t.match(storm, { code: "bad_size", message: /within a second/ });
});

t.test("why the host ends is told in words", async (t) => {
  const said = (code: number): Peer => Peer.ready().say(server.shareData(0x2f, bytes().u32(code).bytes()));
  t.match(said(0x05).client.closed(), { code: "session_taken", message: /somebody else signed in/ });
  t.match(
    errorOf(() => said(0x03).say(server.ultimatum(3))),
    { code: "target_closed", message: /idle/ },
  );
  t.match(said(0x102).client.closed(), { code: "licence_refused" });
  t.match(said(0xabcdef).client.closed(), { message: /0xabcdef/ });
  t.match(
    errorOf(() => Peer.ready().say(server.ultimatum(1))),
    { message: "the host ended the session" },
  );
  t.match(Peer.ready().client.closed(), { code: "target_closed" });
});

t.test("redirection is refused, in the session and before", async (t) => {
  t.match(
    errorOf(() => Peer.ready().say(server.share(10, new Uint8Array(60)))),
    { code: "redirected" },
  );
  const early = server.indication(server.IDS.io, bytes().u16(0x400).u16(0).pad(20).bytes());
  const messages = server.untilReady({ width: 64, height: 48 }).slice(0, -3);
  t.match(
    errorOf(() => new Peer().say(server.confirm(1)).say(...messages, early)),
    { code: "redirected" },
  );
});

t.test("licensing: asked for one, refused one, and one that needs a licence server", async (t) => {
  const begun = (): Peer =>
    new Peer().say(server.confirm(1)).say(...server.untilReady({ width: 64, height: 48 }).slice(0, -3));
  const asked = begun();
  const before = asked.sent.length;
  asked.say(server.licence(1, new Uint8Array(100)));
  t.equal(asked.sent.length, before + 1, "a request goes back");
  asked.say(server.validClient(), server.demandActive({ width: 64, height: 48 }), server.fontMap());
  t.ok(asked.last("ready"));
  const refused = errorOf(() => begun().say(server.licence(0xff, bytes().u32(2).pad(8).bytes())));
  t.match(refused, { code: "licence_refused", phase: "licensing" });
  t.match(
    errorOf(() => begun().say(server.licence(2, new Uint8Array(40)))),
    { code: "unsupported" },
  );
  const xrdp = bytes().put(Buffer.from("7b3c31a6aee874f6", "hex")).pad(92).bytes();
  const pale = new Peer({ colourDepth: 8 })
    .say(server.confirm(1))
    .say(...server.untilReady({ width: 64, height: 48 }).slice(0, -3));
  t.match(
    errorOf(() => pale.say(server.licence(1, xrdp))),
    {
      code: "unsupported",
      phase: "licensing",
      message: /xrdp cannot be followed at 8 bits.*ask for a depth/,
    },
    "xrdp at 8 bits a pixel",
  );
  t.equal(begun().say(server.licence(1, xrdp)).client.phase, "licensing", "and at 32 it goes on");
  const endless = errorOf(() => {
    const peer = begun();
    for (let i = 0; i < 20; i++) peer.say(server.licence(1, new Uint8Array(10)));
  });
  t.match(endless, { code: "bad_data" });
});

t.test("parts of channel messages that do not fit are refused; other channels are not heard", async (t) => {
  const [clipboard] = server.IDS.channels;
  const part = (total: number, flags: number, size: number): Uint8Array =>
    server.channelPart(clipboard, total, flags, new Uint8Array(size));
  t.match(
    errorOf(() => Peer.ready().say(part(20, 0, 10))),
    { phase: "channel", message: /without its beginning/ },
  );
  t.match(
    errorOf(() => Peer.ready().say(part(10, 1, 20))),
    { message: /more than the 10 bytes/ },
  );
  t.match(
    errorOf(() => Peer.ready().say(part(0xffffffff, 1, 20))),
    { code: "too_large" },
  );
  t.match(
    errorOf(() => Peer.ready().say(part(20, 0x200003, 20))),
    { message: /compressed/ },
  );
  Peer.ready().say(server.channelPart(1077, 20, 3, new Uint8Array(20)));
});

t.test("the clipboard's text comes over its channel and goes there in parts", async (t) => {
  const [clipboard] = server.IDS.channels;
  const message = (type: number, flags: number, body: Uint8Array): Uint8Array => {
    const all = bytes().u16(type).u16(flags).u32(body.length).put(body).bytes();
    return server.channelPart(clipboard, all.length, 3, all);
  };
  const peer = Peer.ready();
  peer.client.clipboard("x".repeat(3000));
  peer.say(message(1, 0, new Uint8Array(0)));
  peer.say(message(2, 0, bytes().u32(13).pad(32).bytes()));
  peer.say(message(5, 1, bytes().utf16("grüße\0").bytes()));
  t.equal(peer.last("clipboard")?.text, "grüße");
  const before = peer.sent.length;
  peer.say(message(4, 0, bytes().u32(13).bytes()));
  t.ok(peer.sent.length - before >= 4, "6 KB leave in parts of 1600 bytes");
  t.ok(peer.sent.every(({ length }) => length < 1700));
});

t.test("monitors that were asked for are screens where the desktop has their bounds", async (t) => {
  const monitors = [
    { x: 0, y: 0, width: 40, height: 48 },
    { x: 40, y: 0, width: 24, height: 30 },
  ];
  const screensAt = (width: number) => Peer.ready({ monitors }, { width, height: 48 }).last("ready")?.screens;
  t.match(screensAt(64), [
    { id: 0, rect: monitors[0] },
    { id: 1, rect: monitors[1] },
  ]);
  t.match(
    screensAt(80),
    [{ id: 0, rect: { x: 0, y: 0, width: 80, height: 48 } }],
    "and not where it has not",
  );
});

t.test("the host begins to count at the first monitor, which is the primary one", async (t) => {
  const monitors = [
    { x: 24, y: 10, width: 40, height: 38 },
    { x: 0, y: 0, width: 24, height: 30 },
  ];
  const said = Peer.ready({ monitors }).sent.map((sent) => Buffer.from(sent).toString("hex"));
  // TS_UD_CS_MONITOR by MS-RDPBCGR 2.2.1.3.6: 0xc005, 52 bytes, no flags, two monitors.
  const block = "05c0340000000000" + "02000000";
  const primary = "00000000" + "00000000" + "27000000" + "25000000" + "01000000";
  const other = "e8ffffff" + "f6ffffff" + "ffffffff" + "13000000" + "00000000";
  t.ok(said.some((sent) => sent.includes(block + primary + other)));
});

t.test("monitors that the host tells of become screens", async (t) => {
  const layout = bytes().u32(2);
  layout.i32(0).i32(0).i32(39).i32(47).u32(1);
  layout.i32(-24).i32(0).i32(-1).i32(47).u32(0);
  const peer = Peer.ready().say(server.shareData(0x37, layout.bytes()));
  t.match(peer.last("resize"), {
    screens: [{ rect: { x: 24, y: 0, width: 40 } }, { rect: { x: 0, y: 0, width: 24 } }],
  });
  const many = bytes().u32(0xffff).bytes();
  t.match(
    errorOf(() => peer.say(server.shareData(0x37, many))),
    { code: "too_large" },
  );
});

t.test("input goes by the fast path where the host has it, else by the slow one", async (t) => {
  const fast = Peer.ready();
  fast.client.pointer(3, 4, 0);
  t.same([...(fast.sent.at(-1) ?? [])], [1 << 2, 9, 1 << 5, 0, 8, 3, 0, 4, 0]);
  const slow = Peer.ready({}, { width: 64, height: 48, input: 1 });
  slow.client.pointer(3, 4, 0);
  t.equal(slow.sent.at(-1)?.[0], 3, "a tpkt");
  t.equal(fast.client.key(0x1000394, true, null), true, "a Unicode event");
  t.equal(slow.client.key(0x1000394, true, null), false, "no way to type it");
});

t.test(
  "a host that drops what its layout lacks is sent no Unicode, and what it lacks is known",
  async (t) => {
    const OMEGA = 0x1000394;
    const UNIX = 4;
    const gnome = Peer.ready({}, { width: 64, height: 48, system: UNIX });
    t.equal(gnome.client.canType(OMEGA), false);
    t.equal(gnome.client.canType(0x61), true);
    t.equal(gnome.client.key(OMEGA, true, null), false);
    const french = Peer.ready({ keyboardLayout: 0x40c }, { width: 64, height: 48, system: UNIX });
    t.equal(french.client.canType(0xe9), true, "é has a key there");
    const other = Peer.ready({ keyboardLayout: 0x41f }, { width: 64, height: 48, system: UNIX });
    t.equal(other.client.canType(OMEGA), true, "of a layout without a table here, Unicode is all there is");
    const windows = Peer.ready({}, { width: 64, height: 48 });
    t.equal(windows.client.canType(OMEGA), true);
  },
);

t.test("sessions with flipped bytes end in an RdpError or go on", async (t) => {
  const messages = [
    ...server.untilReady({ width: 64, height: 48 }),
    server.fastPath(
      BITMAP,
      server.bitmaps({ x: 0, y: 0, width: 4, height: 4, bits: 32, data: new Uint8Array(64) }),
    ),
    server.fastPath(11, bytes().u16(32).u16(0).u16(0).u16(0).u16(1).u16(1).u16(2).u16(4).pad(6).bytes()),
    server.shareData(0x37, bytes().u32(1).i32(0).i32(0).i32(63).i32(47).u32(1).bytes()),
    server.channelPart(server.IDS.channels[0], 8, 3, bytes().u16(1).u16(0).u32(0).bytes()),
    server.channelPart(server.IDS.channels[1], 4, 3, bytes().u8(0x50).u8(0).u16(2).bytes()),
    server.deactivateAll(),
    server.demandActive({ width: 70, height: 50 }),
    server.fontMap(),
  ];
  const stream = Buffer.concat(messages);
  const flips = fc.array(fc.tuple(fc.nat(stream.length - 1), fc.integer({ min: 1, max: 255 })), {
    minLength: 1,
    maxLength: 6,
  });
  fc.assert(
    fc.property(flips, fc.integer({ min: 1, max: 400 }), (all, step) => {
      const bent = Uint8Array.from(stream);
      for (const [at, mask] of all) bent[at] = (bent[at] ?? 0) ^ mask;
      const peer = new Peer().say(server.confirm(1));
      try {
        peer.sayIn(step, bent);
      } catch (error) {
        if (!(error instanceof RdpError)) throw error;
      }
    }),
    { numRuns: 2500 },
  );
  t.pass("2,500 sessions");
});

t.test("what is down when a session is set up anew does not stay down there", async (t) => {
  const peer = Peer.ready();
  peer.client.key(0xffe1, true, null);
  peer.client.pointer(3, 4, 1);
  peer.say(server.deactivateAll());
  peer.client.key(0xffe1, false, null);
  peer.client.pointer(5, 6, 0);
  const before = peer.sent.length;
  peer.say(server.demandActive({ width: 80, height: 60 }), server.fontMap());
  const input = peer.sent.slice(before).at(-1);
  // Synchronise with Num Lock on, Shift up, move to 5,6, left button up.
  const events = [0x62, 0x01, 0x2a, 0x20, 0x00, 0x08, 5, 0, 6, 0, 0x20, 0x00, 0x10, 5, 0, 6, 0];
  t.same([...(input ?? [])], [4 << 2, 2 + events.length, ...events]);
});
