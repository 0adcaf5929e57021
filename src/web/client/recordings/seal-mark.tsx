import type { RecordingInfo } from "../../api/api.ts";
import type { Tone } from "../shell/labels.ts";

const SEALS = {
  recording: { tone: "bad", text: "Recording", meaning: "It grows while you look." },
  sealed: {
    tone: "good",
    text: "Sealed",
    meaning: "Closed and signed: any change of its files would be found.",
  },
  unsealed: {
    tone: "warn",
    text: "Not sealed",
    meaning: "The server ended before it could sign it. It replays, but its end is not proven.",
  },
  tampered: { tone: "bad", text: "Tampered", meaning: "Its files are not what was written." },
} as const satisfies Record<
  RecordingInfo["state"],
  { readonly tone: Tone; readonly text: string; readonly meaning: string }
>;

/** Whether a recording can be trusted, as a dot and a word. */
export function SealMark({ state }: { readonly state: RecordingInfo["state"] }) {
  const { tone, text, meaning } = SEALS[state];
  return (
    <span class={`state-mark tone-${tone}`} title={meaning}>
      <span class={`dot ${state === "recording" ? "is-recording" : ""}`} aria-hidden="true" />
      <span>{text}</span>
    </span>
  );
}
