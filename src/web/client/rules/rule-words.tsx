import { t } from "../language/language.ts";
import {
  ACTION_CLASS_LABELS,
  ACTION_CLASSES,
  type Rules,
  WORD_NAMES,
  type Word,
  withWord,
} from "./rules-draft.ts";

export interface RuleWordsProps {
  readonly rules: Rules;
  readonly isDisabled: boolean;
  readonly onChange: (rules: Rules) => void;
}

const WORDS = ["allow", "ask", "deny"] as const satisfies readonly Word[];

/** One verdict for each kind of action. */
export function RuleWords({ rules, isDisabled, onChange }: RuleWordsProps) {
  return (
    <section class="rules-section" aria-labelledby="rules-words">
      <h2 id="rules-words">{t`What agents may do`}</h2>
      <div class="rules-words">
        {ACTION_CLASSES.map((actionClass) => (
          <fieldset key={actionClass} class="rules-word" disabled={isDisabled}>
            <legend class="visually-hidden">{ACTION_CLASS_LABELS[actionClass].name}</legend>
            <span class="rules-subject">
              <strong>{ACTION_CLASS_LABELS[actionClass].name}</strong>
              <span class="muted">{ACTION_CLASS_LABELS[actionClass].meaning}</span>
            </span>
            <span class="segments">
              {WORDS.map((word) => (
                <label key={word} class={`segment is-${word}`}>
                  <input
                    type="radio"
                    name={`word-${actionClass}`}
                    value={word}
                    checked={rules[actionClass] === word}
                    onChange={() => onChange(withWord(rules, actionClass, word))}
                  />
                  <span class="segment-name">{WORD_NAMES[word]}</span>
                </label>
              ))}
            </span>
          </fieldset>
        ))}
      </div>
    </section>
  );
}
