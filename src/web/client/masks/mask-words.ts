import type { MaskInfo } from "../../api/api.ts";
import { locale, t } from "../language/language.ts";

const NAMES = {
  agent: t`agents`,
  viewer: t`people`,
  "viewer:operator": t`operators`,
  "viewer:approver": t`approvers`,
  "viewer:viewer": t`viewers`,
  recording: t`recordings`,
} as const satisfies Record<MaskInfo["audiences"][number], string>;

/** "agents and recordings". */
export function audienceWords(audiences: MaskInfo["audiences"]): string {
  if (["agent", "viewer", "recording"].every((all) => audiences.some((one) => one === all))) return t`all`;
  return joined(audiences.map((audience) => NAMES[audience]));
}

/** From whom a part of what is asked about is hidden: "the agent and approvers", "you too". */
export function hiddenFromWords(audiences: MaskInfo["audiences"]): string {
  if (audiences.includes("viewer")) return t`you too`;
  return joined(audiences.map((audience) => (audience === "agent" ? t`the agent` : NAMES[audience])));
}

function joined(names: readonly string[]): string {
  return new Intl.ListFormat(locale).format(names);
}

export type TextKind = NonNullable<MaskInfo["text"]>["kinds"][number];

const KINDS = {
  email: t`e-mail addresses`,
  iban: t`account numbers (IBAN)`,
  credit_card: t`card numbers`,
  api_key: t`keys, tokens and passwords`,
  ssn: t`social security numbers`,
  ip_address: t`IP addresses`,
  phone: t`telephone numbers`,
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
  return [...kinds, ...(pattern === undefined ? [] : [t`what matches ${pattern}`]), ...secrets].join(", ");
}

/** What stands beside a mask: "PIN, hidden from agents". */
export function maskWords({ label, audiences }: Pick<MaskInfo, "label" | "audiences">): string {
  const from = audienceWords(audiences);
  return label === null || label === "" ? t`Hidden from ${from}` : t`${label}, hidden from ${from}`;
}

/** How a mask goes along, in words; null for one that stays where it is. */
export function maskStateWords({ state, is_configured }: MaskInfo): string | null {
  const follows = {
    fixed: null,
    found: t`it follows what it was put to`,
    lost: t`what it follows is not in view: it stays where that last was`,
    text: t`wherever it is read; what changes is covered until it was`,
    element: t`wherever its elements are seen in shared tabs`,
  }[state];
  const words = [follows, is_configured ? t`by the configuration` : null].filter((one) => one !== null);
  return words.length === 0 ? null : words.join(", ");
}
