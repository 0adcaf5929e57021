import { createCanvas } from "@napi-rs/canvas";
import t from "tap";

import { GLYPHS, StrokeTypeface } from "../../src/demo/stroke-typeface.ts";
import { FONT } from "../../src/demo/theme.ts";

const FACE = new StrokeTypeface();

/** The ink of a text as a string that differs where it looks different. */
function ink(text: string): string {
  const context = createCanvas(40, 24).getContext("2d");
  FACE.draw(context, text, 2, 17, FONT.body, "#000000");
  return context
    .getImageData(0, 0, 40, 24)
    .data.filter((_, i) => i % 4 === 3)
    .join("");
}

t.test("every printable ASCII character has a glyph of rows of five", async (t) => {
  for (let code = 0x21; code <= 0x7e; code++)
    t.ok(GLYPHS.get(String.fromCharCode(code)), String.fromCharCode(code));
  for (const [character, rows] of GLYPHS) {
    t.match(rows, /^[0-9a-v]{7,9}$/, character);
  }
});

t.test("no two glyphs look the same, and each leaves ink", async (t) => {
  const seen = new Map<string, string>();
  const blank = ink(" ");
  for (const character of GLYPHS.keys()) {
    const picture = ink(character);
    t.not(picture, blank, character);
    // A minus and a dash are meant to look alike.
    if (character !== "−") t.equal(seen.get(picture), undefined, `${character} is itself`);
    seen.set(picture, character);
  }
});

t.test("a text is as wide as its parts", async (t) => {
  const whole = FACE.measure("Demo desktop", FONT.body);
  const parts = FACE.measure("Demo ", FONT.body) + FACE.measure("desktop", FONT.body);
  t.ok(Math.abs(whole - parts) < 1e-9);
  t.ok(whole > 40 && whole < 140);
});
