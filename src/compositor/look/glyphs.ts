/** A body filled with the overlay's colour and, on it, strokes in black or white: SVG path data in a 24 x 24 square. */
export interface Glyph {
  readonly body: string;
  readonly marks: string;
}

const DISC = "M12 2.5a9.5 9.5 0 1 0 0 19a9.5 9.5 0 1 0 0-19z";
// Its tip is the square's top left corner, one pixel in for the outline.
const POINTER: Glyph = { body: "M1.5 1.5v17.2l4.5-4.1l3 6.9l3.5-1.5l-3-6.8h6.1z", marks: "" };
const TRIANGLE =
  "M10.4 3.6L2.3 18a1.85 1.85 0 0 0 1.6 2.8h16.2a1.85 1.85 0 0 0 1.6-2.8L13.6 3.6a1.85 1.85 0 0 0-3.2 0z";
const STAR = "M12 2.2l2.95 6.35l6.95.8l-5.15 4.7l1.4 6.85L12 17.45L5.85 20.9l1.4-6.85L2.1 9.35l6.95-.8z";

/** The signs, by the label that names them. */
const GLYPHS: ReadonlyMap<string, Glyph> = new Map([
  ["check", { body: DISC, marks: "M7.6 12.4l3 3l5.9-6.2" }],
  ["cross", { body: DISC, marks: "M8.4 8.4l7.2 7.2M15.6 8.4l-7.2 7.2" }],
  ["warning", { body: TRIANGLE, marks: "M12 9v4.6M12 17.1v.2" }],
  ["info", { body: DISC, marks: "M12 11.2v5.4M12 7.5v.2" }],
  ["pointer", POINTER],
  ["star", { body: STAR, marks: "" }],
]);

/** What the label of an icon may name. */
export const ICON_NAMES: readonly string[] = [...GLYPHS.keys()];

/** Which sign a label means; any other label is `words` written beside a pointer. */
export function glyphNamed(label: string | null): {
  readonly glyph: Glyph;
  readonly isPointer: boolean;
  readonly words: string | null;
} {
  const glyph = GLYPHS.get((label ?? "").trim().toLowerCase());
  if (!glyph) return { glyph: POINTER, isPointer: true, words: label === "" ? null : label };
  return { glyph, isPointer: glyph === POINTER, words: null };
}
