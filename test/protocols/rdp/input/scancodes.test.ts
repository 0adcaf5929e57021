import t from "tap";
import { codePointOf } from "../../../../src/protocols/keysym-characters.ts";
import { positionOfKey, scancodeOfViewer } from "../../../../src/protocols/rdp/input/scancodes.ts";

t.test("keys without a character are found by their keysyms", async (t) => {
  const wanted: [string, number, number][] = [
    ["BackSpace", 0xff08, 0x0e],
    ["Return", 0xff0d, 0x1c],
    ["Pause", 0xff13, 0xe11d],
    ["Scroll_Lock", 0xff14, 0x46],
    ["Escape", 0xff1b, 0x01],
    ["Home", 0xff50, 0xe047],
    ["Left", 0xff51, 0xe04b],
    ["Page_Down", 0xff56, 0xe051],
    ["End", 0xff57, 0xe04f],
    ["Print", 0xff61, 0xe037],
    ["Insert", 0xff63, 0xe052],
    ["Menu", 0xff67, 0xe05d],
    ["Break", 0xff6b, 0xe046],
    ["Num_Lock", 0xff7f, 0x45],
    ["KP_Enter", 0xff8d, 0xe01c],
    ["KP_Page_Up", 0xff9a, 0xe049],
    ["KP_Delete", 0xff9f, 0xe053],
    ["KP_Divide", 0xffaf, 0xe035],
    ["KP_0", 0xffb0, 0x52],
    ["KP_9", 0xffb9, 0x49],
    ["F1", 0xffbe, 0x3b],
    ["F10", 0xffc7, 0x44],
    ["F11", 0xffc8, 0x57],
    ["F24", 0xffd5, 0x76],
    ["Shift_R", 0xffe2, 0x36],
    ["Control_R", 0xffe4, 0xe01d],
    ["Caps_Lock", 0xffe5, 0x3a],
    ["Alt_L", 0xffe9, 0x38],
    ["Super_L", 0xffeb, 0xe05b],
    ["Delete", 0xffff, 0xe053],
    ["XF86AudioMute", 0x1008ff12, 0xe020],
    ["XF86Back", 0x1008ff26, 0xe06a],
  ];
  for (const [name, keysym, scancode] of wanted) t.equal(positionOfKey(keysym)?.scancode, scancode, name);
  t.same(positionOfKey(0xfe20), { scancode: 0x0f, isShifted: true, isAltGr: false }, "ISO_Left_Tab");
  t.equal(positionOfKey(0x61), null);
  t.equal(positionOfKey(0xffffff), null);
});

t.test("the numbers of viewers are places of keys, and nothing else is", async (t) => {
  t.equal(scancodeOfViewer(0x1e), 0x1e);
  t.equal(scancodeOfViewer(0xcb), 0xe04b, "Left");
  t.equal(scancodeOfViewer(0xc6), 0xe11d, "Pause");
  t.equal(scancodeOfViewer(0x54), 0xe037, "PrintScreen");
  for (const number of [0, -1, 0x80, 0x100, 0xe04b]) t.equal(scancodeOfViewer(number), null, `${number}`);
});

t.test("keysyms of every age are characters", async (t) => {
  const wanted: [number, string | null][] = [
    [0x61, "a"],
    [0xe4, "ä"],
    [0x7f, null],
    [0x9f, null],
    [0x1a1, "Ą"],
    [0x1fe, "ţ"],
    [0x6c1, "а"],
    [0x7e1, "α"],
    [0xcfa, "ת"],
    [0xda1, "ก"],
    [0x13bd, "œ"],
    [0x20ac, "€"],
    [0x01000061, "a"],
    [0x010020ac, "€"],
    [0x0101f600, "😀"],
    [0x0100d800, null],
    [0x01110000, null],
    [0xff0d, null],
    [0xfe03, null],
  ];
  for (const [keysym, character] of wanted) {
    t.equal(codePointOf(keysym), character === null ? null : character.codePointAt(0), keysym.toString(16));
  }
});
