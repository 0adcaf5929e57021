import { createPrivateKey, X509Certificate } from "node:crypto";
import { type NetworkInterfaceInfo, networkInterfaces } from "node:os";
import { join } from "node:path";
import { type Config, ConfigError } from "../config/config-schema.ts";
import { systemClock } from "../platform/clock.ts";
import { createPrivateFile, readPrivateFile, writePrivateFile } from "../platform/private-file.ts";
import { checkDataFormat } from "./data-format.ts";
import { newKey, selfSigned } from "./self-signed.ts";

/** A certificate that is about to end is made anew, with the same key. */
const RENEW_MS = 30 * 86_400_000;
/** What only this machine reaches: where `server.host` says no more than that, an address of a network is taken. */
const ONLY_HERE = new Set(["127.0.0.1", "localhost", "::1"]);
/** RFC 1918: networks of homes and offices. Any other address may be the internet's, and must be named. */
const PRIVATE = /^(?:10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.)/;
/** Of bridges to containers and virtual machines: taken only where there is no other. */
const VIRTUAL = /^(?:docker|br-|veth|virbr|vmnet|vboxnet|cni|flannel|podman)/;

export type Interfaces = Readonly<Record<string, readonly NetworkInterfaceInfo[] | undefined>>;

export interface OpenedNetwork {
  readonly config: Config;
  /** SHA-256 of the certificate that was made here; null where there is none, or another one is configured. */
  readonly fingerprint: string | null;
}

/**
 * What `server.network` means: the address of the local network, and TLS by a certificate that is made at the first start
 * and kept, unless one is configured or `plain` was said. Throws ConfigError where there is no such address, and
 * DataFormatError.
 */
export async function openNetwork(
  config: Config,
  interfaces: Interfaces = networkInterfaces(),
): Promise<OpenedNetwork> {
  const { network, host: wanted, tls_cert, allowed_hosts } = config.server;
  if (network === "off") return { config, fingerprint: null };
  const host = ONLY_HERE.has(wanted) ? localAddress(interfaces) : wanted;
  const server = { ...config.server, host };
  if (network === "plain" || tls_cert !== undefined)
    return { config: { ...config, server }, fingerprint: null };
  await checkDataFormat(config.data_dir);
  const names = new Set([
    ...(host === "0.0.0.0" || host === "::"
      ? [...privateAddresses(interfaces), "127.0.0.1", "localhost"]
      : [host]),
    ...allowed_hosts.map((name) => name.replace(/:\d+$/, "")),
  ]);
  const made = await keptCertificate(config.data_dir, [...names]);
  return {
    config: { ...config, server: { ...server, tls_cert: made.certFile, tls_key: made.keyFile } },
    fingerprint: made.fingerprint,
  };
}

/** The key stays for good; the certificate as long as it is valid and for the names that are wanted. */
async function keptCertificate(dataDir: string, names: readonly string[]) {
  const [certFile, keyFile] = [join(dataDir, "network-cert.pem"), join(dataDir, "network-key.pem")];
  const key = await createPrivateFile(keyFile, newKey());
  const kept = await readPrivateFile(certFile);
  const known = kept === null ? null : readCertificate(kept);
  if (known !== null && isGood(known, key, names))
    return { certFile, keyFile, fingerprint: known.fingerprint256 };
  let cert: string;
  try {
    cert = selfSigned(key, names, systemClock.date());
  } catch (cause) {
    throw new ConfigError(
      `${keyFile} holds no private key: restore it from a backup, or remove it and all will be asked about the new one`,
      { cause },
    );
  }
  await writePrivateFile(certFile, cert);
  return { certFile, keyFile, fingerprint: new X509Certificate(cert).fingerprint256 };
}

function readCertificate(pem: string): X509Certificate | null {
  try {
    return new X509Certificate(pem);
  } catch {
    return null;
  }
}

function isGood(certificate: X509Certificate, key: string, names: readonly string[]): boolean {
  const told = new Set(certificate.subjectAltName?.split(", ").map((name) => name.replace(/^[^:]*:/, "")));
  const isKnown = (name: string): boolean =>
    told.has(name) || certificate.checkIP(name) !== undefined || certificate.checkHost(name) !== undefined;
  const endsMs = Date.parse(certificate.validTo);
  return (
    endsMs - systemClock.date().getTime() > RENEW_MS && isKeyOf(certificate, key) && names.every(isKnown)
  );
}

function isKeyOf(certificate: X509Certificate, key: string): boolean {
  try {
    return certificate.checkPrivateKey(createPrivateKey(key));
  } catch {
    return false;
  }
}

function localAddress(interfaces: Interfaces): string {
  const [address] = privateAddresses(interfaces);
  if (address !== undefined) return address;
  throw new ConfigError(
    "server.network: this machine has no IPv4 address of a private network (10.0.0.0/8, 172.16.0.0/12, 192.168.0.0/16): say by --host ADDRESS where to listen",
  );
}

/** Those of cables and radio first. */
function privateAddresses(interfaces: Interfaces): readonly string[] {
  const all = Object.entries(interfaces).flatMap(([name, addresses = []]) =>
    addresses
      .filter(({ family, internal, address }) => family === "IPv4" && !internal && PRIVATE.test(address))
      .map(({ address }) => ({ address, isVirtual: VIRTUAL.test(name) })),
  );
  return [...all.filter(({ isVirtual }) => !isVirtual), ...all.filter(({ isVirtual }) => isVirtual)].map(
    ({ address }) => address,
  );
}
