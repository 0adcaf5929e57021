import t from "tap";
import { US_LAYOUT } from "../../../../src/protocols/rdp/input/keyboard-layouts.ts";
import { isKnownLayout, positionOfCharacter } from "../../../../src/protocols/rdp/input/scancodes.ts";

const UK = 0x809;
const GERMAN = 0x407;
const FRENCH = 0x40c;

/** "alone", "shift" or "altgr", and the key's scan code. */
function place(character: string, layout: number): string {
  const position = positionOfCharacter(character.codePointAt(0) ?? 0, layout);
  if (position === null) return "nowhere";
  const { scancode, isShifted, isAltGr } = position;
  return `${isAltGr ? "altgr" : isShifted === null ? "any" : isShifted ? "shift" : "alone"} ${scancode.toString(16)}`;
}

t.test("every printable character of ASCII has a key of its own, but for dead keys", async (t) => {
  const dead = new Map([
    [US_LAYOUT, ""],
    [UK, ""],
    [GERMAN, "^`"],
    [FRENCH, "`~"],
  ]);
  for (const [layout, missing] of dead) {
    const seen = new Map<string, string>();
    for (let code = 0x20; code < 0x7f; code++) {
      const character = String.fromCharCode(code);
      const found = place(character, layout);
      t.equal(found === "nowhere", missing.includes(character), `${layout.toString(16)}: ${character}`);
      if (found === "nowhere") continue;
      t.notOk(seen.has(found), `${character} and ${seen.get(found)}`);
      seen.set(found, character);
    }
  }
});

t.test("keys lie where they lie on the keyboards, scan code set 1", async (t) => {
  const wanted: [string, number, string][] = [
    ["1", US_LAYOUT, "alone 2"],
    ["!", US_LAYOUT, "shift 2"],
    ["0", US_LAYOUT, "alone b"],
    ["+", US_LAYOUT, "shift d"],
    ["P", US_LAYOUT, "shift 19"],
    ["]", US_LAYOUT, "alone 1b"],
    ["'", US_LAYOUT, "alone 28"],
    ["~", US_LAYOUT, "shift 29"],
    ["\\", US_LAYOUT, "alone 2b"],
    ["Z", US_LAYOUT, "shift 2c"],
    ["?", US_LAYOUT, "shift 35"],
    [" ", US_LAYOUT, "any 39"],
    ["ä", US_LAYOUT, "nowhere"],
    ["z", GERMAN, "alone 15"],
    ["y", GERMAN, "alone 2c"],
    ["ä", GERMAN, "alone 28"],
    ["Ö", GERMAN, "shift 27"],
    ["ü", GERMAN, "alone 1a"],
    ["ß", GERMAN, "alone c"],
    ["€", GERMAN, "altgr 12"],
    ["@", GERMAN, "altgr 10"],
    ["\\", GERMAN, "altgr c"],
    ["}", GERMAN, "altgr b"],
    ["|", GERMAN, "altgr 56"],
    ["/", GERMAN, "shift 8"],
    ["-", GERMAN, "alone 35"],
    ["£", UK, "shift 4"],
    ["@", UK, "shift 28"],
    ["#", UK, "alone 2b"],
    ["\\", UK, "alone 56"],
    ["€", UK, "altgr 5"],
    ["a", FRENCH, "alone 10"],
    ["q", FRENCH, "alone 1e"],
    ["m", FRENCH, "alone 27"],
    ["1", FRENCH, "shift 2"],
    ["é", FRENCH, "alone 3"],
    ["@", FRENCH, "altgr b"],
    [".", FRENCH, "shift 33"],
    ["§", FRENCH, "shift 35"],
    ["a", 0x411, "nowhere"],
  ];
  for (const [character, layout, wantedPlace] of wanted) {
    t.equal(place(character, layout), wantedPlace, `${character} on ${layout.toString(16)}`);
  }
  t.ok([US_LAYOUT, UK, GERMAN, FRENCH].every(isKnownLayout));
  t.equal(isKnownLayout(0x411), false);
});
