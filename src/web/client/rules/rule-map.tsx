import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import type { Rect, Size } from "../../../framebuffer/rect.ts";
import { t } from "../language/language.ts";
import { thumbnailAddress } from "../viewer/screenshot-address.ts";
import { type Area, areaName, type Rules } from "./rules-draft.ts";

export interface RuleMapProps {
  readonly rules: Rules;
  readonly desktopId: string;
  readonly size: Size;
  readonly isDisabled: boolean;
  readonly isFull: boolean;
  readonly chosen: number | null;
  readonly onChoose: (index: number | null) => void;
  readonly onAdd: (area: Area) => void;
}

type Point = { readonly x: number; readonly y: number };

/** A press that hardly moves is a click, not a rectangle. */
const LEAST_PIXELS = 8;
const PICTURE_WIDTH = 960;

/** The desktop's picture with its areas; a drag makes a new one. */
export function RuleMap(props: RuleMapProps) {
  const { rules, size, isDisabled, isFull, chosen } = props;
  const frame = useRef<HTMLDivElement>(null);
  const from = useSignal<Point | null>(null);
  const drawn = useSignal<Rect | null>(null);
  if (size.width === 0) return <p class="muted rules-map-empty">{t`The desktop has no picture yet.`}</p>;
  const pointOf = (event: PointerEvent): Point => {
    const box = frame.current?.getBoundingClientRect();
    if (box === undefined) return { x: 0, y: 0 };
    const share = (at: number, start: number, length: number, most: number): number =>
      Math.round(Math.max(0, Math.min(1, (at - start) / length)) * most);
    return {
      x: share(event.clientX, box.left, box.width, size.width),
      y: share(event.clientY, box.top, box.height, size.height),
    };
  };
  const end = (): void => {
    const rect = drawn.value;
    from.value = null;
    drawn.value = null;
    if (rect !== null && rect.width >= LEAST_PIXELS && rect.height >= LEAST_PIXELS) {
      props.onAdd({ ...rect, verdict: "deny" });
    }
  };
  return (
    <div
      ref={frame}
      class={`rules-map ${isDisabled || isFull ? "" : "is-open"}`}
      style={{ aspectRatio: `${size.width} / ${size.height}` }}
      onPointerDown={(event) => {
        if (isDisabled || isFull || event.button !== 0) return;
        event.currentTarget.setPointerCapture(event.pointerId);
        from.value = pointOf(event);
        props.onChoose(null);
      }}
      onPointerMove={(event) => {
        if (from.value !== null) drawn.value = between(from.value, pointOf(event));
      }}
      onPointerUp={end}
      onPointerCancel={() => {
        from.value = null;
        drawn.value = null;
      }}
    >
      <img
        src={thumbnailAddress(props.desktopId, size, PICTURE_WIDTH)}
        alt={t`The desktop, with its areas`}
        draggable={false}
      />
      {rules.areas.map((area, index) => (
        <span
          key={index}
          class={`rules-box is-${area.verdict} ${chosen === index ? "is-chosen" : ""}`}
          style={placeOf(area, size)}
          aria-hidden="true"
        >
          <span class="rules-box-name">{areaName(area, index)}</span>
        </span>
      ))}
      {drawn.value !== null && (
        <span class="rules-box is-new" style={placeOf(drawn.value, size)} aria-hidden="true" />
      )}
    </div>
  );
}

function between(a: Point, b: Point): Rect {
  const x = Math.min(a.x, b.x);
  const y = Math.min(a.y, b.y);
  return { x, y, width: Math.abs(a.x - b.x), height: Math.abs(a.y - b.y) };
}

function placeOf({ x, y, width, height }: Rect, size: Size) {
  const share = (part: number, whole: number): string => `${(part / whole) * 100}%`;
  return {
    left: share(x, size.width),
    top: share(y, size.height),
    width: share(width, size.width),
    height: share(height, size.height),
  };
}
