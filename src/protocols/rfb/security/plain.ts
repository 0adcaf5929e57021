import type { Parser } from "../../byte-queue.ts";
import { ByteWriter } from "../../byte-writer.ts";
import type { ClientContext } from "../client/client-context.ts";
import { LIMIT } from "../numbers.ts";
import { encodeCredential } from "./credentials.ts";

/**
 * VeNCrypt Plain and the Unix logon of Tight, rfbproto: U32 length of the user name, U32 length of the password, both.
 * They go as they are: only a TLS around the connection protects them.
 */
// biome-ignore lint/correctness/useYield: a security type that reads nothing
export function* sendPlain(c: ClientContext): Parser<void> {
  const user = encodeCredential(c.options.username ?? "", "user name", LIMIT.credentialBytes);
  const password = encodeCredential(c.options.password ?? "", "password", LIMIT.credentialBytes);
  c.send(
    new ByteWriter(8 + user.length + password.length)
      .u32(user.length)
      .u32(password.length)
      .put(user)
      .put(password)
      .bytes(),
  );
}
