import type { Actor } from "../desktop/action.ts";
import type { Principal } from "./principal.ts";

/** How a principal acts on a face where people sit: an agent's credential stays an agent's. */
export function actorOf(principal: Principal): Actor {
  return {
    kind: principal.role === "agent" ? "agent" : "human",
    id: principal.id,
    name: principal.name,
  };
}
