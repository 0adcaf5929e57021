import type { Box } from "../cut/box.ts";
import type { LineInk } from "../cut/cut-line.ts";
import type { Reading } from "./line-cache.ts";

/** A line of text in the picture as it is now, and since which generation it stands there. */
export interface IndexedLine extends Box {
  readonly hash: string;
  /** The generation at which it was first seen. */
  readonly cameAt: number;
  /** At which it was last seen elsewhere than before; null: never. */
  readonly movedAt: number | null;
  /** null until somebody wants to know what it says. */
  reading: Reading | null;
  /** What is to be read; null once it is. */
  ink: LineInk | null;
}
