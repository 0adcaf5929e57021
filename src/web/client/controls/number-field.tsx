import { useSignal } from "@preact/signals";

export interface NumberFieldProps {
  readonly label: string;
  readonly class?: string;
  readonly value: number;
  readonly min: number;
  readonly max: number;
  /** Only whole numbers within the bounds are told. */
  readonly onChange: (value: number) => void;
}

/**
 * A whole number to type. While it has the focus it shows what was typed, whatever else the page draws anew; afterwards
 * the number that counts.
 */
export function NumberField(props: NumberFieldProps) {
  const typed = useSignal<string | null>(null);
  return (
    <label {...(props.class === undefined ? {} : { class: props.class })}>
      <span class="muted">{props.label}</span>
      <input
        type="number"
        required
        min={props.min}
        max={props.max}
        step={1}
        value={typed.value ?? props.value}
        onInput={(event) => {
          const { valueAsNumber, validity } = event.currentTarget;
          typed.value = event.currentTarget.value;
          if (validity.valid) props.onChange(valueAsNumber);
        }}
        onBlur={() => {
          typed.value = null;
        }}
      />
    </label>
  );
}
