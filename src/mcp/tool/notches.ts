import { RefusedError } from "../../desktop/error.ts";

export const SCROLL_UNITS = ["notches", "pixels"] as const;
export type ScrollUnit = (typeof SCROLL_UNITS)[number];

/** What browsers scroll for one notch (Chromium: 100 CSS pixels at 120 units of delta). */
const PIXELS_A_NOTCH = 100;
/** A longer turn is a scroll bar's business. */
export const MAX_NOTCHES = 100;

/** Whole notches of the wheel, at least one for anything but 0; throws RefusedError for more than MAX_NOTCHES. */
export function notchesOf(amount: number, unit: ScrollUnit): number {
  if (amount === 0) return 0;
  const exact = unit === "pixels" ? amount / PIXELS_A_NOTCH : amount;
  const notches = Math.sign(exact) * Math.max(1, Math.round(Math.abs(exact)));
  if (Math.abs(notches) <= MAX_NOTCHES) return notches;
  const got = `${amount} ${unit}`;
  throw new RefusedError(
    "invalid_parameters",
    `got ${got}, expected at most ${MAX_NOTCHES} notches or ${MAX_NOTCHES * PIXELS_A_NOTCH} pixels`,
  );
}
