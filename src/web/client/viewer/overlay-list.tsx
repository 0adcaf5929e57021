import type { OverlayInfo } from "../../api/api.ts";
import { Icon } from "../controls/icon.tsx";
import { IconButton } from "../controls/icon-button.tsx";
import { ofServer, t } from "../language/language.ts";

export interface OverlayListProps {
  readonly overlays: readonly OverlayInfo[];
  readonly areShown: boolean;
  readonly mayChange: boolean;
  readonly onShow: (areShown: boolean) => void;
  readonly onRemove: (overlay: OverlayInfo) => void;
  readonly onClear: () => void;
}

/** What is drawn over the desktop. */
export function OverlayList(props: OverlayListProps) {
  const { overlays } = props;
  return (
    <>
      <div class="panel-tools">
        <label class="check">
          <input
            type="checkbox"
            checked={props.areShown}
            onChange={(event) => props.onShow(event.currentTarget.checked)}
          />
          <span>{t`Show on the desktop`}</span>
        </label>
        {props.mayChange && (
          <button type="button" class="button" disabled={overlays.length === 0} onClick={props.onClear}>
            {t`Clear all`}
          </button>
        )}
      </div>
      {overlays.length === 0 ? (
        <div class="empty">
          <Icon shape="layers" />
          <p>{t`No overlays.`}</p>
          <p class="muted">
            {t`Agents point things out here with boxes, arrows and labels. You click through them.`}
          </p>
        </div>
      ) : (
        <ul class="rows">
          {overlays.map((overlay) => (
            <li key={overlay.id} class="row">
              <span class="swatch" style={{ backgroundColor: overlay.color }} />
              <span class="row-words">
                <span>{overlay.label || ofServer(overlay.kind)}</span>
                <span class="muted">
                  {t`${ofServer(overlay.kind)}, ${Math.abs(overlay.width)} × ${Math.abs(overlay.height)} at ${overlay.x}, ${overlay.y}`}

                  {overlay.temporary_ms !== null && t`, temporary`}
                </span>
              </span>
              {props.mayChange && (
                <IconButton
                  icon="trash"
                  label={t`Remove ${overlay.label || ofServer(overlay.kind)}`}
                  onClick={() => props.onRemove(overlay)}
                />
              )}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
