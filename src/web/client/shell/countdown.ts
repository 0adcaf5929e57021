import { t } from "../language/language.ts";
/** Whole seconds until an ISO time, never below 0. `nowMs` is the server's wall time. */
export function secondsUntil(isoTime: string, nowMs: number): number {
  return Math.max(0, Math.ceil((Date.parse(isoTime) - nowMs) / 1000));
}

/** The part of a term that is left, 1 to 0; an empty term has nothing left. */
export function shareLeft(fromIso: string, toIso: string, nowMs: number): number {
  const from = Date.parse(fromIso);
  const to = Date.parse(toIso);
  return to <= from ? 0 : Math.min(1, Math.max(0, (to - nowMs) / (to - from)));
}

/** "0:42", "1:05". */
export function clockWords(seconds: number): string {
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

/** "just now", "12 s", "3 min", "2 h", "5 d": how long ago or how long for. */
export function spanWords(seconds: number): string {
  if (seconds < 1) return t`just now`;
  if (seconds < 60) return `${Math.floor(seconds)} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h`;
  return t`${Math.floor(seconds / 86_400)} d`;
}
