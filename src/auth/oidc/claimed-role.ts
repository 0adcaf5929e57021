import type { Role } from "../principal.ts";

/** Roles that people have, the strongest first; an agent is no person. */
export const ROLES_OF_PEOPLE = ["admin", "operator", "approver", "viewer"] as const satisfies readonly Role[];
export type RoleOfPeople = (typeof ROLES_OF_PEOPLE)[number];

/** Values of a claim beyond this many are not looked at. */
const MOST_VALUES = 2000;

export interface RoleRule {
  /** A claim's name, or a path with dots. */
  readonly claim: string;
  /** Values of the claim and the roles that they give; empty: the values are roles themselves. */
  readonly roles: Readonly<Record<string, RoleOfPeople>>;
}

/** The strongest role that somebody's claims give; null for none. */
export function claimedRole(
  claims: Readonly<Record<string, unknown>>,
  { claim, roles }: RoleRule,
): RoleOfPeople | null {
  const values = valuesOf(claimAt(claims, claim));
  const given = new Map(Object.entries(roles));
  const isOwnWord = given.size === 0;
  return (
    ROLES_OF_PEOPLE.find((role) =>
      values.some((value) => (isOwnWord ? value === role : given.get(value) === role)),
    ) ?? null
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
