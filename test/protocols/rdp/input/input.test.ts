import fc from "fast-check";
import t from "tap";
import {
  buttonEvent,
  fastPathInput,
  type InputEvent,
  keyEvents,
  LOCK,
  moveEvent,
  slowPathInput,
  unicodeEvents,
  wheelEvents,
} from "../../../../src/protocols/rdp/input/input.ts";
import { RdpKeyboard } from "../../../../src/protocols/rdp/input/input-keyboard.ts";
import { RdpPointer } from "../../../../src/protocols/rdp/input/input-pointer.ts";
import { SCANCODE } from "../../../../src/protocols/rdp/input/scancodes.ts";

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");

/** In the words of a test: "+1e" a key goes down, "-e04b" another comes up, "E1+1d", "u+e4". */
function words(events: readonly InputEvent[] | null): string {
  if (events === null) return "cannot";
  return events
    .map((event) => {
      const sign = "isDown" in event && event.isDown ? "+" : "-";
      if (event.kind === "key") return `${event.isE1 ? "E1" : ""}${sign}${event.scancode.toString(16)}`;
      if (event.kind === "unicode") return `u${sign}${event.unit.toString(16)}`;
      if (event.kind === "synchronise") return `locks ${event.locks}`;
      return `${event.kind} ${event.flags.toString(16)} ${event.x},${event.y}`;
    })
    .join(" ");
}

t.test("fast-path events are encoded as MS-RDPBCGR 2.2.8.1.2.2 draws them", async (t) => {
  t.equal(hex(fastPathInput(keyEvents(0x1e, true))), "0404" + "001e");
  t.equal(hex(fastPathInput(keyEvents(0x1e, false))), "0404" + "011e");
  t.equal(hex(fastPathInput(keyEvents(0xe04b, true))), "0404" + "024b");
  t.equal(hex(fastPathInput(keyEvents(0xe04b, false))), "0404" + "034b");
  t.equal(hex(fastPathInput(keyEvents(SCANCODE.pause, true))), "0806" + "041d" + "0045");
  t.equal(hex(fastPathInput(keyEvents(SCANCODE.pause, false))), "0806" + "051d" + "0145");
  t.equal(hex(fastPathInput(unicodeEvents(0x20ac, true))), "0405" + "80ac20");
  t.equal(hex(fastPathInput(unicodeEvents(0x1f600, false))), "0808" + "813dd8" + "8100de");
  t.equal(hex(fastPathInput([moveEvent(0x123, 0x45)])), "0409" + "20" + "0008" + "2301" + "4500");
  t.equal(hex(fastPathInput([buttonEvent("left", true, 1, 2)])), "0409" + "20" + "0090" + "0100" + "0200");
  t.equal(hex(fastPathInput([buttonEvent("forward", true, 1, 2)])), "0409" + "40" + "0280" + "0100" + "0200");
  t.equal(hex(fastPathInput([{ kind: "synchronise", locks: LOCK.caps | LOCK.num }])), "0403" + "66");
  t.equal(hex(fastPathInput([])), "");
});

t.test("slow-path events are encoded as MS-RDPBCGR 2.2.8.1.1.3.1.1 draws them", async (t) => {
  t.equal(
    hex(slowPathInput(keyEvents(0x1e, true))),
    "01000000" + "00000000" + "0400" + "0000" + "1e00" + "0000",
  );
  t.equal(
    hex(slowPathInput(keyEvents(0xe04b, false))),
    "01000000" + "00000000" + "0400" + "00c1" + "4b00" + "0000",
  );
  t.equal(
    hex(slowPathInput(keyEvents(SCANCODE.pause, true))),
    "02000000" +
      "00000000" +
      "0400" +
      "0002" +
      "1d00" +
      "0000" +
      "00000000" +
      "0400" +
      "0000" +
      "4500" +
      "0000",
  );
  t.equal(
    hex(slowPathInput(unicodeEvents(0xe4, false))),
    "01000000" + "00000000" + "0500" + "0080" + "e400" + "0000",
  );
  t.equal(
    hex(slowPathInput([{ kind: "synchronise", locks: LOCK.num }])),
    "01000000" + "00000000" + "0000" + "0000" + "02000000",
  );
  t.equal(
    hex(slowPathInput([buttonEvent("right", false, 640, 480)])),
    "01000000" + "00000000" + "0180" + "0020" + "8002" + "e001",
  );
  t.equal(
    hex(slowPathInput([buttonEvent("back", true, 1, 1)])),
    "01000000" + "00000000" + "0280" + "0180" + "0100" + "0100",
  );
});

