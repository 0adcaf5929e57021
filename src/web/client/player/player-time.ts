import { counted, t } from "../language/language.ts";

/** Moments of a recording in words and in addresses. All times are milliseconds from its start. */

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

function two(value: number): string {
  return String(value).padStart(2, "0");
}

/** "0:07", "12:05", "1:02:03"; with tenths "0:07.4". Whole units are cut, never rounded up past the moment. */
export function timeWords(ms: number, hasTenths = false): string {
  const whole = Math.max(0, Math.floor(ms));
  const hours = Math.floor(whole / HOUR_MS);
  const minutes = Math.floor((whole % HOUR_MS) / MINUTE_MS);
  const seconds = Math.floor((whole % MINUTE_MS) / 1000);
  const tenths = hasTenths ? `.${Math.floor((whole % 1000) / 100)}` : "";
  const head = hours > 0 ? `${hours}:${two(minutes)}` : String(minutes);
  return `${head}:${two(seconds)}${tenths}`;
}

/** "1 hour 2 minutes 3 seconds", for screen readers. */
export function spokenTime(ms: number): string {
  const whole = Math.max(0, Math.floor(ms / 1000));
  const parts = [
    [Math.floor(whole / 3600), t`# hour|# hours`],
    [Math.floor((whole % 3600) / 60), t`# minute|# minutes`],
    [whole % 60, t`# second|# seconds`],
  ] as const;
  const said = parts.filter(([count]) => count > 0).map(([count, forms]) => counted(count, forms));
  return said.length === 0 ? t`0 seconds` : said.join(" ");
}

/** "1:02:03.5", "62.5" and "62.5s"; every group but the first below 60. */
const CLOCK = /^(?:(?:(\d{1,4}):)?(\d{1,4}):)?(\d{1,7}(?:\.\d{1,3})?)s?$/;

/** Reads `#t=1:02:03.5` or `#t=62.5`; null where an address names no moment. */
export function timeFromHash(hash: string): number | null {
  const text = new URLSearchParams(hash.replace(/^#/, "")).get("t");
  const groups = text === null ? null : CLOCK.exec(text);
  if (!groups) return null;
  const [, hours = "0", minutes = "0", seconds = "0"] = groups;
  if (groups[2] !== undefined && Number(seconds) >= 60) return null;
  if (groups[1] !== undefined && Number(minutes) >= 60) return null;
  return Math.round(Number(hours) * HOUR_MS + Number(minutes) * MINUTE_MS + Number(seconds) * 1000);
}

/** The hash that `timeFromHash` reads back, to the millisecond. */
export function hashOfTime(ms: number): string {
  const whole = Math.max(0, Math.round(ms));
  const rest = whole % 1000;
  const fraction = rest === 0 ? "" : `.${String(rest).padStart(3, "0").replace(/0+$/, "")}`;
  return `#t=${timeWords(whole)}${fraction}`;
}
