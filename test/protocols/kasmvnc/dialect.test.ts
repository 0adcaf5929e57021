import fc from "fast-check";
import t from "tap";
import { kasmvnc } from "../../../src/protocols/kasmvnc/dialect.ts";
import { RfbError } from "../../../src/protocols/rfb/error.ts";
import { checkChunking, errorOf, Peer } from "../rfb/client/peer.ts";
import { ascii, hello, join, rectangle, u32, update } from "../rfb/client/server-bytes.ts";

const KASM = { dialect: kasmvnc() } as const;

function live(): Peer {
  const peer = new Peer(KASM).say(hello(8, 8));
  peer.takeSent();
  return peer;
}

/** BinaryClipboard of the server: U8 items, of each U32 id, U8 length, MIME type, U32 length, data. */
function clipboard(...items: readonly (readonly [mime: string, data: Uint8Array])[]): Uint8Array {
  return join(
    Uint8Array.of(180, items.length),
    ...items.map(([mime, data], i) =>
      join(u32(i), Uint8Array.of(mime.length), ascii(mime), u32(data.length), data),
    ),
  );
}

function text(type: number, words: string): Uint8Array {
  return join(Uint8Array.of(type), u32(words.length), ascii(words));
}

t.test("what is asked for changes nothing for other viewers, and no number has two meanings", async (t) => {
  const sent = new Peer(KASM).say(hello(8, 8)).takeSent();
  t.equal(sent[13], 1, "shared: 0 would throw everyone else out");
  const view = new DataView(Uint8Array.from(sent).buffer, 38);
  const numbers = Array.from({ length: (sent.length - 38) / 4 }, (_, i) => view.getInt32(i * 4));
  t.same(numbers.slice(0, 6), [1, 7, 16, 5, 2, 0]);
  const isSetting = (n: number): boolean =>
    (n >= -2048 && n <= -871 && n !== -1885) || (n >= -768 && n <= -412) || (n >= -256 && n <= -247);
  t.same(numbers.filter(isSetting), []);
  t.same(
    numbers.filter((n) => n >= -32 && n <= -23),
    [],
    "no quality level",
  );
  for (const number of [8, 17, -258, 0xc0a1e5ce | 0]) t.notOk(numbers.includes(number), `not ${number}`);
});

t.test("a pointer event has eleven bytes: sixteen buttons, place, scrolling", async (t) => {
  const peer = live();
  peer.client.pointer(258, 3, 0x181);
  t.same(peer.takeSent(), [5, 1, 0x81, 1, 2, 0, 3, 0, 0, 0, 0]);
  peer.client.pointer(0, 0, 0, { x: -1, y: 2 });
  t.same(
    peer.takeSent(),
    [5, 0, 0, 0, 0, 0, 0, 0xff, 0xce, 0, 100],
    "50 units a notch, down and right positive",
  );
  peer.client.pointer(0, 0, 0, { x: 1e6, y: -1e6 });
  t.same(peer.takeSent().slice(7), [0x7f, 0xff, 0x80, 0]);
  peer.client.key(0x61, true, 30);
  t.same(peer.takeSent(), [4, 1, 0, 0, 0, 0, 0, 0x61], "the keysym decides");
});

t.test("clipboards go as message 180, without a final NUL; an empty one has no items", async (t) => {
  const peer = live();
  peer.client.clipboard("é\r\n");
  t.same(peer.takeSent(), [180, 1, 10, ...ascii("text/plain"), 0, 0, 0, 3, 0xc3, 0xa9, 0x0a]);
  peer.client.clipboard("");
  t.same(peer.takeSent(), [180, 0]);
});

t.test("every message comes out the same in any pieces", async (t) => {
  const stream = join(
    hello(8, 8),
    Uint8Array.of(179, 187),
    text(253, "ada"),
    clipboard(["text/html", ascii("<b>")], ["text/plain", ascii("hi\0")], ["image/png", new Uint8Array(50)]),
    clipboard(),
    Uint8Array.of(178, 0, 0, 0),
    u32(4),
    ascii("[ 1]"),
    Uint8Array.of(181, 0, 2, 1, 2),
    Uint8Array.of(182, 0, 3, 65, 66, 67),
    Uint8Array.of(184, 1, ...new Uint8Array(12), 2, ...new Uint8Array(8)),
    text(254, "ada"),
    join(Uint8Array.of(186, 1, 0, 0, 0), u32(3), ascii("bye")),
    update(rectangle(0, 0, 8, 8, 7, Uint8Array.of(0xd0, 9, 1, 2, 3, 4, 5, 6, 7, 8, 9))),
    update(rectangle(0, 0, 8, 8, 7, Uint8Array.of(0x80, 1, 2, 3))),
  );
  const { events, client } = checkChunking(t, stream, KASM);
  t.match(
    events.filter(({ type }) => type !== "handshake" && type !== "update" && type !== "ready"),
    [
      { type: "clipboard", text: "hi" },
      { type: "farewell", reason: "bye", isGraceful: true },
    ],
  );
  t.same(
    [...client.framebuffer.bytes.subarray(0, 4)],
    [1, 2, 3, 255],
    "a watermark leaves the picture alone",
  );
});