t.test("any number of fast-path events comes out whole and in order", async (t) => {
  /** Reads what was written, from the specification alone. */
  const codesIn = (bytes: Uint8Array): number[] => {
    const codes: number[] = [];
    const wire = Buffer.from(bytes);
    for (let at = 0; at < wire.length; ) {
      const start = at;
      const header = wire.readUInt8(at);
      const first = wire.readUInt8(at + 1);
      const isLong = (first & 0x80) !== 0;
      const length = isLong ? wire.readUInt16BE(at + 1) & 0x7fff : first;
      at += isLong ? 3 : 2;
      let count = (header >> 2) & 15;
      if (count === 0) count = wire.readUInt8(at++);
      for (let i = 0; i < count; i++) {
        codes.push(wire.readUInt8(at + 1));
        at += 2;
      }
      if (at - start !== length) throw new Error(`a PDU of ${at - start} bytes says ${length}`);
    }
    return codes;
  };
  for (const count of [1, 15, 16, 62, 63, 64, 255, 256, 600]) {
    const codes = Array.from({ length: count }, (_, i) => (i % 0x7f) + 1);
    const wire = fastPathInput(codes.flatMap((code) => keyEvents(code, true)));
    t.same(codesIn(wire), codes, `${count} events`);
  }
});

t.test("the wheel turns by notches, both ways and on both axes", async (t) => {
  t.equal(words(wheelEvents("vertical", 1, 5, 6)), "mouse 278 5,6");
  t.equal(words(wheelEvents("vertical", -1, 5, 6)), "mouse 388 5,6", "-120 in nine bits");
  t.equal(words(wheelEvents("horizontal", 2, 5, 6)), "mouse 478 5,6 mouse 478 5,6");
  t.equal(words(wheelEvents("horizontal", -0.5, 5, 6)), "mouse 5c4 5,6", "-60");
  t.equal(words(wheelEvents("vertical", 2.5, 0, 0)), "mouse 278 0,0 mouse 278 0,0 mouse 23c 0,0");
  t.equal(wheelEvents("vertical", 0, 0, 0).length, 0);
  t.equal(wheelEvents("vertical", 1e308, 0, 0).length, 1000, "bounded");
});

t.test("a turn of any size adds up to itself", async (t) => {
  fc.assert(
    fc.property(fc.double({ min: -999, max: 999, noNaN: true }), (notches) => {
      let units = 0;
      for (const event of wheelEvents("vertical", notches, 0, 0)) {
        if (event.kind !== "mouse") return false;
        const value = event.flags & 0x1ff;
        units += value & 0x100 ? value - 0x200 : value;
      }
      return units === Math.round(notches * 120);
    }),
  );
  t.pass();
});

t.test("a place beyond 16 bits is the nearest that there is", async (t) => {
  t.equal(words([moveEvent(-5, 70_000)]), "mouse 800 0,65535");
});

t.test("a character is its key, with Shift pressed or lifted for it", async (t) => {
  const keyboard = new RdpKeyboard({ hasUnicodeInput: true });
  const stroke = (keysym: number): string =>
    `${words(keyboard.key(keysym, true, null))} | ${words(keyboard.key(keysym, false, null))}`;
  t.equal(stroke(0x61), "+1e | -1e");
  t.equal(stroke(0x41), "+2a +1e -2a | -1e", "A brings its Shift");
  t.equal(stroke(0x2b), "+2a +d -2a | -d", "+");
  keyboard.key(0xffe1, true, null);
  t.equal(stroke(0x41), "+1e | -1e", "A under Shift");
  t.equal(stroke(0x2f), "-2a +35 +2a | -35", "/ where Shift is down, as on a German keyboard");
  t.equal(stroke(0x20), "+39 | -39", "the space bar does not care");
  keyboard.key(0xffe2, true, null);
  t.equal(stroke(0x61), "-2a -36 +1e +2a +36 | -1e", "both Shifts");
  t.equal(words(keyboard.releaseAll()), "-36 -2a");
});

