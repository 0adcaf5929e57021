import type { DesktopInfo } from "../../api/api.ts";
import { MODE_WORDS, MODES } from "../shell/labels.ts";

export interface ModeChoiceProps {
  readonly mode: DesktopInfo["mode"];
  readonly isDisabled: boolean;
  /** Autopilot is an administrator's to choose. */
  readonly isAdmin: boolean;
  readonly onChoose: (mode: DesktopInfo["mode"]) => void;
}

/** The modes with what they mean, from the least freedom to the most. */
export function ModeChoice({ mode, isDisabled, isAdmin, onChoose }: ModeChoiceProps) {
  return (
    <fieldset class="modes" disabled={isDisabled}>
      <legend class="visually-hidden">Mode</legend>
      {MODES.map((name) => (
        <label key={name} class="mode">
          <input
            type="radio"
            name="mode"
            value={name}
            checked={name === mode}
            disabled={name === "autopilot" && !isAdmin}
            onChange={() => onChoose(name)}
          />
          <span>
            <strong>{MODE_WORDS[name].name}</strong>
            <span class="muted">{MODE_WORDS[name].meaning}</span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}
