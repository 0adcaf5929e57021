/** Colours darker than this are written on a light plate. */
const DARK = 0.18;

/** "#rrggbb" and an opacity of 0 to 1 as canvas takes it. */
export function withAlpha(colour: string, opacity: number): string {
  const [red, green, blue] = channels(colour);
  return `rgba(${red}, ${green}, ${blue}, ${opacity})`;
}

/** Black or white, whichever is read more easily on this colour (the larger WCAG 2 contrast). */
export function inkOn(colour: string): "#000000" | "#ffffff" {
  // (L + 0.05) / 0.05 = 1.05 / (L + 0.05) at L = 0.179.
  return luminance(colour) > 0.179 ? "#000000" : "#ffffff";
}

/** Relative luminance of "#rrggbb", 0 to 1, WCAG 2.2. */
function luminance(colour: string): number {
  const [red, green, blue] = channels(colour);
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
}

/** The plate under text of a colour: light under dark colours, dark under others. */
export function groundUnder(colour: string): "#ffffff" | "#0f172a" {
  return luminance(colour) < DARK ? "#ffffff" : "#0f172a";
}

function linear(channel: number): number {
  const share = channel / 255;
  return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
}

function channels(colour: string): readonly [number, number, number] {
  const word = Number.parseInt(colour.slice(1), 16);
  return [word >> 16, (word >> 8) & 255, word & 255];
}
