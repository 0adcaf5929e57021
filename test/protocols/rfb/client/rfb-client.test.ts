import t from "tap";
import { PLATFORM } from "../../../../src/appliance/open-links.ts";
import { rect } from "../../../../src/framebuffer/rect.ts";
import { ByteWriter } from "../../../../src/protocols/byte-writer.ts";
import { packClipboardText } from "../../../../src/protocols/rfb/extended-clipboard.ts";
import { ENCODING } from "../../../../src/protocols/rfb/numbers.ts";
import { checkChunking, errorOf, Peer } from "./peer.ts";
import { ascii, hello, join, rectangle, serverInit, solid, u32, update } from "./server-bytes.ts";

const RED = [255, 0, 0] as const;

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

t.test("RFC 6143 7.1.1: minor versions that are none are 3.3, and UltraVNC's are", async (t) => {
  for (const version of ["003.004", "003.005", "003.006", "003.014", "003.016"]) {
    const peer = new Peer().say(ascii(`RFB ${version}\n`), u32(1), serverInit(4, 4));
    t.same(peer.takeSent().slice(0, 12), [...ascii("RFB 003.003\n")], version);
    t.equal(peer.of("ready").length, 1);
  }
});

t.test("odd versions of real servers are spoken to as 3.8", async (t) => {
  for (const version of [
    "003.009",
    "003.010",
    "003.100",
    "003.130",
    "003.889",
    "004.000",
    "004.001",
    "005.000",
  ]) {
    const peer = new Peer().say(ascii(`RFB ${version}\n`));
    t.same(peer.takeSent(), [...ascii("RFB 003.008\n")], version);
  }
});

t.test("VncAuth answers the challenge with the password's DES", async (t) => {
  const peer = new Peer({ password: "password" }).say(
    ascii("RFB 003.008\n"),
    Uint8Array.of(2, 2, 1),
    new Uint8Array(16),
  );
  const answer = Buffer.from(peer.takeSent().slice(13));
  // openssl's DES-ECB of 16 zero bytes, keyed by "password" with the bits of each byte mirrored.
  t.equal(answer.toString("hex"), "ff97502e9422f089ff97502e9422f089");
  peer.say(u32(0), serverInit(4, 4));
  t.equal(peer.client.description, "RFB 3.8, VncAuth");
});

t.test("refusals say what the server said, and never the password", async (t) => {
  const wrong = errorOf(() =>
    new Peer({ password: "tops3cret" }).say(
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
    errorOf(() => new Peer({ password: "x" }).say(ascii("RFB 003.008\n"), Uint8Array.of(2, 20, 22))),
    { code: "no_common_auth", message: /type 20, type 22/ },
  );
  t.match(
    errorOf(() => new Peer().say(ascii("RFB 003.008\n"), Uint8Array.of(0), u32(8), ascii("too many"))),
    { code: "refused", message: /too many/ },
  );
});

t.test(
  "the first picture tells its way while its update is still being read, and no later one does",
  async (t) => {
    const peer = new Peer().say(hello(20, 10));
    const halves = [0, 10].map((x) => rectangle(x, 0, 10, 10, 0, solid(10, 10, RED)));
    const whole = update(...halves);
    peer.say(whole.subarray(0, whole.length - 1));
    t.same(
      peer.of("progress").map(({ part }) => part),
      [0.5],
    );
    t.equal(peer.of("update").length, 0, "the update is not over");
    peer.say(whole.subarray(whole.length - 1));
    t.same(
      peer.of("progress").map(({ part }) => part),
      [0.5, 1],
    );
    peer.say(whole);
    t.equal(peer.of("progress").length, 2);
  },
);

t.test("a first picture of many small rectangles is told a hundred times at most", async (t) => {
  const peer = new Peer().say(hello(40, 40));
  const dots = Array.from({ length: 1600 }, (_, i) =>
    rectangle(i % 40, Math.floor(i / 40), 1, 1, 0, solid(1, 1, RED)),
  );
  peer.say(update(...dots));
  const parts = peer.of("progress").map(({ part }) => part);
  t.equal(parts.length, 100);
  t.ok(parts.every((part, i) => part > (parts[i - 1] ?? 0) && part <= 1));
});

t.test(
  "a size that comes before the first whole picture was told has a first picture of its own",
  async (t) => {
    const peer = new Peer().say(hello(8, 8));
    t.equal(peer.client.missingPixels, 64);
    const resized = (width: number, height: number) => rectangle(0, 0, width, height, ENCODING.desktopSize);
    const whole = rectangle(0, 0, 8, 8, 0, solid(8, 8, RED));
    peer.say(
      update(rectangle(0, 0, 8, 4, 0, solid(8, 4, RED)), rectangle(0, 4, 8, 2, 1, Uint8Array.of(0, 0, 0, 0))),
    );
    t.equal(peer.client.missingPixels, 16, "what was moved is there as well");
    peer.say(update(whole, resized(8, 10), rectangle(0, 8, 1, 1, 0, solid(1, 1, RED))));
    t.equal(peer.client.missingPixels, 79);
    peer.say(update(whole, rectangle(0, 8, 8, 2, 0, solid(8, 2, RED))));
    t.equal(peer.client.missingPixels, 0);
    peer.say(update(resized(8, 12)));
    t.equal(peer.client.missingPixels, 0, "later ones change a picture that is in use");
  },
);

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

t.test(
  "extended clipboard: caps are answered, offers fetched, texts of any script kept, bombs passed over",
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
    peer.say(extended(0x10000001, bomb), Uint8Array.of(2));
    t.equal(
      peer.of("clipboard").at(-1)?.text,
      null,
      "what is too long is told to be there, and costs no connection",
    );
    t.equal(peer.of("bell").length, 1);
    t.equal(peer.of("clipboardTaken").length, 1, "what was asked for is taken");
  },
);

