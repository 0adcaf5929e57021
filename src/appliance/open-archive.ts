import { join } from "node:path";
import type { AuditArchive } from "../audit/archive/audit-archive.ts";
import type { AuditEntry } from "../audit/audit-event.ts";
import { ChainKey } from "../audit/chain-key.ts";
import { type Config, ConfigError } from "../config/config-schema.ts";
import type { OwnListener } from "../desktop/connections/target-guard.ts";
import { guardedTransfer, keptConnections } from "../desktop/links/guarded-transfer.ts";
import type { Clock } from "../platform/clock.ts";
import type { Logger } from "../platform/log.ts";
import type { FleetArchives } from "../recording/archive/gone-archives.ts";
import type { S3Archive, S3ArchiveOptions } from "../recording/archive/s3-archive.ts";
import { isArchived } from "../storage/archive-index.ts";
import type { S3Bucket } from "../storage/s3-bucket.ts";
import { readCa } from "./open-forwarders.ts";
import { ownListenersOf } from "./open-links.ts";
import { pushReach } from "./open-push.ts";

const MEBI = 1024 * 1024;
const DAY_MS = 86_400_000;
/** In the data folder: what is known to be there, of recordings and of the audit log. */
const INDEX = "recording-archive";

interface ArchiveRooms {
  readonly clock: Clock;
  readonly own: OwnListener[];
  record(entry: AuditEntry): void;
  /** null: this server is alone. */
  readonly fleet: FleetArchives | null;
}

/** The configured storage, and what stands before all names there; null where none is configured, and nothing of it is loaded. */
export async function archiveBucketOf(
  { recording, targets }: Pick<Config, "recording" | "targets">,
  own: OwnListener[],
): Promise<{ readonly bucket: S3Bucket; readonly prefix: string; readonly close: () => void } | null> {
  const { endpoint, bucket = "", region, path_style, ca } = recording.archive;
  const { access_key = "", secret_key = "" } = recording.archive;
  if (endpoint === undefined) return null;
  const { S3Bucket } = await import("../recording/archive/load-archive.ts");
  // Not to where no desktop may be: the operator's rules of targets hold for what is sent there too.
  const reach = pushReach({ targets }, own);
  const authorities = ca === undefined ? undefined : readCa(ca, "recording.archive.ca");
  const connections = keptConnections();
  return {
    bucket: new S3Bucket(
      { endpoint, bucket, isPathStyle: path_style },
      { region, accessKey: access_key, secretKey: secret_key },
      (request) => guardedTransfer(request, reach, authorities, connections),
    ),
    prefix: archivePlaceOf({ recording }).prefix,
    close: connections.close,
  };
}

/** What copies finished recordings to S3-compatible storage and reads them there; null where none is configured. Throws ConfigError. */
export async function openArchive(
  config: Config,
  log: Logger,
  { clock, own, record, fleet }: ArchiveRooms,
): Promise<S3Archive | null> {
  const place = await archiveBucketOf(config, own);
  if (place === null) return null;
  const { S3Archive, ArchiveIndex, GoneArchives, S3Error } = await import(
    "../recording/archive/load-archive.ts"
  );
  const { cache_mb } = config.recording.archive;
  const folder = join(config.data_dir, INDEX);
  const gone =
    fleet &&
    new GoneArchives({
      ...{ ...place, ...archivePlaceOf(config), clock, fleet },
      openIndex: (prefix) => ArchiveIndex.open(folder, placeOf(config, "", prefix.replace(/\/$/, ""))),
      onLooked(node, found, err) {
        if (found === null) log.error({ node, err }, "Archive of a node that is gone could not be looked at");
        else log.info({ node, ...found }, "Recordings of a node that is gone are read in its archive");
      },
    });
  return new S3Archive({
    ...{ ...place, clock },
    ...(gone === null ? {} : { gone }),
    index: await ArchiveIndex.open(folder, placeOf(config)),
    folder: join(config.data_dir, "recordings"),
    cacheBytes: cache_mb === 0 ? null : cache_mb * MEBI,
    lock: lockOf(config),
    onLetGo: (id, bytes) => log.info({ id, bytes }, "Recording is in the archive alone"),
    onDoubt: (id, err) => log.error({ id, err }, "Archive does not have a recording as it was sent"),
    onLooked(found, err) {
      if (found === null) log.error({ err }, "Archive could not be looked at");
      else if (found.found + found.lost > 0)
        log.info({ ...found }, "Archive has other recordings than known");
    },
    onArchived(id, bytes) {
      log.info({ id }, "Recording archived");
      const resource = { kind: "recording", id };
      record({ type: "recording.archived", severity: "notice", resource, counts: { bytes } });
    },
    onFailed(id, err) {
      log.error({ id, err }, "Recording could not be archived");
      const said =
        err instanceof S3Error
          ? err.code || (err.status === 0 ? "unreachable" : `${err.status}`)
          : "unreadable";
      const resource = { kind: "recording", id };
      record({ type: "recording.archive_failed", severity: "error", resource, errorCode: said });
    },
  });
}

