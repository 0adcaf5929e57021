import { Icon } from "../../controls/icon.tsx";
import type { Viewer } from "../viewer.ts";
import type { ViewerState } from "../viewer-state.ts";

/** X11 keysyms of keys that stay down until the next one. */
const MODIFIERS = [
  ["Ctrl", 0xffe3],
  ["Alt", 0xffe9],
  ["Shift", 0xffe1],
  ["Super", 0xffeb],
] as const;

const F1 = 0xffbe;

const KEYS: readonly (readonly [name: string, keysym: number])[] = [
  ["Esc", 0xff1b],
  ["Tab", 0xff09],
  ["←", 0xff51],
  ["↑", 0xff52],
  ["↓", 0xff54],
  ["→", 0xff53],
  ["Home", 0xff50],
  ["End", 0xff57],
  ["PgUp", 0xff55],
  ["PgDn", 0xff56],
  ["Del", 0xffff],
  ...Array.from({ length: 12 }, (_, index) => [`F${index + 1}`, F1 + index] as const),
];

const ARROW_NAMES = new Map([
  ["←", "Left"],
  ["↑", "Up"],
  ["↓", "Down"],
  ["→", "Right"],
]);

export interface ExtraKeysProps {
  readonly viewer: Viewer;
  readonly state: ViewerState;
}

/** Keys that a phone lacks or a browser keeps for itself, in a row below the desktop. */
export function ExtraKeys({ viewer, state }: ExtraKeysProps) {
  const latched = state.latched.value;
  return (
    // The desktop keeps the keyboard while a key is pressed here.
    <div
      class="extra-keys"
      role="toolbar"
      aria-label="Extra keys"
      onPointerDown={(event) => event.preventDefault()}
    >
      <button type="button" class="button" onClick={() => viewer.toggleKeyboard()}>
        <Icon shape="keyboard" /> On-screen keyboard
      </button>
      {MODIFIERS.map(([name, keysym]) => (
        <button
          key={name}
          type="button"
          class="button"
          aria-pressed={latched.has(keysym)}
          onClick={() => viewer.latch(keysym)}
        >
          {name}
        </button>
      ))}
      {KEYS.map(([name, keysym]) => (
        <button
          key={name}
          type="button"
          class="button"
          aria-label={ARROW_NAMES.get(name) ?? name}
          onClick={() => viewer.press(keysym)}
        >
          {name}
        </button>
      ))}
      <button type="button" class="button" onClick={() => viewer.sendCtrlAltDel()}>
        Ctrl+Alt+Del
      </button>
    </div>
  );
}
