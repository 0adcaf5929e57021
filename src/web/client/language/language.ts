import { recall, remember } from "../shell/remembered.ts";

/** What the app speaks, each by its own name. English is in the code; of others a catalogue is loaded where chosen. */
export const LANGUAGES = { en: "English", de: "Deutsch" } as const;
export type Language = keyof typeof LANGUAGES;

interface Catalogue {
  /** By the English text. */
  readonly messages: Readonly<Record<string, string>>;
  /** By the server's word. */
  readonly serverWords: Readonly<Record<string, string>>;
  /** For `JSON.parse` of what the server says: absent where its own words stay. */
  readonly reviver?: (key: string, value: unknown) => unknown;
}

const NAME = "language";

function isLanguage(word: string | null): word is Language {
  return word !== null && Object.hasOwn(LANGUAGES, word);
}

const wanted = globalThis.navigator?.languages ?? [];
const kept = recall(NAME);

/** What the person chose here, else the first of the browser's languages that the app speaks. */
export const language: Language = isLanguage(kept)
  ? kept
  : (wanted.map((tag) => tag.replace(/-.*/, "")).find(isLanguage) ?? "en");

/** For dates, numbers and lists: of the chosen language, with the region that the browser gives it. */
export const locale = wanted.find((tag) => tag.startsWith(language)) ?? language;

// Modules that make their texts when they are loaded wait here.
const { messages, serverWords, reviver }: Catalogue =
  language === "de" ? (await import("./german.ts")).german : { messages: {}, serverWords: {} };

/** What the server sends: its sentences are in the chosen language from here on. */
export function heard<Answer>(json: string): Answer {
  return JSON.parse(json, reviver);
}

/** A text with elements in it. The English one is the key of the others, its values `{0}`, `{1}` and so on. */
export function rich<Part>(
  parts: TemplateStringsArray,
  ...values: readonly Part[]
): readonly (Part | string | undefined)[] {
  const key = parts.reduce((head, part, i) => `${head}{${i - 1}}${part}`);
  return (messages[key] ?? key).split(/\{(\d)\}/).map((part, i) => (i % 2 ? values[Number(part)] : part));
}

/** A text in the chosen language. */
export function t(parts: TemplateStringsArray, ...values: readonly (string | number)[]): string {
  return rich(parts, ...values).join("");
}

/** What the server calls something, or its error by its code, in the chosen language; `text` where it has none. */
export function ofServer(word: string, text = word): string {
  return serverWords[word] ?? text;
}

const plurals = new Intl.PluralRules(locale);
const numbers = new Intl.NumberFormat(locale);

/** "1 approval", "3 approvals" of "# approval|# approvals": the form for one, and the form for others. */
export function counted(count: number, text: string): string {
  const [one = text, other = one] = text.split("|");
  return (plurals.select(count) === "one" ? one : other).replace("#", numbers.format(count));
}

/** "1.2": a number with so many digits after its point. */
export function decimal(value: number, digits: number): string {
  return value.toLocaleString(locale, { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

/** The one that is not spoken. */
export const otherLanguage: Language = language === "de" ? "en" : "de";

/** Another language, from the page's next load on, which is now. */
export function chooseLanguage(next: Language): void {
  remember(NAME, next);
  location.reload();
}
