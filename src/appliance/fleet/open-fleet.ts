import { randomUUID } from "node:crypto";
import { availableParallelism, hostname, totalmem } from "node:os";
import type { Audit } from "../../audit/audit.ts";
import { SecretBox } from "../../auth/secret-box.ts";
import type { StoreError } from "../../cluster/error.ts";
import { EtcdStore } from "../../cluster/etcd/etcd-store.ts";
import { FLEET, Fleet } from "../../cluster/fleet/fleet.ts";
import { LEASE_TIMING } from "../../cluster/lease/lease.ts";
import { systemLeaseClock } from "../../cluster/lease/lease-clock.ts";
import { SharedArchives } from "../../cluster/shared/shared-archives.ts";
import { SharedIdentities } from "../../cluster/shared/shared-identities.ts";
import { SharedMasks } from "../../cluster/shared/shared-masks.ts";
import { SharedRecordings } from "../../cluster/shared/shared-recordings.ts";
import { SharedRequests } from "../../cluster/shared/shared-requests.ts";
import { SharedSettings } from "../../cluster/shared/shared-settings.ts";
import { Supervisor } from "../../cluster/supervisor/supervisor.ts";
import { type Config, ConfigError } from "../../config/config-schema.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Logger } from "../../platform/log.ts";
import { ownProgram } from "../../platform/own-program.ts";
import { askPart } from "./ask-part.ts";
import { openCalls } from "./open-calls.ts";
import { readPem } from "./read-pem.ts";
import { type FleetRooms, serveFleet } from "./serve-fleet.ts";
import { SharedLockouts } from "./shared-lockouts.ts";
import { SharedSecrets } from "./shared-secrets.ts";
import { SharedSessions } from "./shared-sessions.ts";
import { SharedSignIns } from "./shared-sign-ins.ts";
import { SharedSignOuts } from "./shared-sign-outs.ts";
import { SharedTokens } from "./shared-tokens.ts";

const MIB = 2 ** 20;
const LONGEST_NAME = 60;

/** This server as a node of a fleet, and what it shares with the others. */
export interface OpenFleet {
  readonly fleet: Fleet;
  readonly archives: SharedArchives;
  readonly identities: SharedIdentities;
  readonly lockouts: SharedLockouts;
  readonly masks: SharedMasks;
  readonly recordings: SharedRecordings;
  readonly requests: SharedRequests;
  readonly secrets: SharedSecrets;
  readonly settings: SharedSettings;
  readonly tokens: SharedTokens;
  readonly sessions: SharedSessions;
  readonly signIns: SharedSignIns;
  readonly signOuts: SharedSignOuts;
  /** By the key that all nodes have. */
  readonly sealer: SecretBox;
  /** From now on it takes desktops, and calls of other nodes. Throws ConfigError. */
  serve(rooms: FleetRooms): Promise<void>;
  /** Once, however often it is called. */
  close(): Promise<void>;
}

