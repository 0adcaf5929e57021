import { Icon } from "./icon.tsx";
import type { IconShape } from "./icon-shapes.ts";

export interface IconButtonProps {
  readonly icon: IconShape;
  /** The name, shown as a tooltip. */
  readonly label: string;
  /** A key that does the same, shown in the tooltip. */
  readonly shortcut?: string;
  /** For toggles. */
  readonly isPressed?: boolean;
  readonly isDisabled?: boolean;
  readonly class?: string;
  readonly onClick: () => void;
}

/** A square button of one icon. */
export function IconButton(props: IconButtonProps) {
  const shortcut = props.shortcut === undefined ? "" : ` (${props.shortcut})`;
  return (
    <button
      type="button"
      class={`icon-button ${props.class ?? ""}`}
      aria-label={props.label}
      title={`${props.label}${shortcut}`}
      disabled={props.isDisabled ?? false}
      {...(props.isPressed === undefined ? {} : { "aria-pressed": props.isPressed })}
      onClick={props.onClick}
    >
      <Icon shape={props.icon} />
    </button>
  );
}
