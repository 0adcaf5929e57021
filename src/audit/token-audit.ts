import type { AuditEntry } from "./audit-event.ts";

/** What the audit needs to know of a token; TokenInfo of the auth room is one. */
interface AuditedToken {
  readonly id: string;
  readonly role: string;
  /** null: for all of them. */
  readonly desktops: readonly string[] | null;
  /** Who does not approve what it asks; null: nobody was named. */
  readonly owner: string | null;
}

/** That a token was made or taken back: which, and what it may do, never its secret. By the appliance itself. */
export function tokenEntry(
  change: "issued" | "revoked",
  { id, role, desktops, owner }: AuditedToken,
): AuditEntry {
  return {
    type: change === "issued" ? "token.issued" : "token.revoked",
    severity: "notice",
    action: role,
    resource: { kind: "token", id, ...(owner === null ? {} : { owner }) },
    ...(desktops === null ? {} : { counts: { desktops: desktops.length } }),
  };
}
