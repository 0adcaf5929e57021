/** A text face at one size: `sizePx` is the em height. */
export interface Font {
  readonly sizePx: number;
  readonly weight: "regular" | "bold";
}

export const FONT = {
  body: { sizePx: 14, weight: "regular" },
  strong: { sizePx: 14, weight: "bold" },
  small: { sizePx: 12, weight: "regular" },
  smallStrong: { sizePx: 12, weight: "bold" },
  figure: { sizePx: 24, weight: "bold" },
  clock: { sizePx: 56, weight: "bold" },
} as const satisfies Record<string, Font>;

/** CSS colours of the desktop's light look. Contrast of text on its ground is at least 4.5:1. */
export const COLOUR = {
  ink: "#1c2430",
  quiet: "#5a6675",
  onAccent: "#ffffff",
  surface: "#ffffff",
  inset: "#f4f6f9",
  line: "#dfe4ea",
  border: "#c3cbd5",
  buttonHover: "#f1f4f8",
  buttonPressed: "#e3e8ef",
  danger: "#d64545",
  bar: "rgba(255, 255, 255, 0.78)",
  dock: "rgba(255, 255, 255, 0.62)",
} as const;

/** A colour the user may choose for what is active: itself, and the same darker and paler. */
export interface Accent {
  readonly name: string;
  readonly plain: string;
  readonly dark: string;
  readonly pale: string;
}

export const BLUE: Accent = { name: "Blue", plain: "#2b6fe3", dark: "#1f58ba", pale: "#e4eefd" };

export const ACCENTS: readonly Accent[] = [
  BLUE,
  { name: "Green", plain: "#1a7f4e", dark: "#12633b", pale: "#dff4e8" },
  { name: "Violet", plain: "#7a4fd8", dark: "#5f38b6", pale: "#eee7fc" },
];

/** Lengths in pixels. */
export const METRIC = {
  barHeight: 34,
  titleHeight: 40,
  windowRadius: 12,
  controlRadius: 7,
  shadow: 36,
  padding: 20,
} as const;
