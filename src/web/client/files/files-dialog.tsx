import { signal, useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { FilesInfo, SendingInfo } from "../../api/files/files-api.ts";
import { Icon } from "../controls/icon.tsx";
import { IconButton } from "../controls/icon-button.tsx";
import { counted, t } from "../language/language.ts";
import { request } from "../shell/api-client.ts";
import { sizeWords } from "../shell/labels.ts";
import { errorWords, showError } from "../shell/notices.ts";
import { filesPath, listFiles, sendFiles, takeFile } from "./file-transfers.ts";
import "../styles/files.css";

/** How often what was copied on the desktop, and read there, is looked at. */
const LOOK_MS = 1500;

/** A file that is on its way here. */
interface Taking {
  readonly bytes: number;
  readonly stop: AbortController;
}

/** By the file's address: it goes on while the dialog is closed. */
const takings = signal<Readonly<Record<string, Taking>>>({});
/** Sendings that were taken back here. */
const cancelled = new Set<string>();

export interface FilesDialogProps {
  readonly desktopId: string;
  readonly onClose: () => void;
}

/** Files to and from a desktop: those that are sent lie ready to be pasted there, those that were copied there are listed. */
export function FilesDialog({ desktopId, onClose }: FilesDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const info = useSignal<FilesInfo | null>(null);
  const fault = useSignal<string | null>(null);
  const isOver = useSignal(false);

  const fail = (what: string, error: unknown): void => {
    if (dialog.current === null) showError(what, error);
    else fault.value = `${what}: ${errorWords(error).message}`;
  };
  const look = (): void => {
    listFiles(desktopId).then(
      (now) => {
        info.value = now;
      },
      (error: unknown) => fail(t`The files cannot be listed`, error),
    );
  };
  useEffect(() => {
    dialog.current?.showModal();
    look();
    const looking = setInterval(look, LOOK_MS);
    return () => clearInterval(looking);
  }, []);

  const send = (files: FileList | undefined): void => {
    if (files === undefined || files.length === 0) return;
    fault.value = null;
    let id = "";
    sendFiles(desktopId, [...files], (sending) => {
      id = sending.id;
      const { value } = info;
      if (value === null || cancelled.has(id)) return;
      const others = value.sendings.filter((one) => one.id !== id);
      info.value = { ...value, sendings: [...others, sending] };
    }).catch((error: unknown) => {
      if (!cancelled.has(id)) fail(t`Could not send the files`, error);
    });
  };
  const takeBack = (id: string): void => {
    cancelled.add(id);
    request("DELETE", filesPath(desktopId, `/${id}`)).then(look, (error: unknown) =>
      fail(t`Could not take the files back`, error),
    );
  };
  const take = (path: string, name: string): void => {
    fault.value = null;
    const stop = new AbortController();
    const told = (bytes: number): void => {
      takings.value = { ...takings.value, [path]: { bytes, stop } };
    };
    told(0);
    takeFile(path, name, { signal: stop.signal, told })
      .catch((error: unknown) => {
        if (stop.signal.aborted) return;
        fail(t`Could not download ${name}`, error);
        // Something else may have been copied there meanwhile.
        look();
      })
      .finally(() => {
        const { [path]: _, ...others } = takings.value;
        takings.value = others;
      });
  };
  const { copied, sendings = [], is_able = true } = info.value ?? {};
  return (
    <dialog
      ref={dialog}
      class="dialog files"
      aria-labelledby="files-title"
      onClose={onClose}
      onDragOver={(event) => {
        event.preventDefault();
        isOver.value = true;
      }}
      onDragLeave={() => {
        isOver.value = false;
      }}
      onDrop={(event) => {
        event.preventDefault();
        isOver.value = false;
        send(event.dataTransfer?.files);
      }}
    >
      <header class="dialog-head">
        <h2 id="files-title">{t`Files`}</h2>
        <IconButton icon="cross" label={t`Close`} onClick={() => dialog.current?.close()} />
      </header>
      <p class="field-error" role="alert" hidden={is_able && fault.value === null}>
        {is_able ? fault.value : t`The desktop takes and gives no files right now.`}
      </p>
      <h3>{t`To the desktop`}</h3>
      <label class={`file-drop ${isOver.value ? "is-over" : ""}`}>
        <Icon shape="plus" />
        <span>{t`Choose files, or drop them here`}</span>
        <input
          type="file"
          class="visually-hidden"
          multiple
          disabled={!is_able}
          onChange={(event) => {
            send(event.currentTarget.files ?? undefined);
            // The same files may be chosen again.
            event.currentTarget.value = "";
          }}
        />
      </label>
      <ul class="rows">
        {sendings.map((sending) => (
          <SendingRow key={sending.id} sending={sending} onCancel={() => takeBack(sending.id)} />
        ))}
      </ul>
      <h3>{t`From the desktop`}</h3>
      {copied !== undefined && copied.files.length === 0 && (
        <p class="muted">
          {copied.is_too_many
            ? t`More files were copied there than can be listed: copy fewer.`
            : t`Copy files on the desktop, and download them here.`}
        </p>
      )}
      <ul class="rows">
        {copied?.files.map(({ index, name, folder, size }) => {
          const path = filesPath(desktopId, `/copied/${copied.list}/${index}`);
          const taking = takings.value[path];
          return (
            <FileRow
              key={path}
              name={folder === "" ? name : `${folder}/${name}`}
              words={size === null ? "" : sizeWords(size)}
              done={taking?.bytes ?? null}
              size={size}
            >
              {taking === undefined ? (
                <IconButton icon="download" label={t`Download ${name}`} onClick={() => take(path, name)} />
              ) : (
                <IconButton icon="cross" label={t`Cancel ${name}`} onClick={() => taking.stop.abort()} />
              )}
            </FileRow>
          );
        })}
      </ul>
    </dialog>
  );
}

interface FileRowProps {
  readonly name: string;
  /** Beside its name, where nothing is on its way. */
  readonly words: string;
  /** Bytes that are there; null: none are on their way. */
  readonly done: number | null;
  readonly size: number | null;
  /** What can be done with it. */
  readonly children: ComponentChildren;
}

function FileRow({ name, words, done, size, children }: FileRowProps) {
  return (
    <li class="row">
      <span class="row-words">
        {name}
        {done === null ? (
          <span class="muted">{words}</span>
        ) : (
          <progress aria-label={name} {...(size === null ? {} : { max: size, value: done })} />
        )}
      </span>
      {children}
    </li>
  );
}

interface SendingRowProps {
  readonly sending: SendingInfo;
  readonly onCancel: () => void;
}

function SendingRow({ sending: { files, is_offered }, onCancel }: SendingRowProps) {
  const sum = (bytes: "size" | "received" | "taken"): number =>
    files.reduce((all, file) => all + file[bytes], 0);
  const [size, taken] = [sum("size"), sum("taken")];
  const name = files.length === 1 ? (files[0]?.name ?? "") : counted(files.length, t`# file|# files`);
  return (
    <FileRow
      name={name}
      words={
        taken === 0
          ? t`Ready: paste it on the desktop (Ctrl+V)`
          : t`The desktop has read ${Math.floor((100 * taken) / size)} %`
      }
      done={is_offered ? null : sum("received")}
      size={size}
    >
      <IconButton
        icon="cross"
        label={is_offered ? t`Take ${name} back` : t`Cancel ${name}`}
        onClick={onCancel}
      />
    </FileRow>
  );
}
