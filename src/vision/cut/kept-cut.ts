import type { Size } from "../../framebuffer/rect.ts";
import { type Box, boxesOverlap, commonRows, heightOf, joinBoxes } from "./box.ts";
import { type CutLine, cutLine } from "./cut-line.ts";
import { cutPieces, meets, type Rows } from "./cut-pieces.ts";
import { InkMask } from "./ink-mask.ts";
import type { LinePiece } from "./line-pieces.ts";
import type { PixelPicture } from "./pixel-picture.ts";
import { TALLEST_COMPONENT } from "./text-parts.ts";

/** A piece of a picture as it was cut, whether it is a line of text or none. */
export interface KeptPiece extends Box {
  /** The same for pieces of the same parts in the same place. */
  readonly key: string;
  /** Where its line stands and what hash it has; null for what is no line. */
  readonly lineKey: string | null;
}

export interface CutChange {
  readonly gone: ReadonlySet<KeptPiece>;
  /** With their lines; null for what is no line. */
  readonly came: ReadonlyMap<KeptPiece, CutLine | null>;
}

/** Rows that were cut again, and how they differ from what was kept. */
interface Recut {
  readonly rows: Rows;
  /** The rows of all that differs. */
  readonly reach: Rows;
  readonly gone: readonly KeptPiece[];
  readonly came: readonly LinePiece[];
  /** Pieces that were kept as they are, near to which pixels changed. */
  readonly touched: readonly { readonly kept: KeptPiece; readonly piece: LinePiece }[];
  readonly tall: readonly Box[];
}

/** What is farther away than this is not joined with a part: the accents of the tallest line stand off by 16 rows. */
const REACH = 17;
/** Connected ink that is higher reaches farther than REACH with what a change touches. */
const TALL = REACH - 2;
/** Rows and columns around a piece that its line depends on. */
const LINE_REACH = 6;

/**
 * The pieces of a picture, kept by what changes. INVARIANT: after `update` they are those of a cut of the whole picture.
 *
 * Rows in which something changed are cut again, with REACH rows on either side. What a part is joined with depends on
 * what is nearer to it than REACH, and on what that was joined with before. So where all pieces in these REACH rows are
 * those that were kept, joining went on both sides of them as it goes in the whole picture; where one is another, its
 * rows are cut again as well. Pieces that are no lines count: what they took is not there for others.
 */
export class KeptCut {
  readonly mask: InkMask;
  #pieces: KeptPiece[] = [];
  /** All connected ink of the picture that is higher than TALL and may hold text. */
  #tall: Box[] = [];

  constructor(size: Size) {
    this.mask = new InkMask(size);
  }

  /** The pixels of some boxes changed; gives the pieces that are not what they were. */
  update(picture: PixelPicture, boxes: readonly Box[]): CutChange {
    const changed = together(boxes).map((box) => this.mask.update(picture, box));
    let rows = joinRows(changed);
    let cuts: readonly Recut[] = [];
    for (;;) {
      const before = cuts;
      cuts = rows.map(
        (core) => before.find((cut) => isSame(cut.rows, core)) ?? this.#recut(picture, core, changed, boxes),
      );
      const grown = joinRows(cuts.map(({ reach }) => reach));
      if (grown.length === rows.length && grown.every((core, at) => isSame(core, rows[at] ?? core))) break;
      rows = grown;
    }
    return this.#take(picture, cuts);
  }

