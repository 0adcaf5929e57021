import type { Rect } from "../../framebuffer/rect.ts";
import { areaOfRect, boundRects, EMPTY_RECT, overlapRects } from "../../framebuffer/rect.ts";
import type { AddedMarker, RecordingNote } from "../../recording/library/recording-notes.ts";
import type {
  PartsAround,
  PictureChunk,
  PictureRun,
  RecordedText,
  RecordingSummary,
  SearchHit,
  TrackEntry,
} from "../../recording/library/recording-types.ts";
import { placeOfWords, queryWords } from "../../recording/read/search-hits.ts";
import { actorInfo } from "./agent-api.ts";
import type {
  AddedMarkerInfo,
  PictureChunkInfo,
  PointerTrackInfo,
  RecordedTextInfo,
  RecordingInfo,
  RunHead,
  SearchHitInfo,
  TrackInfo,
} from "./api.ts";
import { overlayInfo } from "./desktop-json.ts";

/** Recordings in the words of the web API. */
export function recordingInfo(
  recording: RecordingSummary,
  { name, text }: RecordingNote,
  { earlierEndedAt, next }: PartsAround,
): RecordingInfo {
  const { counts, continues } = recording;
  return {
    id: recording.id,
    desktop_id: recording.desktopId,
    title: recording.title,
    name,
    notes: text,
    started_at: recording.startedAt,
    duration_ms: recording.durationMs,
    bytes: recording.bytes,
    width: recording.width,
    height: recording.height,
    state: recording.state,
    reason: recording.reason,
    started_by: recording.startedBy,
    continues: continues === undefined ? null : { ...continues, ended_at: earlierEndedAt },
    continued_by: next === null ? null : { id: next.id, node: next.node, started_at: next.startedAt },
    parts: (recording.parts ?? []).map(({ id, node, fromMs, toMs, problem }) => ({
      ...{ id, node, from_ms: fromMs, to_ms: toMs, problem },
    })),
    is_encrypted: recording.isEncrypted,
    archive: archiveInfo(recording),
    counts: {
      frames: counts.frames,
      actions: counts.actions,
      approvals: counts.approvals,
      overlays: counts.overlays,
      human_inputs: counts.humanInputs,
      bookmarks: counts.bookmarks,
      gaps: counts.gaps,
    },
  };
}

function archiveInfo({ archive }: RecordingSummary): RecordingInfo["archive"] {
  return archive === undefined ? null : { state: archive.state, problem: archive.problem };
}

export function markerInfo({ id, atMs, label, by }: AddedMarker): AddedMarkerInfo {
  return { id, at_ms: atMs, label, by };
}

export function chunkInfo(chunk: PictureChunk): PictureChunkInfo {
  return {
    index: chunk.index,
    is_key: chunk.isKey,
    from_ms: chunk.fromMs,
    to_ms: chunk.toMs,
    frames: chunk.frames,
    size_bytes: chunk.sizeBytes,
  };
}

export function searchHitInfo({ atMs, entry, text, rect, untilMs }: SearchHit): SearchHitInfo {
  const box = rect === null ? null : plainRect(rect);
  return { at_ms: atMs, type: entry.type, text, box, until_ms: untilMs };
}

/** The lines of a moment; with a query those that have its words, and where. */
export function recordedTextInfo(text: RecordedText | null, query: string): RecordedTextInfo {
  if (text === null) return { at_ms: null, until_ms: null, lines: [] };
  const words = queryWords(query);
  const lines = text.lines.flatMap((line) => {
    const box = words.length === 0 ? line : placeOfWords(line, words);
    return box === null ? [] : [{ text: line.text, box: plainRect(box) }];
  });
  return { at_ms: text.atMs, until_ms: text.untilMs, lines };
}

/** A run as it is sent: see `runHeadSchema`. */
export function runBytes({ parts, untilMs }: PictureRun): Buffer {
  const head: RunHead = {
    chunks: parts.map(({ chunk, isDeflated, bytes }) => ({
      ...chunkInfo(chunk),
      bytes: bytes.length,
      is_deflated: isDeflated,
    })),
    until_ms: untilMs,
  };
  const json = Buffer.from(JSON.stringify(head));
  const length = Buffer.alloc(4);
  length.writeUInt32BE(json.length);
  return Buffer.concat([length, json, ...parts.map(({ bytes }) => bytes)]);
}

type Told<Type extends TrackInfo["type"]> = Extract<TrackInfo, { type: Type }>;

/**
 * The track as a timeline shows it, by beginning: actions and questions as spans, overlays from when they came to when
 * they went, and changes of mode, stops, connection states and bookmarks as markers.
 */
