import { PRIVATE_KINDS } from "../../../src/desktop/masks/private-kinds.ts";
import type { TextRead } from "../../../src/desktop/masks/text-reader.ts";
import { type Rect, rect } from "../../../src/framebuffer/rect.ts";
import type { KnownTerms } from "../../../src/vision/live/live-messages.ts";
import { LiveServer } from "../../../src/vision/live/live-server.ts";
import type { OcrEngine } from "../../../src/vision/ocr-engine.ts";
import { readByEngine } from "../../../src/vision/read-line.ts";
import { type Drawing, draw, isOpaqueAt } from "./drawings.ts";
import { OWN_PATTERN, type Sheet, type SheetLine, type SheetSecret, STORED } from "./sheet.ts";

/** One mask of built-in kinds, one that names a stored secret, one with a pattern of one's own. */
const TERMS: readonly KnownTerms[] = [
  { id: "kinds", kinds: PRIVATE_KINDS, pattern: null },
  { id: "stored", kinds: [], pattern: null, secrets: ["stored"], values: [STORED] },
  { id: "own", kinds: [], pattern: OWN_PATTERN },
];
const maskOf = ({ kind }: SheetSecret): string => (kind === "stored" || kind === "own" ? kind : "kinds");

/** Where a drawing lies. */
export interface Laid {
  readonly drawing: Drawing;
  readonly x: number;
  readonly y: number;
}

