import { useSignal } from "@preact/signals";
import type { RecordingInfo } from "../../api/api.ts";
import { Icon } from "../controls/icon.tsx";
import { t } from "../language/language.ts";
import { timeFromHash, timeWords } from "../player/player-time.ts";
import { get, recordingPath } from "../player/recording-address.ts";
import { below } from "../shell/base-path.ts";
import { attempt } from "../shell/notices.ts";
import { fileName, nameOf } from "./recording-name.ts";
import { canExportVideo, exportVideo } from "./video-export.ts";

const FORMATS = [
  ["mp4", t`Video (MP4)`, t`plays everywhere; needs ffmpeg on the server`],
  ["webm", t`Video (WebM)`, t`smaller, free; needs ffmpeg on the server`],
  ["html", t`Replay page (HTML)`, t`one file, every pixel exact, with the actions`],
  ["gif", t`Animation (GIF)`, t`a minute at most`],
  ["png", t`Picture (PNG)`, t`of the first moment of the range`],
  ["txt", t`Text on the screen (TXT)`, t`each line with its time, where text was recorded`],
  ["ndjson", t`What happened (NDJSON)`, t`actions, approvals, overlays as data`],
] as const;

/** The server makes no longer one. */
const LONGEST_GIF_MS = 60_000;

export interface ExportMenuProps {
  readonly recording: RecordingInfo;
  /** Suffix of the popover's id: several menus may be on one page. */
  readonly id: string;
  /** Where the player stands; null outside of it. */
  readonly positionMs: number | null;
}

/** A range of a recording as a file of some kind. */
export function ExportMenu({ recording, id, positionMs }: ExportMenuProps) {
  const from = useSignal("0:00");
  const to = useSignal("");
  const hasOverlays = useSignal(true);
  const hasPointer = useSignal(true);
  const whole = timeWords(recording.duration_ms);
  const fromMs = timeFromHash(`#t=${from.value}`);
  const toMs = to.value.trim() === "" ? recording.duration_ms : timeFromHash(`#t=${to.value}`);
  const isRange = fromMs !== null && toMs !== null && toMs >= fromMs;
  const address = (format: string): string =>
    recordingPath(
      recording.id,
      `/export.${format}?${new URLSearchParams({
        from_ms: String(fromMs ?? 0),
        to_ms: String(Math.ceil(toMs ?? recording.duration_ms)),
        overlays: hasOverlays.value ? "1" : "0",
        pointer: hasPointer.value ? "1" : "0",
      })}`,
    );
  const name = `export-${id}`;
  const share = useSignal<number | null>(null);
  /** The format that the server has not begun yet; null for none. */
  const asked = useSignal<string | null>(null);
  const lengthMs = (toMs ?? recording.duration_ms) - (fromMs ?? 0);
  const isTooLong = (format: string): boolean => format === "gif" && isRange && lengthMs > LONGEST_GIF_MS;
  const start = (format: string): void => {
    if (!isRange || asked.value !== null || isTooLong(format)) return;
    asked.value = format;
    const begun = download(address(format)).finally(() => {
      asked.value = null;
    });
    attempt(t`Could not export`, begun);
  };
  const makeHere = (): void => {
    share.value = 0;
    const made = exportVideo(
      address("frames"),
      { durationMs: lengthMs, name: fileName(recording) },
      (done) => {
        share.value = done;
      },
    );
    attempt(
      t`Could not make the video`,
      made.finally(() => {
        share.value = null;
      }),
    );
  };
  return (
    <>
      <button type="button" class="button" popovertarget={name}>
        <Icon shape="download" />
        <span>{t`Export`}</span>
      </button>
      <div
        id={name}
        class="popover export-menu"
        popover="auto"
        role="dialog"
        aria-label={t`Export ${nameOf(recording)}`}
      >
        <div class="field-pair">
          <TimeField
            label={t`From`}
            value={from.value}
            placeholder="0:00"
            isWrong={fromMs === null}
            onInput={from}
          />
          <TimeField label={t`To`} value={to.value} placeholder={whole} isWrong={!isRange} onInput={to} />
        </div>
        {!isRange && (
          <p class="field-error" role="alert">
            {t`Write times as 1:30 or 90, the first before the second.`}
          </p>
        )}
        {positionMs !== null && (
          <p class="export-here">
            <button
              type="button"
              class="link-button"
              onClick={() => {
                from.value = timeWords(positionMs, true);
              }}
            >
              {t`From here`}
            </button>
            <button
              type="button"
              class="link-button"
              onClick={() => {
                to.value = timeWords(positionMs, true);
              }}
            >
              {t`To here`}
            </button>
          </p>
        )}
        <div class="field-pair">
          <Switch label={t`Overlays`} isOn={hasOverlays} />
          <Switch label={t`Pointer`} isOn={hasPointer} />
        </div>
        <ul>
          {FORMATS.map(([format, title, meaning]) => (
            <li key={format}>
              <a
                class="menu-item export-item"
                href={address(format)}
                download=""
                aria-disabled={!isRange || isTooLong(format)}
                onClick={(event) => {
                  event.preventDefault();
                  start(format);
                }}
              >
                <span>{title}</span>
                <span class="muted" role={asked.value === format ? "status" : undefined}>
                  {asked.value === format
                    ? t`being made…`
                    : isTooLong(format)
                      ? t`${meaning}: these are ${timeWords(lengthMs)}, choose less above`
                      : meaning}
                </span>
              </a>
            </li>
          ))}
          {canExportVideo() && (
            <li>
              <button
                type="button"
                class="menu-item export-item"
                disabled={!isRange || share.value !== null}
                onClick={makeHere}
              >
                <span>{t`Video made by this browser (WebM)`}</span>
                <span class="muted" role="status">
                  {share.value === null
                    ? t`needs nothing on the server`
                    : t`${Math.floor(share.value * 100)} % done`}
                </span>
              </button>
            </li>
          )}
        </ul>
      </div>
    </>
  );
}

/** What is painted over the recorded pixels. */
function Switch({ label, isOn }: { readonly label: string; readonly isOn: { value: boolean } }) {
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={isOn.value}
        onChange={(event) => {
          isOn.value = event.currentTarget.checked;
        }}
      />
      <span>{label}</span>
    </label>
  );
}

interface TimeFieldProps {
  readonly label: string;
  readonly value: string;
  readonly placeholder: string;
  readonly isWrong: boolean;
  readonly onInput: { value: string };
}

function TimeField({ label, value, placeholder, isWrong, onInput }: TimeFieldProps) {
  return (
    <label class="field">
      <span>{label}</span>
      <input
        value={value}
        placeholder={placeholder}
        inputMode="decimal"
        aria-invalid={isWrong}
        onInput={(event) => {
          onInput.value = event.currentTarget.value;
        }}
      />
    </label>
  );
}

/**
 * Lets the browser save what is at an address, once the server has begun to make it: a browser says of a download only
 * that it failed. Rejects with ApiError, in the server's words.
 */
async function download(address: string): Promise<void> {
  const begun = new AbortController();
  await get(address, begun.signal);
  // Made anew for the browser, which writes it to the disk while it comes.
  begun.abort();
  const link = document.createElement("a");
  link.href = below(address);
  link.download = "";
  link.click();
}
