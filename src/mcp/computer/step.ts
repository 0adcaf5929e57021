import type { Button } from "../../desktop/control/action.ts";
import type { Point } from "../../framebuffer/rect.ts";
import type { Space } from "../model/coordinates.ts";
import type { Chord } from "../model/key-chord.ts";
import type { ScrollUnit } from "../tool/notches.ts";

/** What a vendor's action asks for, in our words. Points are in the vendor's space; null is where the pointer is. */
export type Step =
  | {
      readonly kind: "click";
      readonly at: Point | null;
      readonly button: Button;
      readonly clicks: number;
      readonly held: Chord | null;
    }
  | { readonly kind: "move"; readonly at: Point; readonly held: Chord | null }
  | { readonly kind: "button"; readonly at: Point | null; readonly button: Button; readonly isDown: boolean }
  /** A path of one point begins where the pointer is. */
  | { readonly kind: "drag"; readonly path: readonly Point[]; readonly held: Chord | null }
  | {
      readonly kind: "scroll";
      /** "middle": of the screen. */
      readonly at: Point | null | "middle";
      readonly dx: number;
      readonly dy: number;
      /** thousandths: of the screen's height and width. */
      readonly unit: ScrollUnit | "thousandths";
      readonly held: Chord | null;
    }
  | {
      readonly kind: "keys";
      readonly chords: readonly Chord[];
      readonly repeat: number;
      readonly holdMs: number;
    }
  | { readonly kind: "hold"; readonly chord: Chord; readonly isDown: boolean }
  | { readonly kind: "type"; readonly text: string; readonly clearExisting: boolean }
  | { readonly kind: "wait"; readonly durationMs: number }
  | { readonly kind: "screenshot" }
  /** Corners: what lies from the first to before the second. */
  | { readonly kind: "zoom"; readonly from: Point; readonly to: Point }
  | { readonly kind: "cursor" };

export const VENDORS = ["anthropic", "openai", "gemini"] as const;
type Vendor = (typeof VENDORS)[number];

/** One action object of a vendor, understood. */
export interface VendorAction {
  readonly vendor: Vendor;
  /** As the vendor calls it. */
  readonly name: string;
  readonly space: Space;
  /** Done in order; mostly one. */
  readonly steps: readonly Step[];
  /** Why, where the model said so. */
  readonly intent: string | null;
  /** The vendor's own safety check wants a human to agree. */
  readonly mustConfirm: boolean;
}
