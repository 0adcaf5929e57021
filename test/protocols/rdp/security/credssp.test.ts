import { randomBytes } from "node:crypto";
import fc from "fast-check";
import t, { type Test } from "tap";
import { rfbCrypto } from "../../../../src/desktop/links/vnc/rfb-crypto.ts";
import { RdpError } from "../../../../src/protocols/rdp/error.ts";
import { accountOf, CredSsp, type CredSspOptions } from "../../../../src/protocols/rdp/security/credssp.ts";
import { CredSspServer, type ServerOptions, tlv } from "./credssp-server.ts";

const PUBLIC_KEY = randomBytes(270);
const PASSWORD = "SecREt01";
/** MD4 of it in UTF-16, as winpr-hash and every NTLM text book print it. */
const NT_HASH = Buffer.from("cd06ca7c7e10c99b1d33b7485a2ed808", "hex");
const VERSIONS = [2, 3, 4, 5, 6];

function client(options: Partial<CredSspOptions> = {}): CredSsp {
  return new CredSsp({
    user: "ädä",
    password: PASSWORD,
    domain: "Lab",
    publicKey: PUBLIC_KEY,
    hash: rfbCrypto.hash,
    random: (count) => randomBytes(count),
    now: () => 133_000_000_000_000_000n,
    ...options,
  });
}

function server(options: Partial<ServerOptions> = {}): CredSspServer {
  return new CredSspServer({ version: 6, publicKey: PUBLIC_KEY, ntHash: NT_HASH, ...options });
}

/** The whole exchange; gives what the client sent. */
function exchange(ours: CredSsp, theirs: CredSspServer): Uint8Array[] {
  const sent = [ours.start()];
  for (;;) {
    const answer = theirs.receive(sent.at(-1) ?? new Uint8Array());
    if (answer === null) return sent;
    const { reply, done } = ours.receive(answer);
    if (reply === null) throw new Error("the client has nothing to say");
    sent.push(reply);
    if (done !== (sent.length === 3)) throw new Error(`done is ${done} after ${sent.length} messages`);
  }
}

function expectError(t: Test, code: string, run: () => unknown, message: string): void {
  try {
    run();
    t.fail(message, { got: "no error" });
  } catch (error) {
    if (!(error instanceof RdpError)) throw error;
    t.equal(error.code, code, `${message}: ${error.message}`);
    t.equal(error.phase, "credssp");
    t.notMatch(error.message, PASSWORD);
  }
}

t.test("a host of every version gets the credentials once it has proved its key", async (t) => {
  for (const version of VERSIONS) {
    for (const isWrapped of [false, true]) {
      for (const hasTimestamp of [false, true]) {
        const theirs = server({ version, isWrapped, hasTimestamp });
        const sent = exchange(client({ isWrapped }), theirs);
        const wanted = { domain: "Lab", user: "ädä", password: PASSWORD };
        t.same(theirs.credentials, wanted, `version ${version}, wrapped ${isWrapped}, time ${hasTimestamp}`);
        const words = Buffer.concat(sent);
        t.notOk(
          words.includes(PASSWORD) || words.includes(Buffer.from(PASSWORD, "utf16le")),
          "never in clear",
        );
      }
    }
  }
});

t.test("who has another key than its certificate's gets no credentials", async (t) => {
  for (const version of VERSIONS) {
    const between = server({ version, publicKey: randomBytes(270) });
    t.throws(() => exchange(client(), between), /misses the key that the client sees/);
    t.equal(between.credentials, null);
  }
  for (const version of VERSIONS) {
    // It takes the client's proof as it comes and gives it back, knowing no key itself.
    const mirror = server({ version, proof: "echo" });
    expectError(t, "no_identity", () => exchange(client(), mirror), `version ${version} mirrored`);
    t.equal(mirror.credentials, null);
  }
});

t.test("a proof of an older sign-in is none of this one", async (t) => {
  expectError(
    t,
    "no_identity",
    () => exchange(client(), server({ proof: "of another nonce" })),
    "another nonce",
  );
  const ours = client();
  const theirs = server();
  const challenge = theirs.receive(ours.start()) ?? Buffer.alloc(0);
  const proof = theirs.receive(ours.receive(challenge).reply ?? Buffer.alloc(0)) ?? Buffer.alloc(0);
  const again = client();
  again.start();
  again.receive(challenge);
  expectError(t, "no_identity", () => again.receive(proof), "replayed to the same client");
});

t.test("no byte of the host's proof may change", async (t) => {
  for (const version of [2, 6]) {
    const ours = client();
    const theirs = server({ version });
    const challenge = theirs.receive(ours.start()) ?? Buffer.alloc(0);
    const proof = theirs.receive(ours.receive(challenge).reply ?? Buffer.alloc(0)) ?? Buffer.alloc(0);
    // A client with the same randomness comes to the same keys: the message that is changed is its own.
    const fixed = (): CredSsp => client({ random: (count) => Buffer.alloc(count, 7) });
    const server2 = server({ version });
    const first = fixed();
    const challenge2 = server2.receive(first.start()) ?? Buffer.alloc(0);
    const proof2 = server2.receive(first.receive(challenge2).reply ?? Buffer.alloc(0)) ?? Buffer.alloc(0);
    t.ok(first.receive(proof2).done, "the unchanged one holds");
    for (let at = 0; at < proof2.length; at++) {
      const changed = Buffer.from(proof2);
      changed.writeUInt8(changed.readUInt8(at) ^ 1, at);
      const one = fixed();
      one.start();
      one.receive(challenge2);
      try {
        one.receive(changed);
        t.fail(`version ${version}: byte ${at} may change`);
      } catch (error) {
        if (!(error instanceof RdpError)) throw error;
      }
    }
    t.ok(ours.receive(proof).done);
  }
});

