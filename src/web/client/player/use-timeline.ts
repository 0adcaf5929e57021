import { type ReadonlySignal, useSignal } from "@preact/signals";
import type { RefObject } from "preact";
import { useEffect } from "preact/hooks";
import type { TimelineInfo } from "../../api/api.ts";
import { t } from "../language/language.ts";
import { api } from "../shell/api-client.ts";
import { attempt } from "../shell/notices.ts";
import type { Player } from "./player.ts";
import { missingParts } from "./recording-address.ts";

/** What a page knows of its recording. */
export interface KnownTimeline {
  readonly timeline: ReadonlySignal<TimelineInfo>;
  take(read: TimelineInfo): void;
  reload(): void;
  /** Other parts can be read than those that are known, and it is being read again. */
  isOld(): boolean;
}

/**
 * The timeline of a recording, of which a node that has a part may be gone, or back: then all is read again, also by the player. What
 * is missing is a gap there, and what was read of the others has other numbers.
 */
export function useTimeline(first: TimelineInfo, player: RefObject<Player | null>): KnownTimeline {
  const timeline = useSignal(first);
  const isOld = (): boolean => missingParts.value !== "" && missingParts.value !== missingOf(timeline.value);
  const take = (read: TimelineInfo): void => {
    const areOthers = missingOf(read) !== missingOf(timeline.value);
    timeline.value = read;
    if (player.current) player.current.entries = read.entries;
    if (areOthers) player.current?.renew(read.recording);
  };
  const reload = (): void =>
    attempt(
      t`Could not look at the recording again`,
      api.timeline(first.recording.id).then(take, (error: unknown) => {
        // Whatever is answered next asks again.
        missingParts.value = "";
        throw error;
      }),
    );
  useEffect(
    () =>
      missingParts.subscribe(() => {
        if (isOld()) reload();
      }),
    [],
  );
  return { timeline, take, reload, isOld };
}

/** As `missingParts`. */
function missingOf({ recording }: TimelineInfo): string {
  return JSON.stringify(recording.parts.flatMap(({ problem }, nth) => (problem ? nth : [])));
}