export function trackInfos(entries: readonly TrackEntry[]): TrackInfo[] {
  const told: TrackInfo[] = [];
  const questions = new Map<string, Told<"approval">>();
  const overlays = new Map<string, Told<"overlay">>();
  let clicked: ClickEntry | null = null;
  const mark = (atMs: number, label: string, by: string | null = null, isSet = false): void => {
    told.push({ type: "marker", at_ms: atMs, label, by, is_set: isSet });
  };
  const end = (id: string, atMs: number): void => {
    const shown = overlays.get(id);
    if (shown !== undefined) shown.until_ms = atMs;
    overlays.delete(id);
  };
  for (const entry of entries) {
    const { atMs } = entry;
    switch (entry.type) {
      case "action":
        told.push(actionTold(entry, answeredAt(entry, questions.values()), clicked));
        break;
      case "click":
        clicked = entry;
        break;
      case "approval": {
        const asked = questions.get(entry.id) ?? questionTold(entry);
        if (!questions.has(entry.id)) {
          questions.set(entry.id, asked);
          told.push(asked);
        }
        asked.state = entry.state;
        asked.decided_by = entry.decidedBy?.name ?? null;
        asked.decided_at_ms = entry.state === "pending" ? null : atMs;
        // Only the newest can still be what an action waited for.
        if (questions.size > OPEN_QUESTIONS) questions.delete(questions.keys().next().value ?? "");
        break;
      }
      case "overlays_shown":
        for (const overlay of entry.overlays) {
          end(overlay.id, atMs);
          const shown: Told<"overlay"> = {
            type: "overlay",
            at_ms: atMs,
            until_ms: null,
            overlay: overlayInfo(overlay),
          };
          overlays.set(overlay.id, shown);
          told.push(shown);
        }
        break;
      case "overlays_gone":
        for (const id of entry.ids) end(id, atMs);
        break;
      case "bookmark":
        mark(atMs, entry.label, entry.by.name, true);
        break;
      case "mode":
        mark(atMs, `Mode ${entry.mode}`, entry.by?.name ?? null);
        break;
      case "stopped":
        mark(atMs, entry.isStopped ? "Agents stopped" : "Agents resumed", entry.by.name);
        break;
      case "state":
        mark(atMs, entry.code === null ? `Desktop ${entry.state}` : `Desktop ${entry.state}: ${entry.code}`);
        break;
      case "gap":
        told.push({ type: "gap", at_ms: entry.fromMs, until_ms: atMs, reason: entry.reason });
        break;
      case "resize":
        told.push({
          type: "resize",
          at_ms: atMs,
          width: entry.width,
          height: entry.height,
          monitors: entry.screens.map((screen) => plainRect(screen.rect)),
        });
        break;
      default:
    }
  }
  return told.sort((a, b) => a.at_ms - b.at_ms);
}

type ActionEntry = Extract<TrackEntry, { type: "action" }>;

/** When the question about an action was over: nothing of it was done before. null where nobody was asked. */
function answeredAt(entry: ActionEntry, questions: Iterable<Told<"approval">>): number | null {
  if (!entry.wasConfirmed && entry.outcome !== "refused") return null;
  let atMs: number | null = null;
  for (const question of questions) {
    const { state, summary, decided_at_ms } = question;
    if ((state === "granted") !== entry.wasConfirmed) continue;
    if (decided_at_ms === null || decided_at_ms > entry.atMs) continue;
    if (summary === entry.summary && question.at_ms >= entry.atMs - entry.durationMs - CLOCK_MS)
      atMs = decided_at_ms;
  }
  return atMs;
}

/** Two entries of one moment may be noted so far apart. */
const CLOCK_MS = 100;

/** What changed so far from a click is still taken for its effect. */
const NEAR_PIXELS = 240;

/** The part to look at: around what changed near the click, around the largest change where there was no click. */
function changeOf({ changedRects, atMs, durationMs }: ActionEntry, clicked: ClickEntry | null): Rect | null {
  const largest = changedRects.reduce<Rect | null>(
    (most, rect) => (most === null || areaOfRect(rect) > areaOfRect(most) ? rect : most),
    null,
  );
  if (clicked === null || clicked.atMs < atMs - durationMs - CLOCK_MS) return largest;
  const around = { x: clicked.x - NEAR_PIXELS, y: clicked.y - NEAR_PIXELS };
  const room = { ...around, width: 2 * NEAR_PIXELS, height: 2 * NEAR_PIXELS };
  const near = changedRects.filter((rect) => overlapRects(rect, room));
  return near.length === 0 ? largest : near.reduce<Rect>(boundRects, EMPTY_RECT);
}

type ClickEntry = Extract<TrackEntry, { type: "click" }>;

/** Actions that press a button of the mouse, by their kind. */
const PRESSES: ReadonlySet<string> = new Set(["click", "button", "drag"]);

