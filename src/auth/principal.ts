export const ROLES = ["admin", "operator", "approver", "viewer", "agent"] as const;
export type Role = (typeof ROLES)[number];

/** Desktops that one credential may be for, and how long the id of one may be. */
export const MOST_DESKTOPS = 200;
export const LONGEST_DESKTOP_ID = 200;

/** Who is signed in: one credential, one role, the same on every face. */
export interface Principal {
  readonly id: string;
  readonly name: string;
  readonly role: Role;
  /** The configuration trusts the person at this agent's own client to approve what it asks. */
  readonly mayElicit?: boolean;
  /** Names of the sets of tools that its token is for; absent: those of the configuration. */
  readonly toolsets?: readonly string[];
  /** The ids of the desktops that it is for; absent: all of them, also those to come. */
  readonly desktops?: readonly string[];
  /** Where this call comes from; absent where no network lies between. */
  readonly ip?: string;
}

/** What a role may do; everything not named is refused. */
export type Permission =
  | "view"
  | "metrics" // what /metrics tells of all desktops
  | "input"
  | "overlay"
  | "approve"
  | "control" // stop, resume, reconnect
  | "modes" // of agents, within an administrator's rules; the rules and autopilot are for "admin"
  | "connections"
  | "masks" // what is hidden, and from whom
  | "mcp"
  | "admin";

const OF_OPERATORS = [
  "view",
  "metrics",
  "input",
  "overlay",
  "approve",
  "control",
  "modes",
  "connections",
  "masks",
  "mcp",
] as const satisfies readonly Permission[];

const PERMISSIONS = {
  admin: [...OF_OPERATORS, "admin"],
  operator: OF_OPERATORS,
  approver: ["view", "metrics", "approve", "control"],
  viewer: ["view", "metrics"],
  agent: ["view", "overlay", "mcp"],
} as const satisfies Record<Role, readonly Permission[]>;

/** Whether a principal may; an agent's input goes through MCP and the policy, never through this. */
export function may(principal: Principal, permission: Permission): boolean {
  return permissionsOf(principal).includes(permission);
}

/** What is about the whole house: who is let to certain desktops has none of it. */
const OF_THE_HOUSE: readonly Permission[] = ["metrics", "connections", "admin"];

/** All that a principal may. */
export function permissionsOf({ role, desktops }: Principal): readonly Permission[] {
  const all: readonly Permission[] = PERMISSIONS[role];
  return desktops === undefined ? all : all.filter((permission) => !OF_THE_HOUSE.includes(permission));
}
