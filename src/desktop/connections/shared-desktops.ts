import type { Actor } from "../control/action.ts";
import type { RefusedError } from "../error.ts";
import type { Connection } from "./connection.ts";

/** A fleet, which says which node has which desktop. */
export interface SharedDesktops {
  /**
   * Keeps one for all nodes; resolves when this node has it. Throws RefusedError: held_elsewhere where another node took it,
   * not_held where none has yet, or it could not be kept.
   */
  add(connection: Connection, by: Actor | null): Promise<void>;
  /** Why a desktop is not here that the fleet has; null: it has none of that id. */
  elsewhere(id: string): RefusedError | null;
}
