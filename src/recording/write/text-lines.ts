import type { Rect } from "../../framebuffer/rect.ts";
import type { RecordedLine, TextEntry } from "../format/event-entry.ts";
import type { ShownText } from "./recorder-ports.ts";

/** Of one picture; a screen full of small text has some two hundred. */
const MOST_LINES = 500;
/** Of one line; what follows is not recorded. */
const MOST_CHARACTERS = 500;
/** A caret or a highlight moves the edge of a line by so much, and is no change of the text. */
const STEADY_PIXELS = 4;

type ShownLine = ShownText["lines"][number];

/** The lines of text that a recording has shown last, with the ids that they have in it. */
export class TextLines {
  #lines: readonly RecordedLine[] = [];
  #nextId = 1;
  #restatedMs = Number.NEGATIVE_INFINITY;

  /** When all lines were told. */
  get restatedMs(): number {
    return this.#restatedMs;
  }

  /** What differs from what was told last; null where nothing does. `isWhole`: the lines that stand are told as well. */
  follow(shown: readonly ShownLine[], shownMs: number, isWhole: boolean): Omit<TextEntry, "atMs"> | null {
    const left = new Map<string, RecordedLine[]>();
    for (const line of this.#lines) left.set(line.text, [...(left.get(line.text) ?? []), line]);
    const came: RecordedLine[] = [];
    const moved: RecordedLine[] = [];
    const stands: RecordedLine[] = [];
    const others: { readonly text: string; readonly line: ShownLine }[] = [];
    // Those that stay first: of two that read alike the one that moved is the other.
    for (const line of shown.slice(0, MOST_LINES)) {
      const text = line.text.slice(0, MOST_CHARACTERS);
      const alike = left.get(text) ?? [];
      const at = alike.findIndex((known) => isSteady(known, line.rect));
      const [known] = at < 0 ? [] : alike.splice(at, 1);
      if (known === undefined) others.push({ text, line });
      else stands.push(known);
    }
    for (const { text, line } of others) {
      const known = left.get(text)?.shift();
      if (known !== undefined) moved.push({ ...known, ...placeOf(line) });
      else came.push({ id: this.#nextId++, text, ...placeOf(line) });
    }
    const gone = [...left.values()].flat().map(({ id }) => id);
    this.#lines = [...stands, ...moved, ...came];
    if (came.length + moved.length + gone.length === 0 && !(isWhole && stands.length > 0)) return null;
    if (isWhole) this.#restatedMs = shownMs;
    return {
      ...{ type: "text", shownMs, came },
      moved: moved.map(({ id, x, y }) => ({ id, x, y })),
      gone,
      ...(isWhole ? { stands: [...stands, ...moved] } : {}),
    };
  }
}

function isSteady(known: Rect, now: Rect): boolean {
  return Math.abs(known.x - now.x) <= STEADY_PIXELS && Math.abs(known.y - now.y) <= STEADY_PIXELS;
}

function placeOf({ text, rect, words }: ShownLine): Rect & Pick<RecordedLine, "words"> {
  const isKnown = words.length === text.split(" ").length;
  const ends = words.flatMap(({ rect: word }) => [word.x - rect.x, word.x + word.width - rect.x]);
  const { x, y, width, height } = rect;
  return { x, y, width, height, words: isKnown ? ends : [] };
}