t.test("commands keep their modifiers as they are", async (t) => {
  const keyboard = new RdpKeyboard({ hasUnicodeInput: true });
  keyboard.key(0xffe3, true, null);
  t.equal(words(keyboard.key(0x63, true, null)), "+2e", "Control and c");
  t.equal(words(keyboard.key(0x53, true, null)), "+1f", "the case of a letter means nothing");
  t.equal(words(keyboard.key(0x2b, true, null)), "+2a +d -2a", "Control and + needs Shift on this keyboard");
  keyboard.key(0xffe1, true, null);
  t.equal(words(keyboard.key(0x74, true, null)), "+14", "Shift stays");
  t.equal(
    words(keyboard.key(0x6cb, true, 0x25)),
    "+25",
    "a command on a Cyrillic keyboard is the key's place",
  );
  t.equal(words(keyboard.releaseAll()), "-25 -14 -2a -d -1f -2e -1d", "the last first");
});

t.test("what has no key is a Unicode event, and without those cannot be typed", async (t) => {
  const host = { hasUnicodeInput: true };
  const keyboard = new RdpKeyboard(host);
  t.equal(words(keyboard.key(0xe4, true, null)), "u+e4");
  t.equal(words(keyboard.key(0xe4, false, null)), "u-e4");
  t.equal(words(keyboard.key(0x0101f600, true, null)), "u+d83d u+de00");
  t.equal(words(keyboard.key(0x0101f600, false, null)), "u-d83d u-de00");
  t.equal(words(keyboard.key(0x20ac, true, 0x12)), "u+20ac", "not the place where a German keyboard has it");
  t.equal(words(keyboard.releaseAll()), "u-20ac");
  host.hasUnicodeInput = false;
  t.equal(words(keyboard.key(0xe4, true, null)), "cannot");
  t.equal(words(keyboard.key(0xe4, false, null)), "", "what was not pressed is not let go");
  t.equal(words(keyboard.key(0xe4, true, 0x28)), "+28", "where the place is known, that key");
  t.equal(words(keyboard.key(0xfe51, true, null)), "cannot", "a dead key alone");
});

t.test("AltGr makes characters and goes not to the host itself", async (t) => {
  const keyboard = new RdpKeyboard({ hasUnicodeInput: true });
  t.equal(words(keyboard.key(0xfe03, true, 0xb8)), "");
  t.equal(words(keyboard.key(0x40, true, 0x10)), "+2a +3 -2a", "@ of AltGr and q");
  t.equal(words(keyboard.key(0x40, false, 0x10)), "-3");
  t.equal(words(keyboard.key(0xfe03, false, 0xb8)), "");
  t.equal(words(keyboard.key(0xffea, true, 0xb8)), "+e038", "Alt on the right is Alt");
});

t.test("on another layout the keys are that layout's", async (t) => {
  const keyboard = new RdpKeyboard({ hasUnicodeInput: true }, 0x407);
  const stroke = (character: string): string => {
    const code = character.codePointAt(0) ?? 0;
    const keysym = code < 0x100 ? code : 0x0100_0000 + code;
    return `${words(keyboard.key(keysym, true, null))} | ${words(keyboard.key(keysym, false, null))}`;
  };
  t.equal(stroke("z"), "+15 | -15");
  t.equal(stroke("Ä"), "+2a +28 -2a | -28");
  t.equal(stroke("€"), "+e038 +12 -e038 | -12");
  t.equal(stroke("é"), "u+e9 | u-e9", "has no key there");
  keyboard.key(0xffe1, true, null);
  t.equal(stroke("@"), "-2a +e038 +10 -e038 +2a | -10", "AltGr alone, whatever is held");
  keyboard.synchronise();
  keyboard.key(0xffe3, true, null);
  t.equal(stroke("z"), "+15 | -15", "Control and z");
});

t.test(
  "on a layout that is not known characters are Unicode events, and commands the places of US keys",
  async (t) => {
    const host = { hasUnicodeInput: true };
    const keyboard = new RdpKeyboard(host, 0x411);
    t.equal(words(keyboard.key(0x61, true, 0x1e)), "u+61");
    t.equal(words(keyboard.key(0xff0d, true, null)), "+1c");
    keyboard.key(0xffe3, true, null);
    t.equal(words(keyboard.key(0x63, true, null)), "+2e", "Control and c");
    keyboard.synchronise();
    host.hasUnicodeInput = false;
    t.equal(words(keyboard.key(0x61, true, null)), "+1e");
  },
);

