/** One line as it is shown: the characters `start` to `end` (exclusive); a line break belongs to no line. */
export interface TextLine {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Breaks characters into lines at "\n" and, where one is wider than `widthPx`, after a space or else anywhere. */
export function layoutText(
  characters: readonly string[],
  widthPx: number,
  advance: (character: string) => number,
): readonly TextLine[] {
  const lines: TextLine[] = [];
  let start = 0;
  let afterSpace = 0;
  let width = 0;
  const end = (at: number): void => {
    lines.push({ start, end: at, text: characters.slice(start, at).join("") });
    start = at;
    afterSpace = at;
    width = 0;
  };
  for (let i = 0; i < characters.length; i++) {
    const character = characters[i] ?? "";
    if (character === "\n") {
      end(i);
      start = i + 1;
      afterSpace = start;
      continue;
    }
    const own = advance(character);
    // A space may hang over the edge, so that a word never begins a line with one.
    if (width + own > widthPx && i > start && character !== " ") {
      end(afterSpace > start ? afterSpace : i);
      for (let j = start; j < i; j++) width += advance(characters[j] ?? "");
    }
    width += own;
    if (character === " ") afterSpace = i + 1;
  }
  end(characters.length);
  return lines;
}

/** The line a caret before character `at` stands on: at a soft break, the later one. */
export function lineAt(lines: readonly TextLine[], at: number): number {
  let low = 0;
  let high = lines.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((lines[middle]?.start ?? 0) <= at) low = middle;
    else high = middle - 1;
  }
  return low;
}
