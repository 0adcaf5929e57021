import { lookup } from "node:dns/promises";
import { BlockList, isIP } from "node:net";
import { networkInterfaces } from "node:os";
import { LinkError } from "../error.ts";

/** An address a target may be reached at, resolved once: the connection goes there and nowhere else. */
export interface ResolvedTarget {
  readonly address: string;
  readonly family: 4 | 6;
}

/** Where this appliance listens itself. */
export interface OwnListener {
  readonly port: number;
}

/** Never a desktop: link-local (cloud metadata among them), unspecified, multicast, broadcast, translated IPv4. */
const FORBIDDEN = new BlockList();
FORBIDDEN.addSubnet("0.0.0.0", 8, "ipv4");
FORBIDDEN.addSubnet("169.254.0.0", 16, "ipv4");
FORBIDDEN.addSubnet("224.0.0.0", 4, "ipv4");
FORBIDDEN.addSubnet("240.0.0.0", 4, "ipv4");
FORBIDDEN.addAddress("::", "ipv6");
FORBIDDEN.addSubnet("fe80::", 10, "ipv6");
FORBIDDEN.addSubnet("ff00::", 8, "ipv6");
FORBIDDEN.addSubnet("64:ff9b::", 96, "ipv6");
FORBIDDEN.addSubnet("64:ff9b:1::", 48, "ipv6");
FORBIDDEN.addSubnet("2002::", 16, "ipv6");
FORBIDDEN.addSubnet("fec0::", 10, "ipv6");
// Clouds' services for their machines that lie outside the link-local networks: whoever reaches them gets credentials.
FORBIDDEN.addAddress("168.63.129.16", "ipv4"); // Azure WireServer
FORBIDDEN.addAddress("100.100.100.200", "ipv4"); // Alibaba
FORBIDDEN.addAddress("192.0.0.192", "ipv4"); // Oracle, older images
FORBIDDEN.addAddress("fd00:ec2::254", "ipv6"); // AWS
FORBIDDEN.addAddress("fd00:ec2::253", "ipv6"); // AWS, names
FORBIDDEN.addAddress("fd00:ec2::123", "ipv6"); // AWS, time
FORBIDDEN.addAddress("fd20:ce::254", "ipv6"); // Google
FORBIDDEN.addAddress("fd00:42::42", "ipv6"); // Scaleway
FORBIDDEN.addAddress("fd00:c1::a9fe:a9fe", "ipv6"); // Oracle

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet("127.0.0.0", 8, "ipv4");
LOOPBACK.addAddress("::1", "ipv6");

/** True for the addresses by which a machine reaches itself, whatever its networks. */
export function isLoopback(address: string): boolean {
  return LOOPBACK.check(address, familyName(address));
}

/** True for every address of this machine: what listens here is reached by all of them. */
function isOwn(address: string): boolean {
  if (isLoopback(address)) return true;
  const own = new BlockList();
  for (const { address: here, family } of Object.values(networkInterfaces()).flatMap((all) => all ?? [])) {
    own.addAddress(here, family === "IPv6" ? "ipv6" : "ipv4");
  }
  return own.check(address, familyName(address));
}

/**
 * Resolves a host and refuses addresses that can never be a desktop, and our own listeners. Every spelling of an
 * address ("0x7f.1", "2130706433") is judged by what it resolves to.
 * Throws LinkError target_forbidden or unreachable.
 */
export async function guardTarget(
  host: string,
  port: number,
  own: readonly OwnListener[],
): Promise<ResolvedTarget> {
  const addresses = await resolve(host);
  for (const { address } of addresses) {
    if (FORBIDDEN.check(address, familyName(address))) {
      throw new LinkError(
        "target_forbidden",
        `${host} is ${address}, an address that is never a desktop (link-local, metadata, multicast or unspecified)`,
        { isFinal: true },
      );
    }
    if (isOwn(address) && own.some((listener) => listener.port === port)) {
      throw new LinkError(
        "target_forbidden",
        `${host}:${port} is this appliance itself: choose the port of a desktop`,
        { isFinal: true },
      );
    }
  }
  const first = addresses[0];
  if (first === undefined) throw new LinkError("unreachable", `${host} has no address: check its spelling`);
  return first;
}

async function resolve(host: string): Promise<ResolvedTarget[]> {
  try {
    const found = await lookup(host, { all: true, verbatim: true });
    return found.map(({ address, family }) => ({ address, family: family === 6 ? 6 : 4 }));
  } catch (cause) {
    throw new LinkError("unreachable", "the host name is not known: check its spelling", { cause });
  }
}

function familyName(address: string): "ipv4" | "ipv6" {
  return isIP(address) === 6 ? "ipv6" : "ipv4";
}
