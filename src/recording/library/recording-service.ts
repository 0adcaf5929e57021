import { randomBytes } from "node:crypto";
import type { Actor } from "../../desktop/control/action.ts";
import type { Desktop } from "../../desktop/desktop.ts";
import type { Desktops } from "../../desktop/desktops.ts";
import { RefusedError } from "../../desktop/error.ts";
import { Listeners } from "../../desktop/listeners.ts";
import type { Clock } from "../../platform/clock.ts";
import type { RecordingHead } from "../format/head.ts";
import type { KeySealer } from "../format/recording-key.ts";
import type { RecordingReason, RecordingSummary } from "../format/summary.ts";
import { WholeRecordings } from "../join/whole-recordings.ts";
import type { OpenRecording } from "../read/open-recording.ts";
import { RecordingsSearch } from "../search/recordings-search.ts";
import { AutoRecord, type RecordingPolicy } from "../write/auto-record.ts";
import { CopyScheduler } from "../write/copy-scheduler.ts";
import type { RecordingEncoders } from "../write/encoder.ts";
import { EncoderClient } from "../write/encoder-client.ts";
import { MissedStarts } from "../write/missed-starts.ts";
import type { TextReader } from "../write/recorder-ports.ts";
import { RunningRecording } from "../write/running-recording.ts";
import { RecordingArchive } from "./archive.ts";
import { freeBytesOf } from "./free-bytes.ts";
import type { RecordingCopies } from "./recording-copies.ts";
import { RecordingNotes } from "./recording-notes.ts";
import type {
  FoundInRecordings,
  RecordingEnd,
  RecordingOwner,
  RecordingParts,
  RecordingsEvent,
  RecordingsFace,
  SearchScope,
  StartOptions,
  Verification,
} from "./recording-types.ts";
import { expired, type RetentionLimits } from "./retention.ts";
import { newestFirst } from "./summaries.ts";

/** Who stops agents where a recording must not miss anything and the disk is full. */
const RECORDER: Actor = { kind: "extension", id: "recorder", name: "Recorder" };
/** Its desktop, or this process, goes. */
const INTERRUPTED: RecordingEnd = { by: null, isInterrupted: true };
const RETENTION_MS = 3_600_000;
const DAY_MS = 24 * RETENTION_MS;
const MAX_LABEL = 200;

export interface RecordingsOptions extends RetentionLimits {
  readonly policy: RecordingPolicy;
  /** strict: where nothing can be written agents are stopped. best_effort: they go on, and the gap is marked. */
  readonly onFull: "strict" | "best_effort";
  readonly maxFps: number;
  readonly bytesPerMinute: number;
  readonly floorBytes: number;
  readonly isEncrypted: boolean;
  /** Default 64 MiB. */
  readonly segmentBytes?: number;
  /** A recording of the policy `always` that is so long is ended, and another one begun before. Default a day. */
  readonly longestMs?: number;
}

export interface RecordingsPorts {
  readonly clock: Clock;
  readonly desktops: Pick<Desktops, "get" | "all" | "on">;
  readonly sealer: KeySealer;
  onBug(error: unknown): void;
  /** Of a fleet: for the head of each recording. */
  fenceOf?(desktopId: string): Pick<RecordingHead, "fence">;
  /** Of a fleet. Default: desktops are nowhere else. */
  readonly parts?: RecordingParts;
  /** Who reads the text of a desktop that is recorded. Default: text is not recorded. */
  openText?(desktop: Desktop): TextReader;
  /** Where else finished ones are. Default: nowhere. */
  readonly copies?: RecordingCopies;
  /** Default: of the file system. */
  freeBytes?(folder: string): Promise<number>;
  /** Who encodes; closed with the recordings. Default: a thread that all of them share. */
  readonly encoders?: RecordingEncoders;
}

