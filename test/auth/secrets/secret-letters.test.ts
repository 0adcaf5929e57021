import t from "tap";
import { areTypable, lettersOf } from "../../../src/auth/secrets/secret-letters.ts";
import { plain } from "../../support/opened.ts";

t.test("letters are those of Node's own decoder", async (t) => {
  for (const text of ["", "Zq7!vX", "Grüße, ß", "日本語", "a😀b", "\u{10ffff}\u{7ff}\u{800}\u{ffff}"]) {
    t.equal(plain(lettersOf(Buffer.from(text))), text);
  }
  // Every first byte, with what follows cut off or wrong: nothing is read beyond the end, and nothing is lost.
  for (let first = 0; first < 256; first++) {
    for (const rest of [[], [0x41], [0x80], [0x80, 0x41], [0x80, 0x80, 0x80]]) {
      const bytes = Buffer.from([first, ...rest, 0x7a]);
      const letters = lettersOf(bytes);
      t.equal(letters.at(-1), 0x7a, bytes.toString("hex"));
      if (bytes.toString("utf8").includes("\ufffd")) continue;
      t.equal(plain(letters), bytes.toString("utf8"), bytes.toString("hex"));
    }
  }
});

t.test("one line of letters may be typed", async (t) => {
  t.ok(areTypable(lettersOf(Buffer.from("pass word ß")), 256));
  for (const text of ["", "a\nb", "a\tb", "\u2028", "\u0085", "x".repeat(257)]) {
    t.notOk(areTypable(lettersOf(Buffer.from(text)), 256), Buffer.from(text).toString("hex"));
  }
});