t.test("a host does not talk us down", async (t) => {
  const FLAGS = 0xe28a_8235;
  for (const flag of [0x1, 0x10, 0x20, 0x8_0000, 0x80_0000, 0x2000_0000, 0x4000_0000]) {
    const weak = server({ challengeFlags: (FLAGS & ~flag) >>> 0 });
    expectError(t, "no_common_security", () => exchange(client(), weak), `without 0x${flag.toString(16)}`);
  }
  for (const version of [0, 1]) {
    expectError(t, "no_common_security", () => exchange(client(), server({ version })), `version ${version}`);
  }
  const ours = client();
  const theirs = server({ version: 6 });
  const challenge = theirs.receive(ours.start()) ?? Buffer.alloc(0);
  const proof = theirs.receive(ours.receive(challenge).reply ?? Buffer.alloc(0)) ?? Buffer.alloc(0);
  // 30 82 LL LL a0 03 02 01 VV, or with a length of one byte.
  const at = proof.indexOf(Buffer.of(0xa0, 3, 2, 1)) + 4;
  const older = Buffer.from(proof);
  older.writeUInt8(4, at);
  expectError(t, "no_identity", () => ours.receive(older), "another version than before");
});

t.test("a refusal is told in words", async (t) => {
  const refusals: [number, string, RegExp][] = [
    [0xc000_006d, "auth_failed", /the user name or the password is wrong \(0xc000006d\)/],
    [0xc000_0234, "auth_failed", /locked out/],
    [0xc000_0224, "auth_failed", /must be changed/],
    [0xc000_015b, "refused", /Remote Desktop Users/],
    [0x8009_035e, "refused", /Kerberos/],
    [0xc0de_0001, "refused", /0xc0de0001/],
  ];
  for (const [status, code, words] of refusals) {
    const number = Buffer.alloc(4);
    number.writeUInt32BE(status);
    // As FreeRDP sends it, in four bytes with the sign bit set, and as DER would have it.
    for (const bytes of [number, Buffer.concat([Buffer.of(0), number])]) {
      const ours = client();
      ours.start();
      const refusal = tlv(0x30, tlv(0xa0, tlv(2, Buffer.of(6))), tlv(0xa4, tlv(2, bytes)));
      expectError(t, code, () => ours.receive(refusal), words.source);
      t.throws(() => ours.receive(refusal), /while it is over/, "a refused sign-in does not go on");
      t.equal(ours.wantsSpnego, false);
    }
  }
});

t.test("a host that does not know bare NTLM is told apart", async (t) => {
  const refusal = tlv(
    0x30,
    tlv(0xa0, tlv(2, Buffer.of(6))),
    tlv(0xa4, tlv(2, Buffer.from("80090308", "hex"))),
  );
  for (const isWrapped of [false, true]) {
    const ours = client({ isWrapped });
    ours.start();
    expectError(t, "refused", () => ours.receive(refusal), "not understood");
    t.equal(ours.wantsSpnego, !isWrapped);
  }
});

t.test("a wrong password is a failure of the host's check, and sends no credentials", async (t) => {
  const theirs = server();
  t.throws(() => exchange(client({ password: "wrong" }), theirs), /misses the password's proof/);
  t.equal(theirs.credentials, null);
});

t.test("the proof covers the certificate and the name that we know", async (t) => {
  const theirs = server();
  exchange(
    client({ targetName: "TERMSRV/host.example", channelBinding: Buffer.from("tls-server-end-point:x") }),
    theirs,
  );
  t.equal(theirs.targetName, "TERMSRV/host.example");
  // MD5 over 16 zero bytes, the length 22 and the data, by hand.
  const wanted = rfbCrypto.hash(
    "md5",
    Buffer.concat([Buffer.alloc(16), Buffer.of(22, 0, 0, 0), Buffer.from("tls-server-end-point:x")]),
  );
  t.equal(theirs.channelBinding, Buffer.from(wanted).toString("hex"));
  const without = server();
  exchange(client(), without);
  t.equal(without.channelBinding, "00".repeat(16));
});

t.test("the domain may come with the user", async (t) => {
  t.same(accountOf("LAB\\ada", ""), { user: "ada", domain: "LAB" });
  t.same(accountOf("LAB\\ada", "OTHER"), { user: "LAB\\ada", domain: "OTHER" });
  t.same(accountOf("ada@lab.example", ""), { user: "ada@lab.example", domain: "" });
  for (const options of [
    { user: "u".repeat(257) },
    { password: "p".repeat(257) },
    { domain: "d".repeat(257) },
  ]) {
    expectError(t, "auth_failed", () => client(options), "too long");
  }
});

t.test("hostile bytes in place of any message are RdpErrors", async (t) => {
  const theirs = server();
  const challenge = theirs.receive(client().start()) ?? Buffer.alloc(0);
  const attack = (bytes: Uint8Array, isSecond: boolean): boolean => {
    const ours = client();
    ours.start();
    if (isSecond) ours.receive(challenge);
    try {
      return !ours.receive(bytes).done;
    } catch (error) {
      return error instanceof RdpError;
    }
  };
  fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), fc.boolean(), attack), { numRuns: 1500 });
  fc.assert(
    fc.property(fc.nat(challenge.length - 1), fc.nat(255), fc.nat(challenge.length), (at, byte, cut) => {
      const changed = Buffer.from(challenge);
      changed.writeUInt8(byte, at);
      return attack(changed, false) && attack(changed.subarray(0, cut), false) && attack(changed, true);
    }),
    { numRuns: 1000 },
  );
  t.pass("2500 attacks");
});
