import { useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import type { RecordingInfo, SearchHitInfo, TimelineInfo, TrackInfo } from "../../api/api.ts";
import { t } from "../language/language.ts";
import type { Span } from "./moments.ts";
import type { Playback, PlaybackEvent } from "./playback.ts";
import { PlayerLaneNames, PlayerLanes } from "./player-lanes.tsx";
import { spokenTime, timeWords } from "./player-time.ts";
import { ScrubThumbnails } from "./scrub-thumbnails.ts";
import { entryTone, entryWords, nearestEntry } from "./track-words.ts";

export interface PlayerTimelineProps {
  readonly recording: RecordingInfo;
  readonly timeline: TimelineInfo;
  /** What was found in the recorded text. */
  readonly hits: readonly SearchHitInfo[];
  readonly playback: Playback;
  /** What playing passes over. */
  readonly skipped: readonly Span[];
  /** The entry that the player stands at; null before the first. */
  readonly current: TrackInfo | null;
  readonly onPlayback: (event: PlaybackEvent) => void;
}

/** What keys of a slider do beside those of the player. */
const SLIDER_KEYS: Readonly<Record<string, number>> = {
  ArrowUp: 5000,
  ArrowDown: -5000,
  PageUp: 30_000,
  PageDown: -30_000,
};

/** All lanes under one slider: what happened when, and where the player stands. */
export function PlayerTimeline(props: PlayerTimelineProps) {
  const { recording, timeline, hits, playback, skipped, current, onPlayback } = props;
  const track = useRef<HTMLDivElement>(null);
  const hoverMs = useSignal<number | null>(null);
  const thumbnails = useMemo(() => new ScrubThumbnails(recording), [recording.id]);
  useEffect(() => () => thumbnails.close(), [thumbnails]);
  const { durationMs, positionMs } = playback;
  // Drawn when they change, not with every picture: an hour has thousands of marks.
  const lanes = useMemo(
    () => <PlayerLanes timeline={timeline} hits={hits} durationMs={durationMs} skipped={skipped} />,
    [timeline, hits, durationMs, skipped],
  );
  const share = (ms: number): string => `${durationMs === 0 ? 0 : Math.min(100, (ms / durationMs) * 100)}%`;
  const momentAt = (event: PointerEvent): number => {
    const box = track.current?.getBoundingClientRect();
    if (!box || box.width === 0) return 0;
    return Math.max(0, Math.min(1, (event.clientX - box.left) / box.width)) * durationMs;
  };
  const seek = (toMs: number): void => onPlayback({ type: "seek", toMs });
  const onDown = (event: PointerEvent): void => {
    if (event.button !== 0) return;
    track.current?.setPointerCapture(event.pointerId);
    seek(momentAt(event));
  };
  const onMove = (event: PointerEvent): void => {
    const ms = momentAt(event);
    hoverMs.value = ms;
    thumbnails.show(ms, durationMs);
    if (event.buttons === 1 && track.current?.hasPointerCapture(event.pointerId)) seek(ms);
  };
  const onKey = (event: KeyboardEvent): void => {
    const byMs = SLIDER_KEYS[event.key];
    if (byMs === undefined) return;
    event.preventDefault();
    onPlayback({ type: "move", byMs });
  };
  const spoken = t`${spokenTime(positionMs)} of ${spokenTime(durationMs)}`;
  return (
    <div class="timeline">
      <PlayerLaneNames />
      <div
        ref={track}
        class="timeline-track"
        role="slider"
        tabIndex={0}
        aria-label={t`Position in the recording`}
        aria-valuemin={0}
        aria-valuemax={Math.round(durationMs / 1000)}
        aria-valuenow={Math.round(positionMs / 1000)}
        aria-valuetext={current === null ? spoken : t`${spoken}, after: ${entryWords(current)}`}
        onPointerEnter={() => thumbnails.near(durationMs)}
        onPointerDown={onDown}
        onPointerMove={onMove}
        onPointerLeave={() => {
          hoverMs.value = null;
        }}
        onKeyDown={onKey}
      >
        {lanes}
        <div class="played" style={{ width: share(positionMs) }} aria-hidden="true" />
        {hoverMs.value !== null && (
          <div class="hover-line" style={{ left: share(hoverMs.value) }} aria-hidden="true" />
        )}
        <div class="playhead" style={{ left: share(positionMs) }} aria-hidden="true" />
        {hoverMs.value !== null && (
          <Preview
            thumbnails={thumbnails}
            near={nearestEntry(timeline.entries, hoverMs.value, durationMs / 100)}
            atMs={hoverMs.value}
            left={share(hoverMs.value)}
          />
        )}
      </div>
    </div>
  );
}

interface PreviewProps {
  readonly thumbnails: ScrubThumbnails;
  readonly near: TrackInfo | null;
  readonly atMs: number;
  readonly left: string;
}

/** The picture under the hand, its time, and what happened there. */
function Preview({ thumbnails, near, atMs, left }: PreviewProps) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => place.current?.append(thumbnails.element), [thumbnails]);
  return (
    <div class="timeline-preview" style={{ "--at": left }} aria-hidden="true">
      <div ref={place} class="timeline-picture" />
      <span class="timeline-preview-time">{timeWords(atMs, true)}</span>
      {near && (
        <span class={`timeline-preview-words tone-${entryTone(near)}`}>
          <span class="dot" /> {entryWords(near)}
        </span>
      )}
    </div>
  );
}
