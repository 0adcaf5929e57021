import { deflateRawSync } from "node:zlib";
import type { Actor } from "../../src/desktop/control/action.ts";
import { RefusedError } from "../../src/desktop/error.ts";
import { NO_COUNTS } from "../../src/recording/format/summary.ts";
import type { PlacedPart } from "../../src/recording/join/opened-part.ts";
import { WholeRecordings } from "../../src/recording/join/whole-recordings.ts";
import { RecordingError } from "../../src/recording/library/error.ts";
import { RecordingNotes } from "../../src/recording/library/recording-notes.ts";
import type {
  FoundInRecordings,
  PartsAround,
  PictureChunk,
  PictureRun,
  RecordedFrame,
  RecordedText,
  RecordingParts,
  RecordingReader,
  RecordingSummary,
  RecordingsEvent,
  RecordingsFace,
  SearchScope,
  StartOptions,
  TrackEntry,
  Verification,
} from "../../src/recording/library/recording-types.ts";
import { noSuchRecording } from "../../src/recording/library/refused.ts";
import { queryWords, SearchHits } from "../../src/recording/read/search-hits.ts";
import { textOf } from "../../src/recording/read/text-of-moment.ts";

const STARTED_AT = "2026-11-21T08:00:00.000Z";
export const SIZE = { width: 64, height: 48 };

/** One colour a second: what a picture shows is when it was taken. */
export function colourAt(ms: number): readonly [number, number, number] {
  const second = Math.floor(ms / 1000);
  return [second, 255 - second, 7];
}

export function recordingSummary(changes: Partial<RecordingSummary> = {}): RecordingSummary {
  return {
    id: "r1",
    desktopId: "d1",
    title: "Build VM",
    startedAt: STARTED_AT,
    durationMs: 10_000,
    bytes: 4000,
    ...SIZE,
    state: "sealed",
    reason: "manual",
    startedBy: "the admin",
    startedById: "admin",
    isEncrypted: false,
    counts: { ...NO_COUNTS, frames: 10 },
    ...changes,
  };
}

/** A recording of ten seconds whose picture changes its colour every second. */
export class FakeReader implements RecordingReader {
  readonly summary: RecordingSummary;
  readonly entries: readonly TrackEntry[];
  /** Since when entries were read, each time. */
  readonly spans: number[] = [];
  isClosed = false;

  constructor(summary: RecordingSummary, entries: readonly TrackEntry[] = []) {
    this.summary = summary;
    this.entries = entries;
  }

  get chunkCount(): number {
    return 5;
  }

  async step<Result>(): Promise<Result> {
    throw new Error("it is not shown as a desktop");
  }

  async frameAt(ms: number): Promise<RecordedFrame> {
    if (this.summary.counts.frames === 0) throw new RecordingError("no_picture", "it has no picture yet");
    const atMs = Math.floor(Math.min(ms, this.summary.durationMs - 1) / 1000) * 1000;
    const rgba = new Uint8Array(SIZE.width * SIZE.height * 4);
    for (let at = 0; at < rgba.length; at += 4) rgba.set([...colourAt(atMs), 255], at);
    return { ...SIZE, atMs, generation: atMs / 1000, isExact: true, rgba };
  }

  async keyframes(): Promise<readonly number[]> {
    return [0];
  }

  async frameTimes(fromMs: number, toMs: number): Promise<readonly number[]> {
    const times = Array.from({ length: Math.floor(this.summary.durationMs / 1000) }, (_, i) => i * 1000);
    return times.filter((time) => time >= fromMs && time <= toMs);
  }

  async chunks(fromMs: number, toMs: number): Promise<readonly PictureChunk[]> {
    const all = Array.from({ length: 5 }, (_, index) => ({
      index,
      isKey: index === 0,
      fromMs: index * 2000,
      toMs: index * 2000 + 1000,
      frames: 2,
      sizeBytes: 100,
      rawBytes: 200,
      changedPixels: index * 1000,
    }));
    return all.filter((chunk) => chunk.isKey || (chunk.toMs >= fromMs && chunk.fromMs <= toMs));
  }

