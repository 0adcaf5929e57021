import type { PrivateKind } from "../../desktop/masks/private-kinds.ts";
import { boundRects, type Rect } from "../../framebuffer/rect.ts";
import type { OcrLine } from "../ocr-messages.ts";
import { hostAddresses, mailboxes } from "./addresses.ts";
import { apiKeys } from "./api-keys.ts";
import { cards, ibans, phones, socialSecurityNumbers } from "./numbers.ts";
import type { Span } from "./span.ts";

/** The surer a kind is, the earlier: what is one of them is none of those after it. */
const FINDERS: readonly (readonly [PrivateKind, (text: string) => Span[]])[] = [
  ["email", mailboxes],
  ["iban", ibans],
  ["credit_card", cards],
  ["api_key", apiKeys],
  ["ssn", socialSecurityNumbers],
  ["ip_address", hostAddresses],
  ["phone", phones],
];

/** Of a longer line only so much is looked at: no display is so wide that text on it is longer. */
const MOST_LETTERS = 4000;

export interface PrivateText extends Span {
  readonly kind: PrivateKind;
}

/** What in a line of text is private, of some kinds, from left to right; two never overlap. */
export function privateIn(text: string, kinds: readonly PrivateKind[]): PrivateText[] {
  const plain = text.slice(0, MOST_LETTERS).replace(/[‐‑–—−]/g, "-");
  const found: PrivateText[] = [];
  for (const [kind, find] of FINDERS) {
    if (!kinds.includes(kind)) continue;
    for (const span of find(plain)) {
      if (!found.some(({ from, to }) => from < span.to && span.from < to)) found.push({ kind, ...span });
    }
  }
  return found.sort((a, b) => a.from - b.from);
}

/**
 * The box of a part of a line: all of the words that it has a letter of, as high as they are. Letters are not all of one
 * width, so that the place of a part of a word is not known.
 */
export function boxOf({ words }: Pick<OcrLine, "words">, { from, to }: Span): Rect | null {
  let start = 0;
  const boxes: Rect[] = [];
  for (const { text, rect } of words) {
    if (start < to && start + text.length > from) boxes.push(rect);
    start += text.length + 1;
  }
  return boxes.length === 0 ? null : boxes.reduce(boundRects);
}
