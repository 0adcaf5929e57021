import { LittleEndianWriter } from "../little-endian-writer.ts";
import { type Hash, hmacMd5 } from "./hmac-md5.ts";
import { md4 } from "./md4.ts";
import { readChallenge, setMic, writeAuthenticate, writeNegotiate } from "./ntlm-messages.ts";
import { NtlmSeal } from "./ntlm-seal.ts";
import { ATTRIBUTE, type Attribute, readTargetInfo, writeTargetInfo } from "./ntlm-target-info.ts";
import { joined, utf16 } from "./octets.ts";
import { Rc4 } from "./rc4.ts";

const CHALLENGE_BYTES = 8;
const SESSION_KEY_BYTES = 16;
const LM_RESPONSE_BYTES = 24;
/** MsvAvFlags: the AUTHENTICATE_MESSAGE has an integrity code, MS-NLMP 2.2.2.1. */
const HAS_MIC = 2;
const WORKSTATION = "overlay";

export interface NtlmOptions {
  readonly user: string;
  /** Empty: the host's own accounts. */
  readonly domain: string;
  readonly password: string;
  /** "TERMSRV/host", for hosts that check whom we think they are; empty: not said. */
  readonly targetName: string;
  /** RFC 5929: "tls-server-end-point:" and the certificate's hash; null: none. */
  readonly channelBinding: Uint8Array | null;
  readonly hash: Hash;
  random(count: number): Uint8Array;
  /** 100 ns since 1601-01-01 UTC. */
  now(): bigint;
}

/** The keys of a sign-in whose messages have been exchanged. */
export interface NtlmSession {
  readonly toServer: NtlmSeal;
  readonly fromServer: NtlmSeal;
}

/** The client's half of NTLMv2, MS-NLMP 3.1.5: `negotiate`, then `authenticate` once. */
export class NtlmClient {
  readonly #options: NtlmOptions;
  readonly #negotiate = writeNegotiate();

  constructor(options: NtlmOptions) {
    this.#options = options;
  }

  /** The first message. */
  negotiate(): Uint8Array {
    return this.#negotiate;
  }

  /** The answer to the host's challenge, and the keys that hold from there on. Throws RdpError. */
  authenticate(challenge: Uint8Array): { readonly message: Uint8Array; readonly session: NtlmSession } {
    const { user, domain, password, hash, random, now } = this.#options;
    const { flags, serverChallenge, targetInfo } = readChallenge(challenge);
    const said = readTargetInfo(targetInfo);
    const hostTime = said.find(({ id }) => id === ATTRIBUTE.timestamp)?.value;
    const clientChallenge = random(CHALLENGE_BYTES);
    const key = ntlmV2Key(hash, user, domain, password);
    const { response: ntResponse, sessionKey: baseKey } = ntlmV2Response(hash, key, serverChallenge, {
      time: hostTime ?? fileTime(now()),
      clientChallenge,
      targetInfo: writeTargetInfo(this.#answered(said)),
    });
    // A host that says its time wants no LM response, MS-NLMP 3.1.5.1.2.
    const lmResponse =
      hostTime === undefined
        ? lmV2Response(hash, key, serverChallenge, clientChallenge)
        : new Uint8Array(LM_RESPONSE_BYTES);
    const sessionKey = random(SESSION_KEY_BYTES);
    const message = writeAuthenticate({
      challengeFlags: flags,
      lmResponse,
      ntResponse,
      domain: utf16(domain),
      user: utf16(user),
      workstation: utf16(WORKSTATION),
      encryptedSessionKey: new Rc4(baseKey).apply(sessionKey),
    });
    setMic(message, hmacMd5(hash, sessionKey, this.#negotiate, challenge, message));
    return {
      message,
      session: {
        toServer: new NtlmSeal(hash, sessionKey, "client-to-server"),
        fromServer: new NtlmSeal(hash, sessionKey, "server-to-client"),
      },
    };
  }

  /** What the host said of itself, and what we add: the proof covers both. */
  #answered(said: readonly Attribute[]): Attribute[] {
    const { targetName, channelBinding, hash } = this.#options;
    const added: Attribute[] = [
      { id: ATTRIBUTE.flags, value: new LittleEndianWriter(4).u32(HAS_MIC).bytes() },
      { id: ATTRIBUTE.channelBindings, value: channelBindingHash(hash, channelBinding) },
      { id: ATTRIBUTE.targetName, value: utf16(targetName) },
    ];
    return [...said.filter(({ id }) => !added.some((own) => own.id === id)), ...added];
  }
}

/** NTOWFv2, MS-NLMP 3.3.2: the only key that the password is needed for. */
export function ntlmV2Key(hash: Hash, user: string, domain: string, password: string): Uint8Array {
  return hmacMd5(hash, md4(utf16(password)), utf16(upperCase(user) + domain));
}

export interface NtlmV2Blob {
  /** 8 bytes, 100 ns since 1601. */
  readonly time: Uint8Array;
  /** 8 bytes. */
  readonly clientChallenge: Uint8Array;
  readonly targetInfo: Uint8Array;
}

/** The NTLMv2 response and the session's base key, MS-NLMP 3.3.2: "temp" is versions 2, zero 6, time, challenge, … */
export function ntlmV2Response(
  hash: Hash,
  key: Uint8Array,
  serverChallenge: Uint8Array,
  { time, clientChallenge, targetInfo }: NtlmV2Blob,
): { readonly response: Uint8Array; readonly sessionKey: Uint8Array } {
  const temp = new LittleEndianWriter(64)
    .u8(1)
    .u8(1)
    .pad(6)
    .put(time)
    .put(clientChallenge)
    .pad(4)
    .put(targetInfo)
    .pad(4)
    .bytes();
  const proof = hmacMd5(hash, key, serverChallenge, temp);
  return { response: joined(proof, temp), sessionKey: hmacMd5(hash, key, proof) };
}

/** LMv2, MS-NLMP 3.3.2: 24 bytes. */
export function lmV2Response(
  hash: Hash,
  key: Uint8Array,
  serverChallenge: Uint8Array,
  clientChallenge: Uint8Array,
): Uint8Array {
  return joined(hmacMd5(hash, key, serverChallenge, clientChallenge), clientChallenge);
}

/** MD5 over gss_channel_bindings_struct (RFC 2744 section 3.11: no addresses, then the data), zero without any. */
function channelBindingHash(hash: Hash, binding: Uint8Array | null): Uint8Array {
  if (binding === null) return new Uint8Array(16);
  return hash("md5", new LittleEndianWriter(64).pad(16).u32(binding.length).put(binding).bytes());
}

/** Letter by letter as Windows has it: what would become two letters, such as "ß", stays. */
function upperCase(text: string): string {
  return Array.from(text, (letter) => {
    const upper = letter.toUpperCase();
    return upper.length === letter.length ? upper : letter;
  }).join("");
}

function fileTime(now: bigint): Uint8Array {
  const bytes = new DataView(new ArrayBuffer(8));
  bytes.setBigUint64(0, now, true);
  return new Uint8Array(bytes.buffer);
}
