import fc from "fast-check";
import t from "tap";
import { rfbCrypto } from "../../../../src/desktop/links/vnc/rfb-crypto.ts";
import { RdpError } from "../../../../src/protocols/rdp/error.ts";
import { hmacMd5 } from "../../../../src/protocols/rdp/security/hmac-md5.ts";
import {
  lmV2Response,
  NtlmClient,
  ntlmV2Key,
  ntlmV2Response,
} from "../../../../src/protocols/rdp/security/ntlm-client.ts";
import { readChallenge, writeNegotiate } from "../../../../src/protocols/rdp/security/ntlm-messages.ts";
import { NtlmSeal } from "../../../../src/protocols/rdp/security/ntlm-seal.ts";
import { readTargetInfo, writeTargetInfo } from "../../../../src/protocols/rdp/security/ntlm-target-info.ts";
import { Rc4 } from "../../../../src/protocols/rdp/security/rc4.ts";

const { hash } = rfbCrypto;
const bytes = (text: string): Uint8Array => Buffer.from(text.replaceAll(" ", ""), "hex");
const hex = (data: Uint8Array): string => Buffer.from(data).toString("hex");

/** MS-NLMP 4.2.1 and 4.2.4: the values of its example of NTLMv2. */
const SERVER_CHALLENGE = bytes("0123456789abcdef");
const CLIENT_CHALLENGE = bytes("aaaaaaaaaaaaaaaa");
const SESSION_KEY = new Uint8Array(16).fill(0x55);
const TARGET_INFO = bytes("02000c00 44006f006d00610069006e00 01000c00 530065007200760065007200 00000000");
const CHALLENGE_MESSAGE = bytes(
  `4e544c4d53535000 02000000 0c000c0038000000 33828ae2 0123456789abcdef 0000000000000000
   2400240044000000 060070170000000f 530065007200760065007200 ${hex(TARGET_INFO)}`.replace(/\s/g, ""),
);

t.test("HMAC-MD5 gives the values of RFC 2202", async (t) => {
  t.equal(
    hex(hmacMd5(hash, new Uint8Array(16).fill(0x0b), Buffer.from("Hi There"))),
    "9294727a3638bb1c13f48ef8158bfc9d",
  );
  t.equal(
    hex(hmacMd5(hash, Buffer.from("Jefe"), Buffer.from("what do ya want "), Buffer.from("for nothing?"))),
    "750c783e6ab0b503eaa86e310a5db738",
  );
  const longKey = new Uint8Array(80).fill(0xaa);
  const message = Buffer.from("Test Using Larger Than Block-Size Key - Hash Key First");
  t.equal(hex(hmacMd5(hash, longKey, message)), "6b1ab7fe4bd7bf8f0b62e6ce61b9d0cd");
});

t.test("NTLMv2 gives the values of MS-NLMP section 4.2.4", async (t) => {
  const key = ntlmV2Key(hash, "User", "Domain", "Password");
  t.equal(hex(key), "0c868a403bfd7a93a3001ef22ef02e3f", "4.2.4.1.1 NTOWFv2");
  const { response, sessionKey } = ntlmV2Response(hash, key, SERVER_CHALLENGE, {
    time: new Uint8Array(8),
    clientChallenge: CLIENT_CHALLENGE,
    targetInfo: TARGET_INFO,
  });
  t.equal(hex(sessionKey), "8de40ccadbc14a82f15cb0ad0de95ca3", "4.2.4.1.2 session base key");
  t.equal(
    hex(lmV2Response(hash, key, SERVER_CHALLENGE, CLIENT_CHALLENGE)),
    "86c35097ac9cec102554764a57cccc19aaaaaaaaaaaaaaaa",
    "4.2.4.2.1 LMv2 response",
  );
  t.equal(hex(response.subarray(0, 16)), "68cd0ab851e51c96aabc927bebef6a1c", "4.2.4.2.2 NTLMv2 response");
  t.equal(
    hex(response.subarray(16)),
    `0101000000000000 0000000000000000 aaaaaaaaaaaaaaaa 00000000 ${hex(TARGET_INFO)} 00000000`.replaceAll(
      " ",
      "",
    ),
  );
  t.equal(
    hex(new Rc4(sessionKey).apply(SESSION_KEY)),
    "c5dad2544fc9799094ce1ce90bc9d03e",
    "4.2.4.2.3 encrypted session key",
  );
});

