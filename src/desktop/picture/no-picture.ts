import type { DesktopState } from "../connections/reconnecting-link.ts";
import { type LinkError, RefusedError } from "../error.ts";

/** Why a desktop cannot be looked at yet: target_down, with what its connection is doing. */
export function noPicture(name: string, state: DesktopState, lastError: LinkError | null): RefusedError {
  return new RefusedError("target_down", `there is no picture of ${name} yet: ${reason(state, lastError)}`);
}

function reason(state: DesktopState, lastError: LinkError | null): string {
  switch (state.kind) {
    case "reconnecting":
    case "failed":
      return state.error.message;
    case "connecting":
      return lastError === null ? "it is connecting" : `it is connecting again after ${lastError.message}`;
    case "closed":
      return "it was removed";
    default:
      return "the target has not sent all of it";
  }
}