t.test("lock keys are kept in step", async (t) => {
  const keyboard = new RdpKeyboard({ hasUnicodeInput: true });
  t.equal(words(keyboard.synchronise()), "locks 2");
  t.equal(words(keyboard.key(0xffb5, true, null)), "+4c", "the keypad's 5");
  keyboard.key(0xffe5, true, null);
  keyboard.key(0xffe5, true, null); // it repeats
  keyboard.key(0xffe5, false, null);
  t.equal(keyboard.locks, LOCK.num | LOCK.caps);
  t.equal(words(keyboard.key(0x41, true, null)), "+1e", "A under Caps Lock");
  t.equal(words(keyboard.key(0x62, true, null)), "+2a +30 -2a", "b under Caps Lock");
  t.equal(words(keyboard.key(0x31, true, null)), "+2", "a digit does not care");
  keyboard.hostHasLocks(0);
  t.equal(words(keyboard.key(0x41, true, null)), "+2a +1e -2a");
  t.equal(words(keyboard.key(0xffb5, true, null)), "+6", "5 without Num Lock is the one above the letters");
  t.equal(words(keyboard.key(0xffae, true, null)), "+34", "and the decimal point is a full stop");
  t.equal(words(keyboard.synchronise()), "locks 2");
  t.equal(words(keyboard.releaseAll()), "", "the host let go of all keys itself");
});

t.test("nothing sticks, whatever is pressed and let go", async (t) => {
  const keysyms = [
    0x61, 0x41, 0x21, 0xe4, 0xffe1, 0xffe2, 0xffe3, 0xffe9, 0xffe5, 0xff13, 0xfe03, 0x0101f600, 0x7c1,
  ];
  const step = fc.tuple(fc.constantFrom(...keysyms), fc.boolean());
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const keyboard = new RdpKeyboard({ hasUnicodeInput: true });
      const down = new Set<string>();
      const apply = (events: readonly InputEvent[] | null): void => {
        for (const event of events ?? []) {
          if (event.kind !== "key" && event.kind !== "unicode") continue;
          const name = event.kind === "key" ? `${event.isE1} ${event.scancode}` : `u${event.unit}`;
          if (event.isDown) down.add(name);
          else down.delete(name);
        }
      };
      for (const [keysym, isDown] of steps) apply(keyboard.key(keysym, isDown, null));
      apply(keyboard.releaseAll());
      return down.size === 0;
    }),
    { numRuns: 500 },
  );
  t.pass();
});

t.test("a mouse moves, then presses, then turns, and says nothing twice", async (t) => {
  const host = { hasHorizontalWheel: true, hasExtendedMouse: true };
  const mouse = new RdpPointer(host);
  t.equal(words(mouse.pointer(10, 20, 0)), "mouse 800 10,20");
  t.equal(words(mouse.pointer(10, 20, 0)), "");
  t.equal(words(mouse.pointer(11, 20, 0b101)), "mouse 800 11,20 mouse 9000 11,20 mouse a000 11,20");
  t.equal(words(mouse.pointer(11, 20, 0b110)), "mouse 1000 11,20 mouse c000 11,20");
  t.equal(words(mouse.releaseAll()), "mouse 4000 11,20 mouse 2000 11,20");
  t.equal(words(mouse.pointer(11, 20, 8)), "mouse 278 11,20", "wheel up");
  t.equal(words(mouse.pointer(11, 20, 0)), "", "a notch is over as soon as it is made");
  t.equal(words(mouse.pointer(11, 20, 16)), "mouse 388 11,20", "wheel down");
  t.equal(words(mouse.pointer(11, 20, 32 | 64)), "mouse 588 11,20 mouse 478 11,20", "left and right");
  t.equal(words(mouse.pointer(11, 20, 0x180)), "extendedMouse 8001 11,20 extendedMouse 8002 11,20");
  t.equal(words(mouse.releaseAll()), "extendedMouse 1 11,20 extendedMouse 2 11,20");
  host.hasHorizontalWheel = host.hasExtendedMouse = false;
  t.equal(words(mouse.pointer(11, 20, 0x1e0)), "", "a host that knows neither is told neither");
  mouse.pointer(11, 20, 5);
  t.equal(words(mouse.resume(null)), "", "what is still down stays so");
  t.equal(words(mouse.resume({ x: 30, y: 40, buttons: 2 | 4 })), "mouse 800 30,40 mouse 1000 30,40");
  t.equal(words(mouse.releaseAll()), "mouse 2000 30,40", "what was pressed meanwhile was not");
  t.equal(words(mouse.pointer(11, 20, 0)), "mouse 800 11,20");
});
