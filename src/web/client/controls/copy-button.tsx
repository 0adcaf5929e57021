import { useSignal } from "@preact/signals";
import { t } from "../language/language.ts";
import { showError } from "../shell/notices.ts";
import { Icon } from "./icon.tsx";

export interface CopyButtonProps {
  readonly text: string;
  readonly label: string;
}

/** Copies a text and says so on its own face. */
export function CopyButton({ text, label }: CopyButtonProps) {
  const isCopied = useSignal(false);
  const copy = (): void => {
    navigator.clipboard.writeText(text).then(
      () => {
        isCopied.value = true;
        setTimeout(() => {
          isCopied.value = false;
        }, 2000);
      },
      () =>
        showError(t`Could not copy`, new Error(t`the browser refused, select the text and copy it by hand`)),
    );
  };
  return (
    <button type="button" class="button" onClick={copy}>
      <Icon shape={isCopied.value ? "check" : "copy"} />
      <span aria-live="polite">{isCopied.value ? t`Copied` : label}</span>
    </button>
  );
}
