import type { ByteQueue, Parser } from "../../byte-queue.ts";
import { ByteWriter } from "../../byte-writer.ts";
import type { ClientContext } from "../client/client-context.ts";
import { RfbError } from "../error.ts";
import { decodeLatin1 } from "../latin1.ts";
import { LIMIT, TIGHT_AUTH } from "../numbers.ts";
import { choose, type SecurityName, TIGHT_TYPES } from "./policy.ts";

const CAPABILITY_BYTES = 16;
const NO_TUNNEL = 0;

/** Panels of Siemens take no tunnel but do not offer that, only one of their own; noVNC knows them by it, too. */
const SIEMENS_TUNNEL: Capability = { code: 1, vendor: "SICR", name: "SCHANNEL" };

interface Capability {
  readonly code: number;
  readonly vendor: string;
  readonly name: string;
}

/**
 * Tight security, type 16, rfbproto: U32 count, tunnels, our choice if there are any; U32 count, authentication types,
 * our choice if there are any. Gives what was chosen; no type at all means None.
 */
export function* agreeOnTight(c: ClientContext): Parser<SecurityName> {
  const tunnels = yield* readCapabilities(c.from);
  if (tunnels.length > 0) {
    const takesNone = tunnels.some(
      ({ code, vendor, name }) =>
        code === NO_TUNNEL ||
        (code === SIEMENS_TUNNEL.code && vendor === SIEMENS_TUNNEL.vendor && name === SIEMENS_TUNNEL.name),
    );
    if (!takesNone) {
      throw new RfbError(
        "no_common_auth",
        "security",
        "the server offers only tunnels, expected none beside them",
      );
    }
    c.send(new ByteWriter(4).u32(NO_TUNNEL).bytes());
  }
  const types = yield* readCapabilities(c.from);
  const { number, leadsTo } = choose(
    c.options,
    types.length === 0 ? [TIGHT_AUTH.none] : types.map(({ code }) => code),
    TIGHT_TYPES,
  );
  if (types.length > 0) c.send(new ByteWriter(4).u32(number).bytes());
  const [name] = leadsTo;
  if (name === undefined) throw new Error("an authentication type without a name");
  return name;
}

/** U32 count, then of each I32 code, 4 bytes vendor, 8 bytes name. */
function* readCapabilities(from: ByteQueue): Parser<readonly Capability[]> {
  while (!from.has(4)) yield 4;
  const count = from.u32();
  if (count > LIMIT.capabilities) {
    throw new RfbError(
      "too_large",
      "security",
      `got a list of ${count} capabilities, expected at most ${LIMIT.capabilities}`,
    );
  }
  const capabilities: Capability[] = [];
  for (let i = 0; i < count; i++) {
    while (!from.has(CAPABILITY_BYTES)) yield CAPABILITY_BYTES;
    const code = from.u32();
    const vendor = decodeLatin1(from.take(4));
    capabilities.push({ code, vendor, name: decodeLatin1(from.take(8)) });
  }
  return capabilities;
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