t.test("a request for statistics is answered each time, wherever it comes", async (t) => {
  const peer = live().say(Uint8Array.of(179, 179));
  t.same(peer.takeSent(), [
    ...[179, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
    ...[179, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
  ]);
});

t.test("names and reasons come out with nothing that acts on a terminal or a log", async (t) => {
  const peer = live().say(join(Uint8Array.of(186, 0, 0, 0, 0), u32(2), ascii("\r\n")));
  t.equal(peer.of("farewell")[0]?.reason, "\\u{d}\\u{a}");
});

t.test(
  "case 22: numbers of plain RFB that mean something else here are refused, and none is guessed",
  async (t) => {
    for (const type of [183, 185, 188, 189, 190, 252, 255]) {
      t.match(
        errorOf(() => live().say(Uint8Array.of(type))),
        { code: "unknown_message", message: new RegExp(`type ${type}.*KasmVNC`) },
      );
    }
    for (const encoding of [4, 6, 8, 15, 17, 21, -260]) {
      t.match(
        errorOf(() => live().say(update(rectangle(0, 0, 4, 4, encoding)))),
        { code: "unsolicited_encoding" },
      );
    }
    t.match(
      errorOf(() => new Peer().say(hello(8, 8), Uint8Array.of(179))),
      { code: "unknown_message" },
      "and its messages are unknown to plain RFB",
    );
  },
);

t.test("case 24: a clipboard too long to take is passed over, an absurd one ends it", async (t) => {
  const peer = live();
  peer.say(clipboard(["text/plain", new Uint8Array(300_000)]), clipboard(["text/plain", ascii("ok")]));
  t.same(
    peer.of("clipboard").map(({ text }) => text),
    [null, "ok"],
  );
  for (const mime of ["text/plain", "image/png"]) {
    const head = join(
      Uint8Array.of(180, 1),
      u32(0),
      Uint8Array.of(mime.length),
      ascii(mime),
      u32(0xffffffff),
    );
    t.match(
      errorOf(() => live().say(head)),
      { code: "too_large", phase: "message" },
    );
  }
});

t.test("case 24: a clipboard that never ends is given up after 30 s", async (t) => {
  const peer = live().say(Uint8Array.of(180, 1), u32(0), Uint8Array.of(9), ascii("image/png"), u32(1e6));
  peer.nowMs += 30_000;
  peer.say(Uint8Array.of(1));
  peer.nowMs += 1;
  t.match(
    errorOf(() => peer.say(Uint8Array.of(1))),
    { code: "too_slow" },
  );
});

t.test("texts of absurd length end it before they come", async (t) => {
  for (const head of [
    Uint8Array.of(253, 255, 255, 255, 255),
    Uint8Array.of(254, 0, 1, 0, 1),
    Uint8Array.of(186, 0, 0, 0, 0, 255, 255, 255, 255),
    Uint8Array.of(178, 0, 0, 0, 255, 255, 255, 255),
  ]) {
    t.match(
      errorOf(() => live().say(head)),
      { code: "too_large", phase: "message" },
    );
  }
});

t.test("hostile messages end in an RfbError or wait, whatever they hold", async (t) => {
  const types = fc.constantFrom(178, 179, 180, 181, 182, 184, 186, 187, 253, 254);
  fc.assert(
    fc.property(fc.array(fc.tuple(types, fc.uint8Array({ maxLength: 60 })), { maxLength: 8 }), (messages) => {
      const peer = live();
      try {
        for (const [type, bytes] of messages) peer.say(Uint8Array.of(type), bytes);
      } catch (error) {
        return error instanceof RfbError;
      }
      return true;
    }),
    { numRuns: 500 },
  );
  t.pass("500 streams");
});
