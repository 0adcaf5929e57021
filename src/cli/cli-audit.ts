import { auditLabels, openSinkOf } from "../appliance/open-audit.ts";
import { Audit } from "../audit/audit.ts";
import type { AuditEntry } from "../audit/audit-event.ts";
import type { Config } from "../config/config-schema.ts";
import { systemClock } from "../platform/clock.ts";

const COMMAND_LINE = { id: "command-line", name: "command line", kind: "human" } as const;

/** Runs a command with what it does in the audit log: a command is not the server, but as much to be known. */
export async function audited(
  config: Config,
  run: (record: (entry: AuditEntry) => void) => Promise<string>,
): Promise<string> {
  const audit = new Audit({
    sink: await openSinkOf(config, true),
    clock: systemClock,
    ...auditLabels(config),
    onSinkChange: (isWorking, error) => {
      const reason = error instanceof Error ? error.message : String(error);
      if (!isWorking) process.stderr.write(`overlay-companion: the audit log was not written: ${reason}\n`);
    },
  });
  try {
    return await run((entry) => audit.record({ ...entry, actor: COMMAND_LINE }));
  } finally {
    await audit.close();
  }
}
