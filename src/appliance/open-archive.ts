import { join } from "node:path";
import type { AuditEntry } from "../audit/audit-event.ts";
import type { Config } from "../config/config-schema.ts";
import type { OwnListener } from "../desktop/connections/target-guard.ts";
import { guardedTransfer, keptConnections } from "../desktop/links/guarded-transfer.ts";
import type { Clock } from "../platform/clock.ts";
import type { Logger } from "../platform/log.ts";
import type { S3Archive } from "../recording/archive/s3-archive.ts";
import type { S3Bucket } from "../storage/s3-bucket.ts";
import { readCa } from "./open-forwarders.ts";
import { pushReach } from "./open-push.ts";

const MEBI = 1024 * 1024;
const DAY_MS = 86_400_000;

interface ArchiveRooms {
  readonly clock: Clock;
  readonly own: OwnListener[];
  record(entry: AuditEntry): void;
}

/** The configured storage, and what stands before all names there; null where none is configured, and nothing of it is loaded. */
export async function archiveBucketOf(
  { recording, targets }: Pick<Config, "recording" | "targets">,
  own: OwnListener[],
): Promise<{ readonly bucket: S3Bucket; readonly prefix: string; readonly close: () => void } | null> {
  const { endpoint, bucket = "", prefix, region, path_style, ca } = recording.archive;
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
    prefix: prefix === "" ? "" : `${prefix}/`,
    close: connections.close,
  };
}

/** What copies finished recordings to S3-compatible storage and reads them there; null where none is configured. Throws ConfigError. */
export async function openArchive(
  config: Config,
  log: Logger,
  { clock, own, record }: ArchiveRooms,
): Promise<S3Archive | null> {
  const place = await archiveBucketOf(config, own);
  if (place === null) return null;
  const { S3Archive, ArchiveIndex, S3Error } = await import("../recording/archive/load-archive.ts");
  const { endpoint = "", bucket = "", prefix, cache_mb, lock_days, lock_mode } = config.recording.archive;
  const index = join(config.data_dir, "recording-archive");
  return new S3Archive({
    ...place,
    clock,
    index: await ArchiveIndex.open(index, `${endpoint}/${bucket}/${prefix}`),
    folder: join(config.data_dir, "recordings"),
    cacheBytes: cache_mb === 0 ? null : cache_mb * MEBI,
    lock:
      lock_days === 0
        ? null
        : { mode: lock_mode === "compliance" ? "COMPLIANCE" : "GOVERNANCE", ms: lock_days * DAY_MS },
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
