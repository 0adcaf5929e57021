import { chooseLanguage, LANGUAGES, otherLanguage } from "../language/language.ts";

/** The way to the next language, in its own words: who needs it reads no other. */
export function LanguageButton() {
  const code = otherLanguage.toUpperCase();
  const name = `${code}: ${LANGUAGES[otherLanguage]}`;
  return (
    <button
      type="button"
      class="icon-button"
      lang={otherLanguage}
      aria-label={name}
      title={name}
      onClick={() => chooseLanguage(otherLanguage)}
    >
      {code}
    </button>
  );
}
