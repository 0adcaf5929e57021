import type { PrivateKind } from "../../desktop/masks/private-kinds.ts";
import type { OcrLine, OcrWord } from "../ocr-messages.ts";
import { KNOWN_ENDS } from "./addresses.ts";
import type { PrivateText } from "./find-private.ts";
import type { Span } from "./span.ts";

/**
 * Words that an engine is less sure of may be damaged: by a pointer that lies on them, or a window's edge. Measured with 84
 * private texts in three fonts, a pointer on each: 42 were misread so that no kind knew them, and of 41 of these one word was
 * at most 86, where others are 88 to 96.
 */
const SURE = 88;
/** Fewer digits are a number of no kind; of so many most are cards and accounts. */
const LEAST_DIGITS = 7;
const CARD_DIGITS = 12;
const NUMBERS: readonly PrivateKind[] = ["credit_card", "iban", "ssn", "ip_address", "phone"];

/** The sign and something on both sides, an end that is known, or at the end of a line one that may have been. */
const MAILBOX = new RegExp(
  `[\\p{L}\\p{N}]@[\\p{L}\\p{N}]{2}|[\\p{L}\\p{N}]{5}[.,](?:${KNOWN_ENDS})\\P{L}?$`,
  "u",
);
const CUT_MAILBOX = /[\p{L}\p{N}]{8}[.,]$/u;
/** The part of a mailbox before a blank that readers put behind its dot. */
const FIRST_PART = /[\p{L}\p{N}][._+-]$/u;

export const isSure = ({ confidence }: Pick<OcrWord, "confidence">): boolean => confidence >= SURE;

/** Whether a pointer may lie on a word of a line: then nobody knows what the line says. */
export function isUnsure({ words }: Pick<OcrLine, "words">): boolean {
  return !words.every(isSure);
}

/**
 * What may be private of what was read with doubt while a target draws its pointer, which may lie on any line: the very
 * letters that decide may be wrong, so that neither shapes nor checksums are asked for, and the kind is the likeliest one. A
 * number is taken with the numbers beside it.
 */
export function unsureIn({ words }: Pick<OcrLine, "words">, kinds: readonly PrivateKind[]): PrivateText[] {
  const spans = spansOfWords(words);
  const hasNumbers = NUMBERS.some((kind) => kinds.includes(kind));
  const mailboxes: PrivateText[] = [];
  const runs: NumberRun[] = [];
  for (const [index, { text, confidence }] of words.entries()) {
    const { from, to } = spans[index]!;
    const isDoubted = confidence < SURE;
    const digits = text.replace(/\D/g, "").length;
    if (hasNumbers && (isDoubted || 2 * digits >= text.length)) {
      const last = runs.at(-1);
      const isNext = last !== undefined && last.to === from - 1;
      const run = isNext ? last : { from, to, digits: 0, isUnsure: false };
      if (!isNext) runs.push(run);
      run.to = to;
      run.digits += digits;
      run.isUnsure ||= isDoubted;
    }
    const isCut = index === words.length - 1 && CUT_MAILBOX.test(text);
    if (!isDoubted || !kinds.includes("email") || !(isCut || MAILBOX.test(text))) continue;
    const isParted = FIRST_PART.test(words[index - 1]?.text ?? "");
    mailboxes.push({ kind: "email", from: isParted ? spans[index - 1]!.from : from, to });
  }
  const numbers = runs.filter(({ digits, isUnsure }) => isUnsure && digits >= LEAST_DIGITS);
  return [
    ...mailboxes,
    ...numbers.map(({ from, to, digits }): PrivateText => {
      return { kind: digits < CARD_DIGITS ? "phone" : "credit_card", from, to };
    }),
  ];
}

/** Words next to each other, of digits or doubted. */
interface NumberRun {
  readonly from: number;
  to: number;
  digits: number;
  isUnsure: boolean;
}

/** Where each word stands in the text of a line. */
function spansOfWords(words: OcrLine["words"]): Span[] {
  let from = 0;
  return words.map(({ text }) => {
    const span = { from, to: from + text.length };
    from = span.to + 1;
    return span;
  });
}
