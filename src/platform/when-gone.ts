import type { ServerResponse } from "node:http";

/**
 * Calls `listener` once when an answer is over or whoever asked went away; at once where that has happened already: the
 * answer says so only once. Only for answers that have their connection, see inTurns.
 */
export function whenGone(response: ServerResponse, listener: () => void): void {
  if (response.destroyed) listener();
  else response.once("close", listener);
}