  async chunkBytes(index: number): Promise<Uint8Array<ArrayBuffer>> {
    if (index < 0 || index > 4) throw new RecordingError("damaged", `there is no chunk ${index}`);
    return Uint8Array.from(deflateRawSync(Buffer.from(`chunk ${index}`)));
  }

  async run(ms: number): Promise<PictureRun> {
    const chunks = await this.chunks(ms, ms);
    const parts = await Promise.all(
      chunks.map(async (chunk) => ({ chunk, isDeflated: true, bytes: await this.chunkBytes(chunk.index) })),
    );
    return { parts, untilMs: null };
  }

  async events(fromMs = 0, toMs = Number.POSITIVE_INFINITY): Promise<readonly TrackEntry[]> {
    this.spans.push(fromMs);
    return this.entries.filter(({ atMs }) => atMs >= fromMs && atMs <= toMs);
  }

  async actions() {
    return this.entries.filter((entry) => entry.type === "action");
  }

  async search(query: string) {
    const found = new SearchHits(queryWords(query));
    for (const entry of this.entries) found.add(entry);
    return found.hits;
  }

  async textAt(ms: number): Promise<RecordedText | null> {
    return textOf(this.entries, ms);
  }

  async close(): Promise<void> {
    this.isClosed = true;
  }
}

/** A node of a fleet whose nodes told of these parts of one desktop, and do not answer. */
export function toldParts(name: string, told: readonly PlacedPart[]): RecordingParts {
  return {
    name,
    interrupted: () => null,
    around: () => ({ earlierEndedAt: null, next: null }),
    chain: (id) => (told.some((part) => part.id === id) ? { desktopId: "d2", parts: told } : null),
    ask: () => Promise.reject(new RefusedError("node_unreachable", "that node does not answer")),
  };
}

/** Recordings in memory; what is started runs on the desktop that it names. */
export class FakeRecordings implements RecordingsFace {
  readonly opened: FakeReader[] = [];
  entries: readonly TrackEntry[] = [];
  readonly bookmarks: string[] = [];
  /** What comes before and after some. */
  readonly parts = new Map<string, PartsAround>();
  readonly notes = new RecordingNotes(async () => undefined);
  readonly wholes: WholeRecordings;
  readonly #recordings = new Map<string, RecordingSummary>();
  readonly #listeners = new Set<(event: RecordingsEvent) => void>();

  /** `house`: where the parts of recordings are; null: all are whole. */
  constructor(house: RecordingParts | null = null) {
    this.wholes = new WholeRecordings(this, house);
  }

  keep(recording: RecordingSummary): void {
    this.#recordings.set(recording.id, recording);
  }

