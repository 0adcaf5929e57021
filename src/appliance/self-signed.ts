import { createPrivateKey, createPublicKey, generateKeyPairSync, randomBytes, sign } from "node:crypto";
import { isIP } from "node:net";

const DAY_MS = 86_400_000;
/** Apple's systems refuse certificates of more than 825 days. */
const VALID_DAYS = 800;
const NAME = "Overlay Companion";

/** Tags of X.690, section 8. */
const TAG = {
  integer: 0x02,
  bits: 0x03,
  octets: 0x04,
  oid: 0x06,
  utf8: 0x0c,
  time: 0x18,
  sequence: 0x30,
  set: 0x31,
} as const;

/** Object identifiers, without tag and length. */
const OID = {
  commonName: "550403",
  ecdsaWithSha256: "2a8648ce3d040302",
  subjectAltName: "551d11",
  basicConstraints: "551d13",
  extendedKeyUsage: "551d25",
  serverAuth: "2b06010505070301",
} as const;

/** A new private key on P-256, PKCS #8 as PEM. */
export function newKey(): string {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  return privateKey.export({ type: "pkcs8", format: "pem" }).toString();
}

/**
 * A certificate that a P-256 key signs for itself, RFC 5280, as PEM: of a server, for these names and addresses, and of no
 * authority.
 */
export function selfSigned(keyPem: string, names: readonly string[], now: Date): string {
  const key = createPrivateKey(keyPem);
  const algorithm = sequence(der(TAG.oid, hex(OID.ecdsaWithSha256)));
  const subject = sequence(
    der(TAG.set, sequence(der(TAG.oid, hex(OID.commonName)), der(TAG.utf8, Buffer.from(NAME)))),
  );
  // 127 random bits, never zero: section 4.1.2.2.
  const serial = randomBytes(16);
  serial[0] = ((serial[0] ?? 0) & 0x7f) | 0x40;
  const from = now.getTime() - DAY_MS;
  const signed = sequence(
    der(0xa0, der(TAG.integer, Buffer.from([2 /* v3 */]))),
    der(TAG.integer, serial),
    algorithm,
    subject,
    sequence(time(from), time(from + VALID_DAYS * DAY_MS)),
    subject,
    createPublicKey(key).export({ type: "spki", format: "der" }),
    der(
      0xa3,
      sequence(
        extension(OID.basicConstraints, sequence()),
        extension(OID.extendedKeyUsage, sequence(der(TAG.oid, hex(OID.serverAuth)))),
        extension(OID.subjectAltName, sequence(...names.map(generalName))),
      ),
    ),
  );
  const signature = der(TAG.bits, Buffer.from([0]), sign("sha256", signed, key));
  const lines =
    sequence(signed, algorithm, signature)
      .toString("base64")
      .match(/.{1,64}/g) ?? [];
  return ["-----BEGIN CERTIFICATE-----", ...lines, "-----END CERTIFICATE-----", ""].join("\n");
}

function extension(oid: string, value: Buffer): Buffer {
  return sequence(der(TAG.oid, hex(oid)), der(TAG.octets, value));
}

/** Section 4.2.1.6: dNSName [2], iPAddress [7]. */
function generalName(name: string): Buffer {
  switch (isIP(name)) {
    case 0:
      return der(0x82, Buffer.from(name, "latin1"));
    case 4:
      return der(0x87, Buffer.from(name.split(".").map(Number)));
    default:
      return der(0x87, ipv6Bytes(name));
  }
}

function ipv6Bytes(address: string): Buffer {
  // URL writes one address in one way: groups in hexadecimal, one run of zeros left out.
  const [head = "", tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split("::");
  const groups = (text: string): string[] => (text === "" ? [] : text.split(":"));
  const [before, after] = [groups(head), groups(tail ?? "")];
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => "0");
  return hex([...before, ...zeros, ...after].map((group) => group.padStart(4, "0")).join(""));
}

function time(atMs: number): Buffer {
  const text = new Date(atMs).toISOString().replace(/[-:T]|\.\d+/g, "");
  // Section 4.1.2.5: UTCTime, of two digits a year, until 2049.
  return text < "2050" ? der(0x17, Buffer.from(text.slice(2))) : der(TAG.time, Buffer.from(text));
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return der(TAG.sequence, ...parts);
}

function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  const length =
    body.length < 0x80
      ? [body.length]
      : body.length < 0x100
        ? [0x81, body.length]
        : [0x82, body.length >> 8, body.length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...length]), body]);
}

function hex(digits: string): Buffer {
  return Buffer.from(digits, "hex");
}
