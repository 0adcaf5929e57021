import type { Size } from "../../../framebuffer/rect.ts";
import { Icon } from "../controls/icon.tsx";
import { IconButton } from "../controls/icon-button.tsx";
import { FIRST_PLACE, PlaceFields } from "../controls/place-fields.tsx";
import { t } from "../language/language.ts";
import { RuleMap } from "./rule-map.tsx";
import {
  type Area,
  areaName,
  MAX_AREAS,
  type Rules,
  withArea,
  withChange,
  withMove,
  withoutArea,
} from "./rules-draft.ts";

export interface RuleAreasProps {
  readonly rules: Rules;
  readonly desktopId: string;
  /** Of the desktop, 0x0 before its first picture. */
  readonly size: Size;
  readonly isDisabled: boolean;
  /** The area that is looked at. */
  readonly chosen: number | null;
  readonly onChoose: (index: number | null) => void;
  readonly onChange: (rules: Rules) => void;
}

/** The places where the mouse is ruled more strictly than elsewhere, as a list and on the desktop's picture. */
export function RuleAreas(props: RuleAreasProps) {
  const { rules, isDisabled, onChange, onChoose } = props;
  const isFull = rules.areas.length >= MAX_AREAS;
  const add = (area: Area): void => {
    onChange(withArea(rules, area));
    onChoose(rules.areas.length);
  };
  return (
    <section class="rules-section" aria-labelledby="rules-areas">
      <h2 id="rules-areas">{t`Places where the mouse is ruled more strictly`}</h2>
      <p class="muted">
        {t`Drag a rectangle on the picture, or add one by numbers. Where areas overlap the strictest counts.`}
      </p>
      <div class="rules-places">
        <RuleMap {...props} onAdd={add} isFull={isFull} />
        <div class="rules-list">
          {rules.areas.length === 0 && (
            <p class="muted">{t`No areas: the mouse is ruled alike everywhere.`}</p>
          )}
          <ol>
            {rules.areas.map((area, index) => (
              <li key={index} class={`rules-area ${props.chosen === index ? "is-chosen" : ""}`}>
                <AreaFields {...props} area={area} index={index} />
              </li>
            ))}
          </ol>
          <button
            type="button"
            class="button"
            disabled={isDisabled || isFull}
            onClick={() => add({ ...FIRST_PLACE, verdict: "deny" })}
          >
            <Icon shape="plus" />
            <span>{isFull ? t`${MAX_AREAS} areas are the most` : t`Add an area`}</span>
          </button>
        </div>
      </div>
    </section>
  );
}

function AreaFields({
  rules,
  area,
  index,
  isDisabled,
  onChange,
  onChoose,
}: RuleAreasProps & { readonly area: Area; readonly index: number }) {
  const name = areaName(area, index);
  const change = (values: Partial<Area>): void => onChange(withChange(rules, index, values));
  const move = (step: -1 | 1): void => {
    onChange(withMove(rules, index, step));
    onChoose(index + step);
  };
  return (
    <fieldset disabled={isDisabled} onFocusIn={() => onChoose(index)}>
      <legend class="visually-hidden">{name}</legend>
      <div class="rules-area-head">
        <input
          type="text"
          aria-label={t`Name of area ${index + 1}`}
          placeholder={t`Area ${index + 1}`}
          maxLength={60}
          value={area.name ?? ""}
          onInput={(event) => change({ name: event.currentTarget.value })}
        />
        <select
          aria-label={t`Verdict in ${name}`}
          value={area.verdict}
          onChange={(event) => change({ verdict: event.currentTarget.value === "ask" ? "ask" : "deny" })}
        >
          <option value="ask">{t`Ask`}</option>
          <option value="deny">{t`Deny`}</option>
        </select>
        <IconButton
          icon="arrowUp"
          label={t`Move ${name} up`}
          isDisabled={index === 0}
          onClick={() => move(-1)}
        />
        <IconButton
          icon="arrowDown"
          label={t`Move ${name} down`}
          isDisabled={index === rules.areas.length - 1}
          onClick={() => move(1)}
        />
        <IconButton
          icon="trash"
          label={t`Delete ${name}`}
          onClick={() => {
            onChange(withoutArea(rules, index));
            onChoose(null);
          }}
        />
      </div>
      <PlaceFields place={area} onChange={change} />
    </fieldset>
  );
}
