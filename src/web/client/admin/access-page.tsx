import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { TokenDetails } from "../../api/tokens-api.ts";
import { ConfirmDialog } from "../controls/confirm-dialog.tsx";
import { Icon } from "../controls/icon.tsx";
import { t } from "../language/language.ts";
import { FailureCard } from "../shell/failure-card.tsx";
import { attempt, type ErrorWords, errorWords, showNotice } from "../shell/notices.ts";
import { me } from "../shell/session.ts";
import { adminApi } from "./admin-api.ts";
import { AdminFrame } from "./admin-frame.tsx";
import { TokenDialog } from "./token-dialog.tsx";
import { isExpired, TokenRow } from "./token-row.tsx";

/** The tokens: who has one, what it is for, and taking it back. */
export function AccessPage() {
  return <AdminFrame title={t`Access`}>{() => <Tokens />}</AdminFrame>;
}

function Tokens() {
  const tokens = useSignal<readonly TokenDetails[] | null>(null);
  const failure = useSignal<ErrorWords | null>(null);
  const isMaking = useSignal(false);
  const revoked = useSignal<TokenDetails | null>(null);
  const load = (): void => {
    adminApi.tokens().then(
      (list) => {
        tokens.value = list.toSorted((a, b) => b.created_at.localeCompare(a.created_at));
        failure.value = null;
      },
      (error: unknown) => {
        failure.value = errorWords(error);
      },
    );
  };
  useEffect(load, []);
  const revoke = (token: TokenDetails): void => {
    const done = adminApi.revokeToken(token.id).then(() => {
      showNotice(t`Revoked ${token.name}`);
      load();
    });
    attempt(t`Could not revoke the token`, done);
  };
  return (
    <>
      <div class="page-head">
        <h1>{t`Access`}</h1>
        <button
          type="button"
          class="button button-primary"
          onClick={() => {
            isMaking.value = true;
          }}
        >
          <Icon shape="plus" />
          <span>{t`New token`}</span>
        </button>
      </div>
      <p class="muted">
        {t`Who has a token may do what its role says, on its desktops. Who only looks in needs none: invite a guest from a desktop.`}
      </p>
      {failure.value && (
        <FailureCard title={t`The tokens cannot be listed`} words={failure.value} onRetry={load} />
      )}
      {tokens.value?.length === 0 && (
        <div class="empty">
          <Icon shape="shieldCheck" />
          <p>{t`No token yet.`}</p>
          <p class="muted">{t`A program, an agent or a person who is to come in again needs one.`}</p>
        </div>
      )}
      <ul class="things" aria-label={t`Tokens`} aria-busy={!tokens.value}>
        {(tokens.value ?? []).map((token) => (
          <TokenRow
            key={token.id}
            token={token}
            isMine={token.id === me.value?.id}
            onRevoke={() => {
              revoked.value = token;
            }}
          />
        ))}
      </ul>
      {isMaking.value && (
        <TokenDialog
          onMade={load}
          onClose={() => {
            isMaking.value = false;
          }}
        />
      )}
      {revoked.value && (
        <RevokeDialog
          token={revoked.value}
          onConfirm={revoke}
          onClose={() => {
            revoked.value = null;
          }}
        />
      )}
    </>
  );
}

interface RevokeDialogProps {
  readonly token: TokenDetails;
  readonly onConfirm: (token: TokenDetails) => void;
  readonly onClose: () => void;
}

function RevokeDialog({ token, onConfirm, onClose }: RevokeDialogProps) {
  const isOver = isExpired(token);
  return (
    <ConfirmDialog
      title={isOver ? t`Remove “${token.name}”?` : t`Revoke “${token.name}”?`}
      action={isOver ? t`Remove` : t`Revoke`}
      onConfirm={() => onConfirm(token)}
      onClose={onClose}
    >
      {isOver ? (
        <p>{t`It has expired: nobody comes in by it, and nothing ends.`}</p>
      ) : (
        <p>
          {t`Within a second it ends what was opened by it: `}

          {token.role === "agent"
            ? t`the agent's connections, and what it does at this moment.`
            : t`viewers, sign-ins in browsers, and the visits of guests who were invited by it.`}
          {t` It cannot be brought back; whoever needs one gets a new one.`}
        </p>
      )}
      {token.id === me.value?.id && (
        <p class="tone-warn confirm-warning">
          <Icon shape="warning" />
          <span>{t`You are signed in by this token, and will be signed out.`}</span>
        </p>
      )}
    </ConfirmDialog>
  );
}
