import { actorOf } from "../../auth/actor.ts";
import { audienceOf } from "../../auth/audience.ts";
import { may, type Principal } from "../../auth/principal.ts";
import type { Actor } from "../../desktop/control/action.ts";
import type { Audience } from "../../desktop/view.ts";

/** Who looks on, and what they may do. */
export interface ViewerRights {
  /** Only humans send input by RFB; any other actor's viewer is view-only. */
  readonly actor: Actor;
  /** As whom they see it. */
  readonly audience: Audience;
  readonly isViewOnly: boolean;
  readonly hasClipboard: boolean;
}

/** What a role may do through a viewer, the same on every socket. `wantsViewOnly`: the viewer asked for less. */
export function rightsOf(principal: Principal, wantsViewOnly = false, ip?: string): ViewerRights {
  const mayInput = may(principal, "input");
  return {
    actor: actorOf(principal, ip),
    audience: audienceOf(principal),
    isViewOnly: wantsViewOnly || !mayInput,
    hasClipboard: mayInput,
  };
}
