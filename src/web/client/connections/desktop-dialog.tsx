import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { ConnectionBody, ConnectionInfo, TestReportInfo } from "../../api/api.ts";
import { CopyButton } from "../controls/copy-button.tsx";
import { Icon } from "../controls/icon.tsx";
import { IconButton } from "../controls/icon-button.tsx";
import { t } from "../language/language.ts";
import { api } from "../shell/api-client.ts";
import { sentence } from "../shell/labels.ts";
import { type ErrorWords, errorWords, showNotice } from "../shell/notices.ts";
import {
  anewWords,
  connectionFromForm,
  EMPTY_FORM,
  editFromForm,
  fieldsOfAddress,
  formOf,
  protocolNamed,
} from "./connection-form.ts";
import { BrowserFields, MoreFields } from "./more-fields.tsx";
import { SecretField } from "./secret-field.tsx";
import { needsHost, usualPort } from "./transport-choice.ts";

const PROTOCOLS = {
  vnc: {
    name: "VNC",
    user: t`User (optional)`,
    meaning: t`Any VNC server: TigerVNC, x11vnc, a virtual machine's console. Nothing is installed on it.`,
  },
  kasmvnc: {
    name: "KasmVNC",
    user: t`User`,
    meaning: t`A KasmVNC server or Kasm container, with user and password of its web page.`,
  },
  rdp: {
    name: "RDP",
    user: t`User or DOMAIN\\user`,
    meaning: t`A Windows machine or xrdp, with user and password of an account there.`,
  },
  browser: { name: t`Browser`, user: "", meaning: t`A Chromium that this server starts.` },
} as const satisfies Record<ConnectionBody["protocol"], unknown>;

/** Of a desktop that was not added here. */
const CONFIGURED = t`This desktop comes from the configuration: what is changed here holds until the server starts again.`;

type Phase =
  | { readonly kind: "editing" }
  | { readonly kind: "testing" }
  | { readonly kind: "saving" }
  | { readonly kind: "tested"; readonly report: TestReportInfo }
  | { readonly kind: "failed"; readonly words: ErrorWords };

/** A desktop whose connection is edited. */
export interface EditedDesktop extends Pick<ConnectionInfo, "connection" | "is_stored"> {
  readonly id: string;
}

