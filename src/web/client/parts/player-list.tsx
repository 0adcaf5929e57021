import type { RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { Rect } from "../../../framebuffer/rect.ts";
import type { RecordingInfo, TrackInfo } from "../../api.ts";
import { timeWords } from "../player/player-time.ts";
import { frameAddress } from "../player/recording-address.ts";
import { entryMatches, entryTone, entryWords, isListed } from "../player/track-words.ts";
import { durationWords } from "../words.ts";
import { Icon } from "./icon.tsx";

export interface PlayerListProps {
  readonly recording: RecordingInfo;
  readonly entries: readonly TrackInfo[];
  readonly positionMs: number;
  readonly query: string;
  readonly search: RefObject<HTMLInputElement | null>;
  readonly onQuery: (query: string) => void;
  readonly onSeek: (ms: number) => void;
}

/** Rows around the present one; more at once would only be slow. */
const MOST_ROWS = 400;

/** What happened, in order, with the present row marked and its picture before and after. */
export function PlayerList(props: PlayerListProps) {
  const { recording, positionMs, query } = props;
  const wanted = query.trim();
  const listed = props.entries
    .filter(isListed)
    .filter((entry) => wanted === "" || entryMatches(entry, wanted));
  const current = listed.findLastIndex(({ at_ms }) => at_ms <= positionMs);
  const first = Math.max(0, Math.min(current - MOST_ROWS / 2, listed.length - MOST_ROWS));
  const shown = listed.slice(first, first + MOST_ROWS);
  return (
    <section class="player-list" aria-label="What happened">
      <label class="search">
        <Icon shape="search" />
        <span class="visually-hidden">Find in the recording</span>
        <input
          ref={props.search}
          type="search"
          placeholder="Find  /"
          value={query}
          onInput={(event) => props.onQuery(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== "Escape") return;
            props.onQuery("");
            event.currentTarget.blur();
          }}
        />
      </label>
      {listed.length === 0 && (
        <div class="empty">
          <Icon shape="mousePointerClick" />
          <p>{wanted === "" ? "Nothing was done here." : `Nothing has the words “${wanted}”.`}</p>
          <p class="muted">
            Actions, approvals and markers of the recording stand here. Typed text never does.
          </p>
        </div>
      )}
      <ol>
        {shown.map((entry, i) => (
          <Row
            key={`${entry.type}-${entry.at_ms}-${first + i}`}
            recording={recording}
            entry={entry}
            isCurrent={first + i === current}
            onSeek={props.onSeek}
          />
        ))}
      </ol>
    </section>
  );
}

interface RowProps {
  readonly recording: RecordingInfo;
  readonly entry: TrackInfo;
  readonly isCurrent: boolean;
  readonly onSeek: (ms: number) => void;
}

function Row({ recording, entry, isCurrent, onSeek }: RowProps) {
  const row = useRef<HTMLLIElement>(null);
  useEffect(() => {
    // Only the list moves, never the page.
    if (isCurrent) row.current?.scrollIntoView({ block: "nearest" });
  }, [isCurrent]);
  return (
    <li ref={row} class={isCurrent ? "is-current" : ""}>
      <button
        type="button"
        class="player-row"
        aria-current={isCurrent ? "step" : undefined}
        onClick={() => onSeek(entry.at_ms)}
      >
        <span class="player-row-time">{timeWords(entry.at_ms)}</span>
        <span class="player-row-words">
          <span>{entryWords(entry)}</span>
          {"intent" in entry && entry.intent !== null && <span class="muted">“{entry.intent}”</span>}
          {factsOf(entry) !== "" && (
            <span class={`player-row-facts tone-${entryTone(entry)}`}>
              <span class="dot" aria-hidden="true" /> {factsOf(entry)}
            </span>
          )}
        </span>
      </button>
      {isCurrent && entry.type === "action" && <BeforeAfter recording={recording} action={entry} />}
    </li>
  );
}

function factsOf(entry: TrackInfo): string {
  switch (entry.type) {
    case "action": {
      const outcome =
        entry.outcome !== "done"
          ? `${entry.outcome}${entry.code === null ? "" : `: ${entry.code.replaceAll("_", " ")}`}`
          : entry.changed === null
            ? "sent"
            : entry.changed
              ? "screen changed"
              : "no change";
      const confirmed = entry.was_confirmed ? ", approved" : "";
      return `${outcome}, ${durationWords(entry.duration_ms)}${confirmed} · ${entry.actor.name}`;
    }
    case "approval": {
      const by = entry.decided_by === null ? "" : ` by ${entry.decided_by}`;
      const took =
        entry.decided_at_ms === null ? "" : ` after ${durationWords(entry.decided_at_ms - entry.at_ms)}`;
      return `${entry.state}${by}${took}`;
    }
    case "marker":
      return entry.by ?? "";
    case "gap":
      return durationWords(entry.until_ms - entry.at_ms);
    default:
      return "";
  }
}

type ActionTold = Extract<TrackInfo, { type: "action" }>;

const CROP_WIDTH = 320;
/** Room around what changed, desktop pixels. */
const MARGIN = 24;
/** Smaller crops tell nothing of where they are. */
const LEAST_CROP = { width: 240, height: 150 };

/** The part that an action changed, as it was and as it became. */
function BeforeAfter({
  recording,
  action,
}: {
  readonly recording: RecordingInfo;
  readonly action: ActionTold;
}) {
  const part = action.changed_rect === null ? undefined : cropAround(action.changed_rect, recording);
  const at = (atMs: number): string =>
    frameAddress(recording.id, { atMs, maxWidth: CROP_WIDTH, ...(part === undefined ? {} : { part }) });
  const size = part ?? recording;
  const height = Math.round((CROP_WIDTH * size.height) / Math.max(1, size.width));
  // The effect is what had settled when the action was over; a picture may come up to one recorded frame later.
  const pictures = [
    ["Before", action.at_ms],
    ["After", action.at_ms + action.duration_ms + 150],
  ] as const;
  return (
    <div class="before-after">
      {pictures.map(([name, atMs]) => (
        <figure key={name}>
          <img src={at(atMs)} width={CROP_WIDTH} height={height} alt={`${name}: ${action.summary}`} />
          <figcaption>{name}</figcaption>
        </figure>
      ))}
    </div>
  );
}

function cropAround(
  changed: Rect,
  { width, height }: { readonly width: number; readonly height: number },
): Rect {
  const wide = Math.min(width, Math.max(LEAST_CROP.width, changed.width + 2 * MARGIN));
  const high = Math.min(height, Math.max(LEAST_CROP.height, changed.height + 2 * MARGIN));
  const x = Math.round(changed.x + changed.width / 2 - wide / 2);
  const y = Math.round(changed.y + changed.height / 2 - high / 2);
  return {
    x: Math.max(0, Math.min(width - wide, x)),
    y: Math.max(0, Math.min(height - high, y)),
    width: wide,
    height: high,
  };
}