t.test("sealing gives the values of MS-NLMP section 4.2.4.4", async (t) => {
  const plain = Buffer.from("Plaintext", "utf16le");
  const sealed = new NtlmSeal(hash, SESSION_KEY, "client-to-server").seal(plain);
  t.equal(hex(sealed.subarray(16)), "54e50165bf1936dc996020c1811b0f06fb5f", "the message");
  t.equal(hex(sealed.subarray(0, 16)), "010000007fb38ec5c55d497600000000", "the signature");
  t.same(new NtlmSeal(hash, SESSION_KEY, "client-to-server").open(sealed), new Uint8Array(plain));
});

t.test("the challenge of MS-NLMP section 4.2.4.3 is read", async (t) => {
  const { flags, serverChallenge, targetInfo } = readChallenge(CHALLENGE_MESSAGE);
  t.equal(flags, 0xe28a8233);
  t.same(serverChallenge, SERVER_CHALLENGE);
  t.same(targetInfo, TARGET_INFO);
  t.same(
    readTargetInfo(targetInfo).map(({ id, value }) => [id, Buffer.from(value).toString("utf16le")]),
    [
      [2, "Domain"],
      [1, "Server"],
    ],
  );
  t.same(writeTargetInfo(readTargetInfo(targetInfo)), TARGET_INFO);
});

t.test("the first message asks for what sealing needs, and names nobody", async (t) => {
  t.equal(
    hex(writeNegotiate()),
    "4e544c4d53535000 01000000 358208e2 0000000000000000 0000000000000000 0601b11d0000000f".replaceAll(
      " ",
      "",
    ),
  );
});

t.test(
  "a sealed message that is changed, repeated, left out or of the other side does not open",
  async (t) => {
    const from = (): NtlmSeal => new NtlmSeal(hash, SESSION_KEY, "server-to-client");
    const theirs = from();
    const [first, second] = [theirs.seal(Buffer.from("first")), theirs.seal(Buffer.from("second"))];
    const ours = from();
    t.same(ours.open(first), new Uint8Array(Buffer.from("first")));
    t.same(ours.open(second), new Uint8Array(Buffer.from("second")));
    t.equal(from().open(second), null, "one left out");
    const repeated = from();
    repeated.open(first);
    t.equal(repeated.open(first), null, "repeated");
    t.equal(new NtlmSeal(hash, SESSION_KEY, "client-to-server").open(first), null, "sent back to us");
    for (let at = 0; at < first.length; at++) {
      const changed = Uint8Array.from(first);
      changed[at] = (changed[at] ?? 0) ^ 0x80;
      t.equal(from().open(changed), null, `byte ${at}`);
    }
    t.equal(from().open(first.subarray(0, 15)), null, "too short for a signature");
  },
);

t.test("hostile challenges are RdpErrors", async (t) => {
  const isOk = (challenge: Uint8Array): boolean => {
    const client = new NtlmClient({
      user: "User",
      domain: "Domain",
      password: "Password",
      targetName: "",
      channelBinding: null,
      hash,
      random: (count) => new Uint8Array(count),
      now: () => 0n,
    });
    try {
      client.authenticate(challenge);
      return true;
    } catch (error) {
      return error instanceof RdpError;
    }
  };
  fc.assert(fc.property(fc.uint8Array({ maxLength: 120 }), isOk));
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.nat(CHALLENGE_MESSAGE.length - 1), fc.nat(255)), { maxLength: 4 }),
      (edits) => {
        const changed = Uint8Array.from(CHALLENGE_MESSAGE);
        for (const [at, value] of edits) changed[at] = value;
        return isOk(changed);
      },
    ),
    { numRuns: 2000 },
  );
  t.ok(isOk(CHALLENGE_MESSAGE));
  const endless = Buffer.concat([CHALLENGE_MESSAGE.subarray(0, 56), Buffer.alloc(400, 1)]);
  endless.writeUInt16LE(400, 40);
  endless.writeUInt32LE(56, 44);
  t.ok(isOk(endless), "a list without an end");
});
