import type { MaskInfo } from "../../api/api.ts";

const NAMES = {
  agent: "agents",
  viewer: "people",
  recording: "recordings",
} as const satisfies Record<MaskInfo["audiences"][number], string>;

/** "agents and recordings". */
export function audienceWords(audiences: MaskInfo["audiences"]): string {
  if (audiences.length === 3) return "all";
  return audiences.map((audience) => NAMES[audience]).join(" and ");
}

export type TextKind = NonNullable<MaskInfo["text"]>["kinds"][number];

const KINDS = {
  email: "e-mail addresses",
  iban: "account numbers (IBAN)",
  credit_card: "card numbers",
  api_key: "keys, tokens and passwords",
  ssn: "social security numbers",
  ip_address: "IP addresses",
  phone: "telephone numbers",
} as const satisfies Record<TextKind, string>;

/** Kinds of private text, in the order in which they are offered. */
export const TEXT_KINDS: readonly TextKind[] = [
  ...(["email", "phone", "credit_card", "iban"] as const),
  ...(["ssn", "ip_address", "api_key"] as const),
];

export const kindWords = (kind: TextKind): string => KINDS[kind];

/** "e-mail addresses, what matches \d{6}"; null for a mask of a place. */
export function maskTextWords({ text }: Pick<MaskInfo, "text">): string | null {
  if (text === null) return null;
  const kinds = text.kinds.map(kindWords);
  return [...kinds, ...(text.pattern === undefined ? [] : [`what matches ${text.pattern}`])].join(", ");
}

/** What stands beside a mask: "PIN, hidden from agents". */
export function maskWords({ label, audiences }: Pick<MaskInfo, "label" | "audiences">): string {
  const from = audienceWords(audiences);
  return label === null || label === "" ? `Hidden from ${from}` : `${label}, hidden from ${from}`;
}

/** How a mask goes along, in words; null for one that stays where it is. */
export function maskStateWords({ state, is_configured }: MaskInfo): string | null {
  const follows = {
    fixed: null,
    found: "it follows what it was put to",
    lost: "what it follows is not in view: it stays where that last was",
    text: "wherever it is read; what changes is covered until it was",
  }[state];
  const words = [follows, is_configured ? "by the configuration" : null].filter((one) => one !== null);
  return words.length === 0 ? null : words.join(", ");
}
