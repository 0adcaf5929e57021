import { RdpError } from "../error.ts";
import type { Hash } from "./hmac-md5.ts";
import { statusError } from "./nt-status.ts";
import { NtlmClient, type NtlmSession } from "./ntlm-client.ts";
import { ascii, isSame, joined } from "./octets.ts";
import { MECHANISMS, readNegTokenResp, writeNegTokenInit, writeNegTokenResp } from "./spnego.ts";
import { passwordCredentials, readTsRequest, type TsRequest, writeTsRequest } from "./ts-request.ts";

/** The newest version, which we say; the oldest that has ever been in the field is 2. */
const VERSION = 6;
const LEAST_VERSION = 2;
/** From here on the key is proved by a hash that no other message can be taken for (CVE-2018-0886). */
const HASHED_KEY_VERSION = 5;
const NONCE_BYTES = 32;
const INVALID_TOKEN = 0x8009_0308;
/** Windows' own limits of a name and a password, in UTF-16 units. */
const MOST_UNITS = { "user name": 256, domain: 256, password: 256 } as const;

export interface CredSspOptions {
  readonly user: string;
  readonly password: string;
  /** Empty or absent: the host's own accounts, unless the user is "DOMAIN\user". */
  readonly domain?: string | undefined;
  /** subjectPublicKey of the host's certificate: the bits of the BIT STRING without its leading byte. */
  readonly publicKey: Uint8Array;
  /** "TERMSRV/host"; absent: not said. */
  readonly targetName?: string | undefined;
  /** RFC 5929: "tls-server-end-point:" and the hash of the certificate; absent: none. */
  readonly channelBinding?: Uint8Array;
  /** Tokens in SPNEGO from the first one on: for hosts that took no other, see `wantsSpnego`. */
  readonly isWrapped?: boolean;
  readonly hash: Hash;
  random(count: number): Uint8Array;
  /** 100 ns since 1601-01-01 UTC. */
  now(): bigint;
}

/** What `receive` gives: bytes to send, if any, and whether the host was proved and has the credentials. */
export interface CredSspStep {
  readonly reply: Uint8Array | null;
  readonly done: boolean;
}

type State =
  | { readonly kind: "new" }
  | { readonly kind: "challenge"; readonly isWrapped: boolean }
  | {
      readonly kind: "proof";
      readonly session: NtlmSession;
      /** The host's own version; it may not change. */
      readonly version: number;
      readonly nonce: Uint8Array;
      readonly isWrapped: boolean;
    }
  | { readonly kind: "over" };

/**
 * The client's side of CredSSP with NTLMv2 (MS-CSSP 3.1.5, versions 2 to 6), called NLA: inside TLS, both sides prove
 * that they know the password, the host proves that the TLS key is its own, and only then it gets the password.
 *
 * INVARIANT: credentials leave only behind a verified proof of the key, whatever version the host chose.
 */
export class CredSsp {
  readonly #options: CredSspOptions;
  readonly #account: { readonly user: string; readonly domain: string };
  readonly #ntlm: NtlmClient;
  #state: State = { kind: "new" };
  #wantsSpnego = false;

  /** Throws RdpError `auth_failed` for a name or a password longer than Windows has any. */
  constructor(options: CredSspOptions) {
    this.#options = options;
    this.#account = accountOf(options.user, options.domain ?? "");
    checkLength("user name", this.#account.user);
    checkLength("domain", this.#account.domain);
    checkLength("password", options.password);
    this.#ntlm = new NtlmClient({
      ...this.#account,
      password: options.password,
      targetName: options.targetName ?? "",
      channelBinding: options.channelBinding ?? null,
      hash: options.hash,
      random: (count) => options.random(count),
      now: () => options.now(),
    });
  }

  /** The host threw our bare NTLM token out: a new connection with `isWrapped` may do. */
  get wantsSpnego(): boolean {
    return this.#wantsSpnego;
  }