t.test(
  "texts of 2 MB and images that are copied at the target cost no connection, and are never given out as another text",
  async (t) => {
    const extended = (flags: number, data: Uint8Array) =>
      join(
        Uint8Array.of(3, 0, 0, 0),
        new ByteWriter().i32(-(4 + data.length)).bytes(),
        u32(flags >>> 0),
        data,
      );
    const provided = (text: string) =>
      extended(0x10000001, PLATFORM.deflate.zlib(packClipboardText(text), 6));
    let random = 1;
    const anyIdeograph = (): string => {
      random = (Math.imul(random, 1103515245) + 12345) & 0x7fffffff;
      return String.fromCharCode(0x4e00 + ((random >> 8) % 20_000));
    };
    const texts = {
      "2 MB that compress": "the same line again\n".repeat(100_000),
      "2 MB of CJK that compress": "漢字かな交じり文".repeat(90_000),
      "2 MB of CJK that hardly compress": Array.from({ length: 700_000 }, anyIdeograph).join(""),
    };
    const peer = new Peer().say(hello(8, 8), extended(0x1f000001, u32(0)));
    for (const [name, text] of Object.entries(texts)) {
      peer.say(provided("short"), provided(text));
      t.same(
        peer
          .of("clipboard")
          .slice(-2)
          .map((event) => event.text),
        ["short", null],
        name,
      );
    }
    peer.say(join(Uint8Array.of(3, 0, 0, 0), u32(2_000_000), new Uint8Array(2_000_000).fill(0x61)));
    t.equal(peer.of("clipboard").at(-1)?.text, null, "2 MB as a plain cut text");
    peer.takeSent();
    const told = peer.of("clipboard").length;
    const image = 8;
    peer.say(extended(0x08000000 | image, new Uint8Array(0)));
    t.equal(peer.takeSent().length, 0, "an image is not asked for");
    peer.say(extended(0x10000000 | image, PLATFORM.deflate.zlib(new Uint8Array(2_000_000), 6)));
    t.equal(peer.of("clipboard").length, told, "nor taken for a text");
    peer.say(provided("after"), Uint8Array.of(2));
    t.equal(peer.of("clipboard").at(-1)?.text, "after");
    t.equal(peer.of("bell").length, 1, "the connection stays");
  },
);

t.test("any chunking of a session gives the same picture, events and answers", async (t) => {
  const stream = join(
    hello(8, 8),
    update(rectangle(0, 0, 8, 8, 0, solid(8, 8, RED)), rectangle(4, 4, 2, 2, 0, solid(2, 2, [0, 0, 9]))),
    Uint8Array.of(2),
    update(rectangle(0, 0, 2, 2, 1, Uint8Array.of(0, 4, 0, 4))),
    join(Uint8Array.of(3, 0, 0, 0), u32(3), ascii("abc")),
    join(Uint8Array.of(248, 0, 0, 0), u32(0x80000000), Uint8Array.of(1, 5)),
    Uint8Array.of(150),
    update(
      rectangle(1, 0, 2, 1, -239, new Uint8Array(9)),
      rectangle(0, 0, 2, 1, -240, new Uint8Array(8)),
      rectangle(0, 0, 1, 1, 0x574d5664, Uint8Array.of(1, 0, 0, 0, 0, 0)),
      rectangle(5, 6, 0, 0, -232),
      rectangle(0, 0, 0, 0, -261, Uint8Array.of(4)),
      rectangle(0, 0, 0, 0, -307, join(u32(2), ascii("ab"))),
    ),
    join(Uint8Array.of(1, 0, 0, 0, 0, 1), new Uint8Array(6)),
  );
  const { client, events } = checkChunking(t, stream);
  t.same([...client.framebuffer.read(rect(0, 0, 1, 1))], [0, 0, 9, 255]);
  t.same(
    events.map(({ type }) => type).filter((type) => type !== "handshake"),
    [
      "ready",
      "progress",
      "update",
      "bell",
      "update",
      "clipboard",
      "cursor",
      "pointer",
      "locks",
      "name",
      "update",
    ],
  );
});

