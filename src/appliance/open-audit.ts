import { openAuditSink } from "../audit/audit.ts";
import { AuditLog } from "../audit/read-back.ts";
import type { AuditSink } from "../audit/sink.ts";
import type { Config } from "../config/config-schema.ts";
import { systemClock } from "../platform/clock.ts";
import { VERSION } from "../platform/version.ts";

const DAY_MS = 86_400_000;
const MIB = 2 ** 20;

/** The audit sink of a configuration. Throws AuditError for a key that cannot be used. */
export function openSinkOf(config: Config, isStdoutTaken: boolean): Promise<AuditSink | null> {
  const { sink, key, rotate_mb, rotate_days, keep_mb, keep_days } = config.audit;
  return openAuditSink(sink, {
    dataDir: config.data_dir,
    isStdoutTaken,
    key: key ?? null,
    rotation: {
      bytes: rotate_mb * MIB,
      afterMs: rotate_days * DAY_MS,
      keepBytes: keep_mb * MIB,
      keepMs: keep_days * DAY_MS,
    },
    clock: systemClock,
    version: VERSION,
  });
}

/** What a configuration's audit log holds; null where it is kept in no file here. Throws AuditError for a bad key. */
export async function openAuditLog({ audit, data_dir }: Config): Promise<AuditLog | null> {
  return audit.sink === "file" ? await AuditLog.open(data_dir, audit.key ?? null) : null;
}
