import { Icon } from "../../controls/icon.tsx";
import { t } from "../../language/language.ts";
import type { Viewer } from "../viewer.ts";
import type { ViewerState } from "../viewer-state.ts";

/** X11 keysyms of keys that stay down until the next one. */
const MODIFIERS = [
  [t`Ctrl`, 0xffe3],
  [t`Alt`, 0xffe9],
  [t`Shift`, 0xffe1],
  ["Super", 0xffeb],
] as const;

const F1 = 0xffbe;

const KEYS: readonly (readonly [name: string, keysym: number])[] = [
  [t`Esc`, 0xff1b],
  [t`Tab`, 0xff09],
  ["←", 0xff51],
  ["↑", 0xff52],
  ["↓", 0xff54],
  ["→", 0xff53],
  [t`Home`, 0xff50],
  [t`End`, 0xff57],
  [t`PgUp`, 0xff55],
  [t`PgDn`, 0xff56],
  [t`Del`, 0xffff],
  ...Array.from({ length: 12 }, (_, index) => [`F${index + 1}`, F1 + index] as const),
];

const ARROW_NAMES = new Map([
  ["←", t`Left`],
  ["↑", t`Up`],
  ["↓", t`Down`],
  ["→", t`Right`],
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
      aria-label={t`Extra keys`}
      onPointerDown={(event) => event.preventDefault()}
    >
      <button type="button" class="button" onClick={() => viewer.toggleKeyboard()}>
        <Icon shape="keyboard" />
        {t` On-screen keyboard`}
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
        {t`Ctrl+Alt+Del`}
      </button>
    </div>
  );
}