t.test("a server's own pixel format is decoded where none is asked for", async (t) => {
  const init = (format: Uint8Array) =>
    join(
      ascii("RFB 003.008\n"),
      Uint8Array.of(1, 1),
      u32(0),
      new ByteWriter().u16(2).u16(1).put(format).u32(0).bytes(),
    );
  const blueLowest = Uint8Array.of(32, 24, 0, 1, 0, 255, 0, 255, 0, 255, 16, 8, 0, 0, 0, 0);
  const peer = new Peer({ pixelFormat: "server" }).say(init(blueLowest));
  t.equal(peer.takeSent()[14], 2, "SetEncodings comes first");
  peer.say(update(rectangle(0, 0, 2, 1, 0, Uint8Array.of(3, 2, 1, 0, 6, 5, 4, 0))));
  t.same([...peer.client.framebuffer.bytes], [1, 2, 3, 255, 4, 5, 6, 255]);
});

t.test("a server of 8 bits with a colour map: its entries colour what comes later", async (t) => {
  const mapped = Uint8Array.of(8, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
  const peer = new Peer({ pixelFormat: "server" }).say(
    ascii("RFB 003.008\n"),
    Uint8Array.of(1, 1),
    u32(0),
    new ByteWriter().u16(2).u16(1).put(mapped).u32(0).bytes(),
  );
  peer.takeSent();
  peer.say(Uint8Array.of(1, 0, 0, 7, 0, 2, 255, 255, 0, 0, 128, 128, 1, 1, 2, 2, 3, 3));
  t.same(peer.takeSent(), [3, 0, 0, 0, 0, 0, 0, 2, 0, 1], "what had other colours is asked for anew");
  peer.say(update(rectangle(0, 0, 2, 1, 0, Uint8Array.of(7, 8))));
  t.same([...peer.client.framebuffer.bytes], [255, 0, 128, 255, 1, 2, 3, 255]);
  const trueColour = new Peer().say(hello(2, 1));
  trueColour.takeSent();
  trueColour.say(Uint8Array.of(1, 0, 0, 0, 0, 1, 1, 2, 3, 4, 5, 6));
  t.same(trueColour.takeSent(), [], "without a meaning in true colour");
});

t.test("Intel AMT, which has no more, is asked for 16 bits", async (t) => {
  const peer = new Peer().say(hello(2, 1, "Intel(r) AMT KVM"));
  t.same(peer.takeSent().slice(14, 22), [0, 0, 0, 0, 16, 16, 0, 1]);
  peer.say(update(rectangle(0, 0, 2, 1, 0, Uint8Array.of(0x00, 0xf8, 0x1f, 0x00))));
  t.same([...peer.client.framebuffer.bytes], [255, 0, 0, 255, 0, 0, 255, 255]);
});

t.test("lock keys and pointer positions are told, and refused sizes change nothing", async (t) => {
  const peer = new Peer().say(hello(8, 8));
  peer.say(update(rectangle(0, 0, 0, 0, -261, Uint8Array.of(6))));
  peer.say(update(rectangle(0, 0, 0, 0, 0x574d5668, u32(1))));
  t.same(
    peer.of("locks").map(({ locks }) => locks),
    [
      { scrollLock: false, numLock: true, capsLock: true },
      { scrollLock: true, numLock: false, capsLock: false },
    ],
  );
  peer.say(update(rectangle(3, 4, 0, 0, -232)), update(rectangle(5, 6, 0, 0, 0x574d5666)));
  peer.say(update(rectangle(0, 0, 0, 0, 0x574d5665, Uint8Array.of(0, 1))));
  t.same(
    peer.of("pointer").map(({ x, y }) => [x, y]),
    [
      [3, 4],
      [5, 6],
    ],
  );
  const noScreens = new Uint8Array(4);
  const { framebuffer } = peer.client;
  for (const status of [3, 4, 9]) peer.say(update(rectangle(1, status, 9, 9, -308, noScreens)));
  t.same([framebuffer.width, framebuffer.height], [8, 8], "refused, or not yet done");
  peer.say(update(rectangle(1, 0, 9, 9, -308, noScreens)));
  t.same([framebuffer.width, framebuffer.height], [9, 9], "done");
});

t.test("an update of very many tiles claims no pixel that it did not paint", async (t) => {
  const tiles = Array.from({ length: 2500 }, (_, i) => [2 * (i % 50), 2 * Math.floor(i / 50)] as const);
  const painted = tiles.filter((_, i) => i !== 1000);
  const red = solid(2, 2, RED);
  const peer = new Peer().say(hello(100, 100));
  peer.say(update(...painted.map(([x, y]) => rectangle(x, y, 2, 2, 0, red))));
  t.equal(peer.of("update")[0]?.painted.area, 100 * 100 - 4);
});
