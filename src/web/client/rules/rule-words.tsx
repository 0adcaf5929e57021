import { type Rules, SUBJECT_NAMES, SUBJECT_WORDS, WORD_NAMES, type Word, withWord } from "./rules-draft.ts";

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
      <h2 id="rules-words">What agents may do</h2>
      <div class="rules-words">
        {SUBJECT_NAMES.map((subject) => (
          <fieldset key={subject} class="rules-word" disabled={isDisabled}>
            <legend class="visually-hidden">{SUBJECT_WORDS[subject].name}</legend>
            <span class="rules-subject">
              <strong>{SUBJECT_WORDS[subject].name}</strong>
              <span class="muted">{SUBJECT_WORDS[subject].meaning}</span>
            </span>
            <span class="segments">
              {WORDS.map((word) => (
                <label key={word} class={`segment is-${word}`}>
                  <input
                    type="radio"
                    name={`word-${subject}`}
                    value={word}
                    checked={rules[subject] === word}
                    onChange={() => onChange(withWord(rules, subject, word))}
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
