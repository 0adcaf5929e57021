import { join } from "node:path";
import type { AuditEntry, AuditedFleet } from "../audit/audit-event.ts";
import { auditRecordings } from "../audit/recording-audit.ts";
import type { SecretBox } from "../auth/secret-box.ts";
import type { Config } from "../config/config-schema.ts";
import type { OwnListener } from "../desktop/connections/target-guard.ts";
import type { Desktops } from "../desktop/desktops.ts";
import { RefusedError } from "../desktop/error.ts";
import type { Clock } from "../platform/clock.ts";
import type { Logger } from "../platform/log.ts";
import { RecordingService } from "../recording/library/recording-service.ts";
import type { Replays } from "../recording/read/replays.ts";
import { PublicKey, SIGNER_FILE } from "../recording/seal/signing-key.ts";
import type { OcrPool } from "../vision/ocr-pool.ts";
import type { CloseStack } from "./close-stack.ts";
import type { OpenFleet } from "./fleet/open-fleet.ts";
import { archivePlaceOf, openArchive } from "./open-archive.ts";
import { recordedTexts } from "./recorded-texts.ts";

const DAY_MS = 86_400_000;
const MEGA = 1_000_000;
const MEBI = 1024 * 1024;

/** Opens the room of recordings as configured, tells the log and the audit of it, archives them, and lets them be replayed. */
export async function openRecordings(
  config: Config,
  log: Logger,
  desktops: Desktops,
  house: {
    readonly clock: Clock;
    readonly sealer: SecretBox;
    readonly replays: Replays;
    readonly reader: OcrPool;
    readonly own: OwnListener[];
    readonly audit: { record(entry: AuditEntry): void };
    readonly closeStack: CloseStack;
    /** null: this server is alone. */
    readonly fleet: AuditedFleet | null;
    readonly shared: Pick<OpenFleet, "archives" | "recordings" | "sealer"> | null;
  },
): Promise<RecordingService> {
  const { recording } = config;
  const record = (entry: AuditEntry): void => house.audit.record(entry);
  const { clock, own, sealer, shared } = house;
  const archive = await openArchive(config, log, { clock, own, record, fleet: shared?.archives ?? null });
  const recordings = await RecordingService.open(
    config.data_dir,
    {
      policy: recording.policy,
      onFull: recording.on_full,
      maxFps: recording.max_fps,
      bytesPerMinute: recording.budget_mb_per_min * MEGA,
      floorBytes: recording.disk_floor_mb * MEBI,
      isEncrypted: recording.encrypt,
      keepMs: recording.keep_days === 0 ? null : recording.keep_days * DAY_MS,
      keepBytes: recording.keep_mb === 0 ? null : recording.keep_mb * MEBI,
    },
    {
      clock,
      desktops,
      sealer: {
        seal: (...text) => sealer.seal(...text),
        open: (...text) => sealer.open(...text),
        ...(shared === null ? {} : { shared: shared.sealer }),
      },
      fenceOf: (id) => {
        const fence = house.fleet?.fenceOf(id) ?? null;
        return fence === null ? {} : { fence: `${house.fleet?.name} ${fence}` };
      },
      ...(shared === null ? {} : { parts: shared.recordings }),
      ...(archive === null ? {} : { copies: archive }),
      ...(recording.text ? { openText: recordedTexts({ reader: house.reader, timer: clock }, log) } : {}),
      onBug: (err) => log.error({ err }, "Recorder failed"),
    },
  );
  house.closeStack.add(() => recordings.close());
  auditRecordings(recordings, record);
  shared?.recordings.follow(desktops, {
    on: (listener) => recordings.on(listener),
    endOf: (id) => endOf(recordings, id),
  });
  if (archive !== null && shared !== null) {
    const { publicKey } = await PublicKey.read(join(config.data_dir, SIGNER_FILE));
    shared.archives.tell({ ...archivePlaceOf(config), publicKey });
  }
  house.closeStack.add(() => archive?.close());
  archive?.follow(recordings).catch((err: unknown) => log.error({ err }, "Recordings could not be listed"));
  recordings.on((event) => {
    if (event.type === "started") log.info({ id: event.recording.id }, "Recording started");
    else if (event.type === "stopped") log.info({ id: event.recording.id }, "Recording stopped");
    else if (event.type === "failed") {
      log.error(
        { id: event.recording.id, err: event.error, isStrict: event.isStrict },
        "Recording has a gap",
      );
    }
  });
  house.replays.attach({
    clock,
    get: (id) => recordings.wholes.get(id),
    open: (id) => recordings.wholes.open(id),
    show: (input, by, isForPeople) => desktops.show(input, by, isForPeople),
    on: (listener) => desktops.on(listener),
  });
  recordings.on((event) => {
    if (event.type !== "removed") return;
    // What was deleted is not to be seen any longer, not even where it stands still.
    for (const id of house.replays.desktopsOf(event.id)) {
      desktops.remove(id).catch((err: unknown) => log.error({ err }, "Replay could not be closed"));
    }
  });
  return recordings;
}

/** When one of this server ended, ISO 8601; null where it runs, or is not there. */
async function endOf(recordings: Pick<RecordingService, "get">, id: string): Promise<string | null> {
  try {
    const { state, startedAt, durationMs } = await recordings.get(id);
    return state === "recording" ? null : new Date(Date.parse(startedAt) + durationMs).toISOString();
  } catch (error) {
    if (error instanceof RefusedError) return null;
    throw error;
  }
}
