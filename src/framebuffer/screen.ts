import { equalRects, type Rect } from "./rect.ts";

/** One monitor of a desktop. */
export interface Screen {
  /** Unsigned 32-bit, chosen by whoever made the layout. */
  readonly id: number;
  readonly rect: Rect;
  readonly flags: number;
}

/** Whether two layouts are the same monitors at the same places; flags do not count. */
export function equalScreens(a: readonly Screen[], b: readonly Screen[]): boolean {
  return (
    a.length === b.length &&
    a.every((screen, i) => {
      const other = b[i];
      return other !== undefined && screen.id === other.id && equalRects(screen.rect, other.rect);
    })
  );
}
