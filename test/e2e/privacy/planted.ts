import type { PrivateKind } from "../../../src/desktop/masks/private-kinds.ts";
import { hasIbanCheck, hasLuhn } from "../../../src/vision/private/numbers.ts";

/** Private text that a proof puts on a screen. It is made anew for each run and belongs to nobody. */
export interface Planted {
  readonly kind: PrivateKind;
  readonly text: string;
}

type Random = () => number;

/** Mulberry32: the same numbers for the same seed, in [0, 1). */
export function randomOf(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const SMALL = "abcdefghijklmnopqrstuvwxyz";
const DIGITS = "0123456789";
const ALL = `${SMALL}${SMALL.toUpperCase()}${DIGITS}`;

const pick = (random: Random, letters: string, count: number): string =>
  Array.from({ length: count }, () => letters[Math.floor(random() * letters.length)] ?? "").join("");
const between = (random: Random, from: number, to: number): number =>
  from + Math.floor(random() * (to - from + 1));
const inFours = (text: string): string => text.replace(/(.{4})(?=.)/g, "$1 ");

function card(random: Random): string {
  const body = `4${pick(random, DIGITS, 14)}`;
  const last = [...DIGITS].find((digit) => hasLuhn(body + digit));
  return inFours(`${body}${last}`);
}

function iban(random: Random): string {
  const account = pick(random, DIGITS, 18);
  for (let check = 2; check < 99; check++) {
    const whole = `DE${`${check}`.padStart(2, "0")}${account}`;
    if (hasIbanCheck(whole)) return inFours(whole);
  }
  throw new Error("no check digits fit, which ISO 7064 rules out");
}

/** The shortest random text of this many letters that is of all classes: what an API key needs to count as random. */
function key(random: Random, length: number): string {
  for (;;) {
    const text = pick(random, ALL, length);
    if (/[a-z]/.test(text) && /[A-Z]/.test(text) && (text.match(/\d/g)?.length ?? 0) >= 3) return text;
  }
}

const MAKERS: readonly (readonly [PrivateKind, (random: Random) => string])[] = [
  ["email", (random) => `${pick(random, SMALL, 6)}.${pick(random, SMALL, 5)}@example.com`],
  ["phone", (random) => `+49 30 ${between(random, 2, 9)}${pick(random, DIGITS, 7)}`],
  ["credit_card", card],
  ["iban", iban],
  [
    "ssn",
    (random) => `${between(random, 100, 599)}-${between(random, 10, 99)}-${between(random, 1000, 9999)}`,
  ],
  [
    "ip_address",
    (random) =>
      `${between(random, 11, 99)}.${between(random, 100, 255)}.${between(random, 100, 255)}.${between(random, 100, 255)}`,
  ],
  ["api_key", (random) => `ghp_${key(random, 36)}`],
];

/** One of each kind, again and again. */
export function plantedTexts(random: Random, count: number): Planted[] {
  return Array.from({ length: count }, (_, i) => {
    const [kind, make] = MAKERS[i % MAKERS.length] ?? MAKERS[0]!;
    return { kind, text: make(random) };
  });
}
