import t from "tap";
import { glyphNamed } from "../../../src/compositor/look/glyphs.ts";

t.test("a label that names no sign is written beside a pointer", async (t) => {
  t.match(glyphNamed(" Check "), { isPointer: false, words: null });
  t.match(glyphNamed("pointer"), { isPointer: true, words: null });
  t.match(glyphNamed("look here"), { isPointer: true, words: "look here" });
  t.match(glyphNamed(null), { isPointer: true, words: null });
});
