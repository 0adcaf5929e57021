import { RefusedError } from "../../desktop/error.ts";

/** Why nothing is done with a desktop that nobody has now. */
export function notYet(id: string): RefusedError {
  return new RefusedError("not_held", `no node has the desktop ${id} at this moment: try again in a second`, {
    retryAfterMs: 1000,
  });
}