/** Asks for a host and a password, tries them on request, and adds the desktop; or edits the one that is given. */
export function DesktopDialog({
  edited,
  onClose,
}: {
  readonly edited: EditedDesktop | null;
  readonly onClose: () => void;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  const form = useRef<HTMLFormElement>(null);
  const phase = useSignal<Phase>({ kind: "editing" });
  /** Fields of kept secrets that are to be written again. */
  const asked = useRef<(HTMLInputElement | HTMLTextAreaElement)[]>([]);
  const { values, kept } = edited === null ? EMPTY_FORM : formOf(edited.connection);
  const protocol = useSignal(protocolNamed(edited?.connection.protocol ?? ""));
  const transport = useSignal(values["transport"] ?? "");
  const result = useRef<HTMLDivElement>(null);
  const words = PROTOCOLS[protocol.value];
  const isRdp = protocol.value === "rdp";
  /** It has no place. One that runs already has, which was said elsewhere than here. */
  const isOurs = protocol.value === "browser" && !values["host"];
  useEffect(() => dialog.current?.showModal(), []);
  useEffect(() => result.current?.scrollIntoView({ block: "nearest" }), [phase.value]);
  const isBusy = phase.value.kind === "testing" || phase.value.kind === "saving";

  const filled = (): FormData | null => {
    const element = form.current;
    return element?.reportValidity() ? new FormData(element) : null;
  };
  /** What was found out is not about what is written now. */
  const forget = (): void => {
    for (const control of asked.current.splice(0)) control.setCustomValidity("");
    if (!isBusy && phase.value.kind !== "editing") phase.value = { kind: "editing" };
  };
  const fail = (error: unknown): void => {
    phase.value = { kind: "failed", words: errorWords(error) };
  };
  const test = (): void => {
    const data = filled();
    if (!data) return;
    phase.value = { kind: "testing" };
    api.testDesktop(connectionFromForm(data)).then((report) => {
      phase.value = { kind: "tested", report };
    }, fail);
  };
  /** null where nothing can be sent yet. */
  const saved = (data: FormData): Promise<string> | null => {
    if (edited === null) return api.addDesktop(connectionFromForm(data)).then(({ name }) => t`Added ${name}`);
    const edit = editFromForm(data, kept);
    const words = anewWords(edit, edited.connection);
    if (words !== null) {
      asked.current = (edit.kept_secrets ?? []).flatMap((name) => controlOf(form.current, name));
      for (const control of asked.current) control.setCustomValidity(words);
      form.current?.reportValidity();
      return null;
    }
    return api.editConnection(edited.id, edit).then(({ connection }) => t`Saved ${connection.name ?? ""}`);
  };
  const save = (event: Event): void => {
    event.preventDefault();
    const data = filled();
    const work = data && saved(data);
    if (!work) return;
    phase.value = { kind: "saving" };
    work.then((words) => {
      showNotice(words);
      dialog.current?.close();
    }, fail);
  };

  /** A whole address fills its fields, wherever it is pasted. */
  const paste = (event: ClipboardEvent): void => {
    const fields = edited === null ? fieldsOfAddress(event.clipboardData?.getData("text") ?? "") : null;
    if (fields === null) return;
    event.preventDefault();
    forget();
    protocol.value = protocolNamed(fields["protocol"] ?? "");
    transport.value = fields["transport"] ?? "";
    // What they are for has its fields after the next drawing.
    requestAnimationFrame(() => {
      for (const [name, value] of Object.entries(fields)) {
        const control = form.current?.elements.namedItem(name);
        if (control instanceof HTMLInputElement) control.value = value;
      }
    });
  };

  return (
    <dialog ref={dialog} class="dialog" aria-labelledby="desktop-title" onClose={onClose}>
      <form ref={form} onSubmit={save} onInputCapture={forget} onPaste={paste} autocomplete="off">
        <header class="dialog-head">
          <h2 id="desktop-title">{edited === null ? t`Add a desktop` : t`Edit the desktop`}</h2>
          <IconButton icon="cross" label={t`Close`} onClick={() => dialog.current?.close()} />
        </header>
        {edited === null ? (
          <label class="field">
            <span>{t`Protocol`}</span>
            <select
              name="protocol"
              value={protocol.value}
              onChange={(event) => {
                protocol.value = protocolNamed(event.currentTarget.value);
                transport.value = "";
              }}
            >
              <option value="vnc">{PROTOCOLS.vnc.name}</option>
              <option value="kasmvnc">{PROTOCOLS.kasmvnc.name}</option>
              <option value="rdp">{PROTOCOLS.rdp.name}</option>
              <option value="browser">{PROTOCOLS.browser.name}</option>
            </select>
          </label>
        ) : (
          <input type="hidden" name="protocol" value={protocol.value} />
        )}
        <p class="muted">{edited === null || edited.is_stored ? words.meaning : CONFIGURED}</p>
        {transport.value !== "unix" && !isOurs && (
          <div class="field-pair">
            <label class="field">
              <span>{transport.value === "reverse" ? t`Listen on (optional)` : t`Host`}</span>
              <input
                name="host"
                defaultValue={values["host"] ?? ""}
                required={needsHost(transport.value)}
                maxLength={253}
                placeholder={transport.value === "reverse" ? "127.0.0.1" : t`192.168.1.20 or vnc://…`}
                spellcheck={false}
              />
            </label>
            <label class="field field-port">
              <span>{t`Port`}</span>
              <input
                name="port"
                defaultValue={values["port"] ?? ""}
                type="number"
                min={1}
                max={65535}
                placeholder={String(usualPort(protocol.value, transport.value))}
              />
            </label>
          </div>
        )}
        <label class="field">
          <span>{t`Name (optional)`}</span>
          <input
            name="name"
            defaultValue={values["name"] ?? ""}
            maxLength={100}
            placeholder={t`Office / build-vm`}
          />
        </label>
        {protocol.value === "browser" ? (
          <BrowserFields values={values} isOurs={isOurs} />
        ) : (
          <>
            <div class="field-pair">
              <label class="field">
                <span>{words.user}</span>
                <input
                  name="username"
                  defaultValue={values["username"] ?? ""}
                  required={isRdp}
                  maxLength={1024}
                  autocomplete="off"
                  spellcheck={false}
                />
              </label>
              <SecretField
                name="password"
                label={t`Password`}
                kept={kept}
                isNeeded={isRdp}
                control={(state) => (
                  <input
                    name="password"
                    type="password"
                    required={isRdp && !kept.includes("password")}
                    maxLength={1024}
                    autocomplete="new-password"
                    {...state}
                  />
                )}
              />
            </div>
            <MoreFields
              key={protocol.value}
              protocol={protocol.value}
              transport={transport}
              initial={{ values, kept }}
            />
          </>
        )}
        <div ref={result} class="dialog-result" aria-live="polite">
          <Result phase={phase.value} />
        </div>
        <footer class="dialog-foot">
          {edited === null && (
            <button type="button" class="button" disabled={isBusy} onClick={test}>
              {phase.value.kind === "testing" ? t`Testing…` : t`Test`}
            </button>
          )}
          <button type="submit" class="button button-primary" disabled={isBusy}>
            {saveWords(edited !== null, phase.value.kind === "saving")}
          </button>
        </footer>
      </form>
    </dialog>
  );
}

function controlOf(
  form: HTMLFormElement | null,
  name: string,
): readonly (HTMLInputElement | HTMLTextAreaElement)[] {
  const control = form?.elements.namedItem(name);
  const isWritten = control instanceof HTMLInputElement || control instanceof HTMLTextAreaElement;
  return isWritten ? [control] : [];
}

function saveWords(isEdit: boolean, isSaving: boolean): string {
  if (isEdit) return isSaving ? t`Saving…` : t`Save`;
  return isSaving ? t`Adding…` : t`Add desktop`;
}

function Result({ phase }: { readonly phase: Phase }) {
  switch (phase.kind) {
    case "tested":
      return <HandshakeSteps report={phase.report} />;
    case "failed":
      return (
        <div class="result result-bad">
          <p>{sentence(phase.words.message)}</p>
          {phase.words.hint !== null && <p class="muted">{sentence(phase.words.hint)}</p>}
          <p>
            <CopyButton text={phase.words.details} label={t`Copy details`} />
          </p>
        </div>
      );
    default:
      return null;
  }
}

/** How far a test connection came, step by step. */
function HandshakeSteps({ report }: { readonly report: TestReportInfo }) {
  return (
    <div class={`result ${report.success ? "result-good" : "result-bad"}`}>
      {/* The message of a failure is its last step's. */}
      <p>{report.success ? sentence(report.message) : <strong>{t`The test failed`}</strong>}</p>
      <ol class="steps">
        {report.steps.map((step) => (
          <li key={step.name} class={step.ok ? "step-good" : "step-bad"}>
            <Icon shape={step.ok ? "check" : "cross"} />
            <span>
              <span class="visually-hidden">{step.ok ? t`Done: ` : t`Failed: `}</span>
              {step.name}
              {step.detail !== "" && <span class="muted"> {step.detail}</span>}
            </span>
          </li>
        ))}
      </ol>
      {!report.success && (
        <p>
          <CopyButton text={detailsOf(report)} label={t`Copy details`} />
        </p>
      )}
    </div>
  );
}

function detailsOf({ message, steps }: TestReportInfo): string {
  const lines = steps.map(({ name, ok, detail }) => `${ok ? "done" : "failed"} ${name} ${detail}`.trim());
  return [message, ...lines].join("\n");
}
