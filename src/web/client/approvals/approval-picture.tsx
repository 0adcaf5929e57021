import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { ApprovalInfo } from "../../api/api.ts";
import { t } from "../language/language.ts";
import { PointerMarks } from "./pointer-marks.tsx";

/**
 * The place on the desktop as it was when the question came, with the pointer's way on it. Where more is shown than the
 * approval is bound to, a frame is around what it is bound to.
 */
export function ApprovalPicture({
  approval,
  onShown,
}: {
  readonly approval: ApprovalInfo;
  readonly onShown: () => void;
}) {
  const { crop, bound, point, path, picture_url: address } = approval;
  const hasFailed = useSignal(false);
  const frame = useRef<HTMLDivElement>(null);
  const width = crop?.width ?? 0;
  const height = crop?.height ?? 0;
  useEffect(() => {
    // As high as the style sheet lets it be, and then as wide as its form allows.
    frame.current?.style.setProperty("--form", String(width / height));
  }, [width, height]);
  if (crop === null || address === null || width <= 0 || height <= 0) return null;
  if (hasFailed.value) {
    return (
      <p class="approval-bound">
        {t`The picture that this is bound to could not be loaded: deny, or look first.`}
      </p>
    );
  }
  return (
    <div ref={frame} class="approval-picture">
      <img
        src={address}
        width={width}
        height={height}
        alt={t`The place on the desktop this is about`}
        onLoad={onShown}
        onError={() => {
          hasFailed.value = true;
        }}
      />
      {bound !== null && isPartOf(bound, crop) && (
        <span
          class="approval-frame"
          style={{
            left: `${((bound.x - crop.x) / width) * 100}%`,
            top: `${((bound.y - crop.y) / height) * 100}%`,
            width: `${(bound.width / width) * 100}%`,
            height: `${(bound.height / height) * 100}%`,
          }}
        />
      )}
      <PointerMarks area={crop} point={point} path={path} />
    </div>
  );
}

/** Whether less is bound than is shown. */
export function isPartOf(
  bound: NonNullable<ApprovalInfo["bound"]>,
  crop: NonNullable<ApprovalInfo["crop"]>,
): boolean {
  return bound.width < crop.width || bound.height < crop.height;
}
