import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { Rect } from "../../../framebuffer/rect.ts";
import type { MaskInfo } from "../../api/api.ts";
import { IconButton } from "../controls/icon-button.tsx";

type Audience = MaskInfo["audiences"][number];

export interface MaskDialogProps {
  /** What was drawn, desktop pixels. */
  readonly rect: Rect;
  readonly onHide: (audiences: Audience[], label: string) => void;
  readonly onClose: () => void;
}

const AUDIENCES = [
  ["agent", "Agents", "screenshots, text, events: all that they are given"],
  ["recording", "Recordings", "and all that is exported of them"],
  ["viewer", "People", "browsers and VNC viewers, yours too"],
] as const;

/** From whom what was drawn is to be hidden. */
export function MaskDialog({ rect, onHide, onClose }: MaskDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const label = useSignal("");
  const chosen = useSignal<readonly Audience[]>(["agent", "recording"]);
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  const choose = (audience: Audience, isChosen: boolean): void => {
    const others = chosen.value.filter((one) => one !== audience);
    chosen.value = isChosen ? [...others, audience] : others;
  };
  return (
    <dialog ref={dialog} class="dialog" aria-labelledby="mask-title" onClose={onClose}>
      <form
        method="dialog"
        onSubmit={(event) => {
          event.preventDefault();
          onHide([...chosen.value], label.value.trim());
          dialog.current?.close();
        }}
      >
        <header class="dialog-head">
          <h2 id="mask-title">Hide this place</h2>
          <IconButton icon="cross" label="Close" onClick={() => dialog.current?.close()} />
        </header>
        <p class="muted">
          {rect.width} × {rect.height} pixels at {rect.x}, {rect.y}. It is one grey for them from now on,
          until somebody shows it again.
        </p>
        <fieldset class="mask-audiences">
          <legend>From whom</legend>
          {AUDIENCES.map(([audience, name, what]) => (
            <label key={audience} class="check">
              <input
                type="checkbox"
                checked={chosen.value.includes(audience)}
                onChange={(event) => choose(audience, event.currentTarget.checked)}
              />
              <span>
                {name} <span class="muted">{what}</span>
              </span>
            </label>
          ))}
        </fieldset>
        <label class="field">
          <span>What it is, for people (may stay empty)</span>
          <input
            type="text"
            maxLength={80}
            value={label.value}
            onInput={(event) => {
              label.value = event.currentTarget.value;
            }}
          />
        </label>
        <footer class="dialog-foot">
          <button type="button" class="button" onClick={() => dialog.current?.close()}>
            Cancel
          </button>
          <button type="submit" class="button button-primary" disabled={chosen.value.length === 0}>
            Hide it
          </button>
        </footer>
      </form>
    </dialog>
  );
}
