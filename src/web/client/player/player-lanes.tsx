import type { SearchHitInfo, TimelineInfo } from "../../api/api.ts";
import { t } from "../language/language.ts";
import { LANES, laneMarks } from "./lane-marks.ts";
import type { Span } from "./moments.ts";
import { timeWords } from "./player-time.ts";
import { rulerTimes } from "./time-ruler.ts";

export interface PlayerLanesProps {
  readonly timeline: TimelineInfo;
  /** What was found in the recorded text: across all lanes. */
  readonly hits: readonly SearchHitInfo[];
  readonly durationMs: number;
  /** What playing passes over; empty where nothing is skipped. */
  readonly skipped: readonly Span[];
}

/** Names over the timeline; more would touch each other in a narrow window. */
const MOST_TIMES = 12;

/** The names of the lanes, beside them. */
export function PlayerLaneNames() {
  return (
    <div class="timeline-names" aria-hidden="true">
      <span />
      <span>{t`Activity`}</span>
      {LANES.map(({ name, title }) => (
        <span key={name}>{title}</span>
      ))}
      <span>{t`People`}</span>
    </div>
  );
}

/** What happened when, lane by lane, under a ruler. The list beside the picture says the same in words. */
export function PlayerLanes({ timeline, hits, durationMs, skipped }: PlayerLanesProps) {
  const share = (ms: number): string => `${durationMs === 0 ? 0 : Math.min(100, (ms / durationMs) * 100)}%`;
  return (
    <div class="timeline-lanes" aria-hidden="true">
      <div class="timeline-ruler">
        {rulerTimes(durationMs, MOST_TIMES).map((ms) => (
          <span key={ms} style={{ left: share(ms) }}>
            {timeWords(ms)}
          </span>
        ))}
      </div>
      <div class="lane lane-activity">
        {skipped.map(({ fromMs, toMs }) => (
          <span key={fromMs} class="skipped" style={{ left: share(fromMs), width: share(toMs - fromMs) }} />
        ))}
        <Heat parts={timeline.activity} />
      </div>
      {LANES.map((lane) => (
        <div key={lane.name} class={`lane lane-${lane.name}`}>
          {laneMarks(timeline.entries, lane, durationMs).map(({ fromMs, untilMs, tone }) => (
            <span
              key={`${tone} ${fromMs}`}
              class={`mark tone-${tone}`}
              style={{ left: share(fromMs), width: share(untilMs - fromMs) }}
            />
          ))}
        </div>
      ))}
      <div class="lane lane-human">
        <Heat parts={timeline.human} />
      </div>
      {hits.map(({ at_ms }, i) => (
        <span key={`${i} ${at_ms}`} class="timeline-hit" style={{ left: share(at_ms) }} />
      ))}
    </div>
  );
}

/** Bars of 0 to 1 as one shape. */
function Heat({ parts }: { readonly parts: readonly number[] }) {
  const path = parts
    .map((part, i) => (part > 0 ? `M${i} 1V${Math.min(0.9, 1 - part).toFixed(3)}h1V1z` : ""))
    .join("");
  return (
    <svg
      class="heat"
      viewBox={`0 0 ${Math.max(1, parts.length)} 1`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <path d={path} />
    </svg>
  );
}
