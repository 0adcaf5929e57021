import t from "tap";
import { RdpError } from "../../../../src/protocols/rdp/error.ts";
import { md4 } from "../../../../src/protocols/rdp/security/md4.ts";
import { Peer } from "../peer.ts";
import { CredSspServer } from "../security/credssp-server.ts";
import { confirm, tpkt } from "../server-bytes.ts";

/** NLA, MS-RDPBCGR 2.2.1.2.1. */
const HYBRID = 2;
/** MCS Disconnect Provider Ultimatum, user requested. */
const ULTIMATUM = tpkt(Uint8Array.of(2, 0xf0, 0x80, 0x21, 0x80));

function errorOf(run: () => unknown): RdpError {
  try {
    run();
  } catch (error) {
    if (error instanceof RdpError) return error;
    throw error;
  }
  throw new Error("nothing was thrown");
}

/** A host with NLA, in whose place `server` answers what the client has said last. */
function start(): { peer: Peer; answer(): Uint8Array } {
  const peer = new Peer().say(confirm(HYBRID));
  const server = new CredSspServer({
    version: 6,
    publicKey: Buffer.alloc(8),
    ntHash: Buffer.from(md4(Buffer.from("secret", "utf16le"))),
  });
  const answer = (): Uint8Array => {
    const said = server.receive(peer.sent.at(-1) ?? Buffer.alloc(0));
    if (said === null) throw new Error("the host has nothing more to say");
    return said;
  };
  return { peer, answer };
}

t.test("a host that ends the connection over our proof refused the password", async (t) => {
  for (const step of [1, Number.POSITIVE_INFINITY]) {
    const { peer, answer } = start();
    peer.sayIn(step, answer());
    const error = errorOf(() => peer.sayIn(step, ULTIMATUM));
    t.match(error, { code: "auth_failed", phase: "credssp", message: /user name and password/ });
  }
  const { peer, answer } = start();
  peer.say(answer());
  t.match(peer.client.closed(), { code: "auth_failed", phase: "credssp" }, "by closing the stream too");
});

t.test("before our proof such a message is none of CredSSP", async (t) => {
  const { peer } = start();
  const error = errorOf(() => peer.say(ULTIMATUM));
  t.match(error, { code: "bad_data", phase: "credssp", message: /got tag 3/ });
});

t.test("behind both proofs the session goes on to its channels", async (t) => {
  const { peer, answer } = start();
  peer.say(answer()).say(answer());
  t.match(
    peer.events.flatMap((event) => (event.type === "handshake" ? [event.step] : [])),
    ["version", "security", "authentication"],
  );
  t.match(peer.client.description, /NLA/);
});
