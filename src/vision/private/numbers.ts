import { digitOf, matchesOf, type Span, spansOf, withDigits } from "./span.ts";

/** How the digits of a card are grouped (ISO/IEC 7812 numbers of 13 to 19 digits, as they are printed and typed). */
const CARD_GROUPS: readonly (readonly number[])[] = [
  [4, 4, 4, 4],
  [4, 4, 4, 4, 3],
  [4, 4, 4, 4, 2],
  [4, 4, 4, 4, 1],
  [4, 6, 5],
  [4, 6, 4],
  [4, 3, 3, 3],
];
const MOST_GROUPS = 5;
/** Where more is letters than this it is a word that looks like digits. */
const LEAST_DIGITS = 0.5;

/** Account identifiers that networks give out begin so; other numbers with the right checksum are no cards. */
const CARD_START = /^(?:3[04-9]|4|5|6[0-9]|2[2-7])/;

interface Group extends Span {
  readonly digits: string;
  /** False where another separator than one blank or dash lies before it. */
  readonly isNext: boolean;
}

/** Card numbers that fulfil Luhn's formula, in one piece or in the groups that cards have. */
export function cards(text: string): Span[] {
  const groups = digitGroups(text);
  const found: Span[] = [];
  for (let first = 0; first < groups.length; first++) {
    const length = cardAt(groups, first);
    if (length === 0) continue;
    found.push({ from: groups[first]!.from, to: groups[first + length - 1]!.to });
    first += length - 1;
  }
  return found;
}

/** How many groups from one on are a card; 0: none. */
function cardAt(groups: readonly Group[], first: number): number {
  for (let length = MOST_GROUPS; length > 0; length--) {
    const taken = groups.slice(first, first + length);
    if (taken.length < length || taken.slice(1).some(({ isNext }) => !isNext)) continue;
    const number = taken.map(({ digits }) => digits).join("");
    const isShape =
      length === 1
        ? number.length >= 13 && number.length <= 19
        : CARD_GROUPS.some(
            (sizes) => sizes.length === length && sizes.every((size, i) => size === taken[i]?.digits.length),
          );
    if (isShape && CARD_START.test(number) && hasLuhn(number)) return length;
  }
  return 0;
}

const RUN = /[\p{L}\p{N}|!]+/gu;

function digitGroups(text: string): Group[] {
  const groups: Group[] = [];
  for (const found of matchesOf(text, RUN)) {
    const digits = [...found[0]].map(digitOf).join("");
    const sure = found[0].replace(/\D/g, "").length;
    if (digits.length !== found[0].length || sure < LEAST_DIGITS * digits.length) continue;
    const from = found.index;
    const gap = text.slice(groups.at(-1)?.to ?? 0, from);
    groups.push({ from, to: from + digits.length, digits, isNext: groups.length > 0 && /^[ -]$/.test(gap) });
  }
  return groups;
}

