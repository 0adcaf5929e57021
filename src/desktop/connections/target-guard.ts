import { lookup } from "node:dns/promises";
import { realpath } from "node:fs/promises";
import { BlockList, isIP } from "node:net";
import { networkInterfaces } from "node:os";
import { basename, dirname, join, normalize } from "node:path";
import { LinkError } from "../error.ts";
import type { Connection } from "./connection.ts";
import { DEBUGGING_PORT } from "./target-protocols.ts";
import { familyName, limitOf, type TargetLimits } from "./target-rules.ts";

/** An address a target may be reached at, resolved once: the connection goes there and nowhere else. */
export interface ResolvedTarget {
  readonly address: string;
  readonly family: 4 | 6;
}

/** Where this appliance listens itself: a port of this machine, or a socket, or a folder of its own sockets. */
export type OwnListener = { readonly port: number } | { readonly path: string };

/** Where connections may lead. Plain data: a link's thread has a copy. */
export interface TargetReach extends TargetLimits {
  /** Never a target. It grows as listeners open, and shrinks as they close. */
  readonly own: OwnListener[];
}

/** What of a connection says where it leads; others than desktops name a protocol of their own. */
export type TargetPlace = { readonly protocol: string } & Pick<Connection, "host" | "port"> &
  Pick<Partial<Connection>, "transport" | "path" | "repeater_id">;

/** A place as it is judged; `protocol` also https, of what is sent to people. */
type GuardedPlace = Omit<TargetPlace, "protocol"> & { readonly protocol: string };

/** Never a desktop: link-local (cloud metadata among them), unspecified, multicast, broadcast, translated IPv4. */
const FORBIDDEN = new BlockList();
FORBIDDEN.addSubnet("0.0.0.0", 8, "ipv4");
FORBIDDEN.addSubnet("169.254.0.0", 16, "ipv4");
FORBIDDEN.addSubnet("224.0.0.0", 4, "ipv4");
FORBIDDEN.addSubnet("240.0.0.0", 4, "ipv4");
FORBIDDEN.addSubnet("::", 96, "ipv6"); // unspecified and IPv4-compatible; loopback is told apart below
FORBIDDEN.addSubnet("fe80::", 10, "ipv6");
FORBIDDEN.addSubnet("ff00::", 8, "ipv6");
FORBIDDEN.addSubnet("::ffff:0:0:0", 96, "ipv6"); // SIIT
FORBIDDEN.addSubnet("64:ff9b::", 96, "ipv6");
FORBIDDEN.addSubnet("64:ff9b:1::", 48, "ipv6");
FORBIDDEN.addSubnet("2001::", 32, "ipv6"); // Teredo
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
 * Resolves a host and refuses addresses that can never be a desktop, our own listeners and what the operator rules
 * out. Every spelling of an address ("0x7f.1", "2130706433") is judged by what it resolves to, and whoever connects
 * connects to the answer. Where a repeater goes on to is judged as well.
 * Throws LinkError target_forbidden or unreachable.
 */
export async function guardTarget(place: GuardedPlace, reach: TargetReach): Promise<ResolvedTarget> {
  const { host, port, protocol, repeater_id } = place;
  if (repeater_id !== undefined) judgeBehindRepeater(protocol, repeater_id, reach);
  const addresses = await resolve(host);
  // One bad answer among good ones is an attempt, not a choice.
  for (const { address } of addresses) judgeAlways(host, address, port, reach);
  const refusals = addresses.map(
    ({ address }) => limitOf({ protocol, address, port }, reach) ?? farPort(protocol, address, reach),
  );
  const open = addresses[refusals.indexOf(null)];
  if (open !== undefined) return open;
  const [first] = addresses;
  if (first === undefined) throw new LinkError("unreachable", `${host} has no address: check its spelling`);
  throw ruledOut(named(host, first.address, port), refusals[0] ?? "");
}

/** Who reaches a debugging port has the browser, its sign-ins too, and is asked for no password. */
function farPort(protocol: string, address: string, { only }: TargetReach): string | null {
  if (protocol !== DEBUGGING_PORT || only.length > 0 || isLoopback(address)) return null;
  return "the debugging port of a browser is reached on this machine alone unless targets.only names it";
}

