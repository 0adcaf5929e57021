import { rich, t } from "../language/language.ts";
import "../styles/setup.css";
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { ConfigInfo, DesktopInfo } from "../../api/api.ts";
import { DesktopDialog } from "../connections/desktop-dialog.tsx";
import { CopyButton } from "../controls/copy-button.tsx";
import { StateMark } from "../controls/state-mark.tsx";
import { api } from "../shell/api-client.ts";
import { spanWords } from "../shell/countdown.ts";
import { FailureCard } from "../shell/failure-card.tsx";
import { MODE_WORDS, MODES } from "../shell/labels.ts";
import { attempt, type ErrorWords, errorWords } from "../shell/notices.ts";
import { viewerPath } from "../shell/route.ts";
import { appState, may, now } from "../shell/session.ts";
import { Shell } from "../shell/shell.tsx";
import { BrowserStep } from "./browser-step.tsx";
import { clientStatus } from "./client-status.ts";
import { RecordStep } from "./record-step.tsx";

type KnownSnippet = ConfigInfo["clients"][number];

/** Three steps from nothing to an agent that works on a desktop, and more for who records it or shares a browser. */
export function SetupPage() {
  return (
    <Shell>
      <div class="page">
        <h1>{t`Setup`}</h1>
        <ol class="setup-steps">
          <li>
            <ClientStep />
          </li>
          <li>
            <DesktopStep />
          </li>
          <li>
            <ModeStep />
          </li>
          <li>
            <RecordStep />
          </li>
          {may("admin") && (
            <li>
              <BrowserStep />
            </li>
          )}
        </ol>
      </div>
    </Shell>
  );
}

function ClientStep() {
  const config = useSignal<ConfigInfo | null>(null);
  const chosen = useSignal<string | null>(null);
  const failure = useSignal<ErrorWords | null>(null);
  const load = (): void => {
    api.setup().then(
      (loaded) => {
        config.value = loaded;
        failure.value = null;
      },
      (error: unknown) => {
        failure.value = errorWords(error);
      },
    );
  };
  useEffect(load, [config]);
  const clients = config.value?.clients ?? [];
  const shown = clients.find((client) => client.id === chosen.value) ?? clients[0];
  return (
    <section aria-labelledby="step-client">
      <h2 id="step-client">{t`Connect your agent`}</h2>
      {config.value && <p class="muted">{rich`MCP over HTTP at ${<code>{config.value.endpoint}</code>}`}</p>}
      <fieldset class="choices">
        <legend class="visually-hidden">{t`Client`}</legend>
        {clients.map((client) => (
          <label key={client.id} class="choice">
            <input
              type="radio"
              name="client"
              value={client.id}
              checked={client === shown}
              onChange={() => {
                chosen.value = client.id;
              }}
            />
            <span>{client.name}</span>
            <Light client={client} />
          </label>
        ))}
      </fieldset>
      {shown ? (
        <Snippet client={shown} />
      ) : failure.value ? (
        <FailureCard title={t`The client settings cannot be shown`} words={failure.value} onRetry={load} />
      ) : (
        <div class="snippet-skeleton" />
      )}
    </section>
  );
}

/** Green while this client calls. */
function Light({ client }: { readonly client: KnownSnippet }) {
  const isConnected = clientStatus(client, appState.value.clients, now.value).isHere;
  return (
    <span class={`light tone-${isConnected ? "good" : "idle"}`}>
      <span class="dot" aria-hidden="true" />
      <span class="visually-hidden">{isConnected ? t`connected` : t`not connected yet`}</span>
    </span>
  );
}

