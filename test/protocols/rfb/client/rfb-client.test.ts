import fc from "fast-check";
import t from "tap";
import { rect } from "../../../../src/framebuffer/rect.ts";
import { PLATFORM } from "../../../../src/platform.ts";
import { ByteWriter } from "../../../../src/protocols/byte-writer.ts";
import type { RfbClientEvent } from "../../../../src/protocols/rfb/client/conversation.ts";
import { RfbClient } from "../../../../src/protocols/rfb/client/rfb-client.ts";
import { RfbError } from "../../../../src/protocols/rfb/error.ts";
import { packClipboardText } from "../../../../src/protocols/rfb/extended-clipboard.ts";
import { ascii, hello, join, rectangle, serverInit, solid, u32, update } from "./server-bytes.ts";

const RED = [255, 0, 0] as const;

class Peer {
  readonly events: RfbClientEvent[] = [];
  readonly client: RfbClient;
  sent: number[] = [];
  nowMs = 0;

  constructor(password: string | null = null) {
    this.client = new RfbClient(
      { password },
      PLATFORM,
      (bytes) => this.sent.push(...bytes),
      (event) => this.events.push(event),
    );
  }

  say(...parts: readonly Uint8Array[]): this {
    this.client.receive(join(...parts), this.nowMs);
    return this;
  }

  of<Type extends RfbClientEvent["type"]>(type: Type): Extract<RfbClientEvent, { type: Type }>[] {
    return this.events.filter(
      (event): event is Extract<RfbClientEvent, { type: Type }> => event.type === type,
    );
  }

  /** What was sent since the last look. */
  takeSent(): number[] {
    const sent = this.sent;
    this.sent = [];
    return sent;
  }
}

function errorOf(run: () => unknown): RfbError {
  try {
    run();
  } catch (error) {
    if (error instanceof RfbError) return error;
    throw error;
  }
  throw new Error("expected an RfbError, got none");
}

t.test(
  "3.8 without a password: handshake, own pixel format, encodings without a quality level",
  async (t) => {
    const peer = new Peer().say(hello(20, 10));
    t.same(peer.of("ready")[0]?.name, "desk");
    t.same([peer.client.framebuffer.width, peer.client.framebuffer.height], [20, 10]);
    t.equal(peer.client.description, "RFB 3.8, None");
    const sent = peer.takeSent();
    t.same(sent.slice(0, 14), [...ascii("RFB 003.008\n"), 1 /* None */, 1 /* shared */]);
    t.same(sent.slice(14, 34), [0, 0, 0, 0, 32, 24, 0, 1, 0, 255, 0, 255, 0, 255, 0, 8, 16, 0, 0, 0]);
    const count = (sent[36] ?? 0) * 256 + (sent[37] ?? 0);
    const view = new DataView(Uint8Array.from(sent).buffer, 38);
    const encodings = Array.from({ length: count }, (_, i) => view.getInt32(i * 4));
    t.equal(sent.length, 38 + count * 4);
    t.notOk(
      encodings.some((number) => number >= -32 && number <= -23),
      "no JPEG quality",
    );
    for (const number of [
      0,
      1,
      2,
      5,
      7,
      16,
      -223,
      -224,
      -239,
      -307,
      -308,
      -312,
      -313,
      -314,
      -258,
      0xc0a1e5ce | 0,
    ]) {
      t.ok(encodings.includes(number), `asks for ${number}`);
    }
  },
);

t.test("3.3 and 3.7 without a password have no security result", async (t) => {
  t.equal(new Peer().say(ascii("RFB 003.003\n"), u32(1), serverInit(4, 4)).of("ready").length, 1);
  t.equal(
    new Peer().say(ascii("RFB 003.007\n"), Uint8Array.of(1, 1), serverInit(4, 4)).of("ready").length,
    1,
  );
});

t.test("odd versions of real servers are spoken to as 3.8", async (t) => {
  for (const version of ["003.889", "004.000", "004.001", "005.000"]) {
    const peer = new Peer().say(ascii(`RFB ${version}\n`));
    t.same(peer.takeSent(), [...ascii("RFB 003.008\n")], version);
  }
});

t.test("VncAuth answers the challenge with the password's DES", async (t) => {
  const peer = new Peer("password").say(ascii("RFB 003.008\n"), Uint8Array.of(2, 2, 1), new Uint8Array(16));
  const answer = Buffer.from(peer.takeSent().slice(13));
  // openssl's DES-ECB of 16 zero bytes, keyed by "password" with the bits of each byte mirrored.
  t.equal(answer.toString("hex"), "ff97502e9422f089ff97502e9422f089");
  peer.say(u32(0), serverInit(4, 4));
  t.equal(peer.client.description, "RFB 3.8, VncAuth");
});

