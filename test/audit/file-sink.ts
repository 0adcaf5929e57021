import { randomUUID } from "node:crypto";
import { join } from "node:path";
import type { AuditEntry, AuditEvent } from "../../src/audit/audit-event.ts";
import { auditEvent } from "../../src/audit/audit-event.ts";
import { readHead } from "../../src/audit/chain-head.ts";
import { ChainKey } from "../../src/audit/chain-key.ts";
import { type AuditRotation, ChainedFile } from "../../src/audit/chained-file.ts";
import { logFiles } from "../../src/audit/log-files.ts";
import { type LogReport, verifyLog } from "../../src/audit/verify-log.ts";
import type { Clock } from "../../src/platform/clock.ts";
import { FakeClock } from "../fake-clock.ts";

export const NEVER: AuditRotation = { bytes: 0, afterMs: 0, keepBytes: 0, keepMs: 0 };

export function eventOf(entry: AuditEntry, clock: Clock = new FakeClock()): AuditEvent {
  return auditEvent(entry, { id: randomUUID(), at: clock.date(), version: "1" });
}

/** The audit log of a folder, as an appliance opens it. */
export async function fileSink(
  dir: string,
  { clock = new FakeClock(), rotation = {} }: { clock?: Clock; rotation?: Partial<AuditRotation> } = {},
): Promise<ChainedFile> {
  return new ChainedFile({
    ...{ dir, clock, rotation: { ...NEVER, ...rotation }, key: await ChainKey.open(dir, null) },
    stamp: (entry) => eventOf(entry, clock),
  });
}

/** What a check of all of a folder's log finds. */
export async function verified(dir: string): Promise<LogReport> {
  const key = await ChainKey.open(dir, null);
  const parts = (await logFiles(dir)).filter(({ firstSeq }) => firstSeq > 0);
  return verifyLog(parts, { key, head: await readHead(join(dir, "audit.head"), key) });
}
