import t from "tap";
import { chordOf, parseChord, textOf } from "../../../src/mcp/model/key-chord.ts";

const CTRL = 0xffe3;
const SHIFT = 0xffe1;
const ALT = 0xffe9;
const SUPER = 0xffeb;

t.test("chords are read as people write them", async (t) => {
  const cases: readonly (readonly [string, readonly number[]])[] = [
    ["ctrl+c", [CTRL, 0x63]],
    ["Ctrl+C", [CTRL, 0x63]],
    ["CTRL+SHIFT+T", [CTRL, SHIFT, 0x54]],
    ["ctrl+shift+t", [CTRL, SHIFT, 0x54]],
    ["cmd+c", [SUPER, 0x63]],
    ["Meta+ArrowLeft", [SUPER, 0xff51]],
    ["alt+F4", [ALT, 0xffc1]],
    ["alt + Tab", [ALT, 0xff09]],
    ["ctrl++", [CTRL, 0x2b]],
    ["ctrl+plus", [CTRL, 0x2b]],
    ["+", [0x2b]],
    ["Page_Down", [0xff56]],
    ["page down", [0xff56]],
    ["KP_5", [0xffb5]],
    ["Return", [0xff0d]],
    ["A", [0x41]],
    ["a", [0x61]],
    [" ", [0x20]],
    ["ctrl+shift+1", [CTRL, SHIFT, 0x21]],
    ["ctrl+-", [CTRL, 0x2d]],
    ["shift+ß", [SHIFT, 0xdf]],
    ["ctrl+é", [CTRL, 0xe9]],
    ["dead_acute", [0xfe51]],
    ["€", [0x010020ac]],
    ["XF86Back", [0x1008ff26]],
  ];
  for (const [text, keysyms] of cases) t.same(parseChord(text).keysyms, keysyms, text);
});

t.test("an unknown key is named, and nothing is guessed", async (t) => {
  for (const text of ["ctrl+hyperspace", "", "ctrl+", "++c", "ctrl++c", "constructor", "ab", "\u0007"]) {
    t.throws(() => parseChord(text), { code: "invalid_parameters" }, JSON.stringify(text));
  }
  t.throws(() => parseChord("ctrl+hyperspace"), { message: /"hyperspace"/ });
  t.throws(() => chordOf(Array.from({ length: 11 }, () => "a")), { message: /11 keys/ });
  t.throws(() => parseChord("no such"), { code: "invalid_parameters" });
});

t.test("only a character alone is text", async (t) => {
  t.equal(textOf(parseChord("a")), "a");
  t.equal(textOf(parseChord("A")), "A");
  t.equal(textOf(parseChord("ctrl+a")), null);
  t.equal(textOf(parseChord("enter")), null);
});