/** Where an action pressed; a press on what is hidden from recordings was not recorded. */
function pointOf(entry: ActionEntry, startMs: number, clicked: ClickEntry | null): Told<"action">["point"] {
  if (clicked === null || !PRESSES.has(entry.kind)) return null;
  if (clicked.by !== entry.actor.kind || clicked.atMs < startMs - CLOCK_MS) return null;
  return { x: clicked.x, y: clicked.y };
}

function actionTold(
  entry: ActionEntry,
  grantedAtMs: number | null,
  clicked: ClickEntry | null,
): Told<"action"> {
  const change = changeOf(entry, clicked);
  const startMs = Math.max(0, grantedAtMs ?? entry.atMs - entry.durationMs);
  return {
    type: "action",
    at_ms: startMs,
    id: entry.id,
    actor: actorInfo(entry.actor),
    kind: entry.kind,
    summary: entry.summary,
    intent: entry.intent,
    outcome: entry.outcome,
    code: entry.code,
    was_confirmed: entry.wasConfirmed,
    changed: entry.changed,
    changed_rect: change === null ? null : plainRect(change),
    point: pointOf(entry, startMs, clicked),
    settle_ms: entry.settleMs,
    duration_ms: entry.atMs - startMs,
  };
}

/** More questions than this are never open at once. */
const OPEN_QUESTIONS = 200;

function questionTold(entry: Extract<TrackEntry, { type: "approval" }>): Told<"approval"> {
  return {
    type: "approval",
    at_ms: entry.atMs,
    id: entry.id,
    actor: actorInfo(entry.actor),
    summary: entry.summary,
    intent: entry.intent,
    state: entry.state,
    decided_by: null,
    decided_at_ms: null,
  };
}

function plainRect({ x, y, width, height }: Rect) {
  return { x, y, width, height };
}

/** How the pointer moved and looked: the span's own entries, and from before it what still holds at its beginning. */
export function pointerTrack(entries: readonly TrackEntry[], fromMs: number): PointerTrackInfo {
  const moves: PointerTrackInfo["moves"] = [];
  const shapes: PointerTrackInfo["shapes"] = [];
  for (const entry of entries) {
    const isEarly = entry.atMs <= fromMs;
    // A click is where the pointer was, and is told instead of it.
    if (entry.type === "pointer" || entry.type === "click") {
      if (isEarly) moves.length = 0;
      moves.push([entry.atMs, entry.x, entry.y]);
    } else if (entry.type === "cursor") {
      if (isEarly) shapes.length = 0;
      shapes.push({
        at_ms: entry.atMs,
        width: entry.width,
        height: entry.height,
        hotspot_x: entry.hotspotX,
        hotspot_y: entry.hotspotY,
        rgba: entry.rgba,
      });
    }
  }
  return { moves, shapes };
}

/** Parts of a timeline: as many as a wide window has room for. */
const PARTS = 480;

/** How much of the picture changed in each part, 0 to 1. */
export function activityParts(chunks: readonly PictureChunk[], durationMs: number): number[] {
  const sums = new Float64Array(PARTS);
  const partMs = Math.max(1, durationMs / PARTS);
  for (const { fromMs, toMs, changedPixels } of chunks) {
    const first = Math.min(PARTS - 1, Math.floor(fromMs / partMs));
    const last = Math.max(first, Math.min(PARTS - 1, Math.floor(toMs / partMs)));
    const share = changedPixels / (last - first + 1);
    for (let part = first; part <= last; part++) sums[part] = (sums[part] ?? 0) + share;
  }
  return scaled(sums);
}

/** How often people clicked and pressed keys in each part, 0 to 1. */
export function humanParts(entries: readonly TrackEntry[], durationMs: number): number[] {
  const sums = new Float64Array(PARTS);
  const partMs = Math.max(1, durationMs / PARTS);
  for (const entry of entries) {
    if ((entry.type !== "click" && entry.type !== "keys") || entry.by !== "human") continue;
    const part = Math.min(PARTS - 1, Math.floor(entry.atMs / partMs));
    sums[part] = (sums[part] ?? 0) + (entry.type === "keys" ? entry.count : 1);
  }
  return scaled(sums);
}

/** So much of what there is lies below the top of the scale: one new page does not flatten all else. */
const TOP_SHARE = 0.9;

/** Square roots, so that typing is seen beside a video. */
function scaled(sums: Float64Array): number[] {
  const there = sums.filter((sum) => sum > 0).sort();
  const most = there[Math.floor(there.length * TOP_SHARE)] ?? 0;
  if (most === 0) return [...sums];
  return Array.from(sums, (sum) => Math.min(1, Math.round(Math.sqrt(sum / most) * 1000) / 1000));
}
