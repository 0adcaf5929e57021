import { createCanvas } from "@napi-rs/canvas";
import t from "tap";
import { parseColour } from "../../src/compositor/colour.ts";
import { COLOUR_NAMES } from "../../src/compositor/colour-names.ts";

t.test("the 148 names of CSS mean what another implementation says", async (t) => {
  const context = createCanvas(1, 1).getContext("2d");
  t.equal(COLOUR_NAMES.size, 148);
  for (const [name, colour] of COLOUR_NAMES) {
    context.fillStyle = name;
    context.fillRect(0, 0, 1, 1);
    const pixel = context.getImageData(0, 0, 1, 1).data;
    const hex = [...pixel.subarray(0, 3)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
    t.equal(colour, `#${hex}`, name);
  }
});

t.test("names and hex are read in any case, alpha digits are ignored", async (t) => {
  const cases = {
    Yellow: "#ffff00",
    "  TOMATO ": "#ff6347",
    "#abc": "#aabbcc",
    "#abcd": "#aabbcc",
    "#A1B2C3": "#a1b2c3",
    "#a1b2c380": "#a1b2c3",
  };
  for (const [text, colour] of Object.entries(cases)) t.equal(parseColour(text), colour, text);
});

t.test("all else is refused by name, with the allowed forms", async (t) => {
  for (const text of [
    "",
    "yellowish",
    "#12",
    "#12345",
    "#gggggg",
    "rgb(1,2,3)",
    "transparent",
    "constructor",
  ]) {
    t.throws(() => parseColour(text), {
      name: "CompositorError",
      code: "bad_colour",
      message: /expected a CSS colour name/,
    });
  }
  t.throws(() => parseColour("no such colour"), { message: /"no such colour"/ });
});

t.test("a hostile value does not get into the message whole", async (t) => {
  t.plan(2);
  try {
    parseColour(`\u202e\n${"x".repeat(5000)}`);
  } catch (error) {
    t.ok(error instanceof Error && error.message.length < 200);
    t.notMatch(String(error), /[\n\u202e]/);
  }
});
