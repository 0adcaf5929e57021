import { type Signal, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";

/** Controls step back when nobody has touched anything for so long. */
const QUIET_MS = 2500;

/** True while `isWatching` and neither pointer nor keyboard has been used for a while. */
export function useQuiet(isWatching: boolean): Signal<boolean> {
  const isQuiet = useSignal(false);
  useEffect(() => {
    isQuiet.value = false;
    if (!isWatching) return undefined;
    let timer = 0;
    const stir = (): void => {
      clearTimeout(timer);
      isQuiet.value = false;
      timer = setTimeout(() => {
        isQuiet.value = true;
      }, QUIET_MS);
    };
    stir();
    const kinds = ["pointermove", "pointerdown", "keydown"] as const;
    for (const kind of kinds) addEventListener(kind, stir);
    return () => {
      clearTimeout(timer);
      for (const kind of kinds) removeEventListener(kind, stir);
    };
  }, [isWatching, isQuiet]);
  return isQuiet;
}
