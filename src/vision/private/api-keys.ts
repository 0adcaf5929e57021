import { matchesOf, type Span, spansOf } from "./span.ts";

/** For what readers take letters, within a character class. */
const ACCENTED = "\\u00a1-\\u024f€";

const PARTED = "[A-Za-z0-9_-]*\\d[A-Za-z0-9_-]*[A-Za-z]";
const LONG = "(?=[A-Za-z0-9_-]*\\d)(?=[A-Za-z0-9_-]*[a-z])(?=[A-Za-z0-9_-]*[A-Z])[A-Za-z0-9_-]{12}";

/**
 * What follows a key's first letters: letters and digits, at least so many. Readers part long words, and take a letter for a
 * bracket or one with an accent: a blank counts as none where a word with a digit and a letter behind it follows, or a long
 * one with a digit, small letters and capitals (seen, in keys of 36: "ghp_ YF9EKD6Uh941tAVmj Y3dTPwoVN3Pp46qJt2Q",
 * "HIKfC1EDIgk2UsX)JnAwkHCZ18f60]JMGoyl1s", "yciamcé6tNy", "WPREoDmz3F7j uoqccVBqnUDmWzVJMpFtTVM6").
 */
const body = (least: number): string =>
  `(?:[A-Za-z0-9_-]|[()[\\]{}|!${ACCENTED}](?=[A-Za-z0-9])| (?=${PARTED}|${LONG})){${least},}`;
const key = (start: string, least: number): RegExp =>
  new RegExp(`(?<![\\p{L}\\p{N}])${start}${body(least)}`, "gu");

/**
 * Keys that say whose they are, as their givers publish it (2026-11). Fewer letters than published count: those in the
 * middle may be lost. An underscore may be read as a blank or a dash.
 */
const KNOWN: readonly RegExp[] = [
  // Amazon: ids of access keys.
  /(?<![\p{L}\p{N}])(?:AKIA|ASIA)[A-Z0-9]{14,18}(?![\p{L}\p{N}])/gu,
  // GitHub, GitLab.
  key("gh[pousr][_ -]", 20),
  key("github[_ -]pat[_ -]", 30),
  key("gl(?:pat|ptt|dt|rt)-", 16),
  // Anthropic, OpenAI; Stripe.
  key("sk-", 20),
  key("[rsp]k[_ -](?:live|test)[_ -]", 16),
  // Slack, Google, npm, PyPI, SendGrid, DigitalOcean, Hugging Face.
  key("xox[abeoprs]-", 10),
  key("AIza", 25),
  key("ya29\\.", 20),
  key("npm[_ -]", 24),
  key("pypi-", 30),
  /(?<![\p{L}\p{N}])SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}/gu,
  key("do[por][_ -]v1[_ -]", 32),
  key("hf[_ -]", 24),
  // JSON Web Tokens: two objects in base64url begin so.
  /(?<![\p{L}\p{N}])eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?/gu,
  // PEM: the first line says what follows; the lines below are found as random text.
  /-{3,5} ?BEGIN [A-Z ]{0,30}PRIVATE KEY ?-{0,5}/g,
];

/** A value that is named so is a secret whatever it looks like, if it may be one at all. */
const NAMED =
  /(?:api[ _-]?key|access[ _-]?key|secret(?:[ _-]key)?|[a-z]{0,20}[_-]?token|passwor[dt]|passwd|pwd|passphrase|kennwort)["']?(?: ?[:=] ?)["']?([^\s"'<>(){}[\];,]{6,200})|\bbearer +([A-Za-z0-9._~+/=-]{12,})/gi;

/** Long words without a sense in them. */
const RANDOM = new RegExp(`(?:[A-Za-z0-9+/_-]|[${ACCENTED}](?=[A-Za-z0-9])){20,}={0,2}`, "g");
/** Bits a letter: random base64 of 20 letters has about 4, words and names have 3 to 3.6. */
const LEAST_ENTROPY = 3.6;
/** Of the letters: where more of them are in words it is a name or a path. */
const MOST_IN_WORDS = 0.5;

/** Keys, tokens and passwords: by known shapes, by a name before them, and by being random. */
export function apiKeys(text: string): Span[] {
  return [...KNOWN.flatMap((shape) => spansOf(text, shape)), ...named(text), ...random(text)];
}

function named(text: string): Span[] {
  const spans: Span[] = [];
  for (const found of matchesOf(text, NAMED)) {
    const value = found[1] ?? found[2] ?? "";
    if (!isSecretLike(value)) continue;
    const to = found.index + found[0].length;
    spans.push({ from: to - value.length, to });
  }
  return spans;
}

/** Code names variables, and forms show dots: neither is one. */
function isSecretLike(value: string): boolean {
  return /\d/.test(value) && /\p{L}/u.test(value) && new Set(value).size >= 5 && !/^\$|\.\w+\(/.test(value);
}

function random(text: string): Span[] {
  return spansOf(text, RANDOM, ([token]) => {
    const hasAll = /[a-z]/.test(token) && /[A-Z]/.test(token) && (token.match(/\d/g) ?? []).length >= 2;
    if (!hasAll || entropyOf(token) < LEAST_ENTROPY) return false;
    const inWords = (token.match(/[A-Z]?[a-z]{3,}/g) ?? []).join("").length;
    return inWords <= MOST_IN_WORDS * token.length;
  });
}

/** Shannon's, bits a letter. */
function entropyOf(text: string): number {
  const counts = new Map<string, number>();
  for (const letter of text) counts.set(letter, (counts.get(letter) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}
