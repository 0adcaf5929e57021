import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { ApprovalInfo } from "../../api/api.ts";

/** Of the picture in a card, CSS pixels. */
const MOST_HEIGHT = 240;

/**
 * The very pixels that the approval is bound to, as they were when the question came, with the pointer's way on them: a
 * ring where a click would land, a line with both its ends for a drag.
 */
export function ApprovalPicture({
  approval,
  onShown,
}: {
  readonly approval: ApprovalInfo;
  readonly onShown: () => void;
}) {
  const { crop, point, path, picture_url: address } = approval;
  const hasFailed = useSignal(false);
  const frame = useRef<HTMLDivElement>(null);
  const width = crop?.width ?? 0;
  const height = crop?.height ?? 0;
  useEffect(() => {
    frame.current?.style.setProperty("aspect-ratio", `${width} / ${height}`);
    // As high as the style sheet lets it be, and then as wide as its form allows.
    frame.current?.style.setProperty("max-width", `${(MOST_HEIGHT * width) / height}px`);
  }, [width, height]);
  if (crop === null || address === null || width <= 0 || height <= 0) return null;
  if (hasFailed.value) {
    if (approval.state !== "pending") return null;
    return (
      <p class="approval-bound">
        The picture that this is bound to could not be loaded: deny, or look first.
      </p>
    );
  }
  const ends = [point, path.length > 1 ? path.at(-1) : null];
  return (
    <div ref={frame} class="approval-picture">
      <img
        src={address}
        width={width}
        height={height}
        alt="The place on the desktop this is about"
        onLoad={onShown}
        onError={() => {
          hasFailed.value = true;
        }}
      />
      {path.length > 1 && (
        <svg class="approval-way" viewBox={`${crop.x} ${crop.y} ${width} ${height}`} aria-hidden="true">
          <polyline points={path.map(({ x, y }) => `${x + 0.5},${y + 0.5}`).join(" ")} />
          <polyline points={path.map(({ x, y }) => `${x + 0.5},${y + 0.5}`).join(" ")} />
        </svg>
      )}
      {ends.map(
        (end, index) =>
          end && (
            <span
              key={index === 0 ? "start" : "end"}
              class={`approval-ring ${index === 0 ? "" : "is-end"}`}
              style={{
                left: `${((end.x + 0.5 - crop.x) / width) * 100}%`,
                top: `${((end.y + 0.5 - crop.y) / height) * 100}%`,
              }}
            />
          ),
      )}
    </div>
  );
}
