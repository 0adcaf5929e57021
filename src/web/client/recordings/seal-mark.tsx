import type { RecordingInfo } from "../../api/api.ts";
import { t } from "../language/language.ts";
import type { Tone } from "../shell/labels.ts";

const SEALS = {
  recording: { tone: "bad", text: t`Recording`, meaning: t`It grows while you look.` },
  sealed: {
    tone: "good",
    text: t`Sealed`,
    meaning: t`Closed and signed: any change of its files would be found.`,
  },
  unsealed: {
    tone: "warn",
    text: t`Not sealed`,
    meaning: t`The server ended before it could sign it. It replays, but its end is not proven.`,
  },
  tampered: { tone: "bad", text: t`Tampered`, meaning: t`Its files are not what was written.` },
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
