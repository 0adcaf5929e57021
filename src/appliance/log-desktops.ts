import type { Connection } from "../desktop/connections/connection.ts";
import type { DesktopState } from "../desktop/connections/reconnecting-link.ts";
import type { DesktopEvent } from "../desktop/desktop.ts";
import type { LinkError } from "../desktop/error.ts";
import type { Logger } from "../platform/log.ts";

interface LoggedDesktop {
  readonly id: string;
  readonly connection: Pick<Connection, "protocol">;
  on(listener: (event: DesktopEvent) => void): () => void;
}
interface LoggedDesktops {
  readonly all: readonly LoggedDesktop[];
  on(listener: (event: { readonly type: string; readonly desktop: LoggedDesktop }) => void): void;
}

/** What was said of a desktop last. */
type Told = "nothing" | "live" | "away";

/** Tells the log when desktops are live, lost and given up, those of now and those added later; each once, not at each try. */
export function logDesktops(desktops: LoggedDesktops, log: Logger): void {
  const follow = (desktop: LoggedDesktop): void => {
    let told: Told = "nothing";
    desktop.on((event) => {
      if (event.type === "state") told = tell(log, desktop, event.state, told);
    });
  };
  for (const desktop of desktops.all) follow(desktop);
  desktops.on(({ type, desktop }) => {
    if (type === "added") follow(desktop);
  });
}

function tell(log: Logger, { id, connection }: LoggedDesktop, state: DesktopState, told: Told): Told {
  const fields = { desktop: id, protocol: connection.protocol };
  switch (state.kind) {
    case "live":
      if (told !== "live") log.info({ ...fields, link: state.description }, "Desktop is live");
      return "live";
    case "reconnecting":
      if (told !== "away") log.warn({ ...fields, ...faultOf(state.error) }, "Desktop is away, trying on");
      return "away";
    case "failed":
      log.error({ ...fields, ...faultOf(state.error) }, "Desktop cannot be reached, not trying on");
      return "away";
    case "connecting":
      // Of one that was not lost: somebody asked for a new session.
      return told === "live" ? "nothing" : told;
    default:
      return told;
  }
}

/** The code that everybody is told, and what was wrong: of a fault against the protocol with its own code, phase and byte. */
function faultOf({ code, message, cause }: LinkError): object {
  if (!(cause instanceof Error && "phase" in cause && "code" in cause)) return { code, reason: message };
  return { code, fault: cause.code, reason: message };
}
