import type { Signal } from "@preact/signals";
import { t } from "../language/language.ts";
import { appState } from "../shell/session.ts";

export interface DesktopChecksProps {
  readonly legend: string;
  /** Ids. */
  readonly chosen: Signal<readonly string[]>;
}

/** Which desktops something is for; chosen ones that are not there any more can be taken out. */
export function DesktopChecks({ legend, chosen }: DesktopChecksProps) {
  const { desktops } = appState.value;
  const gone = chosen.value.filter((id) => !desktops.some((desktop) => desktop.id === id));
  const all = [...desktops, ...gone.map((id) => ({ id, name: t`${id} (not there now)` }))];
  return (
    <fieldset class="checks">
      <legend>{legend}</legend>
      {all.map(({ id, name }) => (
        <label key={id} class="check">
          <input
            type="checkbox"
            checked={chosen.value.includes(id)}
            onChange={(event) => {
              const others = chosen.value.filter((one) => one !== id);
              chosen.value = event.currentTarget.checked ? [...others, id] : others;
            }}
          />
          <span>{name}</span>
        </label>
      ))}
      {all.length === 0 && <p class="muted">{t`There is no desktop yet.`}</p>}
    </fieldset>
  );
}
