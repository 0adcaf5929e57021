import type { Actor } from "../desktop/control/action.ts";
import { may, type Principal, personBehind } from "./principal.ts";

/** How a principal acts on a face where people sit: an agent's credential stays an agent's. */
export function actorOf(principal: Principal, ip?: string): Actor {
  const { id, name, via } = principal;
  const person = personBehind(principal);
  const who = {
    ...{ id, name },
    ...(person === null ? {} : { person }),
    ...(ip === undefined ? {} : { ip }),
    ...(via === undefined ? {} : { via }),
  };
  if (principal.role === "agent") return { kind: "agent", ...who };
  if (may(principal, "admin")) return { kind: "human", ...who, authority: "rules" };
  return { kind: "human", ...who, ...(may(principal, "modes") ? { authority: "modes" } : {}) };
}
