import { createHash, X509Certificate } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { childOf, children, negoTokens, tlv, tsFields } from "../../protocols/rdp/security/credssp-server.ts";
import { type Owner, Program } from "../../support/program.ts";
import type { PeerTest } from "../harness/peers.ts";
import type { Identity, RdpFakeHost } from "../hostile/rdp-fake.ts";

const PYTHON = "/usr/bin/python3";
/** What makes NTLM one of the mechanisms of this machine's GSSAPI: of the Debian package gss-ntlmssp. */
const MECHANISM = "/etc/gss/mech.d/mech.ntlmssp.conf";
const VERSION = 6;
const INVALID_TOKEN = 0x8009_0308;
const LOGON_DENIED = 0x8009_030c;

export interface Account {
  readonly username: string;
  readonly password: string;
}

/** How a host says that it does not take a bare token: by its error code, or by the end of the connection. */
type BareAnswer = "code" | "hangs up";

export interface SpnegoHostOptions {
  readonly account: Account;
  readonly identity: Identity;
  readonly bareAnswer?: BareAnswer;
  /** Changes the token that ends SPNEGO. */
  readonly tamper?: (token: Buffer) => Buffer;
}

/** True where SPNEGO of somebody else is installed; as `requirePeers`. */
export function requireSpnego(t: PeerTest): boolean {
  const missing = [PYTHON, MECHANISM].filter((path) => !existsSync(path));
  if (missing.length === 0) return true;
  const line = `needs ${missing.join(", ")} (apt-get install python3-minimal libgssapi-krb5-2 gss-ntlmssp)`;
  if (process.env["CI"]) t.fail(line);
  else process.stderr.write(`SKIPPED: ${line}\n`);
  return false;
}

/**
 * Lets clients in that wrap NTLM in SPNEGO, and no other, by MIT Kerberos' GSSAPI and gss-ntlmssp; of CredSSP (MS-CSSP
 * 3.1.5) it has only what is around them.
 */
export class SpnegoHost {
  readonly #owner: Owner;
  readonly #options: SpnegoHostOptions;
  readonly #accounts: string;
  /** What each connection's first token was. */
  readonly offers: ("bare" | "wrapped")[] = [];
  /** What the client gave in the end. */
  credentials: Account | null = null;

  constructor(owner: Owner, folder: string, options: SpnegoHostOptions) {
    this.#owner = owner;
    this.#options = options;
    this.#accounts = join(folder, "accounts");
    const { username, password } = options.account;
    writeFileSync(this.#accounts, `:${username}:${password}\n`, { mode: 0o600 });
  }

  /** Plays CredSSP with a client whose TLS is up; false where it does not let it in. */
  async admit(host: RdpFakeHost): Promise<boolean> {
    const first = tokenOf(await host.tsRequest());
    const isBare = first.subarray(0, 7).toString("latin1") === "NTLMSSP";
    this.offers.push(isBare ? "bare" : "wrapped");
    if (isBare) {
      if (this.#options.bareAnswer !== "hangs up") await host.say(refusal(INVALID_TOKEN));
      return false;
    }
    const acceptor = new Acceptor(this.#owner, this.#accounts);
    try {
      return await this.#prove(host, acceptor, first);
    } finally {
      await acceptor.end();
    }
  }

  async #prove(host: RdpFakeHost, acceptor: Acceptor, first: Buffer): Promise<boolean> {
    const challenge = await acceptor.ask("accept", first);
    if (challenge.word !== "more")
      throw new Error(`SPNEGO took the first token for the last: ${challenge.word}`);
    await host.say(request(tlv(0xa1, negoTokens(challenge.bytes))));
    const answer = await host.tsRequest();
    const last = await acceptor.ask("accept", tokenOf(answer));
    if (last.word !== "done") {
      await host.say(refusal(LOGON_DENIED));
      return false;
    }
    const fields = tsFields(answer);
    const nonce = childOf(fields.get(5) ?? Buffer.alloc(0));
    const seen = await acceptor.ask("unwrap", childOf(fields.get(3) ?? Buffer.alloc(0)));
    if (!seen.bytes.equals(this.#keyProof("Client-To-Server", nonce)))
      throw new Error("the client sees another key");
    const proof = await acceptor.ask("wrap", this.#keyProof("Server-To-Client", nonce));
    const { tamper = (token: Buffer) => token } = this.#options;
    const end = last.bytes.length === 0 ? [] : [tlv(0xa1, negoTokens(tamper(last.bytes)))];
    await host.say(request(...end, tlv(0xa3, tlv(4, proof.bytes))));
    const sealed = childOf(tsFields(await host.tsRequest()).get(2) ?? Buffer.alloc(0));
    this.credentials = credentialsIn((await acceptor.ask("unwrap", sealed)).bytes);
    return true;
  }

  /** MS-CSSP 3.1.5, version 5 and later: over the bits of the certificate's subjectPublicKey. */
  #keyProof(direction: string, nonce: Buffer): Buffer {
    const { publicKey } = new X509Certificate(readFileSync(this.#options.identity.certificate));
    return createHash("sha256")
      .update(`CredSSP ${direction} Binding Hash\0`)
      .update(nonce)
      .update(publicKey.export({ type: "pkcs1", format: "der" }))
      .digest();
  }
}

/** One sign-in at GSSAPI. */
class Acceptor {
  readonly #program: Program;
  #heard = 0;

  constructor(owner: Owner, accounts: string) {
    const script = fileURLToPath(new URL("spnego-acceptor.py", import.meta.url));
    const env = { NTLM_USER_FILE: accounts };
    this.#program = new Program(owner, PYTHON, [script], { env, stdin: "pipe" });
  }

  async ask(word: "accept" | "wrap" | "unwrap", bytes: Buffer): Promise<{ word: string; bytes: Buffer }> {
    this.#program.write(`${word} ${bytes.toString("hex")}\n`);
    const line = await this.#program.waitFor(word, ({ stdout }) => {
      const lines = stdout.split("\n");
      return lines.length > this.#heard + 1 ? (lines[this.#heard] ?? null) : null;
    });
    this.#heard++;
    const [said = "", hex = ""] = line.split(" ");
    return { word: said, bytes: Buffer.from(said === "failed" ? "" : hex, "hex") };
  }

  async end(): Promise<void> {
    await this.#program.stop("SIGKILL");
  }
}

function request(...fields: Buffer[]): Buffer {
  return tlv(0x30, tlv(0xa0, tlv(2, Buffer.of(VERSION))), ...fields);
}

/** As Windows has it: four bytes, whose first bit is set. */
function refusal(code: number): Buffer {
  const number = Buffer.alloc(4);
  number.writeUInt32BE(code);
  return request(tlv(0xa4, tlv(2, number)));
}

function tokenOf(message: Buffer): Buffer {
  return childOf(childOf(childOf(childOf(tsFields(message).get(1) ?? Buffer.alloc(0)))));
}

/** TSPasswordCreds in TSCredentials, MS-CSSP 2.2.1.2. */
function credentialsIn(bytes: Buffer): Account {
  const [, credentials] = children(childOf(bytes));
  const texts = children(childOf(childOf(credentials?.body ?? Buffer.alloc(0))));
  const [, username = "", password = ""] = texts.map(({ body }) => childOf(body).toString("utf16le"));
  return { username, password };
}
