import fc from "fast-check";
import t from "tap";
import { layoutText, lineAt } from "../../src/demo/text-layout.ts";

const lay = (text: string, width: number) => layoutText([...text], width, () => 1);

t.test("a line too long breaks after a space, a word too long anywhere", async (t) => {
  t.same(
    lay("one two three", 8).map(({ text }) => text),
    ["one two ", "three"],
  );
  t.same(
    lay("abcdefgh", 3).map(({ text }) => text),
    ["abc", "def", "gh"],
  );
  t.same(
    lay("a\n\nb\n", 9).map(({ text }) => text),
    ["a", "", "b", ""],
  );
});

t.test("no character is lost, doubled or beyond the edge but a space", async () => {
  const letter = fc.constantFrom("a", "b", " ", "\n", "ß");
  fc.assert(
    fc.property(fc.array(letter, { maxLength: 80 }), fc.integer({ min: 1, max: 20 }), (characters, width) => {
      const lines = layoutText(characters, width, () => 1);
      let at = 0;
      for (const { start, end, text } of lines) {
        const gap = characters.slice(at, start).join("");
        if (gap !== "" && gap !== "\n") return false;
        if (text !== characters.slice(start, end).join("")) return false;
        if (text.trimEnd().length > width) return false;
        at = end;
      }
      return at === characters.length;
    }),
  );
});

t.test("every place belongs to the line that holds it", async () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[ab \n]{0,40}$/), fc.integer({ min: 1, max: 9 }), (text, width) => {
      const lines = lay(text, width);
      for (let at = 0; at <= text.length; at++) {
        const line = lines[lineAt(lines, at)];
        if (line === undefined || at < line.start || at > line.end) return false;
      }
      return true;
    }),
  );
});
