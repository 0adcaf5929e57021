import type { Rect } from "../../../framebuffer/rect.ts";
import type { MaskInfo } from "../../api/api.ts";
import { Icon } from "../controls/icon.tsx";
import { IconButton } from "../controls/icon-button.tsx";
import { FIRST_PLACE } from "../controls/place-fields.tsx";
import { counted, t } from "../language/language.ts";
import { audienceWords, maskStateWords, maskTextWords, maskWords } from "./mask-words.ts";

/** Hides a place to begin with, for who has no mouse, text, or what is drawn then (null). */
export type Hide = (what: Rect | "text" | null) => void;

export interface MaskListProps {
  readonly masks: readonly MaskInfo[];
  readonly mayChange: boolean;
  readonly onHide: Hide;
  readonly onRemove: (mask: MaskInfo) => void;
}

/** What is hidden on the desktop, and from whom. */
export function MaskList({ masks, mayChange, onHide, onRemove }: MaskListProps) {
  return (
    <>
      {mayChange && (
        <div class="panel-tools">
          <button
            type="button"
            class="button"
            onClick={({ detail }) => onHide(detail === 0 ? FIRST_PLACE : null)}
          >
            <Icon shape="eyeOff" />
            <span>{t`Hide a place`}</span>
          </button>
          <button type="button" class="button" onClick={() => onHide("text")}>
            <Icon shape="eyeOff" />
            <span>{t`Hide text`}</span>
          </button>
        </div>
      )}
      {masks.length === 0 ? (
        <div class="empty">
          <Icon shape="eyeOff" />
          <p>{t`Nothing is hidden.`}</p>
          <p class="muted">
            {t`What is hidden is one grey in screenshots, recordings and viewers of those you choose.`}
          </p>
        </div>
      ) : (
        <ul class="rows">
          {masks.map((mask) => (
            <li key={mask.id} class="row">
              <span class="swatch mask-swatch" />
              <span class="row-words">
                <span>{mask.label ?? (mask.text === null ? t`Hidden place` : t`Hidden text`)}</span>
                {mask.text !== null && <span class="muted">{maskTextWords(mask)}</span>}
                <span class="muted">{t`From ${audienceWords(mask.audiences)}, ${placeWords(mask)}`}</span>
                {maskStateWords(mask) !== null && <span class="muted">{maskStateWords(mask)}</span>}
              </span>
              {mayChange && !mask.is_configured && (
                <IconButton
                  icon="trash"
                  label={t`Show again: ${maskWords(mask)}`}
                  onClick={() => onRemove(mask)}
                />
              )}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

function placeWords({ places, text }: MaskInfo): string {
  if (text !== null) return counted(places.length, t`in one place now|in # places now`);
  if (places.length === 0) return t`nowhere on the screen now`;
  return places.map(({ x, y, width, height }) => t`${width} × ${height} at ${x}, ${y}`).join("; ");
}
