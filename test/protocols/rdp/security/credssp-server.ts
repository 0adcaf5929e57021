import { createHash, createHmac } from "node:crypto";

/** What the host of a test is, and what it does wrong. */
export interface ServerOptions {
  /** What it says and speaks. */
  readonly version: number;
  /** The key that it proves; another than the client sees where somebody is in between. */
  readonly publicKey: Buffer;
  /** MD4 of the account's password in UTF-16. */
  readonly ntHash: Buffer;
  readonly isWrapped?: boolean;
  readonly hasTimestamp?: boolean;
  readonly challengeFlags?: number;
  readonly proof?: "honest" | "echo" | "of another nonce";
}

export interface Credentials {
  readonly domain: string;
  readonly user: string;
  readonly password: string;
}

const CHALLENGE = Buffer.from("0123456789abcdef", "hex");
const FLAGS = 0xe28a_8235;
const MECHANISMS = Buffer.from("300c060a2b06010401823702020a", "hex");

/**
 * The host's half of CredSSP with NTLMv2, written for the tests from MS-CSSP and MS-NLMP alone: it shares no code with
 * the client, so that a mistake there is not made here too. Throws where the client does not prove itself.
 */
export class CredSspServer {
  readonly #options: ServerOptions;
  #negotiate: Buffer = Buffer.alloc(0);
  #challenge: Buffer = Buffer.alloc(0);
  #fromClient: Direction | null = null;
  /** What the client gave in the end. */
  credentials: Credentials | null = null;
  /** What the client's last NTLM message says, for tests to look at. */
  authenticate: Buffer = Buffer.alloc(0);
  channelBinding = "";
  targetName = "";

  constructor(options: ServerOptions) {
    this.#options = options;
  }

