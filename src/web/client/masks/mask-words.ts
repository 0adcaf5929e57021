import type { MaskInfo } from "../../api/api.ts";

const NAMES = {
  agent: "agents",
  viewer: "people",
  "viewer:operator": "operators",
  "viewer:approver": "approvers",
  "viewer:viewer": "viewers",
  recording: "recordings",
} as const satisfies Record<MaskInfo["audiences"][number], string>;

/** "agents and recordings". */
export function audienceWords(audiences: MaskInfo["audiences"]): string {
  if (["agent", "viewer", "recording"].every((all) => audiences.some((one) => one === all))) return "all";
  return joined(audiences.map((audience) => NAMES[audience]));
}

/** From whom a part of what is asked about is hidden: "the agent and approvers", "you too". */
export function hiddenFromWords(audiences: MaskInfo["audiences"]): string {
  if (audiences.includes("viewer")) return "you too";
  return joined(audiences.map((audience) => (audience === "agent" ? "the agent" : NAMES[audience])));
}

function joined(names: readonly string[]): string {
  return names.length < 3 ? names.join(" and ") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
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
  const { pattern, secrets = [] } = text;
  return [...kinds, ...(pattern === undefined ? [] : [`what matches ${pattern}`]), ...secrets].join(", ");
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
    element: "wherever its elements are seen in shared tabs",
  }[state];
  const words = [follows, is_configured ? "by the configuration" : null].filter((one) => one !== null);
  return words.length === 0 ? null : words.join(", ");
}
