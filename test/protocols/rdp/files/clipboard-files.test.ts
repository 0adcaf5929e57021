import fc from "fast-check";
import t from "tap";
import { Clipboard } from "../../../../src/protocols/rdp/channels/cliprdr.ts";
import { RdpError } from "../../../../src/protocols/rdp/error.ts";
import { ClipboardFiles } from "../../../../src/protocols/rdp/files/clipboard-files.ts";
import { encodeFileList } from "../../../../src/protocols/rdp/files/file-list.ts";
import {
  type FilesEvent,
  MOST_FILE_BYTES,
  MOST_FILES,
} from "../../../../src/protocols/rdp/files/file-messages.ts";

const bytes = (text: string): Uint8Array => Buffer.from(text.replace(/\s/g, ""), "hex");
const hex = (messages: readonly Uint8Array[]): string[] =>
  messages.map((one) => Buffer.from(one).toString("hex"));

/** Long format names, streams of files, no paths, locks. */
const CAPABILITIES = bytes("0700 0000 10000000 0100 0000 0100 0c00 02000000 1e000000");
const WITHOUT_LOCKS = bytes("0700 0000 10000000 0100 0000 0100 0c00 02000000 0e000000");
const MONITOR_READY = bytes("0100 0000 00000000");
const OK = "0300010000000000";

const u32 = (...values: number[]): Buffer => {
  const to = Buffer.alloc(values.length * 4);
  for (const [i, value] of values.entries()) to.writeUInt32LE(value, i * 4);
  return to;
};
const message = (type: number, flags: number, body: Uint8Array): Uint8Array => {
  const head = Buffer.alloc(8);
  head.writeUInt16LE(type, 0);
  head.writeUInt16LE(flags, 2);
  head.writeUInt32LE(body.length, 4);
  return Buffer.concat([head, body]);
};
const format = (id: number, name: string): Buffer =>
  Buffer.concat([u32(id), Buffer.from(`${name}\0`, "utf16le")]);

/** The host copied files, under a number of its own. */
const FILES_COPIED = message(
  2,
  0,
  Buffer.concat([format(0xc111, "FileGroupDescriptorW"), format(0xc112, "FileContents")]),
);
const TEXT_COPIED = message(2, 0, format(13, ""));
const ASKS_FOR_LIST = Buffer.from(message(4, 0, u32(0xc111))).toString("hex");

/** MS-RDPECLIP 2.2.5.2.3.1. */
function descriptor(name: string, size: bigint, { flags = 0x44, attributes = 0x80 } = {}): Buffer {
  const to = Buffer.alloc(592);
  to.writeUInt32LE(flags, 0);
  to.writeUInt32LE(attributes, 36);
  to.writeUInt32LE(Number(size >> 32n), 64);
  to.writeUInt32LE(Number(size & 0xffff_ffffn), 68);
  to.write(name, 72, "utf16le");
  return to;
}
const listed = (...files: Buffer[]): Uint8Array =>
  message(5, 1, Buffer.concat([u32(files.length), ...files]));

function start(capabilities = CAPABILITIES): { clipboard: Clipboard; events: FilesEvent[] } {
  const events: FilesEvent[] = [];
  const files = new ClipboardFiles((event) => events.push(event));
  const clipboard = new Clipboard(
    () => undefined,
    () => undefined,
    () => undefined,
    files,
  );
  clipboard.receive(capabilities);
  clipboard.receive(MONITOR_READY);
  return { clipboard, events };
}

t.test("a host hears that files go by streams, and we hear whether its do", async (t) => {
  const events: FilesEvent[] = [];
  const clipboard = new Clipboard(
    () => undefined,
    () => undefined,
    () => undefined,
    new ClipboardFiles((event) => events.push(event)),
  );
  clipboard.receive(CAPABILITIES);
  t.same(events, [{ kind: "able" }]);
  t.same(hex(clipboard.receive(MONITOR_READY))[0], "070000001000000001000000" + "01000c00020000001e000000");
  const other = start(bytes("0700 0000 10000000 0100 0000 0100 0c00 02000000 02000000"));
  t.same(other.events, [], "one without streams");
  t.same(other.clipboard.command({ kind: "offer", offer: 1, files: [{ name: "a", size: 1 }] }), []);
  t.same(hex(other.clipboard.receive(FILES_COPIED)), [OK], "nothing is asked of it");
  const short = start(bytes("0700 0000 10000000 0100 0000 0100 0c00 02000000 04000000"));
  t.same(short.events, [], "one whose names of formats are cut");
});

