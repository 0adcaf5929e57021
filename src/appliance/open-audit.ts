import type { AuditArchive } from "../audit/archive/audit-archive.ts";
import { Audit, openAuditSink } from "../audit/audit.ts";
import type { AuditLabels } from "../audit/audit-event.ts";
import type { Forwarder } from "../audit/forward/forwarder.ts";
import { AuditLog } from "../audit/read-back.ts";
import { redactor } from "../audit/redact.ts";
import type { AuditSink } from "../audit/sink.ts";
import type { Config } from "../config/config-schema.ts";
import { type Clock, systemClock } from "../platform/clock.ts";
import type { Logger } from "../platform/log.ts";
import { VERSION } from "../platform/version.ts";
import type { CloseStack } from "./close-stack.ts";
import { archivedAuditOf, openAuditArchive } from "./open-archive.ts";
import { makeForwarders } from "./open-forwarders.ts";

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
      mayDelete: archivedAuditOf(config),
    },
    clock: systemClock,
    labels: auditLabels(config),
  });
}

/** What each event says of this server. */
export function auditLabels({ audit: { deployment, tenant, redact_fields } }: Config): AuditLabels {
  return { version: VERSION, deployment, tenant, redact: redactor(redact_fields) };
}

/** What a configuration's audit log holds; null where it is kept in no file here. Throws AuditError for a bad key. */
export async function openAuditLog({ audit, data_dir }: Config): Promise<AuditLog | null> {
  return audit.sink === "file" ? await AuditLog.open(data_dir, audit.key ?? null) : null;
}

/**
 * The audit log, who sends it on and what archives it, until all that is added to the stack later is closed. Throws AuditError
 * for a bad key, ConfigError.
 */
export async function openAudit(
  config: Config,
  log: Logger,
  clock: Clock,
  closeStack: CloseStack,
): Promise<{
  readonly audit: Audit;
  readonly forwarders: readonly Forwarder[];
  readonly auditArchive: AuditArchive | null;
}> {
  let forwarders: readonly Forwarder[] = [];
  const audit = new Audit({
    sink: await openSinkOf(config, config.isStdio),
    hasCheckpoints: config.audit.sink === "file",
    clock,
    ...auditLabels(config),
    refusal: () => forwarders.map(({ refusal }) => refusal).find((reason) => reason !== null) ?? null,
    onWritten: () => {
      for (const forwarder of forwarders) forwarder.written();
    },
    onSinkChange: (isWorking, err) => {
      if (isWorking) log.info("Audit sink works again");
      else log.error({ err }, "Audit sink failed");
    },
  });
  forwarders = makeForwarders(config, log, clock, (entry) => audit.record(entry));
  for (const forwarder of forwarders) {
    closeStack.add(() => forwarder.close());
    forwarder.open();
  }
  const auditArchive = await openAuditArchive(config, log, clock, (entry) => audit.record(entry));
  closeStack.add(() => auditArchive?.close());
  auditArchive
    ?.follow()
    .catch((err: unknown) => log.error({ err }, "Files of the audit log could not be listed"));
  closeStack.add(() => audit.close());
  audit.record({ type: "audit.started", severity: "notice" });
  closeStack.add(() => audit.record({ type: "audit.stopped", severity: "notice" }));
  closeStack.add(() => auditArchive?.tell());
  return { audit, forwarders, auditArchive };
}
