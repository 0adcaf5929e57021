export const ROLES = ["admin", "operator", "approver", "viewer", "agent"] as const;
export type Role = (typeof ROLES)[number];

/** Names of sets of tools: what most work on a desktop needs, and the tools of each effect. */
export const TOOLSETS = ["core", "read", "overlay", "input", "admin"] as const;

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
  /** The id of the person whose it is, where that is not its own: see personBehind. */
  readonly owner?: string;
  /** Came by a link for guests; absent: has a credential of its own. */
  readonly guest?: Guest;
  /** The node of a fleet that carries the call here; absent: none does. */
  readonly via?: string;
  /** By which door of that node they came, where it is not a browser's. */
  readonly door?: "vnc";
  /** Where this call comes from; absent where no network lies between. */
  readonly ip?: string;
}

export interface Guest {
  /** Of the principal who invited them: who goes takes their guests along. */
  readonly hostId: string;
  /** By the clock's nowMs. */
  readonly endsAtMs: number;
  /** Without input, whatever the role. */
  readonly isViewOnly: boolean;
}

/** How long the id of a person may be. */
export const LONGEST_OWNER = 300;

/**
 * The id of the person behind a credential; null where nobody knows it, which is so for an agent's token that was made
 * for nobody.
 */
export function personBehind({ id, role, owner }: Pick<Principal, "id" | "owner" | "role">): string | null {
  return owner ?? (role === "agent" ? null : id);
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
  | "files" // sent to a desktop, and taken from it
  | "invite" // guests, to one desktop, for a while
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
  "files",
  "invite",
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

/** A guest brings no guests, no agent and no files, and takes none. */
const NOT_OF_GUESTS: readonly Permission[] = ["files", "invite", "mcp"];

/** All that a principal may. */
export function permissionsOf({ role, desktops, guest }: Principal): readonly Permission[] {
  const all: readonly Permission[] = PERMISSIONS[role];
  const without = [
    ...(desktops === undefined ? [] : OF_THE_HOUSE),
    ...(guest === undefined ? [] : NOT_OF_GUESTS),
    ...(guest?.isViewOnly === true ? ["input"] : []),
  ];
  return without.length === 0 ? all : all.filter((permission) => !without.includes(permission));
}
