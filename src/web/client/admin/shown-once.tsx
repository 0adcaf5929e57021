import { useId } from "preact/hooks";
import { CopyButton } from "../controls/copy-button.tsx";
import { t } from "../language/language.ts";

/** A token or a link that is never shown again, to be copied. */
export function ShownOnce({ label, text }: { readonly label: string; readonly text: string }) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <div class="field-row">
        <input
          id={id}
          readOnly
          autocomplete="off"
          value={text}
          spellcheck={false}
          onFocus={(event) => event.currentTarget.select()}
        />
        <CopyButton text={text} label={t`Copy`} />
      </div>
    </div>
  );
}
