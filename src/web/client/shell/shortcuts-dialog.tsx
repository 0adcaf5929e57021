import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { KeysDialog } from "../controls/keys-dialog.tsx";
import { t } from "../language/language.ts";
import { isTyping } from "./keyboard-focus.ts";

const SHORTCUTS = [
  [t`Ctrl+Alt+Shift`, t`In a desktop: leave it, the keyboard is the browser's again`],
  [t`Ctrl+Alt+Shift+S`, t`In a desktop: stop the agents`],
  [t`Ctrl+Alt+Shift+A`, t`Everywhere: go to the approval that waits`],
  ["P", t`Show or hide the panel`],
  ["F", t`Full screen`],
  ["A", t`Approve the focused card`],
  ["D", t`Deny the focused card`],
  ["T", t`Take over from the agent of the focused card`],
  ["/", t`Find a desktop or a recording`],
  ["?", t`This list`],
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
