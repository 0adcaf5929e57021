import { BYTES_PER_PIXEL, type Framebuffer } from "./framebuffer.ts";
import { intersectRects, isEmptyRect, type Rect } from "./rect.ts";
import { Region } from "./region.ts";

/** Damage is refined to cells of this many pixels a side. */
export const CELL = 64;

/**
 * Copies the damaged part of `from` to `to` (same size) cell by cell and returns the cells that really differed:
 * servers report more than changed, and a cell that is equal is neither copied nor passed on.
 */
export function publishDamage(from: Framebuffer, to: Framebuffer, damage: Region): Region {
  const changed: Rect[] = [];
  for (const damaged of damage.rects) {
    const r = intersectRects(damaged, to.rect);
    if (isEmptyRect(r)) continue;
    const right = r.x + r.width;
    const bottom = r.y + r.height;
    for (let top = r.y; top < bottom; top = nextLine(top, bottom)) {
      const height = nextLine(top, bottom) - top;
      for (let left = r.x; left < right; left = nextLine(left, right)) {
        const cell = { x: left, y: top, width: nextLine(left, right) - left, height };
        if (publishCell(from, to, cell)) changed.push(cell);
      }
    }
  }
  return Region.from(changed);
}

function nextLine(at: number, end: number): number {
  return Math.min(end, (Math.floor(at / CELL) + 1) * CELL);
}

/** Copies one cell from its first differing row on; false where no row differed. */
function publishCell(from: Framebuffer, to: Framebuffer, cell: Rect): boolean {
  const width = to.width;
  const source = from.words;
  const target = to.words;
  for (let row = 0; row < cell.height; row++) {
    const start = (cell.y + row) * width + cell.x;
    for (let i = start; i < start + cell.width; i++) {
      if (source[i] === target[i]) continue;
      copyRows(from, to, { x: cell.x, y: cell.y + row, width: cell.width, height: cell.height - row });
      return true;
    }
  }
  return false;
}

function copyRows(from: Framebuffer, to: Framebuffer, r: Rect): void {
  const source = from.bytes;
  const target = to.bytes;
  const rowBytes = r.width * BYTES_PER_PIXEL;
  for (let y = r.y; y < r.y + r.height; y++) {
    const start = (y * to.width + r.x) * BYTES_PER_PIXEL;
    target.set(source.subarray(start, start + rowBytes), start);
  }
}
