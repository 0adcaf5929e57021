import fc from "fast-check";
import t from "tap";
import { ByteWriter } from "../../../../src/protocols/byte-writer.ts";
import { RfbError } from "../../../../src/protocols/rfb/error.ts";
import type { RfbServerEvent } from "../../../../src/protocols/rfb/server/rfb-server.ts";
import { say, TestViewer } from "./viewer.ts";

interface Case {
  readonly name: string;
  readonly says: readonly Uint8Array[];
  readonly events: readonly RfbServerEvent[];
}

const CASES: readonly Case[] = [
  {
    name: "KeyEvent",
    says: [say.key(true, 0xff0d), say.key(false, 0x01002603)],
    events: [
      { type: "key", keysym: 0xff0d, isDown: true, scancode: null },
      { type: "key", keysym: 0x01002603, isDown: false, scancode: null },
    ],
  },
  { name: "a keysym that no keyboard has is ignored", says: [say.key(true, 0xffffffff)], events: [] },
  {
    name: "PointerEvent, clamped to the desktop",
    says: [say.pointer(5, 3, 4), say.pointer(0x80, 0xffff, 0xffff)],
    events: [
      { type: "pointer", x: 3, y: 4, buttons: 5 },
      { type: "pointer", x: 63, y: 47, buttons: 0x80 },
    ],
  },
  {
    name: "PointerEvent with ExtendedMouseButtons",
    says: [
      say.encodings(-316),
      say.pointer(1, 3, 4),
      Buffer.concat([say.pointer(0x81, 5, 6), Uint8Array.of(0xff)]),
      say.pointer(0, 7, 8),
    ],
    events: [
      { type: "pointer", x: 3, y: 4, buttons: 1 },
      { type: "pointer", x: 5, y: 6, buttons: 0x181 },
      { type: "pointer", x: 7, y: 8, buttons: 0 },
    ],
  },
  {
    name: "QEMU extended key",
    says: [say.qemuKey(true, 0x61, 0x1e), say.qemuKey(false, 0, 0xe01d)],
    events: [
      { type: "key", keysym: 0x61, isDown: true, scancode: 0x1e },
      { type: "key", keysym: 0, isDown: false, scancode: 0xe01d },
    ],
  },
  {
    name: "ClientCutText in Latin-1, lines as ours",
    says: [say.cutText("gr\u00fc\u00df\r\ndich")],
    events: [{ type: "clipboard", text: "grüß\ndich" }],
  },
  {
    name: "a cut text beyond the limit is skipped, what follows is read",
    says: [say.cutText("x".repeat(300_000)), say.key(true, 0x61)],
    events: [{ type: "key", keysym: 0x61, isDown: true, scancode: null }],
  },
  {
    name: "SetDesktopSize",
    says: [say.encodings(-308), say.desktopSize(100, 50, { x: 0, y: 0, width: 100, height: 50 })],
    events: [
      {
        type: "resize",
        width: 100,
        height: 50,
        screens: [{ id: 0, rect: { x: 0, y: 0, width: 100, height: 50 }, flags: 0 }],
      },
    ],
  },
  {
    name: "SetDesktopSize of one that does not know ExtendedDesktopSize is ignored",
    says: [say.desktopSize(100, 50, { x: 0, y: 0, width: 100, height: 50 })],
    events: [],
  },
  {
    name: "FramebufferUpdateRequest",
    says: [say.request(true, 0, 0, 64, 48)],
    events: [{ type: "updateWanted" }],
  },
  {
    name: "a request wholly outside the desktop wants nothing",
    says: [say.request(false, 0xffff, 0xffff, 0xffff, 0xffff), say.request(true, 0, 0, 0, 0)],
    events: [],
  },
];

for (const { name, says, events } of CASES) {
  t.test(name, async (t) => {
    const bytes = Buffer.concat(says);
    const most = Math.min(bytes.length, 64);
    for (let size = 1; size <= most; size++) {
      if (bytes.length > 10_000 && size < most) continue;
      const viewer = TestViewer.ready();
      for (let at = 0; at < bytes.length; at += size) viewer.say(bytes.subarray(at, at + size));
      t.same(viewer.events, events, `chunks of ${size}`);
    }
  });
}

