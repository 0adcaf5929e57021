import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { SecretDetails } from "../../api/secrets-api.ts";
import { ConfirmDialog } from "../controls/confirm-dialog.tsx";
import { Icon } from "../controls/icon.tsx";
import { IconButton } from "../controls/icon-button.tsx";
import { serverNowMs } from "../shell/api-client.ts";
import { FailureCard } from "../shell/failure-card.tsx";
import { attempt, type ErrorWords, errorWords, showNotice } from "../shell/notices.ts";
import { adminApi } from "./admin-api.ts";
import { AdminFrame } from "./admin-frame.tsx";
import { agoWords, dayWords, desktopNames } from "./admin-words.ts";
import { SecretDialog } from "./secret-dialog.tsx";
import { Fact } from "./token-row.tsx";

/** The secrets that agents have typed by name: made, replaced and removed, never read. */
export function SecretsPage() {
  return <AdminFrame title="Secrets">{() => <Secrets />}</AdminFrame>;
}

function Secrets() {
  const secrets = useSignal<readonly SecretDetails[] | null>(null);
  const failure = useSignal<ErrorWords | null>(null);
  /** null: closed; "new": one is added. */
  const edited = useSignal<SecretDetails | "new" | null>(null);
  const removed = useSignal<SecretDetails | null>(null);
  const load = (): void => {
    adminApi.secrets().then(
      (list) => {
        secrets.value = list;
        failure.value = null;
      },
      (error: unknown) => {
        failure.value = errorWords(error);
      },
    );
  };
  useEffect(load, []);
  const remove = (name: string): void => {
    const done = adminApi.removeSecret(name).then(() => {
      showNotice(`Removed ${name}`);
      load();
    });
    attempt("Could not remove the secret", done);
  };
  return (
    <>
      <div class="page-head">
        <h1>Secrets</h1>
        <button
          type="button"
          class="button button-primary"
          onClick={() => {
            edited.value = "new";
          }}
        >
          <Icon shape="plus" />
          <span>Add secret</span>
        </button>
      </div>
      <p class="muted">
        An agent types <code>{"{{secret:NAME}}"}</code>, or <code>{"{{totp:NAME}}"}</code> for a one-time
        code, and the server types what is kept here. The agent never sees it, and nobody can read it again.
      </p>
      {failure.value && (
        <FailureCard title="The secrets cannot be listed" words={failure.value} onRetry={load} />
      )}
      {secrets.value?.length === 0 && (
        <div class="empty">
          <Icon shape="shieldCheck" />
          <p>No secret yet.</p>
          <p class="muted">
            Add one where an agent has to sign in somewhere without being told the password.
          </p>
        </div>
      )}
      <ul class="things" aria-label="Secrets" aria-busy={!secrets.value}>
        {(secrets.value ?? []).map((secret) => (
          <SecretRow
            key={secret.name}
            secret={secret}
            onEdit={() => {
              edited.value = secret;
            }}
            onRemove={() => {
              removed.value = secret;
            }}
          />
        ))}
      </ul>
      {edited.value && (
        <SecretDialog
          edited={edited.value === "new" ? null : edited.value}
          onSaved={load}
          onClose={() => {
            edited.value = null;
          }}
        />
      )}
      {removed.value && (
        <ConfirmDialog
          title={`Remove “${removed.value.name}”?`}
          action="Remove"
          onConfirm={() => remove(removed.value?.name ?? "")}
          onClose={() => {
            removed.value = null;
          }}
        >
          <p>
            From then on no agent can have it typed; one that tries is refused. What is kept is deleted and
            cannot be brought back. Where it signs in, nothing changes.
          </p>
        </ConfirmDialog>
      )}
    </>
  );
}

interface SecretRowProps {
  readonly secret: SecretDetails;
  readonly onEdit: () => void;
  readonly onRemove: () => void;
}

function SecretRow({ secret, onEdit, onRemove }: SecretRowProps) {
  const { name, kind, desktops, agents, seen } = secret;
  const nowMs = serverNowMs();
  return (
    <li class="thing">
      <div class="thing-head">
        <h2>{name}</h2>
        <span class="pill">{kind === "totp" ? "One-time codes" : "Secret"}</span>
        {secret.is_configured && <span class="pill pill-accent">Configuration</span>}
      </div>
      <dl class="thing-facts">
        <Fact name="Desktops" value={desktops.length === 0 ? "none" : desktopNames(desktops)} />
        <Fact name="Agents" value={agentWords(agents)} />
        {seen !== null && <Fact name="Only while the screen shows" value={seenWords(seen)} />}
        <Fact name="Last used" value={agoWords(secret.last_used_at, nowMs)} />
        {secret.created_at !== null && <Fact name="Made" value={dayWords(secret.created_at)} />}
        {secret.changed_at !== null && secret.changed_at !== secret.created_at && (
          <Fact name="Changed" value={dayWords(secret.changed_at)} />
        )}
      </dl>
      <div class="thing-tools">
        {secret.is_configured ? (
          <span class="muted">Changed where it is configured</span>
        ) : (
          <>
            <button type="button" class="button" aria-label={`Change ${name}`} onClick={onEdit}>
              Change
            </button>
            <IconButton icon="trash" label={`Remove ${name}`} onClick={onRemove} />
          </>
        )}
      </div>
    </li>
  );
}

function agentWords(agents: readonly string[]): string {
  if (agents.includes("*")) return "every agent";
  return agents.length === 0 ? "none" : agents.join(", ");
}

function seenWords({ text, region }: NonNullable<SecretDetails["seen"]>): string {
  const what = text ?? "a picture";
  return region === null
    ? what
    : `${what} (in ${region.width} × ${region.height} at ${region.x}, ${region.y})`;
}
