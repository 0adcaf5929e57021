import { MOST_DESKTOPS, type Principal, type Role } from "../principal.ts";

/** Roles that people have, the strongest first; an agent is no person. */
export const ROLES_OF_PEOPLE = ["admin", "operator", "approver", "viewer"] as const satisfies readonly Role[];

/** Values of a claim beyond this many are not looked at. */
const MOST_VALUES = 2000;

/** In place of an id: every desktop, also those to come. */
const ALL_DESKTOPS = "*";

export interface RoleRule {
  /** A claim's name, or a path with dots. */
  readonly claim: string;
  /** Values of the claim and the roles that they give; empty: the values are roles themselves. */
  readonly roles: Readonly<Record<string, Role>>;
  /** Values of the claim and the ids of the desktops that they give, or "*" for all; empty: everybody reaches all. */
  readonly desktops: Readonly<Record<string, readonly string[]>>;
}

/** What somebody's claims give. */
export type ClaimedRights = Pick<Principal, "desktops" | "role">;

/** What a credential gives: a token may be for certain tools as well. */
export type Rights = ClaimedRights & Pick<Principal, "toolsets">;

/** The strongest of the roles that count, which is the first, and the desktops of all values together; null for who has no role. Administrators reach all. */
export function claimedRights(
  claims: Readonly<Record<string, unknown>>,
  rule: RoleRule,
  roles: readonly Role[],
): ClaimedRights | null {
  const role = claimedRole(claims, rule, roles);
  if (role === null) return null;
  const desktops = role === "admin" ? null : claimedDesktops(claims, rule);
  return desktops === null ? { role } : { role, desktops };
}

export function isSameRights(now: Rights | null, { role, desktops, toolsets }: Rights): boolean {
  return now?.role === role && isSameList(now.desktops, desktops) && isSameList(now.toolsets, toolsets);
}

function isSameList(one: readonly string[] | undefined, other: readonly string[] | undefined): boolean {
  return JSON.stringify(one?.toSorted()) === JSON.stringify(other?.toSorted());
}

/** null for all of them. */
function claimedDesktops(
  claims: Readonly<Record<string, unknown>>,
  { claim, desktops }: RoleRule,
): readonly string[] | null {
  const given = new Map(Object.entries(desktops));
  if (given.size === 0) return null;
  const ids = new Set(valuesOf(claimAt(claims, claim)).flatMap((value) => given.get(value) ?? []));
  return ids.has(ALL_DESKTOPS) ? null : [...ids].slice(0, MOST_DESKTOPS);
}

function claimedRole(
  claims: Readonly<Record<string, unknown>>,
  { claim, roles }: RoleRule,
  among: readonly Role[],
): Role | null {
  const values = valuesOf(claimAt(claims, claim));
  const given = new Map(Object.entries(roles));
  const isOwnWord = given.size === 0;
  return (
    among.find((role) => values.some((value) => (isOwnWord ? value === role : given.get(value) === role))) ??
    null
  );
}

/** By its whole name first: some are URLs, which have dots too. */
function claimAt(claims: Readonly<Record<string, unknown>>, path: string): unknown {
  if (Object.hasOwn(claims, path)) return claims[path];
  let found: unknown = claims;
  for (const name of path.split(".")) {
    if (typeof found !== "object" || found === null || !Object.hasOwn(found, name)) return undefined;
    found = Reflect.get(found, name);
  }
  return found;
}

function valuesOf(value: unknown): readonly string[] {
  const all: readonly unknown[] = Array.isArray(value) ? value.slice(0, MOST_VALUES) : [value];
  return all.filter((one) => typeof one === "string");
}