  /** One TSRequest of the client; its answer, null after the last. */
  receive(bytes: Uint8Array): Buffer | null {
    const fields = tsFields(Buffer.from(bytes));
    if (this.#challenge.length === 0) return this.#challenged(fields);
    if (this.#fromClient === null) return this.#proved(fields);
    this.#accept(fields);
    return null;
  }

  #challenged(fields: Map<number, Buffer>): Buffer {
    const token = this.#tokenIn(fields, "init");
    expect(
      token.subarray(0, 8).toString("latin1") === "NTLMSSP\0" && token.readUInt32LE(8) === 1,
      "negotiate",
    );
    this.#negotiate = token;
    const { isWrapped = false, hasTimestamp = true, challengeFlags = FLAGS } = this.#options;
    const pair = (id: number, value: Buffer): Buffer => Buffer.concat([le16(id), le16(value.length), value]);
    const targetInfo = Buffer.concat([
      pair(2, Buffer.from("Domain", "utf16le")),
      pair(1, Buffer.from("Server", "utf16le")),
      ...(hasTimestamp ? [pair(7, Buffer.alloc(8, 0x11))] : []),
      pair(0, Buffer.alloc(0)),
    ]);
    const name = Buffer.from("Server", "utf16le");
    this.#challenge = Buffer.concat([
      ...[Buffer.from("NTLMSSP\0"), le32(2)],
      ...[le16(name.length), le16(name.length), le32(56), le32(challengeFlags), CHALLENGE, Buffer.alloc(8)],
      ...[le16(targetInfo.length), le16(targetInfo.length), le32(56 + name.length), Buffer.alloc(8)],
      ...[name, targetInfo],
    ]);
    const wrapped = tlv(
      0xa1,
      tlv(0x30, tlv(0xa0, tlv(0x0a, Buffer.of(1))), tlv(0xa2, tlv(4, this.#challenge))),
    );
    return this.#request(tlv(0xa1, negoTokens(isWrapped ? wrapped : this.#challenge)));
  }

  #proved(fields: Map<number, Buffer>): Buffer {
    const token = this.#tokenIn(fields, "response");
    this.authenticate = token;
    const part = (at: number): Buffer => {
      const offset = token.readUInt32LE(at + 4);
      return token.subarray(offset, offset + token.readUInt16LE(at));
    };
    const [nt, domain, user] = [part(20), part(28), part(36)];
    const key = hmac(
      this.#options.ntHash,
      Buffer.from(user.toString("utf16le").toUpperCase(), "utf16le"),
      domain,
    );
    const temp = nt.subarray(16);
    expect(nt.subarray(0, 16).equals(hmac(key, CHALLENGE, temp)), "the password's proof");
    this.#lookAt(temp.subarray(28));
    const lm = part(12);
    const { hasTimestamp = true, isWrapped = false, version } = this.#options;
    const clientChallenge = temp.subarray(16, 24);
    const lmV2 = Buffer.concat([hmac(key, CHALLENGE, clientChallenge), clientChallenge]);
    expect(lm.equals(hasTimestamp ? Buffer.alloc(24) : lmV2), "the LM response");
    const sessionKey = rc4(hmac(key, nt.subarray(0, 16)))(part(52));
    const unsigned = Buffer.from(token);
    unsigned.fill(0, 72, 88);
    expect(
      token.subarray(72, 88).equals(hmac(sessionKey, this.#negotiate, this.#challenge, unsigned)),
      "the integrity code",
    );
    const fromClient = new Direction(sessionKey, "client-to-server");
    const fromServer = new Direction(sessionKey, "server-to-client");
    this.#fromClient = fromClient;
    let last: Buffer[] = [];
    if (isWrapped) {
      expect(fromClient.sign(MECHANISMS).equals(this.#micIn(fields)), "the signature over the mechanisms");
      fromClient.restart();
      const mic = fromServer.sign(MECHANISMS);
      fromServer.restart();
      const accepted = tlv(0xa0, tlv(0x0a, Buffer.of(0)));
      last = [tlv(0xa1, negoTokens(tlv(0xa1, tlv(0x30, accepted, tlv(0xa3, tlv(4, mic))))))];
    }
    const proof = fromClient.open(octets(fields, 3));
    const nonce = version >= 5 ? octets(fields, 5) : null;
    expect(proof.equals(this.#keyProof("Client-To-Server", nonce)), "the key that the client sees");
    return this.#request(...last, tlv(0xa3, tlv(4, fromServer.seal(this.#answer(proof, nonce)))));
  }

  #answer(proof: Buffer, nonce: Buffer | null): Buffer {
    switch (this.#options.proof ?? "honest") {
      case "echo":
        return proof;
      case "of another nonce":
        return this.#keyProof("Server-To-Client", Buffer.alloc(32));
      default: {
        if (nonce !== null) return this.#keyProof("Server-To-Client", nonce);
        const key = Buffer.from(this.#options.publicKey);
        key[0] = ((key[0] ?? 0) + 1) & 0xff;
        return key;
      }
    }
  }

  #accept(fields: Map<number, Buffer>): void {
    const opened = this.#fromClient?.open(octets(fields, 2)) ?? Buffer.alloc(0);
    const [type, credentials] = children(childOf(opened));
    expect(type?.body.toString("hex") === "020101", "a password");
    const texts = children(childOf(childOf(credentials?.body ?? Buffer.alloc(0))));
    const [domain = "", user = "", password = ""] = texts.map(({ body }) =>
      childOf(body).toString("utf16le"),
    );
    this.credentials = { domain, user, password };
  }

  #keyProof(direction: string, nonce: Buffer | null): Buffer {
    const { publicKey } = this.#options;
    if (nonce === null) return publicKey;
    return createHash("sha256")
      .update(`CredSSP ${direction} Binding Hash\0`)
      .update(nonce)
      .update(publicKey)
      .digest();
  }

  #lookAt(targetInfo: Buffer): void {
    for (let at = 0; at + 4 <= targetInfo.length; ) {
      const id = targetInfo.readUInt16LE(at);
      const value = targetInfo.subarray(at + 4, at + 4 + targetInfo.readUInt16LE(at + 2));
      if (id === 0) return;
      if (id === 9) this.targetName = value.toString("utf16le");
      if (id === 10) this.channelBinding = value.toString("hex");
      at += 4 + value.length;
    }
  }

  #tokenIn(fields: Map<number, Buffer>, kind: "init" | "response"): Buffer {
    const token = childOf(childOf(childOf(childOf(fields.get(1) ?? Buffer.alloc(0)))));
    if (this.#options.isWrapped !== true) return token;
    if (kind === "response") {
      const found = children(childOf(childOf(token))).find(({ tag }) => tag === 0xa2);
      return childOf(found?.body ?? Buffer.alloc(0));
    }
    const [oid, init] = children(childOf(token));
    expect(oid?.body.toString("hex") === "2b0601050502", "the object identifier of SPNEGO");
    const [mechanisms, first] = children(childOf(init?.body ?? Buffer.alloc(0)));
    expect(mechanisms?.body.equals(MECHANISMS) === true, "NTLM alone");
    return childOf(first?.body ?? Buffer.alloc(0));
  }

  #micIn(fields: Map<number, Buffer>): Buffer {
    const token = childOf(childOf(childOf(childOf(fields.get(1) ?? Buffer.alloc(0)))));
    const found = children(childOf(childOf(token))).find(({ tag }) => tag === 0xa3);
    return childOf(found?.body ?? Buffer.alloc(0));
  }

  #request(...fields: Buffer[]): Buffer {
    return tlv(0x30, tlv(0xa0, tlv(2, Buffer.of(this.#options.version))), ...fields);
  }
}

/** Signs and seals what goes one way. */
class Direction {
  readonly #signing: Buffer;
  readonly #sealing: Buffer;
  #stream: (data: Buffer) => Buffer;
  #count = 0;

  constructor(sessionKey: Buffer, name: string) {
    const key = (use: string): Buffer =>
      md5(sessionKey, Buffer.from(`session key to ${name} ${use} key magic constant\0`));
    this.#signing = key("signing");
    this.#sealing = key("sealing");
    this.#stream = rc4(this.#sealing);
  }

  /** MS-SPNG 3.3.5.1 speaks of the key stream alone. */
  restart(): void {
    this.#stream = rc4(this.#sealing);
  }

  sign(message: Buffer): Buffer {
    const number = le32(this.#count++);
    return Buffer.concat([
      le32(1),
      this.#stream(hmac(this.#signing, number, message).subarray(0, 8)),
      number,
    ]);
  }

  seal(message: Buffer): Buffer {
    const sealed = this.#stream(message);
    return Buffer.concat([this.sign(message), sealed]);
  }

  open(sealed: Buffer): Buffer {
    const message = this.#stream(sealed.subarray(16));
    expect(this.sign(message).equals(sealed.subarray(0, 16)), "a seal");
    return message;
  }
}

function expect(holds: boolean, what: string): void {
  if (!holds) throw new Error(`the host misses ${what}`);
}

function md5(...parts: Buffer[]): Buffer {
  return createHash("md5").update(Buffer.concat(parts)).digest();
}

function hmac(key: Buffer, ...parts: Buffer[]): Buffer {
  return createHmac("md5", key).update(Buffer.concat(parts)).digest();
}

function rc4(key: Buffer): (data: Buffer) => Buffer {
  const box = Buffer.from(Array.from({ length: 256 }, (_, i) => i));
  const swap = (i: number, j: number): void => {
    const held = box.readUInt8(i);
    box.writeUInt8(box.readUInt8(j), i);
    box.writeUInt8(held, j);
  };
  for (let i = 0, j = 0; i < 256; i++) {
    j = (j + box.readUInt8(i) + key.readUInt8(i % key.length)) % 256;
    swap(i, j);
  }
  let i = 0;
  let j = 0;
  const next = (): number => {
    i = (i + 1) % 256;
    j = (j + box.readUInt8(i)) % 256;
    swap(i, j);
    return box.readUInt8((box.readUInt8(i) + box.readUInt8(j)) % 256);
  };
  return (data) => Buffer.from(Array.from(data, (byte) => byte ^ next()));
}

export interface Element {
  readonly tag: number;
  readonly body: Buffer;
}

/** The elements that lie one after the other. */
export function children(bytes: Buffer): Element[] {
  const found: Element[] = [];
  for (let at = 0; at < bytes.length; ) {
    const tag = bytes.readUInt8(at);
    const first = bytes.readUInt8(at + 1);
    const more = first < 0x80 ? 0 : first & 0x7f;
    const length = more === 0 ? first : bytes.readUIntBE(at + 2, more);
    at += 2 + more;
    found.push({ tag, body: bytes.subarray(at, at + length) });
    at += length;
  }
  return found;
}

/** The contents of the first element. */
export function childOf(bytes: Buffer): Buffer {
  return children(bytes)[0]?.body ?? Buffer.alloc(0);
}

/** An element, with lengths in the long form that Windows uses: three bytes from 256 on. */
export function tlv(tag: number, ...parts: Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  const { length } = body;
  const head = length < 0x80 ? [tag, length] : [tag, 0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from(head), body]);
}

export function negoTokens(token: Buffer): Buffer {
  return tlv(0x30, tlv(0x30, tlv(0xa0, tlv(4, token))));
}

export function tsFields(bytes: Buffer): Map<number, Buffer> {
  return new Map(children(childOf(bytes)).map(({ tag, body }) => [tag & 0x1f, body]));
}

function octets(fields: Map<number, Buffer>, number: number): Buffer {
  return childOf(fields.get(number) ?? Buffer.alloc(0));
}

function le16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16LE(value);
  return bytes;
}

function le32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value >>> 0);
  return bytes;
}
