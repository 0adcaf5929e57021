import { type Signal, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { SearchAllInfo } from "../../api/api.ts";
import { counted, locale, t } from "../language/language.ts";
import { hashOfTime, timeWords } from "../player/player-time.ts";
import { frameAddress } from "../player/recording-address.ts";
import { api } from "../shell/api-client.ts";
import { showError } from "../shell/notices.ts";
import { playerPath } from "../shell/route.ts";

/** Who types is not asked about for every letter. */
const TYPING_MS = 300;
/** Recordings that were never read are read meanwhile: the search is asked again. */
const AGAIN_MS = 2000;
/** Shorter words stand nearly everywhere. */
const LEAST_LETTERS = 2;

/** What all recordings have of some words; null while that is not known, or nothing is looked for. */
export function useFoundWords(query: string): Signal<SearchAllInfo | null> {
  const found = useSignal<SearchAllInfo | null>(null);
  const words = query.trim();
  useEffect(() => {
    found.value = null;
    if (words.length < LEAST_LETTERS) return undefined;
    let isLeft = false;
    let timer = 0;
    const ask = (): void => {
      api.searchRecordings(words).then(
        (answer) => {
          if (isLeft) return;
          found.value = answer;
          if (answer.unread > 0) timer = setTimeout(ask, AGAIN_MS);
        },
        (error: unknown) => {
          if (!isLeft) showError(t`The recordings cannot be searched`, error);
        },
      );
    };
    timer = setTimeout(ask, TYPING_MS);
    return () => {
      isLeft = true;
      clearTimeout(timer);
    };
  }, [words, found]);
  return found;
}

const CROP = { width: 240, height: 60 } as const;
const WHEN = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short" });

/** Places in recordings that have some words; each leads to its moment. */
export function FoundWords({ found, query }: { readonly found: SearchAllInfo; readonly query: string }) {
  const { hits, more, unread } = found;
  const find = `?${new URLSearchParams({ find: query.trim() })}`;
  return (
    <section class="found-words" aria-label={t`Found in recordings`}>
      <h2>
        {more
          ? t`The first ${hits.length} places in recordings`
          : counted(hits.length, t`# place in recordings|# places in recordings`)}
      </h2>
      {unread > 0 && (
        <p class="muted" role="status">
          {counted(unread, t`# recording is still being read.|# recordings are still being read.`)}
        </p>
      )}
      <ul>
        {hits.map(({ recording_id: id, title, started_at, at_ms, text, box }, i) => (
          <li key={`${id} ${at_ms} ${i}`}>
            <a class="found-place" href={playerPath(id, `${find}${hashOfTime(at_ms)}`)}>
              {box === null ? (
                <span class="found-picture" />
              ) : (
                <img
                  class="found-picture"
                  loading="lazy"
                  src={frameAddress(id, { atMs: at_ms, part: cropAround(box), maxWidth: CROP.width })}
                  width={CROP.width}
                  height={CROP.height}
                  alt=""
                />
              )}
              <span class="found-text">
                <span>{text}</span>
                <span class="muted">
                  {t`${title}, ${WHEN.format(new Date(started_at))}, at ${timeWords(at_ms)}`}
                </span>
              </span>
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** What is shown of a picture: the words, and some of what is around them. */
function cropAround({ x, y, width, height }: { x: number; y: number; width: number; height: number }) {
  return {
    x: Math.max(0, Math.round(x + width / 2 - CROP.width / 2)),
    y: Math.max(0, Math.round(y + height / 2 - CROP.height / 2)),
    ...CROP,
  };
}
