import fc from "fast-check";
import t from "tap";
import { characterOf, keyName, modifierOf } from "../../src/demo/key.ts";

t.test("keysyms of Latin-1, Unicode and the old national sets are their characters", async (t) => {
  const table = [
    [0x41, "A"],
    [0xe4, "ä"],
    [0xdf, "ß"],
    [0x20ac, "€"],
    [0x010020ac, "€"],
    [0x7d9, "Ω"],
    [0x7d2, "Σ"],
    [0x7f3, "ς"],
    [0x010003a9, "Ω"],
    [0x1b1, "ą"],
    [0x1e8, "č"],
    [0x6c1, "а"],
    [0x6b3, "Ё"],
    [0xce0, "א"],
    [0x0101f600, "😀"],
    [0xffb7, "7"],
    [0xffab, "+"],
  ] as const;
  for (const [keysym, character] of table) t.equal(characterOf(keysym), character, keysym.toString(16));
});

t.test("keys that type nothing have a name and no character", async (t) => {
  for (const [keysym, name] of [
    [0xff0d, "Return"],
    [0xff8d, "Return"],
    [0xff08, "BackSpace"],
    [0xffbe, "F1"],
    [0xffc9, "F12"],
    [0xffe1, "Shift"],
  ] as const) {
    t.equal(keyName(keysym), name);
    t.equal(characterOf(keysym), null);
  }
  t.equal(keyName(0x20), "Space");
  t.equal(keyName(0x1234567), "0x1234567");
  t.equal(modifierOf(0xffe4), "Control");
  t.equal(modifierOf(0x41), null);
});

t.test("no number breaks it, and no control character comes out of it", async () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 0xffff_ffff }), (keysym) => {
      const character = characterOf(keysym);
      keyName(keysym);
      return character === null || ([...character].length === 1 && !/\p{Cc}|\p{Cs}/u.test(character));
    }),
    { numRuns: 2000 },
  );
});
