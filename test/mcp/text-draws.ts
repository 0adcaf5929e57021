import type { Rect } from "../../src/framebuffer/rect.ts";
import { boundRects } from "../../src/framebuffer/rect.ts";
import type { McpPorts } from "../../src/mcp/tool/ports.ts";
import { findText } from "../../src/vision/text/find-text.ts";
import type { TextLine } from "../../src/vision/text/text-line.ts";
import { callsTo } from "./call.ts";
import { fakeHouse } from "./fake-house.ts";

/** A word that a screen truly shows, and where. */
export interface PlacedWord {
  readonly text: string;
  readonly rect: Rect;
  /** Words of one number stand in one line, in their order. */
  readonly line: number;
}

/** What click_text did with texts that were drawn at random. */
export interface Draws {
  /** Clicked inside of the one place where the text stands. */
  inside: number;
  /** Clicked where the text does not stand. */
  elsewhere: number;
  /** Clicked one of several places, and did not say so. */
  unsaid: number;
  /** Refused: it stands in several places. */
  ambiguous: number;
  /** Refused, though it stands in one. */
  refused: number;
  /** Refused: it was not found, as where a letter was misread. */
  notFound: number;
  /** What was clicked elsewhere or unsaid, for whoever mends. */
  readonly wrong: string[];
}

/** One to so many words of a line are drawn. */
const MOST_WORDS = 3;
/** Shorter texts stand everywhere. */
const SHORTEST = 3;

/** Draws texts of a screen and has click_text click them, by the lines that were read of it. */
export async function drawClicks(
  lines: readonly TextLine[],
  truth: readonly PlacedWord[],
  count: number,
  upTo: (most: number) => number,
): Promise<Draws> {
  const generation = 7;
  const texts: McpPorts["texts"] = {
    now: async () => ({ generation, lines }),
    since: async () => ({ generation, changes: [] }),
    find: async (_desktop, query) => ({ generation, matches: findText(lines, query) }),
    elements: async () => ({ generation, elements: [] }),
    element: () => Promise.reject(new Error("no elements here")),
  };
  const call = callsTo(fakeHouse({ texts }));
  const rows = rowsOf(truth);
  const draws: Draws = {
    ...{ inside: 0, elsewhere: 0, unsaid: 0, ambiguous: 0, refused: 0, notFound: 0 },
    wrong: [],
  };
  for (let drawn = 0; drawn < count; ) {
    const row = rows[upTo(rows.length - 1)];
    if (row === undefined) throw new Error("no words to draw");
    const from = upTo(row.length - 1);
    const text = row
      .slice(from, from + 1 + upTo(MOST_WORDS - 1))
      .map((word) => word.text)
      .join(" ");
    if (text.length < SHORTEST) continue;
    drawn++;
    const places = rows.flatMap((words) => placesIn(words, text));
    const { structured, error } = await call("click_text", { text });
    judge(draws, text, places, Object(structured["actual_position"]), Object(error).code);
  }
  return draws;
}

function judge(
  draws: Draws,
  text: string,
  places: readonly Rect[],
  { x, y }: { readonly x?: number; readonly y?: number },
  code: unknown,
): void {
  if (code === "text_ambiguous") draws[places.length > 1 ? "ambiguous" : "refused"]++;
  else if (code === "text_not_found") draws.notFound++;
  else if (typeof x !== "number" || typeof y !== "number") throw new Error(`click_text failed: ${code}`);
  else {
    const isInside = places.some(
      (place) => x >= place.x && x < place.x + place.width && y >= place.y && y < place.y + place.height,
    );
    const what = !isInside ? "elsewhere" : places.length > 1 ? "unsaid" : "inside";
    draws[what]++;
    if (what !== "inside") draws.wrong.push(`${what}: ${text}`);
  }
}

function rowsOf(words: readonly PlacedWord[]): PlacedWord[][] {
  const rows = new Map<number, PlacedWord[]>();
  for (const word of words) rows.set(word.line, [...(rows.get(word.line) ?? []), word]);
  return [...rows.values()];
}

/** Where a text stands in a line, as a person would find it: upper and lower case alike, parts of words too. */
function placesIn(words: readonly PlacedWord[], text: string): Rect[] {
  const line = words
    .map((word) => word.text)
    .join(" ")
    .toLowerCase();
  const wanted = text.toLowerCase();
  const found: Rect[] = [];
  for (let at = line.indexOf(wanted); at >= 0; at = line.indexOf(wanted, at + wanted.length)) {
    let start = 0;
    const rects = words.flatMap((word) => {
      const from = start;
      start += word.text.length + 1;
      return from < at + wanted.length && from + word.text.length > at ? [word.rect] : [];
    });
    found.push(rects.reduce(boundRects));
  }
  return found;
}