  async list(): Promise<readonly RecordingSummary[]> {
    return [...this.#recordings.values()].reverse();
  }

  async get(id: string): Promise<RecordingSummary> {
    const recording = this.#recordings.get(id);
    if (recording === undefined) throw noSuchRecording();
    return recording;
  }

  runningOn(desktopId: string): RecordingSummary | null {
    for (const recording of this.#recordings.values()) {
      if (recording.desktopId === desktopId && recording.state === "recording") return recording;
    }
    return null;
  }

  around({ id }: Pick<RecordingSummary, "id">): PartsAround {
    return this.parts.get(id) ?? { earlierEndedAt: null, next: null };
  }

  async start(desktopId: string, { reason = "manual", by }: StartOptions): Promise<RecordingSummary> {
    const running = this.runningOn(desktopId);
    if (running !== null) return running;
    const id = `r${this.#recordings.size + 1}`;
    const starter = { startedBy: by.name, startedById: by.id };
    const recording = recordingSummary({ id, desktopId, reason, ...starter, state: "recording" });
    this.keep(recording);
    this.#tell({ type: "started", recording, by });
    return recording;
  }

  async stop(id: string, by?: Actor): Promise<RecordingSummary> {
    const recording = await this.get(id);
    if (recording.state !== "recording") throw new RefusedError("not_found", "no such running recording");
    const stopped = { ...recording, state: "sealed" } as const;
    this.keep(stopped);
    this.#tell({ type: "stopped", recording: stopped, by: by ?? null, isInterrupted: false });
    return stopped;
  }

  async remove(id: string, by?: Actor): Promise<void> {
    await this.get(id);
    this.#recordings.delete(id);
    this.#tell({ type: "removed", id, by: by ?? null });
  }

  async open(id: string): Promise<FakeReader> {
    const reader = new FakeReader(await this.get(id), this.entries);
    this.opened.push(reader);
    return reader;
  }

  async verify(id: string): Promise<Verification> {
    const { bytes, state } = await this.get(id);
    const isIntact = state === "sealed";
    return {
      id,
      state: isIntact ? "sealed" : "tampered",
      problem: isIntact ? null : "block 2 of segment 1 was changed",
      intactBytes: isIntact ? bytes : 1000,
      bytes,
      blocks: 5,
    };
  }

  async searchAll(query: string, { reach, limit }: SearchScope): Promise<FoundInRecordings> {
    const words = queryWords(query);
    const all = (await this.list()).filter((recording) => reach(recording) !== "none");
    const hits = all.flatMap((recording) => {
      const found = new SearchHits(words);
      for (const entry of this.entries) {
        if (entry.type !== "text" || reach(recording) === "all") found.add(entry);
      }
      return found.hits.map((hit) => ({ ...hit, recording }));
    });
    return { hits: hits.slice(0, limit), isCut: hits.length > limit, unread: 0 };
  }

  bookmark(_id: string, label: string): void {
    this.bookmarks.push(label);
  }

  on(listener: (event: RecordingsEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #tell(event: RecordingsEvent): void {
    for (const listener of [...this.#listeners]) listener(event);
  }
}

const AGENT = { kind: "agent", id: "bot", name: "Bot" } as const;
const HUMAN = { kind: "human", id: "ann", name: "Ann" } as const;

/** A question, its answer, the action that waited for it, and what people and overlays did meanwhile. */
export const TRACK: readonly TrackEntry[] = [
  {
    ...{ atMs: 0, type: "resize", width: 64, height: 48 },
    screens: [{ id: 1, rect: { x: 0, y: 0, width: 64, height: 48 } }],
  },
  question(1000, "pending"),
  { ...question(3000, "granted"), decidedBy: HUMAN },
  { atMs: 3010, type: "click", x: 10, y: 10, button: "left", by: "agent" },
  {
    atMs: 3300,
    type: "action",
    id: "a1",
    actor: AGENT,
    kind: "click",
    summary: "Click left at 10,10",
    intent: "open the menu",
    outcome: "done",
    code: null,
    wasConfirmed: true,
    durationMs: 2310,
    changed: true,
    changedRects: [
      { x: 4, y: 4, width: 20, height: 10 },
      { x: 900, y: 700, width: 300, height: 300 },
    ],
    settleMs: 40,
  },
  {
    atMs: 4000,
    type: "overlays_shown",
    overlays: [
      {
        ...{ id: "o1", ownerId: "bot", kind: "box", x: 1, y: 2, width: 30, height: 20, color: "#ff0000" },
        ...{ opacity: 0.5, label: "Here", temporaryMs: null, clickThrough: false, monitorIndex: 0 },
        createdAt: STARTED_AT,
      },
    ],
  },
  { atMs: 5000, type: "keys", count: 4, by: "human" },
  { atMs: 6000, type: "overlays_gone", ids: ["o1"] },
  { atMs: 7000, type: "mode", mode: "passive", by: HUMAN },
  { atMs: 8000, type: "bookmark", label: "look here", by: HUMAN },
];

function question(atMs: number, state: "pending" | "granted"): Extract<TrackEntry, { type: "approval" }> {
  return {
    ...{ atMs, type: "approval", id: "q1", state, actor: AGENT, kind: "click" },
    ...{ summary: "Click left at 10,10", intent: "open the menu", x: 10, y: 10 },
    ...{ crop: null, screenHash: null, held: { keys: [], buttons: 0 }, decidedBy: null },
  };
}
