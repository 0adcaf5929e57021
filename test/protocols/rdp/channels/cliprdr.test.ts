import fc from "fast-check";
import t from "tap";
import { Clipboard } from "../../../../src/protocols/rdp/channels/cliprdr.ts";
import {
  decodeText,
  encodeText,
  MOST_TEXT_BYTES,
} from "../../../../src/protocols/rdp/channels/cliprdr-text.ts";
import { RdpError } from "../../../../src/protocols/rdp/error.ts";

const bytes = (text: string): Uint8Array => Buffer.from(text.replace(/\s/g, ""), "hex");
const hex = (messages: readonly Uint8Array[]): string[] =>
  messages.map((one) => Buffer.from(one).toString("hex"));

/** Of the annotated dumps in MS-RDPECLIP section 4. */
const HOST_CAPABILITIES = bytes("0700 0000 10000000 0100 0000 0100 0c00 02000000 0e000000");
const MONITOR_READY = bytes("0100 0000 00000000");
const FORMAT_LIST = bytes(
  `0200 0000 24000000 04c00000 4e00610074006900760065000000 03000000 0000 08000000 0000 11000000 0000`,
);
const RESPONSE_OK = "0300010000000000";
const REQUEST_UNICODE = "04000000040000000d000000";
const HELLO = bytes("0500 0100 18000000 680065006c006c006f00 2000 77006f0072006c006400 0000");

const OWN_CAPABILITIES = "070000001000000001000000" + "01000c000200000002000000";
const EMPTY_LIST = "0200000000000000";
const LIST_LONG = "0200000006000000" + "0d000000" + "0000";
const LIST_SHORT = `02000000240000000d000000${"00".repeat(32)}`;

const longList = (...formats: number[]): Uint8Array => {
  const body = Buffer.alloc(formats.length * 6);
  for (const [i, format] of formats.entries()) body.writeUInt32LE(format, i * 6);
  return Buffer.concat([bytes("02000000"), lengthOf(body), body]);
};

function lengthOf(body: Uint8Array): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(body.length);
  return length;
}

function start(): { clipboard: Clipboard; texts: (string | null)[]; taken: string[] } {
  const texts: (string | null)[] = [];
  const taken: string[] = [];
  const clipboard = new Clipboard(
    (text) => texts.push(text),
    () => taken.push("taken"),
  );
  clipboard.receive(HOST_CAPABILITIES);
  clipboard.receive(MONITOR_READY);
  return { clipboard, texts, taken };
}

t.test("the channel opens as MS-RDPECLIP 4.1 shows it", async (t) => {
  const clipboard = new Clipboard(() => undefined);
  t.same(hex(clipboard.receive(HOST_CAPABILITIES)), []);
  t.same(hex(clipboard.receive(MONITOR_READY)), [OWN_CAPABILITIES, EMPTY_LIST]);
  t.same(hex(clipboard.receive(bytes(RESPONSE_OK))), []);
});

t.test("a host knows of a text when it has answered the last list, and only where it took it", async (t) => {
  let offered = 0;
  const clipboard = new Clipboard(
    () => undefined,
    () => undefined,
    () => offered++,
  );
  const refused = bytes(RESPONSE_OK);
  refused[2] = 2;
  clipboard.receive(HOST_CAPABILITIES);
  clipboard.receive(MONITOR_READY);
  clipboard.offer("a text");
  clipboard.receive(bytes(RESPONSE_OK));
  t.equal(offered, 0, "that was the list of the beginning");
  clipboard.receive(bytes(RESPONSE_OK));
  t.equal(offered, 1);
  clipboard.offer("another");
  clipboard.receive(refused);
  t.equal(offered, 1, "refused");
  clipboard.offer("a third");
  clipboard.receive(bytes(RESPONSE_OK));
  t.equal(offered, 2);
  clipboard.receive(bytes(RESPONSE_OK));
  t.doesNotThrow(() => clipboard.receive(bytes(RESPONSE_OK)), "answers to nothing");
});

t.test("a text that was offered early is told when the host is ready", async (t) => {
  const clipboard = new Clipboard(() => undefined);
  t.same(clipboard.offer("early"), []);
  clipboard.receive(HOST_CAPABILITIES);
  t.same(hex(clipboard.receive(MONITOR_READY)), [OWN_CAPABILITIES, LIST_LONG]);
});

t.test("what the host copies is fetched at once", async (t) => {
  const { clipboard, texts } = start();
  t.same(hex(clipboard.receive(longList(1, 13, 16))), [RESPONSE_OK, REQUEST_UNICODE]);
  t.same(clipboard.receive(HELLO), []);
  t.same(texts, ["hello world"]);
});

t.test("a host's format without text is only acknowledged", async (t) => {
  const { clipboard, texts } = start();
  t.same(hex(clipboard.receive(FORMAT_LIST)), [RESPONSE_OK]);
  t.same(hex(clipboard.receive(bytes(EMPTY_LIST))), [RESPONSE_OK]);
  clipboard.receive(HELLO);
  t.same(texts, [], "data that nobody asked for is dropped");
});

