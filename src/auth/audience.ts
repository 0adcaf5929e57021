import type { Audience } from "../desktop/view.ts";
import type { Principal } from "./principal.ts";

/** As whom somebody is shown desktops: an agent's credential shows no more to a viewer than to its agent. */
export function audienceOf({ role }: Pick<Principal, "role">): Audience {
  if (role === "agent") return role;
  return role === "admin" ? "viewer" : `viewer:${role}`;
}
