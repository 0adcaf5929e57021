import type { RefObject } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { boundRects, type Rect } from "../../../framebuffer/rect.ts";
import type { RecordingInfo, SearchHitInfo, TrackInfo } from "../../api/api.ts";
import { PointerMarks } from "../approvals/pointer-marks.tsx";
import { Icon } from "../controls/icon.tsx";
import type { IconShape } from "../controls/icon-shapes.ts";
import { t } from "../language/language.ts";
import { decisionWords, durationWords, outcomeWords, tokenWords } from "../shell/labels.ts";
import { HitsBar } from "./hits-bar.tsx";
import { timeWords } from "./player-time.ts";
import { frameAddress } from "./recording-address.ts";
import { entryMatches, entryTone, entryWords, type ListRow, type Question } from "./track-words.ts";

export interface PlayerListProps {
  readonly recording: RecordingInfo;
  /** Those that are read, not seen, by time. */
  readonly entries: readonly ListRow[];
  /** The one that the player stands at; null before the first. */
  readonly current: TrackInfo | null;
  readonly query: string;
  /** What was found in the recorded text, by time. */
  readonly hits: readonly SearchHitInfo[];
  readonly positionMs: number;
  readonly onHit: (by: 1 | -1) => void;
  readonly search: RefObject<HTMLInputElement | null>;
  readonly onQuery: (query: string) => void;
  readonly onSeek: (ms: number) => void;
  readonly onUnmark: (markerId: string) => void;
}

/** Rows around the present one; more at once would only be slow. */
const MOST_ROWS = 400;

/** What happened, in order, with the present row marked and its picture before and after. */
export function PlayerList(props: PlayerListProps) {
  const { recording, entries, current, query, hits } = props;
  const list = useRef<HTMLOListElement>(null);
  const wanted = query.trim();
  const found = useMemo(
    () => (wanted === "" ? entries : entries.filter((entry) => entryMatches(entry, wanted))),
    [entries, wanted],
  );
  const at = useMemo(
    () => (current === null ? -1 : found.findLastIndex(({ at_ms }) => at_ms <= current.at_ms)),
    [found, current],
  );
  const first = Math.max(0, Math.min(at - MOST_ROWS / 2, found.length - MOST_ROWS));
  const onKey = (event: KeyboardEvent): void => {
    const by = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (by === 0 || !list.current) return;
    event.preventDefault();
    const rows = [...list.current.querySelectorAll<HTMLElement>(".player-row")];
    const focused = document.activeElement;
    if (focused instanceof HTMLElement) rows[rows.indexOf(focused) + by]?.focus();
  };
  // Drawn when it changes, not with every picture.
  const rows = useMemo(
    () =>
      found
        .slice(first, first + MOST_ROWS)
        .map((entry, i) => (
          <Row
            key={`${entry.type}-${entry.at_ms}-${first + i}`}
            recording={recording}
            entry={entry}
            isCurrent={first + i === at}
            isFirstStop={first + i === Math.max(at, first)}
            onSeek={props.onSeek}
            onUnmark={props.onUnmark}
          />
        )),
    [found, at, first, recording],
  );
  return (
    <section class="player-list" aria-label={t`What happened`}>
      <label class="search">
        <Icon shape="search" />
        <span class="visually-hidden">{t`Find in the recording`}</span>
        <input
          ref={props.search}
          type="search"
          placeholder={t`Find  /`}
          value={query}
          onInput={(event) => props.onQuery(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === "Enter" && hits.length > 0) props.onHit(event.shiftKey ? -1 : 1);
            if (event.key !== "Escape") return;
            props.onQuery("");
            event.currentTarget.blur();
          }}
        />
      </label>
      {wanted !== "" && (
        <p class="muted player-found" role="status">
          {t`${found.length} of ${entries.length} events`}
          {hits.length > 0 && <span class="visually-hidden">{t`, ${hits.length} places on the screen`}</span>}
        </p>
      )}
      {recording.notes !== null && <p class="player-notes">{recording.notes}</p>}
      {hits.length > 0 && <HitsBar hits={hits} positionMs={props.positionMs} onStep={props.onHit} />}
      {found.length === 0 && hits.length === 0 && (
        <div class="empty">
          <Icon shape="mousePointerClick" />
          <p>{wanted === "" ? t`Nothing was done here.` : t`Nothing has the words “${wanted}”.`}</p>
          <p class="muted">
            {t`Actions, approvals and markers of the recording stand here. Typed text never does.`}
          </p>
        </div>
      )}
      {/* One stop of the Tab key; the arrows go from row to row. */}
      <ol ref={list} onKeyDown={onKey}>
        {rows}
      </ol>
    </section>
  );
}

interface RowProps {
  readonly recording: RecordingInfo;
  readonly entry: ListRow;
  readonly isCurrent: boolean;
  /** Where the Tab key enters the list. */
  readonly isFirstStop: boolean;
  readonly onSeek: (ms: number) => void;
  readonly onUnmark: (markerId: string) => void;
}

