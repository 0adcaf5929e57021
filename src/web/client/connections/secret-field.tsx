import { useSignal } from "@preact/signals";
import { useId } from "preact/hooks";
import { t } from "../language/language.ts";
import { forgetName, type InitialForm, UNCHANGED } from "./connection-form.ts";

/** What a field of a secret is beside its own attributes: what stands in its place, and whether it may be written in. */
export interface SecretState {
  readonly placeholder: string;
  /** Its label names it. */
  readonly id: string;
  /** A field that is forgotten sends nothing. */
  readonly disabled: boolean;
}

/** A field of a secret; one that is stored can be kept, written again or, unless it is needed, forgotten. */
export function SecretField({
  name,
  label,
  kept,
  placeholder = "",
  isNeeded = false,
  control,
}: {
  readonly name: InitialForm["kept"][number];
  readonly label: string;
  readonly kept: InitialForm["kept"];
  /** Where none is stored. */
  readonly placeholder?: string;
  /** True: there is no connection without it. */
  readonly isNeeded?: boolean;
  readonly control: (state: SecretState) => preact.JSX.Element;
}) {
  const isForgotten = useSignal(false);
  const id = useId();
  const isKept = kept.includes(name);
  const stored = isForgotten.value ? t`None` : UNCHANGED;
  return (
    <div class="secret">
      <label class="field" htmlFor={id}>
        <span>{label}</span>
        {control({ id, placeholder: isKept ? stored : placeholder, disabled: isForgotten.value })}
      </label>
      {isKept && !isNeeded && (
        <label class="check">
          <input
            type="checkbox"
            name={forgetName(name)}
            checked={isForgotten.value}
            onChange={(event) => {
              isForgotten.value = event.currentTarget.checked;
            }}
          />
          <span>{t`Forget the stored one`}</span>
        </label>
      )}
    </div>
  );
}
