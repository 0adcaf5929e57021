import { type Signal, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { MaskInfo } from "../../api/api.ts";
import { t } from "../language/language.ts";
import { api } from "../shell/api-client.ts";
import { showError } from "../shell/notices.ts";
import { appState } from "../shell/session.ts";

/** A mask that follows something moves with every update: the page asks where it is so often at most. */
const PERIOD_MS = 200;

/** What is hidden on a desktop, kept up to date. */
export function useMasks(desktopId: string): Signal<readonly MaskInfo[]> {
  const masks = useSignal<readonly MaskInfo[]>([]);
  const changedAt = appState.value.maskChanges[desktopId] ?? 0;
  const { isKnown } = appState.value;
  const askedAt = useSignal(0);
  useEffect(() => {
    if (!isKnown) return undefined;
    const ask = (): void => {
      askedAt.value = Date.now();
      api.masks(desktopId).then(
        (told) => {
          masks.value = told;
        },
        (error: unknown) => showError(t`Could not load what is hidden`, error),
      );
    };
    const timer = setTimeout(ask, Math.max(0, askedAt.peek() + PERIOD_MS - Date.now()));
    return () => clearTimeout(timer);
  }, [desktopId, changedAt, isKnown]);
  return masks;
}
