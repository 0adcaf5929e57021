import { deflateSync } from "node:zlib";
import t from "tap";
import { packClipboardText, unpackClipboardText } from "../../../../src/protocols/rfb/extended-clipboard.ts";
import { ports } from "./ports.ts";
import { type Sent, say, TestViewer } from "./viewer.ts";

const EXTENDED = 0xc0a1e5ce | 0;
const CAPS = 1 << 24;
const REQUEST = 1 << 25;
const PEEK = 1 << 26;
const NOTIFY = 1 << 27;
const PROVIDE = 1 << 28;
const TEXT = 1;
const NOTHING = new Uint8Array(0);

function extended(): TestViewer {
  const viewer = TestViewer.ready();
  viewer.say(say.encodings(0, EXTENDED));
  viewer.take();
  return viewer;
}

function textOf(sent: Sent | undefined): string | null {
  if (sent?.type !== "extendedCutText" || (sent.flags & PROVIDE) === 0) return null;
  const output = new Uint8Array(1024);
  const stream = ports.inflate?.();
  return unpackClipboardText(output.subarray(0, stream?.inflate(sent.data, output) ?? 0));
}

t.test("a plain viewer gets Latin-1, what it does not have becomes a question mark", async (t) => {
  const viewer = TestViewer.ready();
  viewer.server.clipboard("grüß € dich");
  t.same(viewer.take(), [{ type: "cutText", text: "grüß ? dich" }]);
});

t.test("ExtendedClipboard begins with what we take: text, at most 256 KiB unasked", async (t) => {
  const viewer = TestViewer.ready();
  viewer.say(say.encodings(0, EXTENDED));
  t.same(viewer.take(), [{ type: "extendedCutText", flags: 0x1f000001, data: Buffer.from([0, 4, 0, 0]) }]);
  viewer.say(say.encodings(0, EXTENDED));
  t.same(viewer.take(), [], "once");
});

t.test("without an Inflate port it is not offered", async (t) => {
  const { deflate, jpeg, crypto } = ports;
  const viewer = TestViewer.ready({}, { deflate, jpeg, crypto });
  viewer.say(
    say.encodings(0, EXTENDED),
    say.extendedCutText(PROVIDE | TEXT, deflateSync(packClipboardText("x"))),
  );
  viewer.server.clipboard("text");
  t.same(viewer.take(), [{ type: "cutText", text: "text" }]);
  t.same(viewer.events, []);
});

t.test("a text is announced, and provided when it is asked for", async (t) => {
  const viewer = extended();
  viewer.server.clipboard("größer €\nzwei");
  t.same(viewer.take(), [{ type: "extendedCutText", flags: NOTIFY | TEXT, data: Buffer.alloc(0) }]);
  viewer.say(say.extendedCutText(REQUEST | TEXT, NOTHING));
  const [sent] = viewer.take();
  t.equal(textOf(sent), "größer €\nzwei");
});

t.test("a viewer that takes no announcements is sent the text", async (t) => {
  const viewer = extended();
  viewer.say(say.extendedCutText(CAPS | PROVIDE | TEXT, Uint8Array.of(0, 1, 0, 0)));
  viewer.server.clipboard("text");
  t.equal(textOf(viewer.take()[0]), "text");
});

t.test("a peek is answered by what there is", async (t) => {
  const viewer = extended();
  viewer.say(say.extendedCutText(PEEK, NOTHING), say.extendedCutText(REQUEST | TEXT, NOTHING));
  t.same(viewer.take(), [{ type: "extendedCutText", flags: NOTIFY, data: Buffer.alloc(0) }]);
});

t.test("what a viewer announces is asked for, what it provides is taken", async (t) => {
  const viewer = extended();
  viewer.say(say.extendedCutText(NOTIFY | TEXT, NOTHING));
  t.same(viewer.take(), [{ type: "extendedCutText", flags: REQUEST | TEXT, data: Buffer.alloc(0) }]);
  viewer.say(say.extendedCutText(NOTIFY, NOTHING));
  t.same(viewer.take(), [], "an emptied clipboard is not asked for");
  viewer.say(say.extendedCutText(PROVIDE | TEXT, deflateSync(packClipboardText("größer €\nzwei"))));
  t.same(viewer.events, [{ type: "clipboard", text: "größer €\nzwei" }]);
});

t.test("a bomb, noise and a lying length are dropped; the viewer stays", async (t) => {
  const viewer = extended();
  const lying = packClipboardText("text");
  lying[3] = 200;
  for (const data of [
    deflateSync(new Uint8Array(50_000_000)),
    Buffer.from("noise"),
    deflateSync(lying),
    NOTHING,
  ]) {
    viewer.say(say.extendedCutText(PROVIDE | TEXT, data));
  }
  t.same(viewer.events, []);
  viewer.say(say.key(true, 0x61));
  t.equal(viewer.events.length, 1);
});

t.test("a text that is asked for a thousand times is packed once", async (t) => {
  let packed = 0;
  const deflate = {
    ...ports.deflate,
    zlib: (input: Uint8Array, level: number) => {
      packed++;
      return ports.deflate.zlib(input, level);
    },
  };
  const viewer = TestViewer.ready({}, { ...ports, deflate });
  viewer.say(say.encodings(0, EXTENDED));
  const ask = (): Sent[] => {
    viewer.take();
    viewer.say(...Array.from({ length: 1000 }, () => say.extendedCutText(REQUEST | TEXT, NOTHING)));
    return viewer.take();
  };
  viewer.server.clipboard("first");
  const before = packed;
  t.same([...new Set(ask().map(textOf))], ["first"]);
  t.equal(packed - before, 1);
  viewer.server.clipboard("second");
  t.same([...new Set(ask().map(textOf))], ["second"]);
  t.equal(packed - before, 2);
});
