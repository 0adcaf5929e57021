import t from "tap";
import { cdpKeyOf, keyEventOf, MODIFIER } from "../../../src/protocols/cdp/keys.ts";

t.test("keysyms are the keys that the UI Events specification names", async (t) => {
  // Code values and key values of W3C UI Events; virtual keys of Windows' WinUser.h.
  const wanted: [keysym: number, key: string, code: string, keyCode: number][] = [
    [0x61, "a", "KeyA", 0x41],
    [0x5a, "Z", "KeyZ", 0x5a],
    [0x30, "0", "Digit0", 0x30],
    [0x29, ")", "Digit0", 0x30],
    [0x40, "@", "Digit2", 0x32],
    [0x5f, "_", "Minus", 0xbd],
    [0x22, '"', "Quote", 0xde],
    [0x20, " ", "Space", 0x20],
    [0xe9, "é", "", 0],
    [0x100_6771, "東", "", 0],
    [0xff0d, "Enter", "Enter", 0x0d],
    [0xff8d, "Enter", "NumpadEnter", 0x0d],
    [0xff1b, "Escape", "Escape", 0x1b],
    [0xff51, "ArrowLeft", "ArrowLeft", 0x25],
    [0xffb7, "7", "Numpad7", 0x67],
    [0xffab, "+", "NumpadAdd", 0x6b],
    [0xffbe, "F1", "F1", 0x70],
    [0xffd5, "F24", "F24", 0x87],
    [0xffe4, "Control", "ControlRight", 0x11],
    [0xffeb, "Meta", "MetaLeft", 0x5b],
    [0xffff, "Delete", "Delete", 0x2e],
  ];
  for (const [keysym, key, code, keyCode] of wanted) t.match(cdpKeyOf(keysym), { key, code, keyCode }, key);
  t.equal(cdpKeyOf(0xfe50), null, "a dead key is none");
});

t.test("a key types unless it is held with others", async (t) => {
  const letter = cdpKeyOf(0x41);
  const enter = cdpKeyOf(0xff0d);
  if (letter === null || enter === null) throw new Error("expected keys");
  t.match(keyEventOf(letter, true, MODIFIER.shift), { type: "keyDown", text: "A", modifiers: 8 });
  t.match(keyEventOf(letter, true, MODIFIER.control), { type: "rawKeyDown", text: undefined });
  t.match(keyEventOf(letter, false, 0), { type: "keyUp", text: undefined, key: "A" });
  t.match(keyEventOf(enter, true, 0), { type: "keyDown", text: "\r" });
});
