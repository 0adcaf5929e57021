import { useEffect, useRef } from "preact/hooks";
import { t } from "../language/language.ts";
import { IconButton } from "./icon-button.tsx";

export interface KeysDialogProps {
  readonly keys: readonly (readonly [keys: string, meaning: string])[];
  readonly onClose: () => void;
}

/** A list of keys and what each does, open as long as it is there. */
export function KeysDialog({ keys, onClose }: KeysDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} class="dialog" aria-labelledby="keys-title" onClose={onClose}>
      <header class="dialog-head">
        <h2 id="keys-title">{t`Keyboard`}</h2>
        <IconButton icon="cross" label={t`Close`} onClick={() => dialog.current?.close()} />
      </header>
      <dl class="shortcuts">
        {keys.map(([key, meaning]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
    </dialog>
  );
}
