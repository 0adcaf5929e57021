import { join } from "node:path";
import type { Config } from "../config/config-schema.ts";
import type { Connection } from "../desktop/connections/connection.ts";
import { type IdentityTable, KnownTargets } from "../desktop/connections/known-targets.ts";
import type { OwnListener } from "../desktop/connections/target-guard.ts";
import { hostBehind } from "../desktop/connections/target-place.ts";
import { NO_LIMITS, type TargetLimits, targetRule } from "../desktop/connections/target-rules.ts";
import { type KnownIdentity, TargetTrust, type TlsTrust } from "../desktop/connections/trust-policy.ts";
import type { Link } from "../desktop/link.ts";
import { browserHost } from "../desktop/links/browser/browser-host.ts";
import type { LinkParts } from "../desktop/links/link-parts.ts";
import { RdpSessions } from "../desktop/links/rdp/rdp-sessions.ts";
import type { ReverseListen } from "../desktop/links/streams/reverse-stream.ts";
import { decodingThread, makeTargetLink } from "../desktop/links/target-link.ts";
import { WorkerLink } from "../desktop/links/worker/worker-link.ts";
import { systemClock } from "../platform/clock.ts";

export { PLATFORM } from "../desktop/links/link-platform.ts";

/** Which certificates and keys of targets are accepted, and where those seen before are kept. */
export interface TrustSettings {
  readonly trust: TlsTrust;
  /** null: nothing is remembered. */
  readonly known: KnownTargets | null;
  /** Where servers that connect by themselves may reach us; default loopback. */
  readonly reverseListen?: ReverseListen;
  /** RDP hosts have to check the password before a session begins; default false. */
  readonly needsNla?: boolean;
  /** The folder of the profiles of our own browsers; default: none is kept. */
  readonly profiles?: string;
  /** Where connections may lead; default everywhere but to ourselves. */
  readonly limits?: TargetLimits;
}

/** By what targets are known: of the data folder, or `shared` by all nodes of a fleet. */
export async function knownTargetsOf(
  { data_dir }: Pick<Config, "data_dir">,
  shared?: IdentityTable,
): Promise<KnownTargets> {
  return shared === undefined
    ? await KnownTargets.open(join(data_dir, "known-targets.json"))
    : new KnownTargets(shared);
}

/** As it is configured. */
export function trustSettingsOf(
  { targets, data_dir }: Pick<Config, "targets" | "data_dir">,
  known: KnownTargets,
): TrustSettings {
  return {
    trust: targets.tls_trust,
    known,
    reverseListen: targets.reverse_listen,
    needsNla: targets.require_nla,
    profiles: join(data_dir, "browser-profiles"),
    limits: limitsOf({ targets }),
  };
}

/** Where connections may lead, as the operator says. */
export function limitsOf({ targets }: Pick<Config, "targets">): TargetLimits {
  const rules = (entries: readonly string[]) => entries.flatMap((entry) => targetRule(entry) ?? []);
  return { only: rules(targets.only), deny: rules(targets.deny) };
}

/** Where an appliance of this configuration listens, as far as that is known before it does. */
export function ownListenersOf({ server, vnc, data_dir }: Config): OwnListener[] {
  const ports = [server.port, vnc.port ?? 0, ...vnc.listeners.map(({ port }) => port)];
  return [{ path: data_dir }, ...ports.filter((port) => port !== 0).map((port) => ({ port }))];
}

/** What a link to this connection is made of; `own` is where this appliance listens itself, which is never a target. */
export function linkPartsOf(
  connection: Connection,
  own: OwnListener[],
  trustSettings: TrustSettings,
): LinkParts {
  const { reverseListen = "loopback", needsNla = false, profiles, limits = NO_LIMITS } = trustSettings;
  const trust = trustOf(connection, trustSettings);
  const trustInside = trustInsideOf(connection, trustSettings);
  return {
    reach: { ...limits, own },
    trust,
    trustInside,
    reverseListen,
    needsNla,
    browsers: browserHost(profiles ?? null),
  };
}

function trustOf(connection: Connection, { trust, known }: TrustSettings): TargetTrust {
  const { host, port, fingerprint = null, transport, path = "" } = connection;
  // A socket's path and a repeater's guest are places of their own.
  if (transport === "unix") return new TargetTrust({ host: path, port, fingerprint }, trust, known);
  const { repeater_id } = connection;
  const place = repeater_id === undefined ? host : `${repeater_id}@${host}`;
  return new TargetTrust({ host: place, port, fingerprint }, trust, known);
}

/** By what the target of a connection is known: it, and what it holds within a WebSocket. */
export function identitiesOf(connection: Connection, trustSettings: TrustSettings): KnownIdentity[] {
  if (trustSettings.known === null) return [];
  const both = [trustOf(connection, trustSettings), trustInsideOf(connection, trustSettings)];
  const known = both.flatMap(({ identity }) => identity ?? []);
  // Without a WebSocket both are one place.
  return known.filter((one, nth) => known.findIndex(({ sha256 }) => sha256 === one.sha256) === nth);
}

/**
 * Forgets what a target proved itself by, or believes what it showed instead (`shown`, a SHA-256 of 64 hex digits); false
 * where nothing was known, or where it showed another one last.
 */
export async function forgetIdentity(
  connection: Connection,
  trustSettings: TrustSettings,
  shown: string | null = null,
): Promise<boolean> {
  const { known } = trustSettings;
  if (known === null) return false;
  const places = [trustOf(connection, trustSettings), trustInsideOf(connection, trustSettings)].map(
    ({ place }) => place,
  );
  const change = (place: string) => (shown === null ? known.forget(place) : known.trustShown(place, shown));
  return (await Promise.all(places.map(change))).includes(true);
}

/** The WebSocket's TLS has proved the target already; what it shows within is another certificate or key. */
function trustInsideOf({ host, port, path = "" }: Connection, { trust, known }: TrustSettings): TargetTrust {
  return new TargetTrust({ host: hostBehind(path, host), port, fingerprint: null }, trust, known);
}

/** Accounts at hosts that links of this process have signed in to. */
const RDP_SESSIONS = new RdpSessions();

/**
 * A link to whatever a connection leads to over the network, decoding where it should; `own` is where this appliance
 * listens itself, which is never a target.
 */
export function openTargetLink(
  connection: Connection,
  own: OwnListener[],
  trustSettings: TrustSettings,
): Link {
  const parts = linkPartsOf(connection, own, trustSettings);
  return decodingThread(connection) === "main"
    ? makeTargetLink(connection, parts)
    : openWorkerLink(connection, parts);
}

function openWorkerLink(connection: Connection, parts: LinkParts): Link {
  const { reach, reverseListen, needsNla, browsers, trust, trustInside } = parts;
  const { protocol, username, host, port } = connection;
  const place = `${username}@${host}:${port}`;
  return new WorkerLink(
    {
      settings: () => ({
        connection,
        reach: { ...reach, own: [...reach.own] },
        reverseListen,
        needsNla,
        browsers,
        needsIdentity: { outer: trust.needsIdentity, inside: trustInside.needsIdentity },
      }),
      trusts: { outer: trust, inside: trustInside },
      ...(protocol === "rdp" ? { claim: () => RDP_SESSIONS.claim(place) } : {}),
    },
    systemClock,
  );
}
