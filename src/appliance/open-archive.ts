import { join } from "node:path";
import type { AuditEntry } from "../audit/audit-event.ts";
import type { Config } from "../config/config-schema.ts";
import type { OwnListener } from "../desktop/connections/target-guard.ts";
import { guardedTransfer } from "../desktop/links/guarded-transfer.ts";
import type { Clock } from "../platform/clock.ts";
import type { Logger } from "../platform/log.ts";
import type { ArchiveUploads } from "../recording/archive/archive-uploads.ts";
import { readCa } from "./open-forwarders.ts";
import { pushReach } from "./open-push.ts";

/** What copies finished recordings to S3-compatible storage; null where none is configured, and nothing of it is loaded. */
export async function openArchive(
  config: Config,
  log: Logger,
  rooms: { readonly clock: Clock; readonly own: OwnListener[]; record(entry: AuditEntry): void },
): Promise<ArchiveUploads | null> {
  const {
    endpoint,
    bucket = "",
    prefix,
    region,
    path_style,
    access_key = "",
    secret_key = "",
    ca,
  } = config.recording.archive;
  if (endpoint === undefined) return null;
  const { ArchiveUploads, ArchiveMarks, S3Bucket, S3Error } = await import(
    "../recording/archive/load-archive.ts"
  );
  // Not to where no desktop may be: the operator's rules of targets hold for what is sent there too.
  const reach = pushReach(config, rooms.own);
  const authorities = ca === undefined ? undefined : readCa(ca, "recording.archive.ca");
  const marks = await ArchiveMarks.open(
    join(config.data_dir, "recording-archive"),
    `${endpoint}/${bucket}/${prefix}`,
  );
  return new ArchiveUploads({
    bucket: new S3Bucket(
      { endpoint, bucket, isPathStyle: path_style },
      { region, accessKey: access_key, secretKey: secret_key },
      (request) => guardedTransfer(request, reach, authorities),
    ),
    marks,
    prefix: prefix === "" ? "" : `${prefix}/`,
    folder: join(config.data_dir, "recordings"),
    clock: rooms.clock,
    onArchived(id, bytes) {
      log.info({ id }, "Recording archived");
      const resource = { kind: "recording", id };
      rooms.record({ type: "recording.archived", severity: "notice", resource, counts: { bytes } });
    },
    onFailed(id, err) {
      log.error({ id, err }, "Recording could not be archived");
      const errorCode = err instanceof S3Error && err.code !== "" ? err.code : "unreachable";
      const resource = { kind: "recording", id };
      rooms.record({ type: "recording.archive_failed", severity: "error", resource, errorCode });
    },
  });
}
