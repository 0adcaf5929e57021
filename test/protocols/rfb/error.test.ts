import fc from "fast-check";
import t from "tap";
import { safeText } from "../../../src/protocols/rfb/error.ts";

t.test("a peer's text is escaped before it is cut", async (t) => {
  t.equal(safeText("Xvnc \u0007\u202e"), "Xvnc \\u{7}\\u{202e}");
  t.equal(safeText("abc", 3), "abc");
  t.equal(safeText("abcd", 3), "abc…");
  t.equal(safeText("ab\u0007", 6), "ab…", "an escape is whole or left out");
});

t.test("what is shown is short and harmless, whatever was sent", async (t) => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 2000 }), (text) => {
      const safe = safeText(text);
      return safe.length <= 257 && !/[\p{Cc}\p{Cf}\u2028\u2029]/u.test(safe);
    }),
  );
  t.ok(safeText("\u0001".repeat(100_000)).length <= 257);
});
