import { join } from "node:path";
import type { SecretBox } from "../auth/secret-box.ts";
import { SessionFile } from "../auth/session-file.ts";
import { type SessionKeeper, Sessions } from "../auth/sessions.ts";
import type { Config } from "../config/config-schema.ts";
import type { Clock } from "../platform/clock.ts";
import type { Logger } from "../platform/log.ts";

interface SessionRooms {
  readonly clock: Clock;
  readonly sealer: SecretBox;
  /** Those of all nodes of a fleet; absent: this server is alone. */
  readonly shared: SessionKeeper | undefined;
}

/** Who is signed in, over restarts; at a port of the moment in memory alone, for cookies are by port. */
export async function openSessions(
  { data_dir, server: { port }, auth }: Config,
  log: Logger,
  { clock, sealer, shared }: SessionRooms,
): Promise<Sessions> {
  if (shared !== undefined) return Sessions.open(clock, shared);
  if (port === 0) return new Sessions(clock);
  const file = new SessionFile(join(data_dir, "sessions", `${port}.json`), {
    ...{ clock, sealer, ownToken: auth.token ?? null },
    onFault: (err) => log.error({ err }, "Sign-ins could not be kept over a restart"),
  });
  return Sessions.open(clock, file);
}