/** SetPixelFormat with these fields instead of those of RGBX. */
function format(
  fields: Partial<Record<"bits" | "depth" | "trueColour" | "max" | "shift", number>>,
): Uint8Array {
  const { bits = 32, depth = 24, trueColour = 1, max = 255, shift = 0 } = fields;
  const to = new ByteWriter().u8(0).pad(3).u8(bits).u8(depth).u8(0).u8(trueColour);
  return to.u16(max).u16(255).u16(255).u8(shift).u8(8).u8(16).pad(3).bytes();
}

const HOSTILE: readonly (readonly [name: string, code: string, ...says: Uint8Array[]])[] = [
  ["255 bits a pixel", "bad_pixel_format", format({ bits: 255 })],
  ["7 bits a pixel", "bad_pixel_format", format({ bits: 7 })],
  ["24 bits a pixel", "bad_pixel_format", format({ bits: 24 })],
  ["a colour map", "bad_pixel_format", format({ trueColour: 0 })],
  ["depth beyond the pixel", "bad_pixel_format", format({ depth: 33 })],
  ["depth 0", "bad_pixel_format", format({ depth: 0 })],
  ["shift 99", "bad_pixel_format", format({ shift: 99 })],
  ["shift beyond the pixel", "bad_pixel_format", format({ shift: 25 })],
  ["maximum 0", "bad_pixel_format", format({ max: 0 })],
  ["maximum that is no mask", "bad_pixel_format", format({ max: 254 })],
  ["1025 encodings", "too_large", new ByteWriter().u8(2).pad(1).u16(1025).bytes()],
  ["65535 encodings", "too_large", new ByteWriter().u8(2).pad(1).u16(65535).bytes()],
  ["a cut text of 2 GiB", "too_large", new ByteWriter().u8(6).pad(3).u32(0x7fffffff).bytes()],
  ["a cut text of INT_MIN", "too_large", new ByteWriter().u8(6).pad(3).u32(0x80000000).bytes()],
  ["an extended cut text of 3 bytes", "bad_data", new ByteWriter().u8(6).pad(3).i32(-3).pad(3).bytes()],
  ["a fence of 65 bytes", "too_large", new ByteWriter().u8(248).pad(3).u32(0).u8(65).bytes()],
  ["message 77", "unknown_message", Uint8Array.of(77)],
  ["message 1, which never was standard", "unknown_message", Uint8Array.of(1)],
  ["QEMU audio, which was not offered", "unknown_message", Uint8Array.of(255, 1, 0, 0)],
];

t.test("what breaks the protocol ends it at once, with a typed error", async (t) => {
  for (const [name, code, ...says] of HOSTILE) {
    const viewer = TestViewer.ready();
    t.throws(() => viewer.say(...says), { name: "RfbError", code, phase: "message" }, name);
    t.same(viewer.events, [], name);
  }
});

t.test("a screen layout that is none is answered, not passed on", async (t) => {
  const whole = { x: 0, y: 0, width: 100, height: 50 };
  const bad = [
    say.desktopSize(0, 0, whole),
    say.desktopSize(65535, 65535, whole),
    say.desktopSize(100, 50),
    say.desktopSize(100, 50, { ...whole, width: 101 }),
    say.desktopSize(100, 50, { ...whole, width: 0 }),
  ];
  for (const message of bad) {
    const viewer = TestViewer.ready();
    viewer.say(say.encodings(-308), message);
    t.same(viewer.events, []);
  }
});

t.test("whatever a viewer says, it is parsed or refused with an RfbError", async (t) => {
  const message = fc.oneof(
    fc.uint8Array({ maxLength: 40 }),
    fc
      .tuple(fc.constantFrom(0, 2, 3, 4, 5, 6, 150, 248, 251, 255), fc.uint8Array({ maxLength: 30 }))
      .map(([type, rest]) => Uint8Array.of(type, ...rest)),
    fc
      .array(fc.integer({ min: -330, max: 20 }), { maxLength: 20 })
      .map((numbers) => say.encodings(...numbers)),
  );
  let refused = 0;
  fc.assert(
    fc.property(fc.array(message, { maxLength: 12 }), (messages) => {
      const viewer = TestViewer.ready();
      try {
        viewer.say(...messages);
      } catch (error) {
        refused++;
        return error instanceof RfbError;
      }
      return true;
    }),
    { numRuns: 500 },
  );
  t.ok(refused > 0, "some of it was refused");
});
