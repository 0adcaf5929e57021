import type { DesktopState } from "../connections/reconnecting-link.ts";
import { type LinkError, RefusedError } from "../error.ts";

/** Why a desktop cannot be looked at yet: target_down, with what its connection is doing. */
export function noPicture(name: string, state: DesktopState, lastError: LinkError | null): RefusedError {
  return new RefusedError("target_down", `there is no picture of ${name} yet: ${reason(state, lastError)}`);
}

/** "34 %", of a part between 0 and 1. */
export function receivedPercent(part: number): string {
  return `${Math.round(part * 100)} %`;
}

function reason(state: DesktopState, lastError: LinkError | null): string {
  switch (state.kind) {
    case "reconnecting":
    case "failed":
      return state.error.message;
    case "connecting":
      if (state.received !== undefined)
        return `${receivedPercent(state.received)} of its first picture is there`;
      return lastError === null ? "it is connecting" : `it is connecting again after ${lastError.message}`;
    case "closed":
      return "it was removed";
    default:
      return "the target has not sent all of it";
  }
}
