import { t } from "../language/language.ts";
import { sentence } from "./labels.ts";
import { copyText, type ErrorWords } from "./notices.ts";

export interface FailureCardProps {
  /** What could not be done: "The recording cannot be shown". */
  readonly title: string;
  readonly words: ErrorWords;
  readonly onRetry: () => void;
}

/** Why there is nothing to see, what to do next, and the details to pass on. */
export function FailureCard({ title, words, onRetry }: FailureCardProps) {
  return (
    <div class="result result-bad" role="alert">
      <p>
        <strong>{title}</strong>
      </p>
      <p>{sentence(words.message)}</p>
      {words.hint && <p class="muted">{sentence(words.hint)}</p>}
      <p class="failure-tools">
        <button type="button" class="button button-primary" onClick={onRetry}>
          {t`Try again`}
        </button>
        <button type="button" class="button" onClick={() => copyText(words.details, t`Details copied`)}>
          {t`Copy details`}
        </button>
      </p>
    </div>
  );
}
