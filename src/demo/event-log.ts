import type { Rect } from "../framebuffer/rect.ts";
import type { Drawing } from "./drawing.ts";
import { type Accent, COLOUR, FONT, METRIC } from "./theme.ts";

const KINDS = ["Keys", "Clicks", "Wheel", "Clipboard"] as const;
export type Kind = (typeof KINDS)[number];

const TILE_HEIGHT = 72;
const TILE_GAP = 12;
const ROW_HEIGHT = 30;
const MOST_ROWS = 9;

interface Entry {
  readonly kind: Kind;
  readonly what: string;
  readonly times: number;
}

/** What arrived: a count of each kind and the last few events, the newest on top, equal ones counted together. */
export class EventLog {
  readonly #counts = new Map<Kind, number>();
  #entries: readonly Entry[] = [];

  /** The newest event in words, null before the first. */
  get latest(): string | null {
    const entry = this.#entries[0];
    return entry === undefined ? null : words(entry);
  }

  record(kind: Kind, what: string): void {
    this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + 1);
    const [last, ...older] = this.#entries;
    const isSame = last !== undefined && last.kind === kind && last.what === what;
    const entries = isSame ? older : this.#entries;
    this.#entries = [{ kind, what, times: isSame ? last.times + 1 : 1 }, ...entries].slice(0, MOST_ROWS);
  }

  draw(drawing: Drawing, { x, y, width }: Rect, accent: Accent): void {
    const tileWidth = Math.floor((width - TILE_GAP * (KINDS.length - 1)) / KINDS.length);
    for (const [i, kind] of KINDS.entries()) {
      const left = x + i * (tileWidth + TILE_GAP);
      const tile = { x: left, y, width: tileWidth, height: TILE_HEIGHT };
      drawing.fillRound(tile, METRIC.controlRadius, COLOUR.inset);
      drawing.text(String(this.#counts.get(kind) ?? 0), left + 14, y + 28, FONT.figure, accent.plain);
      drawing.text(kind, left + 14, y + 54, FONT.small, COLOUR.quiet);
    }
    const first = y + TILE_HEIGHT + TILE_GAP + ROW_HEIGHT / 2;
    if (this.#entries.length === 0) {
      drawing.text("Nothing has arrived yet.", x, first, FONT.body, COLOUR.quiet);
    }
    for (const [i, entry] of this.#entries.entries()) {
      const middle = first + i * ROW_HEIGHT;
      drawing.disc(x + 5, middle, 4, i === 0 ? accent.plain : COLOUR.border);
      drawing.text(words(entry), x + 20, middle, FONT.body, i === 0 ? COLOUR.ink : COLOUR.quiet);
    }
  }
}

function words({ what, times }: Entry): string {
  return times === 1 ? what : `${what}  × ${times}`;
}