/** A sheet as a target shows it, and the reader that masks by text ask, with a real engine. */
export class ReadSheet {
  readonly sheet: Sheet;
  readonly #engine: OcrEngine;
  readonly #server: LiveServer;
  readonly #shown: {
    readonly width: number;
    readonly height: number;
    readonly rgba: Uint8Array<ArrayBuffer>;
  };
  #read: TextRead = { unread: [], found: [], lines: [] };
  #hear: () => void = () => undefined;
  #fail: (error: unknown) => void = () => undefined;
  /** What engines read, in the order in which they did. */
  engineReads = 0;

  constructor(sheet: Sheet, engine: OcrEngine) {
    this.sheet = sheet;
    this.#engine = engine;
    const { width, height, rgba } = sheet.picture;
    this.#shown = { width, height, rgba: Uint8Array.from(rgba) };
    this.#server = new LiveServer(
      (message) => {
        if (message.kind === "seen") this.#read = message.read;
        else if (message.kind === "news") this.#hear();
        else {
          this.engineReads += message.lines.length;
          readByEngine(engine, message.lines)
            .then((words) => this.#server.take({ kind: "words", id: message.id, words }))
            .catch((error: unknown) => this.#fail(error));
        }
      },
      { after: () => undefined },
    );
    this.#server.take({ kind: "size", size: { width, height } });
    this.#paint(rect(0, 0, width, height));
  }

  /** The same sheet, of which nothing was read. */
  fresh(): ReadSheet {
    return new ReadSheet(this.sheet, this.#engine);
  }

  #paint(at: Rect): void {
    const { width, rgba } = this.#shown;
    const pixels = new Uint8Array(at.width * at.height * 4);
    for (let y = 0; y < at.height; y++) {
      const from = ((at.y + y) * width + at.x) * 4;
      pixels.set(rgba.subarray(from, from + at.width * 4), y * at.width * 4);
    }
    this.#server.take({ kind: "pixels", copies: [], parts: [{ rect: at, pixels }] });
  }

  /** What is covered once all was read. */
  async covers(isPointed: boolean): Promise<TextRead> {
    for (;;) {
      const news = new Promise<void>((resolve, reject) => {
        this.#hear = resolve;
        this.#fail = reject;
      });
      this.#server.take({ kind: "ask", terms: TERMS, isPointed });
      if (this.#read.unread.length === 0) return this.#read;
      await news;
    }
  }

  /** Draws over it; `undo` takes it away again. */
  lay({ drawing, x, y }: Laid): { undo(): void } {
    const at = draw(this.#shown, drawing, x, y);
    this.#paint(at);
    return {
      undo: () => {
        const { width, rgba } = this.sheet.picture;
        for (let row = at.y; row < at.y + at.height; row++) {
          const from = (row * width + at.x) * 4;
          this.#shown.rgba.set(rgba.subarray(from, from + at.width * 4), from);
        }
        this.#paint(at);
      },
    };
  }
}

/** What of a secret is seen: neither covered by its mask nor below what is drawn. `of`: its letters. */
function seenOf(
  secret: SheetSecret,
  { top, bottom }: SheetLine,
  { found }: TextRead,
  laid: readonly Laid[],
): { readonly seen: number; readonly of: number } {
  const id = maskOf(secret);
  const y = (top + bottom) / 2;
  const covers = found.filter((one) => one.id === id && one.rect.y <= y && one.rect.y + one.rect.height >= y);
  let seen = 0;
  let of = 0;
  for (const [at, letter] of [...secret.text].entries()) {
    if (letter === " ") continue;
    of++;
    const x = ((secret.edges[at] ?? 0) + (secret.edges[at + 1] ?? 0)) / 2;
    const isCovered = covers.some(({ rect: { x: left, width } }) => left <= x && x <= left + width);
    const isBelow = laid.some(({ drawing, x: left, y: above }) =>
      isOpaqueAt(drawing, Math.floor(x - left), Math.floor(y - above)),
    );
    if (!isCovered && !isBelow) seen++;
  }
  return { seen, of };
}

/** Whether any mask covers anything of a line. */
export function isCovered({ top, bottom, left, right }: SheetLine, { found }: TextRead): boolean {
  const y = (top + bottom) / 2;
  return found.some(
    ({ rect: at }) => at.y <= y && at.y + at.height >= y && at.x < right && at.x + at.width > left,
  );
}

export interface Tally {
  /** Secrets that were drawn over, and of how many of them half or more of the letters were seen, or four or more. */
  drawn: number;
  leaked: number;
  partly: number;
  /** Clean lines that nothing was drawn on, and how many of them were covered. */
  clean: number;
  covered: number;
  /** What was shown, for who looks closer. */
  readonly shown: string[];
}

export const noTally = (): Tally => ({ drawn: 0, leaked: 0, partly: 0, clean: 0, covered: 0, shown: [] });

/** Of lines that are drawn on at once each has as many below it that are not. */
const APART = 6;
const MOST_SHOWN = 4;

export interface DrawOptions {
  /** The target says that it draws its pointer. */
  readonly isPointed: boolean;
  readonly rounds: number;
  /** Nothing was read before it is drawn over. */
  readonly isFirst?: boolean;
}

/** Lays drawings on secrets of a sheet, some at once, at random places, and counts what of them is seen. */
export async function drawOver(
  read: ReadSheet,
  drawings: readonly Drawing[],
  random: () => number,
  { isPointed, rounds, isFirst = false }: DrawOptions,
  tally: Tally,
): Promise<void> {
  const { lines, name } = read.sheet;
  const pick = <Kind>(of: readonly Kind[]): Kind => of[Math.floor(random() * of.length)] as Kind;
  const between = (from: number, to: number): number => Math.round(from + random() * (to - from));
  const secrets = lines.flatMap(({ secret }, index) => (secret === null ? [] : [index]));
  for (let round = 0; round < rounds; round++) {
    const first = round % APART;
    const chosen = secrets.filter((index) => Math.floor(index / 2) % (APART / 2) === first % (APART / 2));
    const laid = chosen.flatMap((index) => {
      const line = lines[index];
      if (line?.secret == null) return [];
      const drawing = pick(drawings);
      const { top, bottom, secret } = line;
      const [left, right] = [secret.edges[0] ?? 0, secret.edges.at(-1) ?? 0];
      return [
        {
          ...{ line, secret, drawing },
          x: between(left - drawing.width / 2, right - drawing.width / 2),
          y: between(top - drawing.height + 6, bottom - 6),
        },
      ];
    });
    const shown = isFirst ? read.fresh() : read;
    const undos = laid.map((one) => shown.lay(one));
    const covers = await shown.covers(isPointed);
    for (const one of laid) {
      const { seen, of } = seenOf(one.secret, one.line, covers, laid);
      tally.drawn++;
      if (seen >= of / 2) tally.leaked++;
      if (seen >= MOST_SHOWN) {
        tally.partly++;
        tally.shown.push(
          `${name}: ${seen}/${of} of ${one.secret.text} below ${one.drawing.name} at ${one.x},${one.y}`,
        );
      }
    }
    for (const line of lines) {
      const isTouched = laid.some(
        ({ drawing, y }) => y < line.bottom + 2 && y + drawing.height > line.top - 2,
      );
      if (line.secret !== null || isTouched) continue;
      tally.clean++;
      if (isCovered(line, covers)) tally.covered++;
    }
    if (isFirst) continue;
    for (const { undo } of undos) undo();
    await read.covers(isPointed);
  }
}