function Snippet({ client }: { readonly client: KnownSnippet }) {
  const { clients } = appState.value;
  const { isHere, seenAt } = clientStatus(client, clients, now.value);
  return (
    <div class="snippet">
      <div class="snippet-head">
        <span class="snippet-file">{client.file}</span>
        <CopyButton text={client.snippet} label={t`Copy`} />
      </div>
      <pre>
        <code>
          {client.snippet.split(/(\s+)/).map((part, i) => (i % 2 ? part : <span key={i}>{part}</span>))}
        </code>
      </pre>
      <p class={`snippet-foot tone-${isHere ? "good" : "idle"}`} role="status">
        <span class="dot" aria-hidden="true" />
        <span>
          {seenAt === null
            ? t`Waiting for ${client.name} to connect…`
            : isHere
              ? t`${client.name} is connected.`
              : t`${client.name} connected, and last called ${spanWords((now.value - Date.parse(seenAt)) / 1000)} ago.`}
          {seenAt === null && clients.length > 0 && (
            <span class="muted">{t` Connected: ${clients.map(({ name }) => name).join(", ")}`}</span>
          )}
        </span>
      </p>
    </div>
  );
}

function DesktopStep() {
  const isAdding = useSignal(false);
  const { desktops } = appState.value;
  return (
    <section aria-labelledby="step-desktop">
      <h2 id="step-desktop">{t`Choose a desktop`}</h2>
      {desktops.length === 0 ? (
        <p class="muted">{t`No desktop yet.`}</p>
      ) : (
        <ul class="rows">
          {desktops.map((desktop) => (
            <li key={desktop.id} class="row">
              <a href={viewerPath(desktop.id)}>{desktop.name}</a>
              <StateMark desktop={desktop} />
            </li>
          ))}
        </ul>
      )}
      {may("connections") && (
        <button
          type="button"
          class="button"
          onClick={() => {
            isAdding.value = true;
          }}
        >
          {t`Add desktop`}
        </button>
      )}
      {isAdding.value && (
        <DesktopDialog
          edited={null}
          onClose={() => {
            isAdding.value = false;
          }}
        />
      )}
    </section>
  );
}

function ModeStep() {
  const chosenId = useSignal<string | null>(null);
  const { desktops } = appState.value;
  const desktop = desktops.find((known) => known.id === chosenId.value) ?? desktops[0];
  return (
    <section aria-labelledby="step-mode">
      <h2 id="step-mode">{t`Decide what agents may do`}</h2>
      {desktops.length > 1 && desktop && (
        <label class="field field-inline">
          <span>{t`On`}</span>
          <select
            value={desktop.id}
            onChange={(event) => {
              chosenId.value = event.currentTarget.value;
            }}
          >
            {desktops.map((known) => (
              <option key={known.id} value={known.id}>
                {known.name}
              </option>
            ))}
          </select>
        </label>
      )}
      {desktop ? (
        <ModeChoice
          mode={desktop.mode}
          isDisabled={!may("modes")}
          isAdmin={may("admin")}
          onChoose={(mode) => setMode(desktop, mode)}
        />
      ) : (
        <p class="muted">{t`Add a desktop first.`}</p>
      )}
    </section>
  );
}

function setMode(desktop: DesktopInfo, mode: DesktopInfo["mode"]): void {
  attempt(t`Could not change the mode`, api.setMode(desktop.id, mode));
}

interface ModeChoiceProps {
  readonly mode: DesktopInfo["mode"];
  readonly isDisabled: boolean;
  /** Autopilot is an administrator's to choose. */
  readonly isAdmin: boolean;
  readonly onChoose: (mode: DesktopInfo["mode"]) => void;
}

/** The modes with what they mean, from the least freedom to the most. */
function ModeChoice({ mode, isDisabled, isAdmin, onChoose }: ModeChoiceProps) {
  return (
    <fieldset class="modes" disabled={isDisabled}>
      <legend class="visually-hidden">{t`Mode`}</legend>
      {MODES.map((name) => (
        <label key={name} class="mode">
          <input
            type="radio"
            name="mode"
            value={name}
            checked={name === mode}
            disabled={name === "autopilot" && !isAdmin}
            onChange={() => onChoose(name)}
          />
          <span>
            <strong>{MODE_WORDS[name].name}</strong>
            <span class="muted">{MODE_WORDS[name].meaning}</span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}
