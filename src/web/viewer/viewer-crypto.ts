import {
  constants,
  createDecipheriv,
  createDiffieHellmanGroup,
  createPrivateKey,
  generateKeyPair,
  type KeyObject,
  privateDecrypt,
} from "node:crypto";
import { promisify } from "node:util";
import { createPrivateFile, readPrivateFile } from "../../platform/private-file.ts";
import type { RsaKey } from "../../protocols/platform.ts";
import type { ArdCrypto, DhExchange, MsLogonCrypto } from "../../protocols/rfb/server/rfb-server.ts";

const RSA_BITS = 2048;

/** 2048 bits with generator 2, RFC 3526 section 3; macOS and TigerVNC take primes of 1024 to 8192 bits. */
const DH_GROUP = "modp14";
const DH_GENERATOR = 2;

/** The server's half of ARD that clients have no use for. */
export const ardCrypto: Omit<ArdCrypto, "hash"> = {
  diffieHellman(): DhExchange {
    const group = createDiffieHellmanGroup(DH_GROUP);
    const prime = group.getPrime();
    return {
      generator: DH_GENERATOR,
      prime,
      publicKey: padded(group.generateKeys(), prime.length),
      secret: (peerPublicKey) => padded(group.computeSecret(peerPublicKey), prime.length),
    };
  },

  aesEcbDecrypt(key, data) {
    const cipher = createDecipheriv("aes-128-ecb", key, null).setAutoPadding(false);
    return Buffer.concat([cipher.update(data), cipher.final()]);
  },
};

/** The server's half of MS-Logon II that clients have no use for. OpenSSL 3 has single DES only as triple DES. */
export const msLogonCrypto: Omit<MsLogonCrypto, "randomBytes"> = {
  desEcbDecrypt(key, data) {
    const cipher = createDecipheriv("des-ede3-ecb", Buffer.concat([key, key, key]), null).setAutoPadding(
      false,
    );
    return Buffer.concat([cipher.update(data), cipher.final()]);
  },
};

/** The RSA key that a file keeps (0600), made where there is none: viewers remember it. Throws where it is no key. */
export async function keptRsaKey(path: string): Promise<RsaKey> {
  const pem = (await readPrivateFile(path)) ?? (await createPrivateFile(path, await newPem()));
  return rsaKeyOf(createPrivateKey(pem));
}

async function newPem(): Promise<string> {
  const { privateKey } = await promisify(generateKeyPair)("rsa", { modulusLength: RSA_BITS });
  return privateKey.export({ type: "pkcs8", format: "pem" }).toString();
}

/** A private key as the protocol sees it. Throws for keys of another kind. */
export function rsaKeyOf(key: KeyObject): RsaKey {
  const { n, e } = key.export({ format: "jwk" });
  if (n === undefined || e === undefined)
    throw new Error(`got a key of type ${key.asymmetricKeyType}, expected rsa`);
  return {
    modulus: Buffer.from(n, "base64url"),
    exponent: Buffer.from(e, "base64url"),
    decryptBlock: (block) => privateDecrypt({ key, padding: constants.RSA_NO_PADDING }, block),
  };
}

function padded(number: Uint8Array, sizeBytes: number): Uint8Array {
  if (number.length === sizeBytes) return number;
  const whole = new Uint8Array(sizeBytes);
  whole.set(number, sizeBytes - number.length);
  return whole;
}
