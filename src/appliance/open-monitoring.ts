import { statfs } from "node:fs/promises";
import type { AuditArchive } from "../audit/archive/audit-archive.ts";
import type { Audit } from "../audit/audit.ts";
import type { Forwarder } from "../audit/forward/forwarder.ts";
import type { Config } from "../config/config-schema.ts";
import type { Desktops } from "../desktop/desktops.ts";
import { LoopDelay } from "../monitoring/loop-delay.ts";
import { Metrics } from "../monitoring/metrics.ts";
import { type FleetState, type Readiness, readinessOf } from "../monitoring/readiness.ts";
import type { Clock } from "../platform/clock.ts";
import { VERSION } from "../platform/version.ts";
import type { RecordingService } from "../recording/library/recording-service.ts";
import type { ViewerSessions } from "../web/viewer/sessions.ts";

const MIB = 2 ** 20;

export interface WatchedRooms {
  readonly audit: Audit;
  readonly forwarders: readonly Forwarder[];
  readonly desktops: Desktops;
  readonly recordings: RecordingService;
  /** null: the audit log is not archived. */
  readonly auditArchive: Pick<AuditArchive, "load"> | null;
  readonly clock: Clock;
  /** null: this server is alone. */
  readonly fleet: { readonly state: FleetState } | null;
  readonly shared: { readonly archives: { readonly sharing: readonly string[] } } | null;
  /** Viewers are opened later. */
  readonly sessions: () => Pick<ViewerSessions, "size"> | null;
}

/** What is told to who watches the appliance: /metrics and /readyz. */
export function openMonitoring(config: Config, rooms: WatchedRooms) {
  const { audit, auditArchive, forwarders, desktops, recordings, clock, sessions, fleet, shared } = rooms;
  const archive = () => {
    const load = recordings.copies?.load;
    if (load === undefined) return null;
    return { ...load, audit: auditArchive?.load ?? null, sharedWith: shared?.archives.sharing ?? [] };
  };
  const loopDelay = new LoopDelay(clock);
  const auditState = () => ({
    isWorking: audit.isWorking,
    ...audit.backlog,
    receivers: forwarders.map(({ state }) => state),
  });
  const ofFleet = fleet === null ? {} : { fleet: () => fleet.state };
  const metrics = new Metrics({
    version: VERSION,
    loopDelay,
    desktops: () => desktops.all,
    viewers: () => sessions()?.size ?? 0,
    pendingApprovals: () => desktops.questions.pending.length,
    audit: auditState,
    recorder: () => recordings.load,
    ...ofFleet,
    archive,
    nowMs: () => clock.date().getTime(),
  });
  desktops.questions.on((approval) => metrics.asked(approval));
  const readiness = (isTold: (desktopId: string) => boolean): Promise<Readiness> =>
    readinessOf({
      targets: () => desktops.all.filter(({ id }) => isTold(id)),
      freeBytes: async () => {
        const { bavail, bsize } = await statfs(config.data_dir);
        return bavail * bsize;
      },
      floorBytes: config.recording.disk_floor_mb * MIB,
      audit: auditState,
      recorder: () => recordings.load,
      ...ofFleet,
      archive,
      loopDelayMs: () => lateness(clock),
    });
  return { metrics, readiness, close: () => loopDelay.close() };
}

/** How late a timer goes off that is due at once. */
function lateness(clock: Clock): Promise<number> {
  const startMs = clock.nowMs();
  return new Promise((resolve) => {
    clock.after(1, () => resolve(Math.max(0, clock.nowMs() - startMs - 1)));
  });
}
