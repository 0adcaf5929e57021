import type { DesktopInfo } from "../../api/api.ts";
import { t } from "../language/language.ts";
import { api } from "../shell/api-client.ts";
import { stateReason } from "../shell/labels.ts";
import { attempt, copyText } from "../shell/notices.ts";
import { may } from "../shell/session.ts";
import { type IdentityWords, identityWords } from "./identity-words.ts";

/** A desktop that does not prove to be the one it was: what it shows, and the choice to believe it from now on. */
export function IdentityCard({ desktop }: { readonly desktop: DesktopInfo }) {
  const text = stateReason(desktop.state) ?? desktop.state.text;
  const words = identityWords(desktop.state.text);
  const isConfigured = words?.isConfigured ?? false;
  return (
    <div class="card stage-card">
      <h2>{changeWords(words)}</h2>
      {words === null ? (
        <p>{text}</p>
      ) : (
        <>
          <p>
            {otherWords(words)}
            {t` That is so after it was set up anew, and when somebody else answers in its place. Compare with what the desktop itself says.`}
          </p>
          <dl class="identity">
            <dt>{t`Shown now`}</dt>
            <dd>
              <code>{words.shown}</code>
            </dd>
            <dt>{isConfigured ? t`Configured` : t`Seen before`}</dt>
            <dd>
              <code>{words.expected}</code>
            </dd>
          </dl>
        </>
      )}
      <p class="muted">{nextStep(isConfigured)}</p>
      <div class="stage-tools">
        {words !== null && !isConfigured && may("connections") && (
          <button
            type="button"
            class="button"
            onClick={() => attempt(t`Could not trust it`, api.trustIdentity(desktop.id, words.shown))}
          >
            {words.what === "key" ? t`Trust this key` : t`Trust this certificate`}
          </button>
        )}
        <button
          type="button"
          class="button"
          onClick={() => attempt(t`Could not reconnect`, api.reconnect(desktop.id))}
          disabled={!may("control")}
        >
          {t`Try now`}
        </button>
        <button
          type="button"
          class="button"
          onClick={() => copyText(`${desktop.name}: ${desktop.state.code}: ${text}`, t`Details copied`)}
        >
          {t`Copy details`}
        </button>
      </div>
    </div>
  );
}

function nextStep(isConfigured: boolean): string {
  if (isConfigured)
    return t`Correct the fingerprint where the desktop is configured, or remove it and add it again.`;
  return may("connections")
    ? t`Trusted, it has to show this one from then on; another one is asked about again.`
    : t`Ask somebody who may add desktops to trust it.`;
}

function changeWords(words: IdentityWords | null): string {
  if (words === null) return t`The desktop’s identity has changed`;
  return words.what === "key" ? t`The desktop’s key has changed` : t`The desktop’s certificate has changed`;
}

function otherWords({ what, isConfigured }: IdentityWords): string {
  if (what === "key")
    return isConfigured
      ? t`It shows another key than the one that is configured.`
      : t`It shows another key than before.`;
  return isConfigured
    ? t`It shows another certificate than the one that is configured.`
    : t`It shows another certificate than before.`;
}