t.test("refusals say what the server said, and never the password", async (t) => {
  const wrong = errorOf(() =>
    new Peer("tops3cret").say(
      ascii("RFB 003.008\n"),
      Uint8Array.of(1, 2),
      new Uint8Array(16),
      u32(1),
      u32(5),
      ascii("wr\x1bng"),
    ),
  );
  t.match(wrong, { code: "auth_failed", phase: "authentication" });
  t.match(wrong.message, /wr\\u\{1b\}ng/);
  t.notMatch(wrong.message, /tops3cret/);
  t.match(
    errorOf(() => new Peer().say(ascii("RFB 003.008\n"), Uint8Array.of(1, 2))),
    { code: "password_required" },
  );
  t.match(
    errorOf(() => new Peer("x").say(ascii("RFB 003.008\n"), Uint8Array.of(2, 19, 30))),
    { code: "no_common_auth", message: /VeNCrypt, Apple/ },
  );
  t.match(
    errorOf(() => new Peer().say(ascii("RFB 003.008\n"), Uint8Array.of(0), u32(8), ascii("too many"))),
    { code: "refused", message: /too many/ },
  );
});

t.test("case 1: what is no VNC server is told by its first bytes", async (t) => {
  for (const banner of ["HTTP/1.1 400", "rfb 003.008\n", "SSH-2.0-x", "RFB 003.999\n", "RFB x"]) {
    t.match(
      errorOf(() => new Peer().say(ascii(banner))),
      { code: "bad_version", phase: "version" },
      banner,
    );
  }
});

t.test("cases 3, 8, 10: absurd lengths and sizes end it before memory is taken", async (t) => {
  t.match(
    errorOf(() => new Peer().say(ascii("RFB 003.008\n"), Uint8Array.of(0), u32(0x7fffffff))),
    { code: "refused" },
  );
  const start = join(ascii("RFB 003.008\n"), Uint8Array.of(1, 1), u32(0));
  const init = (width: number, height: number, nameLength: number) =>
    join(start, new ByteWriter().u16(width).u16(height).pad(16).u32(nameLength).bytes());
  t.match(
    errorOf(() => new Peer().say(init(10, 10, 0x7ffffff0))),
    { code: "too_large", phase: "init" },
  );
  for (const [width, height] of [
    [0, 0],
    [0, 10],
    [65535, 65535],
    [16385, 1],
  ] as const) {
    t.match(
      errorOf(() => new Peer().say(init(width, height, 0))),
      { code: "bad_size" },
      `${width}x${height}`,
    );
  }
});

t.test("any chunking of a session gives the same picture and events", async (t) => {
  const stream = join(
    hello(8, 8),
    update(rectangle(0, 0, 8, 8, 0, solid(8, 8, RED)), rectangle(4, 4, 2, 2, 0, solid(2, 2, [0, 0, 9]))),
    Uint8Array.of(2),
    update(rectangle(0, 0, 2, 2, 1, Uint8Array.of(0, 4, 0, 4))),
    join(Uint8Array.of(3, 0, 0, 0), u32(3), ascii("abc")),
  );
  const whole = new Peer().say(stream);
  const events = JSON.stringify(whole.events);
  for (let size = 1; size < stream.length; size++) {
    const peer = new Peer();
    for (let at = 0; at < stream.length; at += size) peer.say(stream.subarray(at, at + size));
    if (JSON.stringify(peer.events) !== events) t.fail(`events differ at chunks of ${size}`);
    if (!Buffer.from(peer.client.framebuffer.bytes).equals(Buffer.from(whole.client.framebuffer.bytes))) {
      t.fail(`pixels differ at chunks of ${size}`);
    }
  }
  t.same([...whole.client.framebuffer.read(rect(0, 0, 1, 1))], [0, 0, 9, 255]);
  t.same(
    whole.of("clipboard").map(({ text }) => text),
    ["abc"],
  );
});

t.test("moves before anything is painted are told as moves, later ones as painted", async (t) => {
  const peer = new Peer().say(hello(8, 8));
  const move = rectangle(0, 0, 2, 2, 1, Uint8Array.of(0, 4, 0, 4));
  peer.say(update(move, rectangle(6, 6, 1, 1, 0, solid(1, 1, RED)), move));
  const [first] = peer.of("update");
  t.same(first?.copies, [{ fromX: 4, fromY: 4, to: rect(0, 0, 2, 2) }]);
  t.same(first?.painted.rects, [rect(0, 0, 2, 2), rect(6, 6, 1, 1)]);
});

