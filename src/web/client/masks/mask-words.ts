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
  }[state];
  const words = [follows, is_configured ? "by the configuration" : null].filter((one) => one !== null);
  return words.length === 0 ? null : words.join(", ");
}
