import type { Point, Rect } from "../../../framebuffer/rect.ts";
import "../styles/pointer-marks.css";

export interface PointerMarksProps {
  /** What of the desktop the box shows that these lie in, desktop pixels. */
  readonly area: Rect;
  readonly point: Point | null;
  /** The pointer's way, desktop pixels; empty for what has none. */
  readonly path: readonly Point[];
}

/** Where an action goes: a ring where a click would land, a line with both its ends for a drag. */
export function PointerMarks({ area, point, path }: PointerMarksProps) {
  const { x, y, width, height } = area;
  const isWay = path.length > 1;
  const ends = [point, isWay ? path.at(-1) : null];
  const way = path.map((at) => `${at.x + 0.5},${at.y + 0.5}`).join(" ");
  return (
    <>
      {isWay && (
        <svg
          class="approval-way"
          viewBox={`${x} ${y} ${width} ${height}`}
          preserveAspectRatio="none"
          aria-hidden="true"
        >
          <polyline points={way} />
          <polyline points={way} />
        </svg>
      )}
      {ends.map(
        (end, index) =>
          end && (
            <span
              key={index === 0 ? "start" : "end"}
              class={`approval-ring ${index === 0 ? "" : "is-end"}`}
              style={{
                left: `${((end.x + 0.5 - x) / width) * 100}%`,
                top: `${((end.y + 0.5 - y) / height) * 100}%`,
              }}
            />
          ),
      )}
    </>
  );
}
