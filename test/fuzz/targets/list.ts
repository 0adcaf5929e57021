import type { FuzzTarget } from "../target.ts";
import { clientTargets } from "./client.ts";
import { encodingTargets } from "./encodings.ts";
import { serverTarget } from "./server.ts";
import { serverSecurityTargets } from "./server-security.ts";

/** Everything that reads bytes of a peer. */
export const TARGETS: readonly FuzzTarget[] = [
  ...encodingTargets,
  ...clientTargets,
  serverTarget,
  ...serverSecurityTargets,
];
