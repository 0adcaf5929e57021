import type { SearchHitInfo } from "../../api/api.ts";
import { IconButton } from "../controls/icon-button.tsx";
import { t } from "../language/language.ts";
import { indexAt } from "./moments.ts";

export interface HitsBarProps {
  /** By time; at least one. */
  readonly hits: readonly SearchHitInfo[];
  readonly positionMs: number;
  readonly onStep: (by: 1 | -1) => void;
}

/** Which place in the recorded text the player stands at, and the way to the others. */
export function HitsBar({ hits, positionMs, onStep }: HitsBarProps) {
  const times = hits.map(({ at_ms }) => at_ms);
  const at = indexAt(times, positionMs);
  return (
    <div class="player-hits">
      <p class="muted">
        {at < 0 ? t`${hits.length} on the screen` : t`${at + 1} of ${hits.length} on the screen`}
      </p>
      <IconButton
        icon="arrowUp"
        label={t`Previous place in the text`}
        shortcut={t`Shift+G`}
        onClick={() => onStep(-1)}
      />
      <IconButton icon="arrowDown" label={t`Next place in the text`} shortcut="G" onClick={() => onStep(1)} />
    </div>
  );
}