t.test("sizes and monitors are told once an update is whole, and only when they changed", async (t) => {
  const screens = (width: number) =>
    new ByteWriter()
      .u8(2)
      .pad(3)
      .u32(7)
      .u16(0)
      .u16(0)
      .u16(4)
      .u16(8)
      .u32(0)
      .u32(9)
      .u16(4)
      .u16(0)
      .u16(width - 4)
      .u16(8)
      .u32(0)
      .bytes();
  const peer = new Peer().say(hello(8, 8));
  const layout = rectangle(0, 0, 12, 8, -308, screens(12));
  peer.say(layout.subarray(0, 0), join(Uint8Array.of(0, 0, 0, 2), layout));
  t.equal(peer.of("resize").length, 0, "not inside an update");
  peer.say(rectangle(11, 7, 1, 1, 0, solid(1, 1, RED)));
  t.same(
    peer.of("resize")[0]?.screens.map(({ id }) => id),
    [7, 9],
  );
  t.same([peer.client.framebuffer.width, peer.client.framebuffer.height], [12, 8]);
  peer.say(update(layout));
  t.equal(peer.of("resize").length, 1);
  peer.say(update(rectangle(1, 1, 12, 8, -308, screens(12))));
  t.equal(peer.of("resize").length, 1, "a refused request of ours changes nothing");
});

t.test("case 25: more than five sizes a second end it, five do not", async (t) => {
  const peer = new Peer().say(hello(8, 8));
  for (let i = 0; i < 5; i++) peer.say(update(rectangle(0, 0, 10 + i, 8, -223)));
  t.match(
    errorOf(() => peer.say(update(rectangle(0, 0, 30, 8, -223)))),
    { code: "bad_size" },
  );
  const slow = new Peer().say(hello(8, 8));
  for (let i = 0; i < 20; i++) {
    slow.nowMs += 300;
    slow.say(update(rectangle(0, 0, 10 + i, 8, -223)));
  }
  t.equal(slow.client.framebuffer.width, 29);
});

t.test(
  "cases 12, 13, 22: outside rectangles, outside moves, unknown encodings and messages end it",
  async (t) => {
    const peer = () => new Peer().say(hello(8, 8));
    t.match(
      errorOf(() => peer().say(update(rectangle(4, 4, 5, 1, 0)))),
      { code: "bad_rect", phase: "rectangle" },
    );
    t.match(
      errorOf(() => peer().say(update(rectangle(0, 0, 65535, 65535, 7)))),
      { code: "bad_rect" },
    );
    t.match(
      errorOf(() => peer().say(update(rectangle(0, 0, 4, 4, 1, Uint8Array.of(0, 7, 0, 7))))),
      { phase: "rectangle" },
    );
    t.match(
      errorOf(() => peer().say(update(rectangle(0, 0, 4, 4, 4)))),
      { code: "unsolicited_encoding" },
    );
    const unknown = errorOf(() => peer().say(Uint8Array.of(77)));
    t.match(unknown, { code: "unknown_message" });
    t.equal(unknown.offset, hello(8, 8).length + 1);
  },
);

t.test(
  "case 23: cursors: pixels and mask, alpha undone, too large refused, hotspot kept inside",
  async (t) => {
    const peer = new Peer().say(hello(8, 8));
    peer.say(update(rectangle(9, 9, 2, 1, -239, join(solid(2, 1, RED), Uint8Array.of(0x40)))));
    t.match(peer.of("cursor")[0]?.cursor, { width: 2, height: 1, hotspotX: 1, hotspotY: 0 });
    t.same([...(peer.of("cursor")[0]?.cursor?.rgba ?? [])], [255, 0, 0, 0, 255, 0, 0, 255]);
    peer.say(update(rectangle(0, 0, 1, 1, -314, join(u32(0), Uint8Array.of(64, 0, 32, 128)))));
    t.same([...(peer.of("cursor")[1]?.cursor?.rgba ?? [])], [128, 0, 64, 128]);
    peer.say(update(rectangle(0, 0, 0, 0, -239)));
    t.equal(peer.of("cursor")[2]?.cursor, null);
    t.match(
      errorOf(() => peer.say(update(rectangle(0, 0, 257, 1, -239)))),
      { code: "too_large" },
    );
  },
);

t.test("case 24: cut texts: too long is skipped and the connection kept, absurd ends it", async (t) => {
  const peer = new Peer().say(hello(8, 8));
  const cutText = (length: number) => join(Uint8Array.of(3, 0, 0, 0), new ByteWriter().i32(length).bytes());
  peer.say(cutText(300_000), new Uint8Array(300_000), cutText(2), ascii("ok"));
  t.same(
    peer.of("clipboard").map(({ text }) => text),
    ["ok"],
  );
  for (const length of [0x7fffffff, -0x80000000]) {
    t.match(
      errorOf(() => new Peer().say(hello(8, 8), cutText(length))),
      { code: "too_large" },
    );
  }
  t.match(
    errorOf(() => new Peer().say(hello(8, 8), cutText(-3), ascii("abc"))),
    { code: "bad_data" },
  );
});