t.test("what was copied on the host is listed and read", async (t) => {
  const { clipboard, events } = start();
  t.same(hex(clipboard.receive(FILES_COPIED)), [OK, "0a00000004000000" + "01000000", ASKS_FOR_LIST]);
  clipboard.receive(
    listed(
      descriptor("a.txt", 5n),
      descriptor("folder", 0n, { attributes: 0x10 }),
      descriptor("folder\\b\u202e\n.bin", 0x1_0000_0007n),
      descriptor("of no size", 9n, { flags: 0x4 }),
      descriptor("of no number", 0xffff_ffff_ffff_ffffn),
    ),
  );
  t.same(events.splice(0), [
    { kind: "able" },
    {
      kind: "copied",
      list: 1,
      files: [
        { path: "a.txt", size: 5, isFolder: false },
        { path: "folder", size: null, isFolder: true },
        { path: "folder\\b\u202e\n.bin", size: 0x1_0000_0007, isFolder: false },
        { path: "of no size", size: null, isFolder: false },
        { path: "of no number", size: null, isFolder: false },
      ],
    },
  ]);
  const read = { kind: "read", id: 7, list: 1, index: 2, offset: 0x1_0000_0002, bytes: 5 } as const;
  t.same(hex(clipboard.command(read)), [
    Buffer.from(message(8, 0, u32(7, 2, 2, 2, 1, 5, 1))).toString("hex"),
  ]);
  clipboard.receive(message(9, 1, Buffer.concat([u32(7), Buffer.from("hello")])));
  t.same(events.splice(0), [{ kind: "read", id: 7, bytes: Uint8Array.from(Buffer.from("hello")) }]);
});

t.test("a host without locks is told of none", async (t) => {
  const { clipboard } = start(WITHOUT_LOCKS);
  t.same(hex(clipboard.receive(FILES_COPIED)), [OK, ASKS_FOR_LIST]);
  const [asked = new Uint8Array()] = clipboard.command({
    ...{ kind: "read", id: 1, list: 1, index: 0, offset: 0, bytes: 9 },
  });
  t.equal(asked.length, 8 + 24, "nor named one");
});

t.test("answers that do not fit their questions give nothing", async (t) => {
  const { clipboard, events } = start();
  clipboard.receive(FILES_COPIED);
  clipboard.receive(listed(descriptor("a", 5n)));
  events.length = 0;
  clipboard.receive(message(9, 1, Buffer.concat([u32(99), Buffer.from("unasked")])));
  t.same(events, [], "nobody asked");
  const read = { kind: "read", list: 1, index: 0, offset: 0, bytes: 5 } as const;
  for (const id of [1, 2]) clipboard.command({ ...read, id });
  clipboard.receive(message(9, 1, Buffer.concat([u32(1), Buffer.from("longer than asked")])));
  clipboard.receive(message(9, 2, u32(2)));
  clipboard.receive(message(9, 1, Buffer.concat([u32(1), Buffer.from("again")])));
  t.same(events.splice(0), [
    { kind: "read", id: 1, bytes: null },
    { kind: "read", id: 2, bytes: null },
  ]);
  t.same(clipboard.command({ ...read, id: 3, list: 2 }), [], "a list that is not");
  t.same(clipboard.command({ ...read, id: 4, bytes: MOST_FILE_BYTES + 1 }), [], "more than is taken");
  t.same(
    events.splice(0).map((event) => event.kind === "read" && event.bytes === null && event.id),
    [3, 4],
  );
  t.throws(() => clipboard.receive(message(9, 1, bytes("01"))), RdpError, "an answer to no question");
});

