import type { ByteQueue, Parser } from "../../byte-queue.ts";
import { ByteWriter } from "../../byte-writer.ts";
import type { Conversation } from "../client/conversation.ts";
import { RfbError } from "../error.ts";
import { LIMIT } from "../numbers.ts";
import { choose, type SecurityName, TIGHT_TYPES } from "./policy.ts";

const CAPABILITY_BYTES = 16;
const NO_TUNNEL = 0;

/**
 * Tight security, type 16, rfbproto: U32 count, tunnels, our choice if there are any; U32 count, authentication types,
 * our choice if there are any. Gives what was chosen; no type at all means None.
 */
export function* agreeOnTight(c: Conversation): Parser<SecurityName> {
  const tunnels = yield* readCapabilities(c.from);
  if (tunnels.length > 0) {
    if (!tunnels.includes(NO_TUNNEL)) {
      throw new RfbError(
        "no_common_auth",
        "security",
        "the server offers only tunnels, expected none beside them",
      );
    }
    c.send(new ByteWriter(4).u32(NO_TUNNEL).bytes());
  }
  const types = yield* readCapabilities(c.from);
  const { number, leadsTo } = choose(c.options, types.length === 0 ? [1] : types, TIGHT_TYPES);
  if (types.length > 0) c.send(new ByteWriter(4).u32(number).bytes());
  const [name] = leadsTo;
  if (name === undefined) throw new Error("an authentication type without a name");
  return name;
}

/** U32 count, then of each I32 code, 4 bytes vendor, 8 bytes name; gives the codes. */
function* readCapabilities(from: ByteQueue): Parser<number[]> {
  while (!from.has(4)) yield 4;
  const count = from.u32();
  if (count > LIMIT.capabilities) {
    throw new RfbError(
      "too_large",
      "security",
      `got a list of ${count} capabilities, expected at most ${LIMIT.capabilities}`,
    );
  }
  const codes: number[] = [];
  for (let i = 0; i < count; i++) {
    while (!from.has(CAPABILITY_BYTES)) yield CAPABILITY_BYTES;
    codes.push(from.u32());
    from.skip(CAPABILITY_BYTES - 4);
  }
  return codes;
}

/** What follows ServerInit with Tight: U16 counts of three lists of capabilities, 2 bytes padding, the lists. */
export function* skipInteractionCapabilities(from: ByteQueue): Parser<void> {
  while (!from.has(8)) yield 8;
  const count = from.u16() + from.u16() + from.u16();
  from.skip(2);
  if (count > LIMIT.capabilities) {
    throw new RfbError(
      "too_large",
      "init",
      `got lists of ${count} capabilities, expected at most ${LIMIT.capabilities}`,
    );
  }
  for (let i = 0; i < count; i++) {
    while (!from.has(CAPABILITY_BYTES)) yield CAPABILITY_BYTES;
    from.skip(CAPABILITY_BYTES);
  }
}
