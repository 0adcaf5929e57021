import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { ConnectionBody, TestReportInfo } from "../../api/api.ts";
import { CopyButton } from "../controls/copy-button.tsx";
import { IconButton } from "../controls/icon-button.tsx";
import { api } from "../shell/api-client.ts";
import { sentence } from "../shell/labels.ts";
import { type ErrorWords, errorWords, inform } from "../shell/notices.ts";
import { connectionFromForm, protocolNamed } from "./connection-form.ts";
import { ConnectionWay } from "./connection-way.tsx";
import { HandshakeSteps } from "./handshake-steps.tsx";
import { RdpFields } from "./rdp-fields.tsx";
import { hasWays, needsHost, usualPort } from "./transport-choice.ts";

const PROTOCOLS = {
  vnc: {
    name: "VNC",
    user: "User (rarely needed)",
    meaning: "Any VNC server: TigerVNC, x11vnc, a virtual machine's console. Nothing is installed on it.",
  },
  kasmvnc: {
    name: "KasmVNC",
    user: "User",
    meaning: "A KasmVNC server or Kasm container, with the user name and password of its web page.",
  },
  rdp: {
    name: "RDP",
    user: "User or DOMAIN\\user",
    meaning: "A Windows machine or xrdp, with the user name and password of an account there.",
  },
} as const satisfies Record<ConnectionBody["protocol"], unknown>;

type Phase =
  | { readonly kind: "editing" }
  | { readonly kind: "testing" }
  | { readonly kind: "adding" }
  | { readonly kind: "tested"; readonly report: TestReportInfo }
  | { readonly kind: "failed"; readonly words: ErrorWords };

/** Asks for a host and a password, tries them on request, and adds the desktop. */
export function AddDesktopDialog({ onClose }: { readonly onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const form = useRef<HTMLFormElement>(null);
  const phase = useSignal<Phase>({ kind: "editing" });
  const protocol = useSignal<ConnectionBody["protocol"]>("vnc");
  const transport = useSignal("");
  const result = useRef<HTMLDivElement>(null);
  const words = PROTOCOLS[protocol.value];
  const isRdp = protocol.value === "rdp";
  useEffect(() => dialog.current?.showModal(), []);
  useEffect(() => result.current?.scrollIntoView({ block: "nearest" }), [phase.value]);
  const isBusy = phase.value.kind === "testing" || phase.value.kind === "adding";

  const filled = (): ConnectionBody | null => {
    const element = form.current;
    return element?.reportValidity() ? connectionFromForm(new FormData(element)) : null;
  };
  /** What was found out is not about what is written now. */
  const forget = (): void => {
    if (!isBusy && phase.value.kind !== "editing") phase.value = { kind: "editing" };
  };
  const fail = (error: unknown): void => {
    phase.value = { kind: "failed", words: errorWords(error) };
  };
  const test = (): void => {
    const body = filled();
    if (!body) return;
    phase.value = { kind: "testing" };
    api.testDesktop(body).then((report) => {
      phase.value = { kind: "tested", report };
    }, fail);
  };
  const add = (event: Event): void => {
    event.preventDefault();
    const body = filled();
    if (!body) return;
    phase.value = { kind: "adding" };
    api.addDesktop(body).then((desktop) => {
      inform(`Added ${desktop.name}`);
      dialog.current?.close();
    }, fail);
  };

  return (
    <dialog ref={dialog} class="dialog" aria-labelledby="add-title" onClose={onClose}>
      <form ref={form} onSubmit={add} onInput={forget} autocomplete="off">
        <header class="dialog-head">
          <h2 id="add-title">Add a desktop</h2>
          <IconButton icon="cross" label="Close" onClick={() => dialog.current?.close()} />
        </header>
        <label class="field">
          <span>Protocol</span>
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
          </select>
        </label>
        <p class="muted">{words.meaning}</p>
        {transport.value !== "unix" && (
          <div class="field-pair">
            <label class="field">
              <span>{transport.value === "reverse" ? "Listen on (optional)" : "Host"}</span>
              <input
                name="host"
                required={needsHost(transport.value)}
                maxLength={253}
                placeholder={transport.value === "reverse" ? "127.0.0.1" : "192.168.1.20"}
                spellcheck={false}
              />
            </label>
            <label class="field field-port">
              <span>Port</span>
              <input
                name="port"
                type="number"
                min={1}
                max={65535}
                placeholder={String(usualPort(protocol.value, transport.value))}
              />
            </label>
          </div>
        )}
        <label class="field">
          <span>Name (optional)</span>
          <input name="name" maxLength={100} placeholder="build-vm" />
        </label>
        <div class="field-pair">
          <label class="field">
            <span>{words.user}</span>
            <input name="username" required={isRdp} maxLength={1024} autocomplete="off" spellcheck={false} />
          </label>
          <label class="field">
            <span>Password</span>
            <input
              name="password"
              type="password"
              required={isRdp}
              maxLength={1024}
              autocomplete="new-password"
            />
          </label>
        </div>
        {hasWays(protocol.value) && (
          <ConnectionWay key={protocol.value} protocol={protocol.value} transport={transport} />
        )}
        {isRdp && <RdpFields />}
        <div ref={result} class="dialog-result" aria-live="polite">
          <Result phase={phase.value} />
        </div>
        <footer class="dialog-foot">
          <button type="button" class="button" disabled={isBusy} onClick={test}>
            {phase.value.kind === "testing" ? "Testing…" : "Test"}
          </button>
          <button type="submit" class="button button-primary" disabled={isBusy}>
            {phase.value.kind === "adding" ? "Adding…" : "Add desktop"}
          </button>
        </footer>
      </form>
    </dialog>
  );
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
            <CopyButton text={phase.words.details} label="Copy details" />
          </p>
        </div>
      );
    default:
      return null;
  }
}
