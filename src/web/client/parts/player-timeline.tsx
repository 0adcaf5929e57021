import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import type { RecordingInfo, TimelineInfo, TrackInfo } from "../../api.ts";
import type { Playback } from "../player/playback.ts";
import { spokenTime, timeWords } from "../player/player-time.ts";
import { frameAddress } from "../player/recording-address.ts";
import { entryTone, entryWords, nearestEntry } from "../player/track-words.ts";

export interface PlayerTimelineProps {
  readonly recording: RecordingInfo;
  readonly timeline: TimelineInfo | null;
  readonly playback: Playback;
  readonly onSeek: (ms: number) => void;
}

const LANES = [
  ["action", "Actions"],
  ["approval", "Approvals"],
  ["overlay", "Overlays"],
  ["marker", "Markers"],
] as const;

/** Pictures for scrubbing are asked for in so many steps: a hand cannot tell more, and a browser keeps them. */
const THUMBNAIL_STEPS = 300;
const THUMBNAIL_WIDTH = 220;
/** More marks than this in a lane are one block of colour. */
const MOST_MARKS = 1500;

/** All lanes under one slider: what happened when, and where the player stands. */
export function PlayerTimeline({ recording, timeline, playback, onSeek }: PlayerTimelineProps) {
  const track = useRef<HTMLDivElement>(null);
  const hoverMs = useSignal<number | null>(null);
  const { durationMs, positionMs } = playback;
  const share = (ms: number): string => `${durationMs === 0 ? 0 : Math.min(100, (ms / durationMs) * 100)}%`;
  const momentAt = (event: PointerEvent): number => {
    const box = track.current?.getBoundingClientRect();
    if (!box || box.width === 0) return 0;
    return Math.max(0, Math.min(1, (event.clientX - box.left) / box.width)) * durationMs;
  };
  const onDown = (event: PointerEvent): void => {
    if (event.button !== 0) return;
    track.current?.setPointerCapture(event.pointerId);
    onSeek(momentAt(event));
  };
  const onMove = (event: PointerEvent): void => {
    const ms = momentAt(event);
    hoverMs.value = ms;
    if (event.buttons === 1 && track.current?.hasPointerCapture(event.pointerId)) onSeek(ms);
  };
  return (
    <div class="timeline">
      <div class="timeline-names" aria-hidden="true">
        <span>Activity</span>
        {LANES.map(([lane, name]) => (
          <span key={lane}>{name}</span>
        ))}
        <span>People</span>
      </div>
      <div
        ref={track}
        class="timeline-track"
        role="slider"
        tabIndex={0}
        aria-label="Position in the recording"
        aria-valuemin={0}
        aria-valuemax={Math.round(durationMs / 1000)}
        aria-valuenow={Math.round(positionMs / 1000)}
        aria-valuetext={`${spokenTime(positionMs)} of ${spokenTime(durationMs)}`}
        onPointerDown={onDown}
        onPointerMove={onMove}
        onPointerLeave={() => {
          hoverMs.value = null;
        }}
      >
        <Heat class="lane lane-activity" parts={timeline?.activity ?? []} />
        {LANES.map(([lane]) => (
          <div key={lane} class={`lane lane-${lane}`} aria-hidden="true">
            {(timeline?.entries ?? [])
              .filter((entry) => entry.type === lane || (lane === "marker" && entry.type === "gap"))
              .slice(0, MOST_MARKS)
              .map((entry, i) => (
                <Mark key={i} entry={entry} share={share} durationMs={durationMs} />
              ))}
          </div>
        ))}
        <Heat class="lane lane-human" parts={timeline?.human ?? []} />
        <div class="playhead" style={{ left: share(positionMs) }} aria-hidden="true" />
        {hoverMs.value !== null && (
          <Preview recording={recording} timeline={timeline} atMs={hoverMs.value} durationMs={durationMs} />
        )}
      </div>
    </div>
  );
}

/** Bars of 0 to 1 as one shape. */
function Heat({ class: name, parts }: { readonly class: string; readonly parts: readonly number[] }) {
  const path = parts
    .map((part, i) => (part > 0 ? `M${i} 1V${Math.min(0.92, 1 - part).toFixed(3)}h1V1z` : ""))
    .join("");
  return (
    <svg
      class={name}
      viewBox={`0 0 ${Math.max(1, parts.length)} 1`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <path d={path} />
    </svg>
  );
}

interface MarkProps {
  readonly entry: TrackInfo;
  readonly share: (ms: number) => string;
  readonly durationMs: number;
}

function Mark({ entry, share, durationMs }: MarkProps) {
  const untilMs = untilOf(entry, durationMs);
  return (
    <span
      class={`mark tone-${entryTone(entry)}`}
      style={{ left: share(entry.at_ms), width: share(Math.max(0, untilMs - entry.at_ms)) }}
    />
  );
}

function untilOf(entry: TrackInfo, durationMs: number): number {
  switch (entry.type) {
    case "action":
      return entry.at_ms + entry.duration_ms;
    case "approval":
      return entry.decided_at_ms ?? durationMs;
    case "overlay":
      return entry.until_ms ?? durationMs;
    case "gap":
      return entry.until_ms;
    default:
      return entry.at_ms;
  }
}

interface PreviewProps {
  readonly recording: RecordingInfo;
  readonly timeline: TimelineInfo | null;
  readonly atMs: number;
  readonly durationMs: number;
}

/** The picture under the hand, its time, and what happened there. */
function Preview({ recording, timeline, atMs, durationMs }: PreviewProps) {
  const stepMs = Math.max(200, durationMs / THUMBNAIL_STEPS);
  const thumbnailMs = Math.min(durationMs, Math.round(atMs / stepMs) * stepMs);
  const near = nearestEntry(timeline?.entries ?? [], atMs, durationMs / 100);
  const left = durationMs === 0 ? 0 : (atMs / durationMs) * 100;
  return (
    <div class="timeline-preview" style={{ "--at": `${left}%` }} aria-hidden="true">
      <img
        src={frameAddress(recording.id, { atMs: thumbnailMs, maxWidth: THUMBNAIL_WIDTH })}
        width={THUMBNAIL_WIDTH}
        height={Math.round((THUMBNAIL_WIDTH * recording.height) / Math.max(1, recording.width))}
        alt=""
      />
      <span class="timeline-preview-time">{timeWords(atMs, true)}</span>
      {near && <span class="timeline-preview-words">{entryWords(near)}</span>}
    </div>
  );
}