t.test("lists that are endless, cut or late", async (t) => {
  const { clipboard, events } = start();
  clipboard.receive(FILES_COPIED);
  events.length = 0;
  clipboard.receive(message(5, 1, u32(0xffff_ffff)));
  t.same(events.splice(0), [{ kind: "copied", list: 1, files: null }], "more than are taken");
  clipboard.receive(FILES_COPIED);
  t.throws(() => clipboard.receive(message(5, 1, u32(2))), RdpError, "fewer than it says");
  clipboard.receive(FILES_COPIED);
  clipboard.receive(TEXT_COPIED);
  events.length = 0;
  clipboard.receive(listed(descriptor("late", 1n)));
  t.same(events, [], "one of what was copied before");
  for (let i = 0; i < 100; i++) clipboard.receive(FILES_COPIED);
  clipboard.receive(listed(...Array.from({ length: MOST_FILES }, () => descriptor("x", 0n))));
  t.ok(
    events.every((event) => event.kind === "copied" && event.files?.length !== 1),
    "nor ever",
  );
});

t.test("what is read goes on while other things are copied, three times", async (t) => {
  const { clipboard, events } = start();
  clipboard.receive(FILES_COPIED);
  clipboard.receive(listed(descriptor("a", 5n)));
  const read = { kind: "read", list: 1, index: 0, offset: 0, bytes: 5 } as const;
  clipboard.receive(TEXT_COPIED);
  clipboard.receive(message(5, 1, Buffer.from("x\0", "utf16le")));
  t.equal(clipboard.command({ ...read, id: 1 }).length, 1);
  for (let i = 0; i < 2; i++) clipboard.receive(FILES_COPIED);
  t.equal(clipboard.command({ ...read, id: 2 }).length, 1);
  events.length = 0;
  t.ok(hex(clipboard.receive(FILES_COPIED)).includes("0b00000004000000" + "01000000"), "let go of");
  t.equal(clipboard.command({ ...read, id: 3 }).length, 0);
  t.same(events, [{ kind: "read", id: 3, bytes: null }]);
});

t.test("what we offer the host lists, measures and reads", async (t) => {
  const { clipboard, events } = start();
  events.length = 0;
  const files = [
    { name: "a.txt", size: 5 },
    { name: "größer.bin", size: 0x1_0000_0003 },
  ];
  const said = clipboard.command({ kind: "offer", offer: 3, files });
  t.same(hex(said), [
    Buffer.from(
      message(2, 0, Buffer.concat([format(0xc0bc, "FileGroupDescriptorW"), format(0xc0ba, "FileContents")])),
    ).toString("hex"),
  ]);
  const [list = new Uint8Array()] = clipboard.receive(message(4, 0, u32(0xc0bc)));
  t.equal(list.length, 8 + 4 + 2 * 592);
  t.same(list.subarray(8), encodeFileList(files));
  t.same(Buffer.from(list).readUInt32LE(8 + 4 + 592 + 64), 1, "the upper half of a size");
  t.equal(Buffer.from(list).toString("utf16le", 12 + 592 + 72, 12 + 592 + 72 + 20), "größer.bin");

  const size = clipboard.receive(message(8, 0, u32(40, 1, 1, 0, 0, 8)));
  t.same(hex(size), [Buffer.from(message(9, 1, u32(40, 3, 1))).toString("hex")]);
  t.same(clipboard.receive(message(8, 0, u32(41, 1, 2, 1, 1, 100))), []);
  t.same(events.splice(0), [{ kind: "wanted", id: 1, offer: 3, index: 1, offset: 0x1_0000_0001, bytes: 2 }]);
  t.same(hex(clipboard.command({ kind: "give", id: 1, bytes: bytes("0102") })), [
    Buffer.from(message(9, 1, bytes("29000000 0102"))).toString("hex"),
  ]);
  t.same(clipboard.command({ kind: "give", id: 1, bytes: bytes("0102") }), [], "once");
  t.same(hex(clipboard.receive(message(8, 0, u32(42, 0, 2, 5, 0, 100)))), [
    Buffer.from(message(9, 1, u32(42))).toString("hex"),
  ]);
  t.equal(clipboard.offer("a text").length, 1, "a text takes their place");
  t.same(hex(clipboard.receive(message(4, 0, u32(0xc0bc)))), ["0500020000000000"]);
});

