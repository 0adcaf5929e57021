import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { RulesTried } from "../../api/api.ts";
import { NumberField } from "../controls/number-field.tsx";
import { t } from "../language/language.ts";
import { api } from "../shell/api-client.ts";
import { sentence } from "../shell/labels.ts";
import { errorWords } from "../shell/notices.ts";
import {
  ACTION_CLASS_LABELS,
  ACTION_CLASSES,
  type ActionClass,
  areaName,
  type Rules,
} from "./rules-draft.ts";

export interface RuleExampleProps {
  readonly rules: Rules;
  readonly desktopId: string;
}

const MEANING = {
  allow: t`Allowed: it is done at once.`,
  ask: t`Asked: a person decides, and silence is no.`,
  deny: t`Denied: the agent is told so, and nobody is asked.`,
} as const satisfies Record<RulesTried["verdict"], string>;

/** What these rules would say, saved or not: the server's own answer for an example. */
export function RuleExample({ rules, desktopId }: RuleExampleProps) {
  const actionClass = useSignal<ActionClass>("pointer");
  const x = useSignal(100);
  const y = useSignal(100);
  const answer = useSignal<RulesTried | string | null>(null);
  const isPointing = actionClass.value === "pointer";
  useEffect(() => {
    let isCurrent = true;
    const place = isPointing ? { x: x.value, y: y.value } : {};
    api.tryRules(desktopId, { rules, subject: actionClass.value, ...place }).then(
      (tried) => {
        if (isCurrent) answer.value = tried;
      },
      (error: unknown) => {
        if (isCurrent) answer.value = sentence(errorWords(error).message);
      },
    );
    return () => {
      isCurrent = false;
    };
  }, [rules, desktopId, actionClass.value, isPointing, x.value, y.value, answer]);
  const number = (label: string, value: typeof x) => (
    <NumberField
      class="rules-number"
      label={label}
      value={value.value}
      min={0}
      max={65_535}
      onChange={(typed) => {
        value.value = typed;
      }}
    />
  );
  return (
    <section class="rules-section" aria-labelledby="rules-example">
      <h2 id="rules-example">{t`Try an example`}</h2>
      <div class="rules-example">
        <label class="rules-number">
          <span class="muted">{t`An agent uses`}</span>
          <select
            value={actionClass.value}
            onChange={(event) => {
              const { value } = event.currentTarget;
              actionClass.value = ACTION_CLASSES.find((name) => name === value) ?? "pointer";
            }}
          >
            {ACTION_CLASSES.map((name) => (
              <option key={name} value={name}>
                {ACTION_CLASS_LABELS[name].name}
              </option>
            ))}
          </select>
        </label>
        {isPointing && number("x", x)}
        {isPointing && number("y", y)}
        <output class="rules-answer" aria-live="polite">
          {answerWords(answer.value, rules)}
        </output>
      </div>
    </section>
  );
}

function answerWords(answer: RulesTried | string | null, rules: Rules) {
  if (answer === null) return null;
  if (typeof answer === "string") return <span class="field-error">{answer}</span>;
  const area = answer.area === null ? undefined : rules.areas[answer.area];
  return (
    <span class={`rules-verdict is-${answer.verdict}`}>
      {MEANING[answer.verdict]}
      {area !== undefined && answer.area !== null && (
        <span class="muted">{t` By the area “${areaName(area, answer.area)}”.`}</span>
      )}
    </span>
  );
}