/** Records desktops and keeps what was recorded. */
export class RecordingService implements RecordingsFace {
  readonly notes: RecordingNotes;
  readonly wholes: WholeRecordings;
  /** Where else finished ones are; null: nowhere. */
  readonly copies: RecordingCopies | null;
  readonly #archive: RecordingArchive;
  readonly #options: RecordingsOptions;
  readonly #ports: RecordingsPorts;
  readonly #running = new Map<string, RunningRecording>();
  /** By desktop: one is being started. */
  readonly #starting = new Map<string, Promise<RecordingSummary>>();
  readonly #listeners: Listeners<RecordingsEvent>;
  readonly #auto: AutoRecord;
  readonly #missed: MissedStarts;
  readonly #encoders: RecordingEncoders;
  readonly #turns = new CopyScheduler();
  readonly #search: RecordingsSearch;
  readonly #offs: (() => void)[] = [];
  /** By recording: ends the watch that stops agents again while nothing can be written. */
  readonly #offStrict = new Map<string, () => void>();
  #cancelRetention: (() => void) | null = null;
  #isClosed = false;

  private constructor(
    archive: RecordingArchive,
    notes: RecordingNotes,
    options: RecordingsOptions,
    ports: RecordingsPorts,
  ) {
    this.copies = ports.copies ?? null;
    this.#archive = archive;
    this.notes = notes;
    this.#options = options;
    this.#ports = ports;
    this.#listeners = new Listeners(ports.onBug);
    this.wholes = new WholeRecordings(this, ports.parts ?? null);
    this.#encoders = ports.encoders ?? new EncoderClient(ports.clock, options.policy !== "manual");
    this.#search = new RecordingsSearch(
      {
        ids: async () => [...(await archive.ids())].sort().reverse(),
        get: (id) => this.get(id),
        open: (id) => this.open(id),
        readIndex: (id) => archive.readIndex(id),
        writeIndex: (id, parts) => archive.writeIndex(id, parts),
      },
      ports.clock,
    );
    this.#missed = new MissedStarts(ports.clock, ({ id }) => this.#begin(id, "always"));
    this.#auto = new AutoRecord(options.policy, ports.clock, ports.desktops, {
      start: (desktopId, reason, owner) => this.#begin(desktopId, reason, owner),
      parts: ports.parts ?? null,
      stop: (desktopId) => {
        const recording = this.runningOn(desktopId);
        if (recording?.reason === "agent_activity" && recording.keptBy === undefined)
          this.stop(recording.id).catch(ports.onBug);
      },
    });
    this.#offs.push(
      ports.desktops.on(({ type, desktop }) => {
        if (type !== "removed") return;
        this.#missed.forget(desktop.id);
        this.#stopOn(desktop.id);
      }),
    );
  }

  /** Reads nothing yet but the key; begins to record where the policy says so. */
  static async open(
    dataDir: string,
    options: RecordingsOptions,
    ports: RecordingsPorts,
  ): Promise<RecordingService> {
    const archive = await RecordingArchive.open(dataDir, ports.sealer, ports.copies);
    const recordings = new RecordingService(archive, await RecordingNotes.open(dataDir), options, ports);
    recordings.#auto.begin();
    recordings.#keep();
    return recordings;
  }

  async list(): Promise<readonly RecordingSummary[]> {
    const running = [...this.#running.values()].map(({ summary }) => summary());
    return [...running, ...(await this.#archive.list(new Set(this.#running.keys())))].sort(newestFirst);
  }

  async get(id: string): Promise<RecordingSummary> {
    return this.#running.get(id)?.summary() ?? this.#archive.get(id);
  }

  /** One that is being ended only where there is no other. */
  runningOn(desktopId: string): RecordingSummary | null {
    const last = [...this.#running.values()].find(({ desktop }) => desktop.id === desktopId) ?? null;
    return (this.#goingOn(desktopId) ?? last)?.summary() ?? null;
  }

  /** How many run, how many of them cannot be written, and how many bytes are not on the disk yet. */
  get load(): { readonly running: number; readonly failing: number; readonly pendingBytes: number } {
    const all = [...this.#running.values()];
    return {
      running: all.length,
      failing: all.filter(({ isFailing }) => isFailing).length,
      pendingBytes: all.reduce((sum, { pendingBytes }) => sum + pendingBytes, 0),
    };
  }

  async start(desktopId: string, options: StartOptions): Promise<RecordingSummary> {
    const desktop = this.#ports.desktops.get(desktopId);
    if (desktop.connection.protocol === "replay") {
      throw new RefusedError("not_supported", "a replay is a recording already: record a live desktop");
    }
    const running = this.#goingOn(desktopId);
    if (running !== null) return this.#join(running.summary(), options.by);
    const starting = this.#starting.get(desktopId);
    if (starting !== undefined) return this.#join(await starting, options.by);
    const started = this.#start(desktop, options).finally(() => this.#starting.delete(desktopId));
    this.#starting.set(desktopId, started);
    return started;
  }

  stop(id: string, by?: Actor): Promise<RecordingSummary> {
    return this.#end(id, { by: by ?? null, isInterrupted: false });
  }

  async #end(id: string, end: RecordingEnd): Promise<RecordingSummary> {
    const running = this.#running.get(id);
    if (running === undefined) {
      throw new RefusedError("not_found", "no such running recording: list the recordings to see which run");
    }
    const recording = await running.close();
    this.#offStrict.get(id)?.();
    this.#offStrict.delete(id);
    if (this.#running.delete(id)) this.#listeners.tell({ type: "stopped", recording, ...end });
    if (!this.#isClosed) this.#search.ended(id);
    return recording;
  }

  async remove(id: string, by?: Actor): Promise<void> {
    if (this.#running.has(id)) await this.stop(id, by);
    await this.#search.forget(id);
    await this.#archive.remove(id);
    await this.notes.forget(id);
    this.#listeners.tell({ type: "removed", id, by: by ?? null });
  }

  /** Deletes its files here; it is read where its copies are. */
  letGo(id: string): Promise<void> {
    return this.#archive.letGo(id);
  }

  async open(id: string): Promise<OpenRecording> {
    return this.#archive.read(id, this.#running.get(id) ?? null);
  }

  verify(id: string): Promise<Verification> {
    return this.#archive.verify(id);
  }

  searchAll(query: string, scope: SearchScope): Promise<FoundInRecordings> {
    return this.#search.search(query, scope);
  }

  around(recording: Pick<RecordingSummary, "id" | "desktopId">) {
    return this.#ports.parts?.around(recording) ?? { earlierEndedAt: null, next: null };
  }

  bookmark(id: string, label: string, by: Actor): void {
    const running = this.#running.get(id);
    if (running === undefined) {
      throw new RefusedError("not_found", "no such running recording: only a running one can be marked");
    }
    const { kind, id: byId, name } = by;
    running.note({ type: "bookmark", label: label.slice(0, MAX_LABEL), by: { kind, id: byId, name } });
  }

  on(listener: (event: RecordingsEvent) => void): () => void {
    return this.#listeners.add(listener);
  }

  /** Seals all that run. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#auto.close();
    this.#missed.close();
    this.#cancelRetention?.();
    for (const off of this.#offs) off();
    await Promise.allSettled([...this.#starting.values()]);
    await Promise.all([...this.#running.keys()].map((id) => this.#end(id, INTERRUPTED)));
    await this.#encoders.close();
    await this.#search.close();
    this.#listeners.clear();
  }

  /** The one that takes what happens on a desktop; null for none. */
  #goingOn(desktopId: string): RunningRecording | null {
    return [...this.#running.values()].find((one) => one.desktop.id === desktopId && !one.isClosing) ?? null;
  }

  /** What a person asks for does not end when an agent or a policy has enough of it. */
  #join(begun: RecordingSummary, by: Actor): RecordingSummary {
    const running = this.#running.get(begun.id);
    if (running === undefined || by.kind !== "human" || by.id === begun.startedById) return begun;
    const isNew = running.keep(by);
    const recording = running.summary();
    if (isNew) this.#listeners.tell({ type: "kept", recording, by });
    return recording;
  }

  async #start(desktop: Desktop, options: StartOptions): Promise<RecordingSummary> {
    const { reason = "manual", by, owner = by } = options;
    const { floorBytes, isEncrypted, onFull } = this.#options;
    const free = await this.#freeBytes();
    if (free < floorBytes) {
      throw new RefusedError(
        "too_many",
        `the disk has ${mebibytes(free)} MiB free and recordings leave ${mebibytes(floorBytes)} MiB: delete some, or lower recording.disk_floor_mb`,
      );
    }
    const { clock, sealer, onBug } = this.#ports;
    const startedAt = clock.date().toISOString();
    const id = `${startedAt.slice(0, 19).replace(/[-:]/g, "")}Z-${randomBytes(4).toString("hex")}`;
    const isStrict = onFull === "strict";
    const earlier = this.#ports.parts?.interrupted(desktop.id) ?? null;
    const running: RunningRecording = await RunningRecording.start(
      desktop,
      {
        ...this.#options,
        folder: this.#archive.folderOf(id),
        head: {
          ...{ id, desktopId: desktop.id, title: desktop.name, startedAt, reason },
          ...{ startedBy: owner.name, startedById: owner.id },
          ...this.#ports.fenceOf?.(desktop.id),
          ...(earlier === null ? {} : { continues: { id: earlier.id, node: earlier.node } }),
        },
        sealer: isEncrypted ? sealer : null,
      },
      this.#archive,
      {
        clock,
        encoders: this.#encoders,
        text: this.#ports.openText?.(desktop) ?? null,
        turns: this.#turns,
        onBug,
        freeBytes: () => this.#freeBytes(),
        failed: (error) => {
          if (isStrict) desktop.stop(RECORDER);
          this.#listeners.tell({ type: "failed", recording: running.summary(), error, isStrict });
        },
        recovered: () => undefined,
      },
    );
    this.#running.set(id, running);
    this.#missed.forget(desktop.id);
    if (isStrict) {
      const off = desktop.on((event) => {
        if (event.type === "stopped" && !event.isStopped && running.isFailing) desktop.stop(RECORDER);
      });
      this.#offStrict.set(id, off);
    }
    const recording = running.summary();
    this.#listeners.tell({ type: "started", recording, by });
    if (this.#isClosed) return this.#end(id, INTERRUPTED);
    return recording;
  }

  /** As the policy says; what shall always be recorded is tried again until it is. */
  #begin(desktopId: string, reason: RecordingReason, owner: RecordingOwner = RECORDER): void {
    this.start(desktopId, { reason, by: RECORDER, owner }).catch((error: unknown) => {
      const desktop = this.#ports.desktops.all.find(({ id }) => id === desktopId);
      if (desktop === undefined || this.#isClosed) return;
      const isAlways = reason === "always";
      // Told once, however often it is tried again.
      if (isAlways ? !this.#missed.has(desktopId) : !(error instanceof RefusedError))
        this.#ports.onBug(error);
      const hold = this.#options.onFull === "strict" ? () => desktop.stop(RECORDER) : null;
      if (isAlways) this.#missed.add(desktop, hold);
      else hold?.();
    });
  }

  #stopOn(desktopId: string): void {
    const running = this.runningOn(desktopId);
    if (running !== null) this.#end(running.id, INTERRUPTED).catch(this.#ports.onBug);
  }

  async #freeBytes(): Promise<number> {
    return (this.#ports.freeBytes ?? freeBytesOf)(this.#archive.folder);
  }

  /** Ends what is too long and deletes what is too old or too much, now and every hour. */
  #keep(): void {
    this.#roll().catch((error: unknown) => this.#ports.onBug(error));
    this.#retain().catch((error: unknown) => this.#ports.onBug(error));
    this.#cancelRetention = this.#ports.clock.after(RETENTION_MS, () => this.#keep());
  }

  async #retain(): Promise<void> {
    const { keepMs, keepBytes } = this.#options;
    if (keepMs === null && keepBytes === null) return;
    const gone = expired(await this.list(), this.#options, this.#ports.clock.date());
    for (const { id, archive } of gone) {
      // One that cannot be deleted keeps no other.
      const removed = archive?.state === "archived" ? this.letGo(id) : this.remove(id);
      await removed.catch((error: unknown) => this.#ports.onBug(error));
    }
  }

  /** What is always recorded would never be old, nor end before its clock does: it goes on in another one. */
  async #roll(): Promise<void> {
    for (const { id, desktop, summary, isClosing } of [...this.#running.values()]) {
      const { reason, durationMs } = summary();
      if (reason !== "always" || isClosing || durationMs < (this.#options.longestMs ?? DAY_MS)) continue;
      // The next one first: nothing is missed between them.
      await this.#start(desktop, { reason, by: RECORDER });
      await this.stop(id);
    }
  }
}

function mebibytes(bytes: number): number {
  return Math.floor(bytes / 1024 / 1024);
}
