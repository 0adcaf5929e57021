import { BlockList, isIP } from "node:net";
import { ALL_TARGET_PROTOCOLS, DEBUGGING_PORT } from "./target-protocols.ts";

/** A network and ports that agents may add desktops of unasked. */
export interface AllowedTargets {
  /** null: every address. */
  readonly network: string | null;
  readonly prefix: number;
  readonly fromPort: number;
  readonly toPort: number;
}

/** Which targets an operator means: a network with ports, of one protocol or of any, or Unix sockets. */
export type TargetRule =
  | (AllowedTargets & {
      readonly kind: "network";
      /** null: any. */
      readonly protocol: string | null;
      /** As it was written, for who is refused by it. */
      readonly text: string;
    })
  | {
      readonly kind: "socket";
      /** A socket, or a folder of sockets; null: any. */
      readonly path: string | null;
      readonly text: string;
    };

/** Where connections may lead, whoever asks for them. */
export interface TargetLimits {
  /** Nowhere else; empty: everywhere. */
  readonly only: readonly TargetRule[];
  /** Never, though `only` has it. */
  readonly deny: readonly TargetRule[];
}

export const NO_LIMITS: TargetLimits = { only: [], deny: [] };

/** What a rule is held against: an address that was found, or the real path of a socket. */
export type JudgedTarget =
  | { readonly protocol: string; readonly address: string; readonly port: number }
  | { readonly path: string };

const ALLOWED =
  /^(?:\[([0-9a-f:.]+)\](?:\/(\d{1,3}))?|([0-9.]+)(?:\/(\d{1,2}))?)(?::(\d{1,5})(?:-(\d{1,5}))?)?$/i;
const ANYWHERE = /^\*(?::(\d{1,5})(?:-(\d{1,5}))?)?$/;

/** Reads "10.0.0.0/8:5900", "[fd00::]/8:5900-5999" or "192.168.1.5"; null for anything else. */
export function allowedTargets(text: string): AllowedTargets | null {
  const match = ALLOWED.exec(text.trim());
  if (match === null) return null;
  const [, six, sixPrefix, four, fourPrefix, from, to] = match;
  const network = six ?? four ?? "";
  const family = isIP(network);
  if (family === 0 || (six === undefined) !== (family === 4)) return null;
  const most = family === 6 ? 128 : 32;
  const prefix = Number(sixPrefix ?? fourPrefix ?? most);
  const ports = portsOf(from, to);
  return prefix > most || ports === null ? null : { network, prefix, ...ports };
}

/** As `allowedTargets`, also "*:5900" for every address, "rdp://" before it, and "unix:/run/vnc" or "unix:". */
export function targetRule(text: string): TargetRule | null {
  const said = text.trim();
  if (said.startsWith("unix:")) {
    const path = said.slice("unix:".length);
    if (path !== "" && !/^\/[^\0]*$/.test(path)) return null;
    return { kind: "socket", path: path === "" ? null : path.replace(/(?<=.)\/+$/, ""), text: said };
  }
  const [, scheme = null, place = ""] = /^(?:([a-z+]+):\/\/)?(.*)$/.exec(said) ?? [];
  const protocol = [...ALL_TARGET_PROTOCOLS, DEBUGGING_PORT].find((known) => known === scheme) ?? null;
  if (protocol !== scheme) return null;
  const targets = everywhere(place) ?? allowedTargets(place);
  return targets === null ? null : { kind: "network", protocol, ...targets, text: said };
}

function everywhere(place: string): AllowedTargets | null {
  const match = ANYWHERE.exec(place);
  const ports = match === null ? null : portsOf(match[1], match[2]);
  return ports === null ? null : { network: null, prefix: 0, ...ports };
}

function portsOf(from: string | undefined, to: string | undefined) {
  const fromPort = Number(from ?? 1);
  const toPort = Number(to ?? from ?? 65_535);
  return fromPort < 1 || toPort > 65_535 || fromPort > toPort ? null : { fromPort, toPort };
}

/** True where every address lies in a network that allows the port. */
export function isAllowed(
  allowed: readonly AllowedTargets[],
  addresses: readonly string[],
  port: number,
): boolean {
  return (
    addresses.length > 0 &&
    addresses.every((address) => allowed.some((list) => hasPlace(list, address, port)))
  );
}

function hasPlace({ network, prefix, fromPort, toPort }: AllowedTargets, address: string, port: number) {
  if (port < fromPort || port > toPort) return false;
  if (network === null) return true;
  const list = new BlockList();
  list.addSubnet(network, prefix, familyName(network));
  return list.check(address, familyName(address));
}

/** Why a target may not be reached, in words that name the key; null where it may. */
export function limitOf(target: JudgedTarget, { only, deny }: TargetLimits): string | null {
  const denied = deny.find((rule) => hasTarget(rule, target));
  if (denied !== undefined) return `targets.deny refuses it (${denied.text})`;
  if (only.length === 0 || only.some((rule) => hasTarget(rule, target))) return null;
  return "targets.only does not name it";
}

function hasTarget(rule: TargetRule, target: JudgedTarget): boolean {
  if (rule.kind === "socket") {
    if (!("path" in target)) return false;
    const { path } = rule;
    return path === null || target.path === path || target.path.startsWith(path === "/" ? path : `${path}/`);
  }
  if ("path" in target) return false;
  const { protocol, address, port } = target;
  return (rule.protocol === null || rule.protocol === protocol) && hasPlace(rule, address, port);
}

export function familyName(address: string): "ipv4" | "ipv6" {
  return isIP(address) === 6 ? "ipv6" : "ipv4";
}
