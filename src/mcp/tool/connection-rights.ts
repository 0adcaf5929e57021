import { may, type Principal } from "../../auth/principal.ts";
import { RefusedError } from "../../desktop/error.ts";

/** Throws RefusedError permission_denied unless the principal may change which connections there are. */
export function assertMayConfigure(principal: Principal, what: string): void {
  if (may(principal, "connections")) return;
  throw new RefusedError(
    "permission_denied",
    `a token of role ${principal.role} may not ${what}: expected an admin or operator token, or a human who does it on the web app's Desktops page`,
  );
}