t.test(
  "extended clipboard: caps are answered, offers fetched, texts of any script kept, bombs refused",
  async (t) => {
    const extended = (flags: number, data: Uint8Array) =>
      join(
        Uint8Array.of(3, 0, 0, 0),
        new ByteWriter().i32(-(4 + data.length)).bytes(),
        u32(flags >>> 0),
        data,
      );
    const peer = new Peer().say(hello(8, 8));
    peer.takeSent();
    peer.say(extended(0x1f000001, u32(0)));
    t.same(peer.takeSent().slice(0, 12), [6, 0, 0, 0, 255, 255, 255, 248, 0x1f, 0, 0, 1]);
    peer.say(extended(0x08000001, new Uint8Array(0)));
    t.same(peer.takeSent(), [6, 0, 0, 0, 255, 255, 255, 252, 2, 0, 0, 1]);
    peer.say(extended(0x10000001, PLATFORM.deflate.zlib(packClipboardText("äöü 漢字\nzwei"), 6)));
    t.same(
      peer.of("clipboard").map(({ text }) => text),
      ["äöü 漢字\nzwei"],
    );
    peer.client.clipboard("unser €");
    t.same(peer.takeSent(), [6, 0, 0, 0, 255, 255, 255, 252, 8, 0, 0, 1], "announced, not sent");
    peer.say(extended(0x02000001, new Uint8Array(0)));
    t.equal(peer.takeSent()[8], 0x10, "provided when asked");
    const bomb = PLATFORM.deflate.zlib(new Uint8Array(50 * 1024 * 1024), 9);
    t.match(
      errorOf(() => peer.say(extended(0x10000001, bomb))),
      { code: "bad_data" },
    );
  },
);

t.test("case 26: fences are answered without the request bit; too long a payload ends it", async (t) => {
  const peer = new Peer().say(hello(8, 8));
  peer.takeSent();
  peer.say(Uint8Array.of(248, 0, 0, 0), u32(0x8000_00ff), Uint8Array.of(2, 7, 8));
  t.same(peer.takeSent(), [248, 0, 0, 0, 0, 0, 0, 7, 2, 7, 8]);
  t.equal(peer.client.features.hasFence, true);
  peer.say(Uint8Array.of(248, 0, 0, 0), u32(1), Uint8Array.of(1, 5));
  t.same([...(peer.of("fence")[0]?.payload ?? [])], [5]);
  t.match(
    errorOf(() => peer.say(Uint8Array.of(248, 0, 0, 0), u32(1), Uint8Array.of(65))),
    { code: "too_large" },
  );
});

t.test("what is asked of the server has the bytes of the specification", async (t) => {
  const peer = new Peer().say(hello(300, 8));
  peer.takeSent();
  peer.client.requestUpdate(true);
  t.same(peer.takeSent(), [3, 1, 0, 0, 0, 0, 1, 44, 0, 8]);
  peer.client.pointer(258, 3, 5);
  t.same(peer.takeSent(), [5, 5, 1, 2, 0, 3]);
  peer.client.key(0x010020ac, true, 30);
  t.same(peer.takeSent(), [4, 1, 0, 0, 1, 0, 0x20, 0xac], "no scancode before the server takes them");
  peer.say(update(rectangle(0, 0, 0, 0, -258)));
  peer.client.key(0x61, false, 30);
  t.same(peer.takeSent(), [255, 0, 0, 0, 0, 0, 0, 0x61, 0, 0, 0, 30]);
  t.equal(peer.client.resize(10, 10), false, "no resize before the server shows it can");
  peer.client.clipboard("hé€");
  t.same(peer.takeSent(), [6, 0, 0, 0, 0, 0, 0, 3, 104, 233, 63]);
});

t.test("hostile bytes after the handshake end in an RfbError or wait, whatever they are", async (t) => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => {
      const peer = new Peer().say(hello(32, 32));
      try {
        peer.say(Uint8Array.of(0, 0, 0, 200), bytes);
      } catch (error) {
        return error instanceof RfbError;
      }
      return true;
    }),
    { numRuns: 500 },
  );
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      const peer = new Peer("secret99");
      try {
        peer.say(ascii("RFB 003.008\n"), bytes);
      } catch (error) {
        return error instanceof RfbError && !error.message.includes("secret99");
      }
      return true;
    }),
    { numRuns: 300 },
  );
  t.pass();
});