/** This server as a node of the fleet that is configured; it takes desktops once it is started. Throws ConfigError. */
export async function openFleet(
  { auth, cluster, connections, log: { level } }: Pick<Config, "auth" | "cluster" | "connections" | "log">,
  log: Logger,
  clock: Clock,
  audit: Audit,
): Promise<OpenFleet> {
  const { ca, cert, cert_key, login, password, key, zones, capacity } = cluster;
  if (connections.length > 0) {
    throw new ConfigError(
      "connections: got some of the configuration with cluster.endpoints, expected none: add the desktops of a fleet by POST /api/v1/desktops on one of its nodes",
    );
  }
  const etcd = {
    endpoints: cluster.endpoints,
    tls: {
      ca: await readPem("cluster.ca", ca ?? ""),
      cert: cert === undefined ? null : await readPem("cluster.cert", cert),
      key: cert_key === undefined ? null : await readPem("cluster.cert_key", cert_key),
    },
    login: login === undefined || password === undefined ? null : { name: login, password },
  };
  const store = new EtcdStore({ ...etcd, clock });
  const supervisor = new Supervisor({
    command: [...ownProgram(), "cluster", "supervise"],
    charge: { ...etcd, prefix: FLEET, timing: LEASE_TIMING, logLevel: level },
    clock,
    onLost: (why) =>
      log.warn(
        { why },
        "The supervisor of this node is gone, another is started: without it others wait for a lease",
      ),
  });
  const name =
    cluster.node ??
    (hostname()
      .replace(/[^A-Za-z0-9._-]/g, "-")
      .slice(0, LONGEST_NAME) ||
      "node");
  const sealer = SecretBox.by(key ?? "");
  const onFailed = (err: StoreError): void => log.error({ err }, "The fleet's etcd refuses this node");
  const common = { store, clock, sealer, onFailed };
  const bindingOf = (id: string) => fleet.bindingOf(id);
  const masks = new SharedMasks({ ...common, bindingOf });
  const settings = new SharedSettings({
    ...{ ...common, bindingOf },
    onFault: (err) => log.error({ err }, "What people set could not be shared"),
  });
  const requests = new SharedRequests({
    ...{ ...common, bindingOf },
    onFault: (err) => log.error({ err }, "What agents ask people for could not be shared"),
  });
  const recordings = new SharedRecordings({
    ...{ ...common, name, bindingOf },
    ask: (part, ask) => askPart(fleet, clock, part, ask),
    onFault: (err) => log.error({ err }, "What is recorded could not be shared"),
  });
  /** What the next node that has a desktop must know of it. */
  const kept = [masks, settings, requests, recordings];
  const fleet: Fleet = new Fleet({
    ...{ store, clock, leaseClock: systemLeaseClock, timing: LEASE_TIMING, name, zones, capacity },
    ...{ sealer, onFailed },
    prepare: async (id) => {
      await Promise.all(kept.map((one) => one.refresh(id)));
    },
    onRemoved: (id) =>
      void Promise.all(kept.map((one) => one.forget(id))).catch((err) =>
        log.error({ err }, "What was kept of a desktop that is gone could not be deleted"),
      ),
    cores: availableParallelism(),
    memoryMib: Math.floor(totalmem() / MIB),
    newId: randomUUID,
    onLease: (id) => supervisor.tell(id),
    onAdded: (id, actor) =>
      audit.record({ type: "connection.added", actor, resource: { kind: "connection", id } }),
    onMoved: (desktop, change, fence) =>
      log.info(
        { desktop, fence: fence.toString() },
        change === "taken" ? "Desktop taken" : "Desktop released",
      ),
  });
  fleet.calls = await openCalls({ cluster }, fleet, log, clock);
  audit.fleet = fleet;
  for (const one of kept) void one.open();
  const archives = new SharedArchives({
    ...{ ...common, fleet },
    onFault: (err) => log.error({ err }, "Where recordings are archived could not be shared"),
    onSharing: (node, { place, prefix }) =>
      log.error(
        { node, place, prefix },
        "Another node archives below the same prefix, and each calls the other's recordings tampered: give each node a recording.archive.prefix of its own",
      ),
  });
  void archives.open();
  const tokens = new SharedTokens(common);
  const sessions = new SharedSessions({
    ...{ ...common, fleet, ownToken: auth.token ?? null },
    onFault: (err) => log.error({ err }, "A sign-in could not be shared"),
  });
  const identities = new SharedIdentities(common);
  const lockouts = new SharedLockouts({
    ...common,
    onFault: (err) => log.error({ err }, "Wrong sign-ins could not be shared"),
  });
  const signIns = new SharedSignIns(common);
  const signOuts = new SharedSignOuts({
    ...common,
    onFault: (err) => log.error({ err }, "Who signed out at the provider could not be shared"),
  });
  const secrets = new SharedSecrets(common);
  const asked = [tokens, sessions, identities, lockouts, signIns, signOuts, secrets];
  // Until then nobody can be told from a stranger.
  log.info({ endpoints: cluster.endpoints }, "Reading what the fleet shares");
  await Promise.all(asked.map((one) => one.open()));
  let closed: Promise<void> | null = null;
  const closeAll = async (): Promise<void> => {
    for (const one of [...kept, ...asked, archives]) one.close();
    await fleet.close();
  };
  const close = (): Promise<void> => {
    closed ??= closeAll();
    return closed;
  };
  const serve = (rooms: FleetRooms): Promise<void> => serveFleet(fleet, cluster, rooms);
  const ofDesktops = { archives, masks, recordings, settings, requests };
  const ofPeople = { identities, lockouts, tokens, sessions, signIns, signOuts, secrets };
  return { fleet, ...ofDesktops, ...ofPeople, sealer, serve, close };
}