/** The path to connect to, without symbolic links. Throws LinkError target_forbidden. */
export async function guardSocket(path: string, reach: TargetReach): Promise<string> {
  // One that is not there yet is judged by its name, and again when it is connected to.
  const folder = (await realOf(dirname(path))) ?? dirname(normalize(path));
  const found = (await realOf(path)) ?? join(folder, basename(path));
  for (const listener of reach.own) {
    const own = "path" in listener ? await realOf(listener.path) : null;
    if (own !== null && (found === own || found.startsWith(`${own}/`))) {
      throw forbidden(`${path} is this appliance itself: choose the socket of a desktop`);
    }
  }
  const limit = limitOf({ path: found }, reach);
  if (limit !== null) throw ruledOut(`the socket ${found}`, limit);
  return found;
}

/** Judges a server that has connected to `port` of ours by itself. Throws LinkError target_forbidden. */
export function guardPeer(
  protocol: TargetPlace["protocol"],
  address: string,
  port: number,
  reach: TargetReach,
): void {
  judgeNever(address, address);
  const limit = limitOf({ protocol, address, port }, reach);
  if (limit !== null) throw ruledOut(`a server at ${address}`, limit);
}

/**
 * As whoever connects will judge: for those who add or change a connection, before it is kept. null where nothing
 * is reached from here: the server of a reverse connection is judged when it comes, what a browser asks for as it asks.
 */
export async function guardConnection(
  place: TargetPlace,
  reach: TargetReach,
): Promise<ResolvedTarget | null> {
  if (place.transport === "reverse") return null;
  if (place.protocol === "browser") {
    return place.host === "" ? null : guardTarget({ ...place, protocol: DEBUGGING_PORT }, reach);
  }
  if (place.transport !== "unix") return guardTarget(place, reach);
  await guardSocket(place.path ?? "", reach);
  return null;
}

/** What holds whatever the operator says. */
function judgeAlways(host: string, address: string, port: number, { own }: TargetReach): void {
  judgeNever(host, address);
  if (own.some((listener) => "port" in listener && listener.port === port) && isOwn(address)) {
    throw forbidden(`${host}:${port} is this appliance itself: choose the port of a desktop`);
  }
}

function judgeNever(host: string, address: string): void {
  // A zone says which link a link-local address is on; to others it is a disguise.
  if (!address.includes("%") && (isLoopback(address) || !FORBIDDEN.check(address, familyName(address))))
    return;
  throw forbidden(
    `${host} is ${address}, an address that is never a desktop (link-local, metadata, multicast, translated or unspecified)`,
  );
}

/**
 * UltraVNC's repeater (mode I) connects to what its field names, "host:port" or "host::port", and resolves it itself:
 * only an address is the same to both of us. "ID:…" (mode II) names who has connected to it.
 */
function judgeBehindRepeater(protocol: string, id: string, reach: TargetReach): void {
  if (id.startsWith("ID:")) return;
  const [, six, four, after = "0"] = /^(?:\[([0-9a-f:.]+)\]|([0-9.]+))(?:::?(\d{1,5}))?$/i.exec(id) ?? [];
  const host = six ?? four ?? "";
  if (isIP(host) !== (six === undefined ? 4 : 6)) {
    throw forbidden(
      `got ${id} for the repeater to connect to, expected an address such as 10.0.0.7:5900 or [fd00::7]:5900, or ID:1234: where a name leads to from there is not known here`,
    );
  }
  // Numbers below 100 are displays to some repeaters and ports to others.
  const number = Number(after);
  for (const port of number < 100 ? [number, 5900 + number] : [number]) {
    judgeAlways(host, host, port, reach);
    const limit = limitOf({ protocol, address: host, port }, reach);
    if (limit !== null) throw ruledOut(`${host}:${port}, behind the repeater`, limit);
  }
}

function named(host: string, address: string, port: number): string {
  return host === address ? `${host}:${port}` : `${host}:${port} (${address})`;
}

function ruledOut(what: string, limit: string): LinkError {
  return forbidden(`${what} is not to be reached: ${limit}, ask who runs this appliance`);
}

function forbidden(message: string): LinkError {
  return new LinkError("target_forbidden", message, { isFinal: true });
}

async function realOf(path: string): Promise<string | null> {
  return realpath(path).catch(() => null);
}

async function resolve(host: string): Promise<ResolvedTarget[]> {
  try {
    const found = await lookup(host, { all: true, verbatim: true });
    return found.map(({ address, family }) => ({ address, family: family === 6 ? 6 : 4 }));
  } catch (cause) {
    throw new LinkError("unreachable", "the host name is not known: check its spelling", { cause });
  }
}
