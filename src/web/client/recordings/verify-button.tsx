import { useSignal } from "@preact/signals";
import type { RecordingInfo, VerificationInfo } from "../../api/api.ts";
import { Icon } from "../controls/icon.tsx";
import { t } from "../language/language.ts";
import { api } from "../shell/api-client.ts";
import { showError } from "../shell/notices.ts";

const WORDS = {
  sealed: { icon: "shieldCheck", tone: "good", text: t`Verified` },
  unsealed: { icon: "warning", tone: "warn", text: t`Not sealed` },
  tampered: { icon: "warning", tone: "bad", text: t`Tampered` },
} as const;

/** Reads every byte of a recording on the server, and says on its own face what that found. */
export function VerifyButton({ recording }: { readonly recording: RecordingInfo }) {
  const found = useSignal<VerificationInfo | null>(null);
  const isBusy = useSignal(false);
  const verify = (): void => {
    isBusy.value = true;
    api
      .verifyRecording(recording.id)
      .then(
        (verification) => {
          found.value = verification;
        },
        (error: unknown) => showError(t`Could not verify the recording`, error),
      )
      .finally(() => {
        isBusy.value = false;
      });
  };
  const words = found.value === null ? null : WORDS[found.value.state];
  return (
    <button
      type="button"
      class={`button verify-button ${words === null ? "" : `tone-${words.tone}`}`}
      disabled={isBusy.value || recording.state === "recording"}
      title={found.value?.problem ?? t`Read every byte and compare it with the signature`}
      onClick={verify}
    >
      <Icon shape={words?.icon ?? "shieldCheck"} />
      <span aria-live="polite">{isBusy.value ? t`Verifying…` : (words?.text ?? t`Verify`)}</span>
    </button>
  );
}