t.test("a host gets nothing beyond what was offered", async (t) => {
  const { clipboard, events } = start();
  clipboard.command({ kind: "offer", offer: 1, files: [{ name: "a", size: 5 }] });
  events.length = 0;
  const failed = (stream: number): string[] => [Buffer.from(message(9, 2, u32(stream))).toString("hex")];
  const refused = {
    "another file": u32(1, 1, 2, 0, 0, 5),
    "one before the first": u32(1, 0xffff_ffff, 2, 0, 0, 5),
    "beyond its end": u32(1, 0, 2, 6, 0, 5),
    "far beyond its end": u32(1, 0, 2, 0, 0xffff_ffff, 5),
    "size and range at once": u32(1, 0, 3, 0, 0, 5),
    "a question that is cut": u32(1, 0, 2),
  };
  for (const [what, body] of Object.entries(refused)) {
    t.same(hex(clipboard.receive(message(8, 0, body))), failed(1), what);
  }
  t.same(events, [], "nobody is asked for any of it");
  clipboard.command({ kind: "offer", offer: 2, files: [{ name: "large", size: 2 ** 40 }] });
  for (let i = 0; i < 100; i++) clipboard.receive(message(8, 0, u32(i, 0, 2, 0, 0, 0xffff_ffff)));
  t.equal(events.length, 8, "nor for more than a few at once");
  t.ok(events.every((event) => event.kind === "wanted" && event.bytes === MOST_FILE_BYTES));
});

t.test("a host that locked what was offered has it under its lock, once something else is", async (t) => {
  const { clipboard, events } = start();
  clipboard.command({ kind: "offer", offer: 1, files: [{ name: "a", size: 5 }] });
  clipboard.receive(message(10, 0, u32(77)));
  clipboard.command({ kind: "offer", offer: 2, files: [{ name: "b", size: 6 }] });
  events.length = 0;
  clipboard.receive(message(8, 0, u32(1, 0, 2, 0, 0, 100, 77)));
  clipboard.receive(message(8, 0, u32(2, 0, 2, 0, 0, 100, 78)));
  t.match(events, [
    { offer: 1, bytes: 5 },
    { offer: 2, bytes: 6 },
  ]);
  clipboard.command({ kind: "offer", offer: 3, files: [{ name: "c", size: 7 }] });
  t.same(
    hex(clipboard.receive(message(8, 0, u32(3, 0, 2, 0, 0, 100, 77)))),
    [Buffer.from(message(9, 2, u32(3))).toString("hex")],
    "and never another in its place",
  );
  clipboard.receive(message(11, 0, u32(77)));
  for (let i = 0; i < 1000; i++) clipboard.receive(message(10, 0, u32(i)));
  t.throws(() => clipboard.receive(message(11, 0, bytes("01"))), RdpError);
});

t.test("whatever a host sends is read, or refused by an RdpError", async (t) => {
  fc.assert(
    fc.property(
      fc.array(
        fc.tuple(fc.constantFrom(2, 4, 5, 8, 9, 10, 11), fc.integer({ min: 0, max: 3 }), fc.uint8Array()),
        { maxLength: 20 },
      ),
      (all) => {
        const { clipboard } = start();
        clipboard.command({ kind: "offer", offer: 1, files: [{ name: "a", size: 5 }] });
        clipboard.receive(FILES_COPIED);
        for (const [type, flags, body] of all) {
          try {
            clipboard.receive(message(type, flags, body));
          } catch (error) {
            if (!(error instanceof RdpError)) throw error;
          }
        }
      },
    ),
  );
  t.pass();
});