  #recut(picture: PixelPicture, rows: Rows, changed: readonly Box[], boxes: readonly Box[]): Recut {
    const wanted = { top: rows.top - REACH, bottom: rows.bottom + REACH };
    const { pieces, components } = cutPieces(picture, this.mask, wanted);
    const old = new Map<string, KeptPiece[]>();
    for (const piece of this.#pieces) {
      if (meets(piece, wanted)) old.set(piece.key, [...(old.get(piece.key) ?? []), piece]);
    }
    const came: LinePiece[] = [];
    const touched: { kept: KeptPiece; piece: LinePiece }[] = [];
    for (const piece of pieces) {
      const kept = old.get(keyOf(piece))?.shift();
      if (kept === undefined) came.push(piece);
      else if (boxes.some((box) => isNear(piece, box, LINE_REACH))) touched.push({ kept, piece });
    }
    const gone = [...old.values()].flat();
    const tall = components.filter(
      (box) => heightOf(box) > TALL && heightOf(box) <= TALLEST_COMPONENT && meets(box, wanted),
    );
    // Whatever is cut out of ink that changed may be another, however far away.
    const remade = [...tall, ...this.#tall].filter(
      (box) => meets(box, rows) && changed.some((other) => isNear(box, other, 1)),
    );
    const reach = [...came, ...gone, ...remade].reduce<Rows>(joined, rows);
    return { rows, reach, gone, came, touched, tall };
  }

  #take(picture: PixelPicture, cuts: readonly Recut[]): CutChange {
    const gone = new Set(cuts.flatMap((cut) => cut.gone));
    const came = new Map<KeptPiece, CutLine | null>();
    const add = (piece: LinePiece, line: CutLine | null): void => {
      const { left, top, right, bottom } = piece;
      came.set({ left, top, right, bottom, key: keyOf(piece), lineKey: lineKeyOf(line) }, line);
    };
    for (const cut of cuts) {
      for (const piece of cut.came) add(piece, cutLine(picture, piece));
      for (const { kept, piece } of cut.touched) {
        // It may reach into the rows of two cuts.
        if (gone.has(kept)) continue;
        const line = cutLine(picture, piece);
        if (lineKeyOf(line) === kept.lineKey) continue;
        gone.add(kept);
        add(piece, line);
      }
      const isCut = (box: Box): boolean =>
        meets(box, { top: cut.rows.top - REACH, bottom: cut.rows.bottom + REACH });
      this.#tall = this.#tall.filter((box) => !isCut(box));
    }
    this.#tall.push(...cuts.flatMap((cut) => cut.tall));
    if (gone.size > 0) this.#pieces = this.#pieces.filter((piece) => !gone.has(piece));
    this.#pieces.push(...came.keys());
    return { gone, came };
  }
}

function keyOf({ left, top, right, bottom, parts }: LinePiece): string {
  let hash = 0;
  for (const part of parts) {
    for (const value of [part.left, part.top, part.right, part.bottom, part.ground]) {
      hash = Math.imul(hash ^ value, 0x01000193) ^ (hash >>> 15);
    }
  }
  return `${left},${top},${right},${bottom},${parts.length},${hash}`;
}

function lineKeyOf(line: CutLine | null): string | null {
  if (line === null) return null;
  const { left, top, right, bottom, hash } = line;
  return `${left},${top},${right},${bottom},${hash}`;
}

const isNear = (a: Box, b: Box, by: number): boolean =>
  boxesOverlap(a, { left: b.left - by, top: b.top - by, right: b.right + by, bottom: b.bottom + by });

const isSame = (a: Rows, b: Rows): boolean => a.top === b.top && a.bottom === b.bottom;

const joined = (a: Rows, b: Rows): Rows => ({
  top: Math.min(a.top, b.top),
  bottom: Math.max(a.bottom, b.bottom),
});

/** Boxes whose rows are cut together anyway become one where the mask costs no more by it. */
function together(all: readonly Box[]): Box[] {
  const found: Box[] = [];
  for (const box of [...all].sort((a, b) => a.top - b.top)) {
    let last = box;
    for (let at = found.length - 1; at >= 0; at--) {
      const other = found[at];
      if (other === undefined || commonRows(last, other) < -2 * REACH) continue;
      const both = joinBoxes(last, other);
      if (InkMask.costOf(both) > InkMask.costOf(last) + InkMask.costOf(other)) continue;
      found.splice(at, 1);
      last = both;
    }
    found.push(last);
  }
  return found;
}

/** Rows that are cut together anyway. */
function joinRows(all: readonly Rows[]): Rows[] {
  const found: Rows[] = [];
  for (const { top, bottom } of [...all].sort((a, b) => a.top - b.top)) {
    const last = found.at(-1);
    if (last !== undefined && top <= last.bottom + 2 * REACH)
      found[found.length - 1] = joined(last, { top, bottom });
    else found.push({ top, bottom });
  }
  return found;
}
