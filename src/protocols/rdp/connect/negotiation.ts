import type { Parser } from "../../byte-queue.ts";
import type { ClientContext } from "../client-context.ts";
import { RdpError } from "../error.ts";
import { readSlow, tpkt, X224 } from "../graphics/frames.ts";
import { LittleEndianReader } from "../little-endian-reader.ts";
import { LittleEndianWriter } from "../little-endian-writer.ts";
import { PROTOCOL } from "../numbers.ts";

/** Types of what follows the X.224 header, MS-RDPBCGR 2.2.1.1.1 to 2.2.1.2.2. */
const NEGOTIATION = { request: 1, response: 2, failure: 3 } as const;

/** Failure codes, MS-RDPBCGR 2.2.1.2.2, and what to do about them. */
const FAILURES: Readonly<Record<number, string>> = {
  1: "the host demands TLS, which was not offered",
  2: "the host speaks only RDP's own security, which is not supported: turn TLS or NLA on there",
  3: "the host has no certificate for TLS: configure one there",
  4: "the host sent contradictory demands",
  5: "the host demands NLA (CredSSP): user name and password are needed",
  6: "the host demands TLS with a client certificate, which is not supported",
};

/**
 * X.224 Connection Request and Confirm, MS-RDPBCGR 2.2.1.1 and 2.2.1.2. No cookie is sent: it would name the user in
 * clear.
 */
export function* negotiate(c: ClientContext): Parser<void> {
  c.phase = "negotiation";
  const requested = PROTOCOL.hybrid | PROTOCOL.hybridEx | (c.options.needsNla === true ? 0 : PROTOCOL.ssl);
  c.send(
    tpkt(
      new LittleEndianWriter(15)
        .u8(14 /* what follows */)
        .u8(X224.connectionRequest)
        .pad(5)
        .u8(NEGOTIATION.request)
        .u8(0)
        .u16(8)
        .u32(requested)
        .bytes(),
    ),
  );
  const from = new LittleEndianReader(yield* readSlow(c), c.phase);
  from.skip(1);
  const type = from.u8() & 0xf0;
  if (type !== X224.connectionConfirm) {
    throw new RdpError(
      "bad_data",
      c.phase,
      `got x224 type ${type}, expected a connection confirm: not an RDP host`,
    );
  }
  from.skip(5);
  if (from.left === 0) throw new RdpError("no_common_security", c.phase, FAILURES[2] ?? "");
  const kind = from.u8();
  from.skip(3);
  const value = from.u32();
  if (kind === NEGOTIATION.failure) throw failure(value, c);
  if (kind !== NEGOTIATION.response) {
    throw new RdpError("bad_data", c.phase, `got negotiation type ${kind}, expected 2 or 3`);
  }
  if (value === PROTOCOL.rdp) throw new RdpError("no_common_security", c.phase, FAILURES[2] ?? "");
  const isKnown = value === PROTOCOL.ssl || value === PROTOCOL.hybrid || value === PROTOCOL.hybridEx;
  if (!isKnown || (value & requested) === 0) {
    throw new RdpError("bad_data", c.phase, `got protocol ${value}, expected one that was offered`);
  }
  c.selectedProtocol = value;
  const way = value === PROTOCOL.ssl ? "TLS" : "TLS, NLA";
  c.description = `RDP, ${way}`;
  c.emit({ type: "handshake", step: "version", detail: `the host takes RDP with ${way}` });
}

function failure(code: number, c: ClientContext): RdpError {
  if (code === 2 && c.options.needsNla === true) {
    return new RdpError("no_common_security", c.phase, "the host does not offer NLA, which is required here");
  }
  const words = FAILURES[code];
  return words === undefined
    ? new RdpError(
        "refused",
        c.phase,
        `the host refused the negotiation with code ${code}, which is not known`,
      )
    : new RdpError("no_common_security", c.phase, words);
}