  /** The first message. */
  start(): Uint8Array {
    if (this.#state.kind !== "new") throw new Error("a sign-in starts once");
    const isWrapped = this.#options.isWrapped ?? false;
    this.#state = { kind: "challenge", isWrapped };
    const token = this.#ntlm.negotiate();
    return writeTsRequest({ version: VERSION, negoToken: isWrapped ? writeNegTokenInit(token) : token });
  }

  /** A whole TSRequest of the host. Throws RdpError where it refuses us, breaks the protocol or does not prove its key. */
  receive(bytes: Uint8Array): CredSspStep {
    const state = this.#state;
    if (state.kind === "new" || state.kind === "over") {
      throw new Error(`a message of CredSSP came while it is ${state.kind}`);
    }
    // A message that fails is the last one: what follows a refusal is nobody's business.
    this.#state = { kind: "over" };
    const request = readTsRequest(bytes);
    if (request.errorCode !== undefined && request.errorCode !== 0) {
      this.#wantsSpnego =
        state.kind === "challenge" && !state.isWrapped && request.errorCode === INVALID_TOKEN;
      throw statusError(request.errorCode);
    }
    if (state.kind === "challenge") return { reply: this.#answer(request, state.isWrapped), done: false };
    return { reply: this.#conclude(request, state), done: true };
  }

  /** The challenge came: our proof of the password, and of the key that we see. */
  #answer(request: TsRequest, isWrapped: boolean): Uint8Array {
    const { version } = request;
    if (version < LEAST_VERSION) {
      throw new RdpError(
        "no_common_security",
        "credssp",
        `got CredSSP version ${version}, expected 2 or more`,
      );
    }
    const token = request.negoToken;
    if (token === undefined) throw missing("a token");
    const { message, session } = this.#ntlm.authenticate(isWrapped ? unwrapped(token) : token);
    const negoToken = isWrapped ? wrapLast(message, session) : message;
    const nonce = this.#options.random(NONCE_BYTES);
    this.#state = { kind: "proof", session, version, nonce, isWrapped };
    const isHashed = version >= HASHED_KEY_VERSION;
    const proof = isHashed ? this.#keyHash("Client-To-Server", nonce) : this.#options.publicKey;
    return writeTsRequest({
      version: VERSION,
      negoToken,
      pubKeyAuth: session.toServer.seal(proof),
      ...(isHashed ? { clientNonce: nonce } : {}),
    });
  }

  /** The host's proof came: where it holds, the credentials. */
  #conclude(request: TsRequest, state: Extract<State, { kind: "proof" }>): Uint8Array {
    const { session, version, nonce } = state;
    if (request.version !== version) {
      throw new RdpError(
        "no_identity",
        "credssp",
        `got CredSSP version ${request.version}, expected ${version} as before`,
      );
    }
    if (state.isWrapped && request.negoToken !== undefined) checkLast(request.negoToken, session);
    if (request.pubKeyAuth === undefined) throw missing("a proof of the host's key");
    const proof = session.fromServer.open(request.pubKeyAuth);
    const expected =
      version >= HASHED_KEY_VERSION
        ? this.#keyHash("Server-To-Client", nonce)
        : incremented(this.#options.publicKey);
    if (proof === null || !isSame(proof, expected)) {
      throw new RdpError(
        "no_identity",
        "credssp",
        "the host did not prove that its certificate's key is its own: somebody may be in between",
      );
    }
    const { user, domain } = this.#account;
    const credentials = passwordCredentials(domain, user, this.#options.password);
    return writeTsRequest({ version: VERSION, authInfo: session.toServer.seal(credentials) });
  }

  #keyHash(direction: "Client-To-Server" | "Server-To-Client", nonce: Uint8Array): Uint8Array {
    const magic = ascii(`CredSSP ${direction} Binding Hash\0`);
    return this.#options.hash("sha256", joined(magic, nonce, this.#options.publicKey));
  }
}

/** Who signs in: "DOMAIN\user" where no domain is given; "user@domain" stays whole, the host knows what it is. */
export function accountOf(user: string, domain: string): { readonly user: string; readonly domain: string } {
  const at = user.indexOf("\\");
  if (domain !== "" || at < 0) return { user, domain };
  return { user: user.slice(at + 1), domain: user.slice(0, at) };
}

/** The proof of a key before version 5: the key with its first byte one higher, MS-CSSP 3.1.5. */
function incremented(publicKey: Uint8Array): Uint8Array {
  return publicKey.map((byte, i) => (i === 0 ? (byte + 1) & 0xff : byte));
}

/** NTLM's challenge out of SPNEGO's answer. */
function unwrapped(token: Uint8Array): Uint8Array {
  const { isRejected, responseToken } = readNegTokenResp(token);
  if (isRejected || responseToken === null) {
    throw new RdpError(
      "no_common_security",
      "credssp",
      "the host does not take NTLM, the only mechanism offered",
    );
  }
  return responseToken;
}

/** NTLM's last message, and a signature over the mechanisms; the key stream begins anew behind it, MS-SPNG 3.3.5.1. */
function wrapLast(message: Uint8Array, { toServer }: NtlmSession): Uint8Array {
  const token = writeNegTokenResp(message, toServer.sign(MECHANISMS));
  toServer.restart();
  return token;
}

/** The host's last word; where it signed the mechanisms, nobody changed them. */
function checkLast(token: Uint8Array, { fromServer }: NtlmSession): void {
  const { isRejected, mechListMic } = readNegTokenResp(token);
  if (isRejected) throw new RdpError("auth_failed", "credssp", "the host refused the sign-in");
  if (mechListMic === null) return;
  if (!isSame(fromServer.sign(MECHANISMS), mechListMic)) {
    throw new RdpError("no_identity", "credssp", "got another signature over the mechanisms than the host's");
  }
  fromServer.restart();
}

function checkLength(what: keyof typeof MOST_UNITS, text: string): void {
  const most = MOST_UNITS[what];
  if (text.length <= most) return;
  throw new RdpError(
    "auth_failed",
    "credssp",
    `the ${what} has ${text.length} characters, a host takes at most ${most}`,
  );
}

function missing(what: string): RdpError {
  return new RdpError("bad_data", "credssp", `got a TSRequest without ${what}, expected one`);
}
