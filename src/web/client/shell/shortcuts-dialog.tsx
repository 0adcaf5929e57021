import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { IconButton } from "../controls/icon-button.tsx";
import { isTyping } from "./keyboard-focus.ts";

const SHORTCUTS = [
  ["Ctrl+Alt+Shift", "In a desktop: leave it, the keyboard is the browser's again"],
  ["Ctrl+Alt+Shift+S", "In a desktop: stop the agents"],
  ["P", "Show or hide the panel"],
  ["F", "Full screen"],
  ["A", "Approve the focused card"],
  ["D", "Deny the focused card"],
  ["T", "Take over from the agent of the focused card"],
  ["/", "Find a desktop or a recording"],
  ["?", "This list"],
] as const;

/** Whether the list of keys is shown. */
export const areShortcutsShown = signal(false);

/** The list of keys, opened with "?". */
export function ShortcutsDialog() {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key === "?" && !isTyping(event)) areShortcutsShown.value = true;
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
  const isShown = areShortcutsShown.value;
  useEffect(() => {
    if (isShown) dialog.current?.showModal();
  }, [isShown]);
  if (!isShown) return null;
  const close = (): void => dialog.current?.close();
  return (
    <dialog
      ref={dialog}
      class="dialog"
      aria-labelledby="shortcuts-title"
      onClose={() => {
        areShortcutsShown.value = false;
      }}
    >
      <header class="dialog-head">
        <h2 id="shortcuts-title">Keyboard</h2>
        <IconButton icon="cross" label="Close" onClick={close} />
      </header>
      <dl class="shortcuts">
        {SHORTCUTS.map(([keys, meaning]) => (
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
