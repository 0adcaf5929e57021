import type { Rect } from "../../../framebuffer/rect.ts";
import { t } from "../language/language.ts";
import { NumberField } from "./number-field.tsx";

/** What a place is said by, in this order, and where each begins. */
export const SIDES = [
  ["x", t`Left`, 0],
  ["y", t`Top`, 0],
  ["width", t`Width`, 1],
  ["height", t`Height`, 1],
] as const;

const MAX_SIDE = 65_535;

/** Where a place begins that nobody has drawn. */
export const FIRST_PLACE: Rect = { x: 0, y: 0, width: 200, height: 100 };

/** A place on a desktop, in its pixels, as numbers to type. */
export function PlaceFields({
  place,
  onChange,
}: {
  readonly place: Rect;
  readonly onChange: (side: Partial<Rect>) => void;
}) {
  return (
    <div class="sides">
      {SIDES.map(([side, label, min]) => (
        <NumberField
          key={side}
          label={label}
          value={place[side]}
          min={min}
          max={MAX_SIDE}
          onChange={(number) => onChange({ [side]: number })}
        />
      ))}
    </div>
  );
}
