import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { KeysDialog } from "../controls/keys-dialog.tsx";
import { isTyping } from "./keyboard-focus.ts";

const SHORTCUTS = [
  ["Ctrl+Alt+Shift", "In a desktop: leave it, the keyboard is the browser's again"],
  ["Ctrl+Alt+Shift+S", "In a desktop: stop the agents"],
  ["Ctrl+Alt+Shift+A", "Everywhere: go to the approval that waits"],
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
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key === "?" && !isTyping(event)) areShortcutsShown.value = true;
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
  if (!areShortcutsShown.value) return null;
  const close = (): void => {
    areShortcutsShown.value = false;
  };
  return <KeysDialog keys={SHORTCUTS} onClose={close} />;
}