function Row({ recording, entry, isCurrent, isFirstStop, onSeek, onUnmark }: RowProps) {
  const row = useRef<HTMLLIElement>(null);
  useEffect(() => {
    // Only the list moves, never the page.
    if (isCurrent) row.current?.scrollIntoView({ block: "nearest" });
  }, [isCurrent]);
  const facts = factsOf(entry);
  const addedId = entry.type === "marker" ? entry.id : undefined;
  return (
    <li ref={row} class={isCurrent ? "is-current" : ""}>
      <button
        type="button"
        class={`player-row tone-${entryTone(entry)}`}
        tabIndex={isFirstStop ? 0 : -1}
        aria-current={isCurrent ? "step" : undefined}
        onClick={() => onSeek(entry.at_ms)}
      >
        <span class="player-row-icon">
          <Icon shape={iconOf(entry)} />
        </span>
        <span class="player-row-words">
          <span>{entryWords(entry)}</span>
          {"intent" in entry && entry.intent !== null && <span>“{entry.intent}”</span>}
          {facts !== "" && (
            <span class="muted" title={"actor" in entry ? tokenWords(entry.actor) : undefined}>
              {facts}
            </span>
          )}
        </span>
        <span class="player-row-time">{timeWords(entry.at_ms)}</span>
      </button>
      {isCurrent && addedId !== undefined && (
        <p class="player-row-more">
          <button type="button" class="link-button" onClick={() => onUnmark(addedId)}>
            {t`Remove this marker`}
          </button>
        </p>
      )}
      {isCurrent && entry.type === "action" && (
        <BeforeAfter recording={recording} action={entry} onSeek={onSeek} />
      )}
    </li>
  );
}

/** Actions of the keyboard, by their kind. */
const KEYBOARD: ReadonlySet<string> = new Set(["key", "chords", "hold", "type", "paste"]);

function iconOf(entry: TrackInfo): IconShape {
  switch (entry.type) {
    case "action":
      if (KEYBOARD.has(entry.kind)) return "keyboard";
      return entry.kind.endsWith("clipboard") ? "clipboard" : "mousePointerClick";
    case "approval":
      return "shieldCheck";
    case "gap":
      return "warning";
    default:
      return entry.type === "marker" && !entry.is_set ? "info" : "bookmark";
  }
}

/** What a question came to, and how long a person took for it. */
function answerWords(question: Question): string {
  const { at_ms, decided_by, decided_at_ms } = question;
  const isAnswered = decided_by !== null && decided_at_ms !== null;
  return decisionWords(question) + (isAnswered ? t` after ${durationWords(decided_at_ms - at_ms)}` : "");
}

function factsOf(entry: ListRow): string {
  switch (entry.type) {
    case "action": {
      const { text } = outcomeWords(entry);
      const words = [text, durationWords(entry.duration_ms)];
      if (entry.question) words.push(answerWords(entry.question));
      else if (entry.was_confirmed) words.push(t`approved`);
      return [...words, entry.actor.name].join(" · ");
    }
    case "approval":
      return `${answerWords(entry)} · ${entry.actor.name}`;
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

/** The part that an action changed, as it was, with a ring where a button was pressed, and as it became. */
function BeforeAfter({
  recording,
  action,
  onSeek,
}: {
  readonly recording: RecordingInfo;
  readonly action: ActionTold;
  readonly onSeek: (ms: number) => void;
}) {
  const { changed_rect: changed, point } = action;
  const pressed =
    point === null
      ? null
      : { x: point.x - MARGIN, y: point.y - MARGIN, width: 2 * MARGIN, height: 2 * MARGIN };
  const place = changed !== null && pressed !== null ? boundRects(changed, pressed) : (changed ?? pressed);
  const part = place === null ? undefined : cropAround(place, recording);
  const at = (atMs: number): string =>
    frameAddress(recording.id, { atMs, maxWidth: CROP_WIDTH, ...(part === undefined ? {} : { part }) });
  const size = part ?? { x: 0, y: 0, width: recording.width, height: recording.height };
  const height = Math.round((CROP_WIDTH * size.height) / Math.max(1, size.width));
  // The effect is what had settled when the action was over; a picture may come up to one recorded frame later.
  const pictures = [
    [t`Before`, action.at_ms],
    [t`After`, action.at_ms + action.duration_ms + 150],
  ] as const;
  return (
    <div class="before-after">
      {pictures.map(([name, atMs], i) => (
        <button key={name} type="button" onClick={() => onSeek(atMs)}>
          <span class="before-after-picture">
            <img src={at(atMs)} width={CROP_WIDTH} height={height} alt={`${name}: ${action.summary}`} />
            {i === 0 && <PointerMarks area={size} point={point} path={[]} />}
          </span>
          <span>{name}</span>
        </button>
      ))}
    </div>
  );
}

function cropAround(
  changed: Rect,
  { width, height }: { readonly width: number; readonly height: number },
): Rect {
  const wide = Math.min(width, Math.max(LEAST_CROP.width, changed.width + 2 * MARGIN));
  // Never a strip, in which nothing is seen.
  const high = Math.min(height, Math.max(LEAST_CROP.height, changed.height + 2 * MARGIN, wide / 2));
  const x = Math.round(changed.x + changed.width / 2 - wide / 2);
  const y = Math.round(changed.y + changed.height / 2 - high / 2);
  return {
    x: Math.max(0, Math.min(width - wide, x)),
    y: Math.max(0, Math.min(height - high, y)),
    width: wide,
    height: high,
  };
}