t.test("a host of old has names of 32 bytes, and perhaps no Unicode", async (t) => {
  const texts: (string | null)[] = [];
  const clipboard = new Clipboard((text) => texts.push(text));
  t.same(hex(clipboard.receive(MONITOR_READY)), [OWN_CAPABILITIES, EMPTY_LIST]);
  t.same(hex(clipboard.offer("x")), [LIST_SHORT]);
  const body = Buffer.alloc(72, 0x0d);
  body.writeUInt32LE(7, 0);
  body.writeUInt32LE(1, 36);
  const list = Buffer.concat([bytes("02000400"), lengthOf(body), body]);
  t.same(hex(clipboard.receive(list)), [RESPONSE_OK, "040000000400000001000000"], "CF_TEXT");
  clipboard.receive(bytes("0500 0100 05000000 80 e4 0d0a 00"));
  t.same(texts, ["€ä\n"], "of Windows-1252");
});

t.test("what we offer the host may have, and nothing else", async (t) => {
  const { clipboard, taken } = start();
  const request = bytes(REQUEST_UNICODE);
  t.same(hex(clipboard.receive(request)), ["0500020000000000"], "nothing is offered yet");
  t.same(hex(clipboard.offer("a\nü\r\n😀")), [LIST_LONG]);
  t.same(hex(clipboard.receive(request)), [
    "0500010012000000" + "6100" + "0d000a00" + "fc00" + "0d000a00" + "3dd800de" + "0000",
  ]);
  for (const format of ["01000000", "07000000", "08000000", "04c00000"]) {
    t.same(hex(clipboard.receive(bytes(`04000000 04000000 ${format}`))), ["0500020000000000"], format);
  }
  t.same(taken, ["taken"], "once, by the one that got it");
});

t.test("files are refused, and locks and folders do nothing", async (t) => {
  const { clipboard } = start();
  clipboard.offer("secret");
  const request = bytes("08000000 18000000 07000000 00000000 02000000 00000000 00000000 00100000");
  t.same(
    hex(clipboard.receive(request)),
    ["0900020004000000" + "07000000"],
    "the stream it asked for, failed",
  );
  t.same(clipboard.receive(bytes("0a000000 04000000 01000000")), [], "lock");
  t.same(clipboard.receive(bytes("0b000000 04000000 01000000")), [], "unlock");
  t.same(clipboard.receive(Buffer.concat([bytes("06000000 08020000"), Buffer.alloc(520)])), [], "a folder");
  t.same(clipboard.receive(bytes("ff7f0000 00000000")), [], "whatever comes next year");
});

t.test("a host that answers with failure, or with too much, has given no text", async (t) => {
  const { clipboard, texts } = start();
  clipboard.receive(longList(13));
  clipboard.receive(bytes("0500 0200 00000000"));
  clipboard.receive(longList(13));
  const flood = Buffer.alloc(MOST_TEXT_BYTES + 2, 0x41);
  clipboard.receive(Buffer.concat([bytes("05000100"), lengthOf(flood), flood]));
  t.same(texts, [null], "too much is told: what was copied before is not there any more");
  clipboard.receive(longList(13));
  clipboard.receive(HELLO);
  t.same(texts, [null, "hello world"], "the next one is taken");
});

t.test("a host that tells of news and never gives any is not asked for ever", async (t) => {
  const { clipboard, texts } = start();
  let requests = 0;
  for (let i = 0; i < 100; i++) requests += clipboard.receive(longList(13)).length - 1;
  t.equal(requests, 16);
  for (let i = 0; i < 100; i++) clipboard.receive(HELLO);
  t.equal(texts.length, 16, "an answer for each question");
});

t.test("texts go to Windows' form and back", async (t) => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      const plain = text.replaceAll("\0", "").replace(/\r\n?/g, "\n");
      return decodeText(encodeText(plain), 13) === plain;
    }),
  );
  t.equal(decodeText(encodeText("a\ud83db\udc00"), 13), "a\ufffdb\ufffd", "halves of pairs, sent");
  t.equal(decodeText(bytes("6100 3dd8 6200 00dc"), 13), "a\ufffdb\ufffd", "halves of pairs, received");
  t.equal(decodeText(bytes("6100 62"), 13), "a", "half a unit");
  t.equal(decodeText(bytes("6100 0000 6200"), 13), "a", "what follows the zero");
  t.equal(decodeText(bytes(""), 13), "");
});

t.test("hostile messages are RdpErrors or nothing", async (t) => {
  const messages = [
    HOST_CAPABILITIES,
    MONITOR_READY,
    FORMAT_LIST,
    HELLO,
    longList(13),
    bytes(REQUEST_UNICODE),
  ];
  const attack = (message: Uint8Array): boolean => {
    const { clipboard } = start();
    clipboard.receive(longList(13));
    try {
      return clipboard.receive(message).every((reply) => reply.length < 100);
    } catch (error) {
      return error instanceof RdpError;
    }
  };
  fc.assert(fc.property(fc.uint8Array({ maxLength: 80 }), attack));
  fc.assert(
    fc.property(fc.constantFrom(...messages), fc.nat(), fc.nat(255), fc.nat(), (message, at, value, cut) => {
      const changed = Uint8Array.from(message);
      changed[at % message.length] = value;
      return attack(changed) && attack(changed.subarray(0, cut % message.length));
    }),
    { numRuns: 1000 },
  );
  t.throws(
    () => start().clipboard.receive(bytes("0200 0000 ffffffff")),
    RdpError,
    "a length beyond the message",
  );
  t.throws(() => start().clipboard.receive(bytes("0200")), RdpError);
});
