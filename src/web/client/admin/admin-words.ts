import type { TokenDetails } from "../../api/tokens-api.ts";
import { locale, t } from "../language/language.ts";
import { spanWords } from "../shell/countdown.ts";
import { desktopOf } from "../shell/session.ts";

const DAY = new Intl.DateTimeFormat(locale, { dateStyle: "medium" });
const MINUTE = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short" });

/** Roles and what they mean, from the most that one may to the least. */
export const ROLE_WORDS = {
  admin: {
    name: t`Administrator`,
    meaning: t`Everything, these pages too. For people you would give the machine.`,
  },
  operator: {
    name: t`Operator`,
    meaning: t`Uses and sets up desktops, approves, and invites guests.`,
  },
  approver: { name: t`Approver`, meaning: t`Watches, answers what agents ask, and stops them.` },
  viewer: { name: t`Viewer`, meaning: t`Watches.` },
  agent: {
    name: t`Agent`,
    meaning: t`An AI agent over MCP. It asks before it acts, as the mode of a desktop says.`,
  },
} as const satisfies Record<TokenDetails["role"], { readonly name: string; readonly meaning: string }>;

export const ROLES = [
  "admin",
  "operator",
  "approver",
  "viewer",
  "agent",
] as const satisfies readonly TokenDetails["role"][];

/** "3 min ago", "Never": of times that are told to the minute. */
export function agoWords(isoTime: string | null, nowMs: number): string {
  if (isoTime === null) return t`never`;
  const seconds = (nowMs - Date.parse(isoTime)) / 1000;
  return seconds < 120 ? t`just now` : t`${spanWords(seconds)} ago`;
}

/** "in 5 d, Nov 30, 2026". */
export function untilWords(isoTime: string, nowMs: number): string {
  const seconds = (Date.parse(isoTime) - nowMs) / 1000;
  // A term that was just chosen is told as it was chosen.
  return t`in ${spanWords(Math.max(1, seconds + 60))}, ${MINUTE.format(new Date(isoTime))}`;
}

export function dayWords(isoTime: string): string {
  return DAY.format(new Date(isoTime));
}

/** Names of desktops, of those that are not there any more their ids. */
export function desktopNames(ids: readonly string[]): string {
  return ids.map((id) => desktopOf(id)?.name ?? id).join(", ");
}
