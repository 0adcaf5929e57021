import type { Rect } from "../framebuffer/rect.ts";
import type { Painter } from "./painter.ts";
import { COLOUR, FONT, type Look, METRIC } from "./theme.ts";
import { Widget } from "./widget.ts";

const KINDS = ["Keys", "Clicks", "Wheel", "Clipboard"] as const;
export type Kind = (typeof KINDS)[number];

const TILE_HEIGHT = 72;
const TILE_GAP = 12;
const ROW_HEIGHT = 30;

interface Entry {
  readonly kind: Kind;
  readonly what: string;
  readonly times: number;
}

/** What arrived: a count of each kind and the last few events, the newest on top, equal ones counted together. */
export class EventLog extends Widget {
  readonly #counts = new Map<Kind, number>(KINDS.map((kind) => [kind, 0]));
  #entries: readonly Entry[] = [];

  count(kind: Kind): number {
    return this.#counts.get(kind) ?? 0;
  }

  /** The newest event in words, null before the first. */
  get latest(): string | null {
    const entry = this.#entries[0];
    return entry === undefined ? null : words(entry);
  }

  record(kind: Kind, what: string): void {
    this.#counts.set(kind, this.count(kind) + 1);
    const [last, ...older] = this.#entries;
    const isSame = last !== undefined && last.kind === kind && last.what === what;
    this.#entries = isSame
      ? [{ kind, what, times: last.times + 1 }, ...older]
      : [{ kind, what, times: 1 }, ...this.#entries].slice(0, this.#capacity);
    this.damage(this.#tile(KINDS.indexOf(kind)));
    this.damage(isSame ? this.#row(0) : this.#list);
  }

  override paint(painter: Painter, { accent }: Look): void {
    for (const [i, kind] of KINDS.entries()) {
      const tile = this.#tile(i);
      painter.fillRound(tile, METRIC.controlRadius, COLOUR.inset);
      painter.text(String(this.count(kind)), tile.x + 14, tile.y + 28, FONT.figure, accent.plain);
      painter.text(kind, tile.x + 14, tile.y + 54, FONT.small, COLOUR.quiet);
    }
    if (this.#entries.length === 0) {
      painter.text(
        "Nothing has arrived yet.",
        this.rect.x,
        this.#row(0).y + ROW_HEIGHT / 2,
        FONT.body,
        COLOUR.quiet,
      );
    }
    for (const [i, entry] of this.#entries.entries()) {
      const row = this.#row(i);
      const middle = row.y + row.height / 2;
      painter.disc(row.x + 5, middle, 4, i === 0 ? accent.plain : COLOUR.control);
      painter.text(words(entry), row.x + 20, middle, FONT.body, i === 0 ? COLOUR.ink : COLOUR.quiet);
    }
  }

  get #list(): Rect {
    const { x, y, width, height } = this.rect;
    const top = TILE_HEIGHT + TILE_GAP;
    return { x, y: y + top, width, height: height - top };
  }

  get #capacity(): number {
    return Math.floor(this.#list.height / ROW_HEIGHT);
  }

  #tile(index: number): Rect {
    const width = Math.floor((this.rect.width - TILE_GAP * (KINDS.length - 1)) / KINDS.length);
    return { x: this.rect.x + index * (width + TILE_GAP), y: this.rect.y, width, height: TILE_HEIGHT };
  }

  #row(index: number): Rect {
    const { x, y, width } = this.#list;
    return { x, y: y + index * ROW_HEIGHT, width, height: ROW_HEIGHT };
  }
}

function words({ what, times }: Entry): string {
  return times === 1 ? what : `${what}  × ${times}`;
}
