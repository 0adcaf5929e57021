import { useSignal } from "@preact/signals";
import { t } from "../language/language.ts";
import { copyText } from "../shell/notices.ts";

export interface ClipboardPanelProps {
  /** What the desktop last put on its clipboard; null when it never did. */
  readonly text: string | null;
  readonly isSynced: boolean;
  readonly mayWrite: boolean;
  readonly onSync: (isSynced: boolean) => void;
  readonly onSend: (text: string) => void;
}

/** The clipboard between this computer and the desktop, for browsers that do not share theirs. */
export function ClipboardPanel(props: ClipboardPanelProps) {
  const draft = useSignal("");
  const { text } = props;
  return (
    <div class="clipboard-panel">
      <label class="field">
        <span>{t`From the desktop`}</span>
        <textarea
          readOnly
          rows={3}
          autocomplete="off"
          value={text ?? ""}
          placeholder={t`Nothing was copied there yet`}
        />
      </label>
      <button
        type="button"
        class="button"
        disabled={text === null}
        onClick={() => text !== null && copyText(text, t`Copied to this computer`)}
      >
        {t`Copy to this computer`}
      </button>
      <label class="field">
        <span>{t`To the desktop`}</span>
        <textarea
          rows={3}
          autocomplete="off"
          value={draft.value}
          placeholder={t`Type or paste here`}
          disabled={!props.mayWrite}
          onInput={(event) => {
            draft.value = event.currentTarget.value;
          }}
        />
      </label>
      <button
        type="button"
        class="button"
        disabled={draft.value === "" || !props.mayWrite}
        onClick={() => props.onSend(draft.value)}
      >
        {t`Put on the desktop's clipboard`}
      </button>
      <label class="check">
        <input
          type="checkbox"
          checked={props.isSynced}
          disabled={!props.mayWrite}
          onChange={(event) => props.onSync(event.currentTarget.checked)}
        />
        <span>{t`Keep both in step while this page is used`}</span>
      </label>
    </div>
  );
}
