import type { Parser } from "../../byte-queue.ts";
import { type ClientContext, perform } from "../client-context.ts";
import { RdpError } from "../error.ts";
import { TPKT_VERSION } from "../graphics/frames.ts";
import { LittleEndianReader } from "../little-endian-reader.ts";
import { LIMIT, PROTOCOL } from "../numbers.ts";
import { CredSsp } from "../security/credssp.ts";
import { signInRefused } from "./error-info.ts";

const SEQUENCE = 0x30;
/** Early User Authorization Result, MS-RDPBCGR 2.2.10.2. */
const AUTHORISED = 0;

/**
 * TLS over the stream, MS-RDPBCGR 5.4.5, and where the host chose it CredSSP inside. The link judges the certificate
 * before it resumes: until then nothing that can be attacked leaves.
 */
export function* upgradeSecurity(c: ClientContext): Parser<void> {
  c.phase = "tls";
  if (c.from.size > 0) {
    throw new RdpError("bad_data", c.phase, `got ${c.from.size} bytes before TLS, expected none`);
  }
  let publicKey = new Uint8Array(0);
  yield* perform(c, {
    kind: "startTls",
    take: (key) => {
      publicKey = key.slice();
    },
  });
  c.emit({ type: "handshake", step: "security", detail: "TLS is up and the certificate is believed" });
  if (c.selectedProtocol === PROTOCOL.ssl) return;
  yield* authenticate(c, publicKey);
  c.emit({ type: "handshake", step: "authentication", detail: "the host accepted user name and password" });
}

/** CredSSP, MS-CSSP 3.1.5, and what HYBRID_EX has after it. */
function* authenticate(c: ClientContext, publicKey: Uint8Array): Parser<void> {
  c.phase = "credssp";
  const { username, password, domain, targetName, isSpnegoWrapped } = c.options;
  const credSsp = new CredSsp({
    user: username,
    password,
    domain,
    targetName,
    isWrapped: isSpnegoWrapped ?? false,
    publicKey,
    hash: c.ports.hash,
    random: (count) => c.ports.randomBytes(count),
    now: () => c.ports.fileTime(),
  });
  c.send(credSsp.start());
  // Hosts of CredSSP version 2 have no words for a token that they do not take: they hang up.
  c.wantsSpnego = isSpnegoWrapped !== true;
  for (let hasProved = false; ; hasProved = true) {
    const message = yield* readTsRequest(c, hasProved);
    try {
      const { reply, done } = credSsp.receive(message);
      if (reply !== null) c.send(reply);
      if (done) break;
    } finally {
      c.wantsSpnego = credSsp.wantsSpnego;
    }
  }
  if (c.selectedProtocol !== PROTOCOL.hybridEx) return;
  while (!c.from.has(4)) yield 4;
  const result = new LittleEndianReader(c.from.take(4), c.phase).u32();
  if (result !== AUTHORISED) {
    throw new RdpError("auth_failed", c.phase, "the host knows the user, who may not sign in remotely");
  }
}

/** A whole TSRequest, as the queue has it: U8 0x30, its length, and so many bytes. `hasProved`: to our proof. */
function* readTsRequest(c: ClientContext, hasProved: boolean): Parser<Uint8Array> {
  while (!c.from.has(2)) yield 2;
  const [tag = 0, first = 0] = c.from.peek(2);
  // GNOME Remote Desktop 43 answers a wrong password with the end of a session that has not begun (2026-11-21).
  if (tag === TPKT_VERSION && hasProved) throw signInRefused(c.phase);
  if (tag !== SEQUENCE) throw new RdpError("bad_data", c.phase, `got tag ${tag}, expected a TSRequest`);
  const lengthBytes = first < 0x80 ? 0 : first & 0x7f;
  if (lengthBytes > 3) {
    throw new RdpError("too_large", c.phase, `got a length of ${lengthBytes} bytes, expected at most 3`);
  }
  const headerBytes = 2 + lengthBytes;
  while (!c.from.has(headerBytes)) yield headerBytes;
  let length = lengthBytes === 0 ? first : 0;
  for (const byte of c.from.peek(headerBytes).subarray(2)) length = (length << 8) | byte;
  if (length > LIMIT.tsRequestBytes) {
    throw new RdpError(
      "too_large",
      c.phase,
      `got a TSRequest of ${length} bytes, expected at most ${LIMIT.tsRequestBytes}`,
    );
  }
  while (!c.from.has(headerBytes + length)) yield headerBytes + length;
  return c.from.take(headerBytes + length);
}
