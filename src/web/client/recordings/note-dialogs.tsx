import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { RecordingInfo } from "../../api/api.ts";
import { IconButton } from "../controls/icon-button.tsx";
import { t } from "../language/language.ts";
import { timeWords } from "../player/player-time.ts";
import { api } from "../shell/api-client.ts";
import { sentence } from "../shell/labels.ts";
import { errorWords } from "../shell/notices.ts";

export interface NoteDialogProps {
  readonly recording: RecordingInfo;
  readonly onSaved: () => void;
  readonly onClose: () => void;
}

/** Asks what a recording is to be called, and what is to be said of it. */
export function NoteDialog({ recording, onSaved, onClose }: NoteDialogProps) {
  const save = async (data: FormData): Promise<void> => {
    await api.noteRecording(recording.id, { name: textOf(data, "name"), notes: textOf(data, "notes") });
    onSaved();
  };
  return (
    <WordsDialog title={t`Name and notes`} action={t`Save`} onSave={save} onClose={onClose}>
      <label class="field">
        <span>{t`Name`}</span>
        <input
          name="name"
          maxLength={200}
          placeholder={recording.title}
          defaultValue={recording.name ?? ""}
        />
      </label>
      <label class="field">
        <span>{t`Notes`}</span>
        <textarea name="notes" rows={5} maxLength={4000} defaultValue={recording.notes ?? ""} />
      </label>
      <p class="muted">{t`They are kept beside the recording, which stays as it was sealed.`}</p>
    </WordsDialog>
  );
}

export interface MarkerDialogProps {
  readonly recordingId: string;
  readonly atMs: number;
  readonly onSaved: () => void;
  readonly onClose: () => void;
}

/** Asks what a moment is to be called. */
export function MarkerDialog({ recordingId, atMs, onSaved, onClose }: MarkerDialogProps) {
  const save = async (data: FormData): Promise<void> => {
    await api.addMarker(recordingId, atMs, textOf(data, "label") ?? t`Marker`);
    onSaved();
  };
  return (
    <WordsDialog title={t`Mark ${timeWords(atMs, true)}`} action={t`Mark`} onSave={save} onClose={onClose}>
      <label class="field">
        <span>{t`Name of the marker`}</span>
        <input name="label" maxLength={200} placeholder={t`Marker`} />
      </label>
    </WordsDialog>
  );
}

interface WordsDialogProps {
  readonly title: string;
  readonly action: string;
  readonly children: ComponentChildren;
  readonly onSave: (data: FormData) => Promise<void>;
  readonly onClose: () => void;
}

/** A form that closes when what it holds was saved; the first field has the focus. */
function WordsDialog({ title, action, children, onSave, onClose }: WordsDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const isBusy = useSignal(false);
  const fault = useSignal<string | null>(null);
  useEffect(() => {
    dialog.current?.showModal();
    dialog.current?.querySelector<HTMLElement>("input, textarea")?.focus();
  }, []);
  const save = (event: SubmitEvent & { readonly currentTarget: HTMLFormElement }): void => {
    event.preventDefault();
    if (isBusy.value) return;
    isBusy.value = true;
    onSave(new FormData(event.currentTarget)).then(
      () => dialog.current?.close(),
      (error: unknown) => {
        fault.value = sentence(errorWords(error).message);
        isBusy.value = false;
      },
    );
  };
  return (
    <dialog ref={dialog} class="dialog" aria-labelledby="words-title" onClose={onClose}>
      <form onSubmit={save} autocomplete="off">
        <header class="dialog-head">
          <h2 id="words-title">{title}</h2>
          <IconButton icon="cross" label={t`Close`} onClick={() => dialog.current?.close()} />
        </header>
        {children}
        <p class="field-error" role="alert" hidden={fault.value === null}>
          {fault.value}
        </p>
        <footer class="dialog-foot">
          <button type="button" class="button" onClick={() => dialog.current?.close()}>
            {t`Cancel`}
          </button>
          <button type="submit" class="button button-primary" disabled={isBusy.value}>
            {action}
          </button>
        </footer>
      </form>
    </dialog>
  );
}

/** Without the spaces around it; null for nothing. */
function textOf(data: FormData, name: string): string | null {
  const value = data.get(name);
  const text = typeof value === "string" ? value.trim() : "";
  return text === "" ? null : text;
}