/** Whether a file of the audit log is surely in the archive, as far as this machine knows; undefined where none goes there. */
export function archivedAuditOf(config: Config): ((name: string) => Promise<boolean>) | undefined {
  const folder = auditFolderOf(config);
  if (folder === null) return undefined;
  return (name) => isArchived(join(config.data_dir, INDEX), placeOf(config, folder), name);
}

/** What copies files of the audit log there that were put aside; null where none goes there. Throws ConfigError, AuditError. */
export async function openAuditArchive(
  config: Config,
  log: Logger,
  clock: Clock,
  record: (entry: AuditEntry) => void,
): Promise<AuditArchive | null> {
  const { audit, data_dir, recording } = config;
  const folder = auditFolderOf(config);
  if (folder === null) return null;
  if (audit.sink !== "file") {
    throw new ConfigError(`recording.archive.audit: got on with audit.sink ${audit.sink}: expected file`);
  }
  const place = await archiveBucketOf(config, ownListenersOf(config));
  if (place === null) return null;
  const { ArchiveIndex } = await import("../recording/archive/load-archive.ts");
  const { AuditArchive } = await import("../audit/archive/audit-archive.ts");
  const index = join(data_dir, INDEX);
  return new AuditArchive({
    ...{ ...place, prefix: `${place.prefix}${folder}`, clock, dir: data_dir, lock: lockOf(config) },
    index: await ArchiveIndex.open(index, placeOf(config, folder)),
    seal: recording.encrypt
      ? { key: await ChainKey.open(data_dir, audit.key ?? null), copy: join(index, ".sealed") }
      : null,
    onArchived: (name, bytes) => log.info({ name, bytes }, "File of the audit log archived"),
    onTold: (counts) => record({ type: "audit.exported", severity: "notice", action: "archive", counts }),
    onFailed: (name, err) => log.error({ name, err }, "File of the audit log could not be archived"),
    onLooked(lost, err) {
      if (lost === null) log.error({ err }, "Archive of the audit log could not be looked at");
      else if (lost > 0) log.warn({ lost }, "Archive has files of the audit log no longer");
    },
  });
}

/** What stands before the names of files of the audit log there, behind the prefix; null where none goes there. */
function auditFolderOf({ recording: { archive }, cluster }: Config): string | null {
  if (archive.endpoint === undefined || !archive.audit) return null;
  return cluster.node === undefined ? "audit/" : `audit/${cluster.node}/`;
}

/** Where this node archives, as it tells the others of its fleet. */
export function archivePlaceOf({ recording: { archive } }: Pick<Config, "recording">) {
  const { endpoint = "", bucket = "", prefix } = archive;
  return { place: `${endpoint}/${bucket}`, prefix: prefix === "" ? "" : `${prefix}/` };
}

/** By which the index of what is there is told from those of other places. */
function placeOf(config: Config, folder = "", prefix = config.recording.archive.prefix): string {
  return `${archivePlaceOf(config).place}/${prefix}${folder === "" ? "" : `/${folder}`}`;
}

function lockOf({ recording: { archive } }: Config): S3ArchiveOptions["lock"] {
  const { lock_days, lock_mode } = archive;
  if (lock_days === 0) return null;
  return { mode: lock_mode === "compliance" ? "COMPLIANCE" : "GOVERNANCE", ms: lock_days * DAY_MS };
}
