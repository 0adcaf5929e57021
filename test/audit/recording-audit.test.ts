import t from "tap";
import type { AuditEntry } from "../../src/audit/audit-event.ts";
import { auditRecordings } from "../../src/audit/recording-audit.ts";
import { FakeRecordings } from "../web/fake-recordings.ts";

const ANN = { kind: "human", id: "ann", name: "Ann" } as const;

t.test("who began, ended and deleted a recording is in the audit, until it stops listening", async (t) => {
  const recordings = new FakeRecordings();
  const entries: AuditEntry[] = [];
  const stop = auditRecordings(recordings, (entry) => entries.push(entry));
  const { id } = await recordings.start("d1", { by: ANN });
  await recordings.stop(id, ANN);
  await recordings.remove(id);
  t.match(entries, [
    { type: "recording.started", actor: ANN, resource: { kind: "recording", id } },
    { type: "recording.stopped", actor: ANN, counts: { bytes: 4000, duration_ms: 10_000 } },
    { type: "recording.removed", actor: null, severity: "warning" },
  ]);
  stop();
  await recordings.start("d1", { by: ANN });
  t.equal(entries.length, 3);
});

t.test("missing pictures are an error in the audit, and who keeps a recording is named", async (t) => {
  const entries: AuditEntry[] = [];
  auditRecordings(
    {
      on(listener) {
        const recording = { id: "r1", durationMs: 1500.4, bytes: 7 };
        listener({ type: "failed", recording, isStrict: true });
        listener({ type: "kept", recording, by: ANN });
        return () => {};
      },
    },
    (entry) => entries.push(entry),
  );
  t.match(entries, [
    { type: "recording.failed", severity: "error", action: "strict", counts: { duration_ms: 1500 } },
    { type: "recording.kept", severity: "notice", actor: ANN, resource: { id: "r1" } },
  ]);
});
