import { RdpError } from "../../../protocols/rdp/error.ts";
import { LinkError } from "../../error.ts";

/**
 * RDP hosts give one session to one account, so whoever signs in takes it from whoever had it. A link that lost its
 * session to another link of this process, such as a connection test, may have it back; one that lost it to somebody
 * else may not.
 */
export class RdpSessions {
  readonly #newest = new Map<string, symbol>();

  /** A link signs in; `place` is the account at the host. Tells later whether another link of ours has since. */
  claim(place: string): { wasTakenByUs(): boolean } {
    const mine = Symbol(place);
    this.#newest.set(place, mine);
    return { wasTakenByUs: () => this.#newest.get(place) !== mine };
  }
}

/** How a link ends: not for good where it was only another link of ours that took the session. */
export function endOf(error: LinkError, wasTakenByUs: boolean): LinkError {
  const { code, message, cause, isFinal } = error;
  const isTaken = cause instanceof RdpError && cause.code === "session_taken";
  return isFinal && isTaken && wasTakenByUs ? new LinkError(code, message, { cause: error }) : error;
}