/** Luhn's formula, ISO/IEC 7812-1 annex B. */
export function hasLuhn(digits: string): boolean {
  let sum = 0;
  for (let i = 0; i < digits.length; i++) {
    const digit = Number(digits[digits.length - 1 - i]);
    const doubled = i % 2 === 1 ? digit * 2 : digit;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0 && /[1-9]/.test(digits);
}

/** Lengths of IBANs, SWIFT's IBAN registry (release 99). */
const IBAN_LENGTHS: ReadonlyMap<string, number> = new Map(
  (
    "AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DK18 DO28 EE20 EG29 ES24 FI18 FO18 " +
    "FR27 GB22 GE22 GI23 GL18 GR27 GT28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 LI21 LT20 LU20 LV21 " +
    "LY25 MC27 MD24 ME22 MK19 MR27 MT31 MU30 NL18 NO15 PK24 PL28 PS29 PT25 QA29 RO24 RS22 SA24 SC31 SD18 SE24 SI19 SK24 " +
    "SM27 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20"
  )
    .split(" ")
    .map((entry) => [entry.slice(0, 2), Number(entry.slice(2))]),
);

const IBAN_START = /(?<![\p{L}\p{N}])\p{L}{2}/gu;

/** IBANs whose two check digits are right (ISO 13616-1), with or without blanks. */
export function ibans(text: string): Span[] {
  const found: Span[] = [];
  let end = 0;
  for (const start of matchesOf(text, IBAN_START)) {
    if (start.index < end) continue;
    const span = ibanAt(text, start.index);
    if (span === null) continue;
    found.push(span);
    end = span.to;
  }
  return found;
}

function ibanAt(text: string, from: number): Span | null {
  const length = IBAN_LENGTHS.get(text.slice(from, from + 2).toUpperCase());
  if (length === undefined) return null;
  let letters = "";
  let at = from;
  for (; letters.length < length; at++) {
    const letter = text[at] ?? "";
    // One blank parts groups; what is parted more is something else.
    if (letter === " " && text[at - 1] !== " ") continue;
    if (!/[A-Za-z0-9|!]/.test(letter)) return null;
    letters += letter;
  }
  if (/[\p{L}\p{N}]/u.test(text[at] ?? "")) return null;
  const country = letters.slice(0, 2).toUpperCase();
  const check = asDigits(letters.slice(2, 4));
  const account = letters.slice(4);
  const isRight = [account, asDigits(account), account.slice(0, 4) + asDigits(account.slice(4))].some(
    (read) => hasIbanCheck(`${country}${check}${read.toUpperCase()}`),
  );
  return isRight ? { from, to: at } : null;
}

const asDigits = (letters: string): string =>
  [...letters].map((letter) => digitOf(letter) ?? letter).join("");

/** ISO 7064 MOD 97-10 over what ISO 13616 makes of an IBAN: the first four letters last, A to Z as 10 to 35. */
export function hasIbanCheck(iban: string): boolean {
  if (!/^[A-Z]{2}\d{2}[A-Z0-9]+$/.test(iban)) return false;
  let rest = 0;
  for (const letter of iban.slice(4) + iban.slice(0, 4)) {
    const value = Number.parseInt(letter, 36);
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97;
  }
  return rest === 1;
}

/** Social security numbers of the USA that may have been given out (SSA, numbers since 2011). */
export function socialSecurityNumbers(text: string): Span[] {
  const shape = /(?<![\d.-])(\d{3}) ?- ?(\d{2}) ?- ?(\d{4})(?![\d-])/g;
  return spansOf(withDigits(text), shape, ([, area, group, serial]) => {
    const isArea = area !== "000" && area !== "666" && !area?.startsWith("9");
    return isArea && group !== "00" && serial !== "0000";
  });
}

/** Telephone numbers: with a country's code, as the USA and Canada write them, with a trunk 0, or after a word for it. */
const PHONES: readonly RegExp[] = [
  // The sign may be read as several (seen: "-++-49 30 42953756").
  /(?<![\p{L}\p{N}+])(?:\+[+-]{0,2} ?|00(?=[1-9]))\d(?:[ ()./-]{0,2}\d){7,13}(?![\p{L}\p{N}])/gu,
  /(?<![\p{L}\p{N}.-])(?:1[ .-])?(?:\([2-9]\d{2}\) ?|[2-9]\d{2}[.-])[2-9]\d{2}[ .-]\d{4}(?![\p{L}\p{N}]|[.-]\d)/gu,
  /(?<![\p{L}\p{N}.,:/-])0[1-9]\d{1,3}(?: ?[ /-] ?)\d{2,4}(?:[ -]?\d{2,4}){1,2}(?![\p{L}\p{N}]|[.:/-]\d)/gu,
  /(?<![\p{L}\p{N}.,:/-])0[1-9](?:[ .]\d{2}){4}(?![\p{L}\p{N}]|[.:/-]\d)/gu,
  /(?<=\b(?:tel|telephone|telefon|phone|fax|mobile|mobil|cell|call)\b[.: ]{1,4})\(?\d(?:[ ()./-]{0,2}\d){6,13}(?![\p{L}\p{N}])/giu,
];

export function phones(text: string): Span[] {
  const plain = withDigits(text);
  return PHONES.flatMap((pattern) => spansOf(plain, pattern));
}
