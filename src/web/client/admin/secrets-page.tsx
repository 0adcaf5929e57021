import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { SecretDetails } from "../../api/secrets-api.ts";
import { ConfirmDialog } from "../controls/confirm-dialog.tsx";
import { Icon } from "../controls/icon.tsx";
import { IconButton } from "../controls/icon-button.tsx";
import { rich, t } from "../language/language.ts";
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
  return <AdminFrame title={t`Secrets`}>{() => <Secrets />}</AdminFrame>;
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
      showNotice(t`Removed ${name}`);
      load();
    });
    attempt(t`Could not remove the secret`, done);
  };
  return (
    <>
      <div class="page-head">
        <h1>{t`Secrets`}</h1>
        <button
          type="button"
          class="button button-primary"
          onClick={() => {
            edited.value = "new";
          }}
        >
          <Icon shape="plus" />
          <span>{t`Add secret`}</span>
        </button>
      </div>
      <p class="muted">
        {rich`An agent types ${<code>{"{{secret:NAME}}"}</code>}, or ${<code>{"{{totp:NAME}}"}</code>} for a one-time code, and the server types what is kept here. The agent never sees it, and nobody can read it again.`}
      </p>
      {failure.value && (
        <FailureCard title={t`The secrets cannot be listed`} words={failure.value} onRetry={load} />
      )}
      {secrets.value?.length === 0 && (
        <div class="empty">
          <Icon shape="shieldCheck" />
          <p>{t`No secret yet.`}</p>
          <p class="muted">
            {t`Add one where an agent has to sign in somewhere without being told the password.`}
          </p>
        </div>
      )}
      <ul class="things" aria-label={t`Secrets`} aria-busy={!secrets.value}>
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
          title={t`Remove “${removed.value.name}”?`}
          action={t`Remove`}
          onConfirm={() => remove(removed.value?.name ?? "")}
          onClose={() => {
            removed.value = null;
          }}
        >
          <p>
            {t`No agent can have it typed any more. It is deleted for good. Where it signs in, nothing changes.`}
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
        <span class="pill">{kind === "totp" ? t`One-time codes` : t`Secret`}</span>
        {secret.is_configured && <span class="pill pill-accent">{t`Configuration`}</span>}
      </div>
      <dl class="thing-facts">
        <Fact name={t`Desktops`} value={desktops.length === 0 ? t`none` : desktopNames(desktops)} />
        <Fact name={t`Agents`} value={agentWords(agents)} />
        {seen !== null && <Fact name={t`Only while the screen shows`} value={seenWords(seen)} />}
        <Fact name={t`Last used`} value={agoWords(secret.last_used_at, nowMs)} />
        {secret.created_at !== null && <Fact name={t`Made`} value={dayWords(secret.created_at)} />}
        {secret.changed_at !== null && secret.changed_at !== secret.created_at && (
          <Fact name={t`Changed`} value={dayWords(secret.changed_at)} />
        )}
      </dl>
      <div class="thing-tools">
        {secret.is_configured ? (
          <span class="muted">{t`Changed where it is configured`}</span>
        ) : (
          <>
            <button type="button" class="button" aria-label={t`Change ${name}`} onClick={onEdit}>
              {t`Change`}
            </button>
            <IconButton icon="trash" label={t`Remove ${name}`} onClick={onRemove} />
          </>
        )}
      </div>
    </li>
  );
}

function agentWords(agents: readonly string[]): string {
  if (agents.includes("*")) return t`every agent`;
  return agents.length === 0 ? t`none` : agents.join(", ");
}

function seenWords({ text, region }: NonNullable<SecretDetails["seen"]>): string {
  const what = text ?? t`a picture`;
  return region === null
    ? what
    : t`${what} (in ${region.width} × ${region.height} at ${region.x}, ${region.y})`;
}
