import type { Parser } from "../../byte-queue.ts";
import { CHALLENGE_BYTES } from "../security/vnc-auth.ts";
import type { ServerContext, VncAuthSecurity } from "./server-context.ts";

/** VNC Authentication, RFC 6143 section 7.2.2: 16 random bytes, answered by 16 bytes of DES. */
export function* readVncAuth(d: ServerContext, { verify }: VncAuthSecurity): Parser<boolean> {
  const challenge = d.ports.crypto.randomBytes(CHALLENGE_BYTES);
  d.send(challenge.slice());
  while (!d.from.has(CHALLENGE_BYTES)) yield CHALLENGE_BYTES;
  return verify(challenge, d.from.take(CHALLENGE_BYTES).slice());
}
