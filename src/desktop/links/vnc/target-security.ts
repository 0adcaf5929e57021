import { constants, generateKeyPair, privateDecrypt } from "node:crypto";
import type { Duplex } from "node:stream";
import { promisify } from "node:util";
import type { RsaKey } from "../../../protocols/platform.ts";
import type { RfbEffect } from "../../../protocols/rfb/client/effect.ts";
import type { TargetTrust } from "../../connections/trust-policy.ts";
import { LinkError } from "../../error.ts";
import { CipherStream } from "../streams/cipher-stream.ts";
import { startTargetTls } from "../streams/target-tls.ts";

/** Does what a target's security type asks of the platform, for one target. */
export class TargetSecurity {
  readonly #host: string;
  readonly #trust: TargetTrust;

  /** `host`: the name that the target's certificate should bear. */
  constructor(host: string, trust: TargetTrust) {
    this.#host = host;
    this.#trust = trust;
  }

  /** The stream to go on with: the same one, or one above it. Rejects with the LinkError that ends the link. */
  async perform(effect: RfbEffect, stream: Duplex): Promise<Duplex> {
    switch (effect.kind) {
      case "startTls":
        return await startTargetTls(stream, this.#host, effect.isAnonymous, this.#trust);
      case "trustKey":
        await this.#trust.judge({ what: "key", bytes: effect.key, distrust: "no authority signs keys" });
        return stream;
      case "makeRsaKey":
        effect.take(await makeRsaKey(effect.bits));
        return stream;
      case "startCipher":
        return new CipherStream(stream, effect.cipher);
      case "decodeImage":
        throw new LinkError(
          "protocol_error",
          `the target sent an image of ${effect.format}, which nobody asked for`,
        );
    }
  }
}

/** A new key pair, made on another thread. */
async function makeRsaKey(bits: number): Promise<RsaKey> {
  const { privateKey } = await promisify(generateKeyPair)("rsa", { modulusLength: bits });
  const { n = "", e = "" } = privateKey.export({ format: "jwk" });
  return {
    modulus: Buffer.from(n, "base64url"),
    exponent: Buffer.from(e, "base64url"),
    decryptBlock: (block) => privateDecrypt({ key: privateKey, padding: constants.RSA_NO_PADDING }, block),
  };
}
