import { useEffect, useRef } from "preact/hooks";
import { IconButton } from "../controls/icon-button.tsx";
import { PLAYER_SHORTCUTS } from "./player-keys.ts";

/** The player's keys, opened with "?". */
export function PlayerHelp({ onClose }: { readonly onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} class="dialog" aria-labelledby="player-help-title" onClose={onClose}>
      <header class="dialog-head">
        <h2 id="player-help-title">Keyboard</h2>
        <IconButton icon="cross" label="Close" onClick={() => dialog.current?.close()} />
      </header>
      <dl class="shortcuts">
        {PLAYER_SHORTCUTS.map(([keys, meaning]) => (
          <div key={keys}>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
    </dialog>
  );
}
