import { tokenEntry } from "../audit/token-audit.ts";
import { MOST_DESKTOPS, ROLES, type Role } from "../auth/principal.ts";
import { TokenStore } from "../auth/tokens.ts";
import type { Config } from "../config/config-schema.ts";
import { systemClock } from "../platform/clock.ts";
import { safeText } from "../protocols/rfb/error.ts";
import { audited } from "./cli-audit.ts";
import { type Command, expectWords, task, UsageError, type Values } from "./command-line.ts";

/** `token create`, `list` and `revoke`. */
export function tokenCommand(words: readonly string[], values: Values, config: Config): Command {
  const [action, word] = words;
  switch (action) {
    case "create":
      expectWords("token create ROLE", words, 2);
      return task(() =>
        withTokens(config, async (tokens) => {
          const role = roleOf(word ?? "");
          const { token, info } = await tokens.create(values.name ?? role, role, {
            mayElicit: values.elicit ?? false,
            expiresAt: expiryOf(values.expires),
            desktops: desktopsOf(values.desktops, role),
            owner: values.owner ?? null,
            toolsets: values.toolsets === undefined ? null : config.mcp.toolsets,
          });
          return `${token}\n(id ${info.id}, role ${role}; it is not shown again)\n`;
        }),
      );
    case "list":
      expectWords("token list", words, 1);
      return task(async () => {
        const tokens = await TokenStore.open(config.data_dir, systemClock);
        const lines = tokens
          .list()
          .map(
            ({ id, role, name, lastUsedAt, mayElicit, toolsets, owner, desktops, expiresAt }) =>
              `${id}  ${role}  ${safeText(name)}  last used: ${lastUsedAt ?? "never"}${mayElicit ? "  --elicit" : ""}` +
              `${expiresAt === null ? "" : `  ${expiryWords(expiresAt)}`}` +
              `${toolsets === null ? "" : `  --toolsets ${toolsets.join(",")}`}` +
              `${owner === null ? "" : `  --owner ${safeText(owner)}`}` +
              `${desktops === null ? "" : `  --desktops ${safeText(desktops.join(","))}`}\n`,
          );
        await tokens.close();
        return lines.length === 0 ? "no tokens\n" : lines.join("");
      });
    case "revoke":
      expectWords("token revoke ID", words, 2);
      return task(() =>
        withTokens(config, async (tokens) => {
          if (!(await tokens.revoke(word ?? "")))
            throw new UsageError(`there is no token ${word ?? ""}: see token list`);
          return `${word ?? ""}  revoked\n`;
        }),
      );
    default:
      throw new UsageError(`got "token ${action ?? ""}", expected token create, list or revoke`);
  }
}

const UNIT_MS = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** A length from now on, or a moment to come. Throws UsageError. */
function expiryOf(word: string | undefined): Date | null {
  if (word === undefined) return null;
  const nowMs = systemClock.date().getTime();
  const [, count, unit] = /^(\d{1,5})([mhd])$/.exec(word) ?? [];
  const atMs =
    unit === "m" || unit === "h" || unit === "d" ? nowMs + Number(count) * UNIT_MS[unit] : momentOf(word);
  if (atMs === null || atMs <= nowMs) {
    throw new UsageError(
      `got --expires "${word}", expected a length such as 12h or 30d, or a moment to come such as 2026-12-31T18:00:00Z`,
    );
  }
  return new Date(atMs);
}

/** null for what names no moment; a date alone is its midnight in UTC. */
function momentOf(word: string): number | null {
  const ms = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2})?Z)?$/.test(word) ? Date.parse(word) : Number.NaN;
  return Number.isNaN(ms) ? null : ms;
}

function expiryWords(expiresAt: string): string {
  return `${Date.parse(expiresAt) <= systemClock.date().getTime() ? "expired" : "expires"}: ${expiresAt}`;
}

/** null: all of them. Throws UsageError. */
function desktopsOf(word: string | undefined, role: Role): readonly string[] | null {
  if (word === undefined) return null;
  const ids = word
    .split(",")
    .map((id) => id.trim())
    .filter((id) => id !== "");
  if (ids.length === 0 || ids.length > MOST_DESKTOPS) {
    throw new UsageError(
      `got --desktops "${word}", expected 1 to ${MOST_DESKTOPS} ids separated by commas: connections list says them`,
    );
  }
  if (role === "admin") {
    throw new UsageError("got --desktops for an administrator, who reaches all: expected another role");
  }
  return ids;
}

function roleOf(word: string): Role {
  const role = ROLES.find((known) => known === word);
  if (role === undefined) throw new UsageError(`got the role "${word}", expected one of ${ROLES.join(", ")}`);
  return role;
}

function withTokens(config: Config, run: (tokens: TokenStore) => Promise<string>): Promise<string> {
  return audited(config, async (record) => {
    const tokens = await TokenStore.open(config.data_dir, systemClock, (change, token) =>
      record(tokenEntry(change, token)),
    );
    try {
      return await run(tokens);
    } finally {
      await tokens.close();
    }
  });
}
