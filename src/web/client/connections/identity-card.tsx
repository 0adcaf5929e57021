import type { DesktopInfo } from "../../api/api.ts";
import { api } from "../shell/api-client.ts";
import { stateReason } from "../shell/labels.ts";
import { attempt, copyText } from "../shell/notices.ts";
import { may } from "../shell/session.ts";
import { identityWords } from "./identity-words.ts";

/** A desktop that does not prove to be the one it was: what it shows, and the choice to believe it from now on. */
export function IdentityCard({ desktop }: { readonly desktop: DesktopInfo }) {
  const text = stateReason(desktop.state) ?? desktop.state.text;
  const words = identityWords(desktop.state.text);
  const isConfigured = words?.isConfigured ?? false;
  return (
    <div class="card stage-card">
      <h2>The desktop’s {words?.what ?? "identity"} has changed</h2>
      {words === null ? (
        <p>{text}</p>
      ) : (
        <>
          <p>
            It shows another {words.what} than {isConfigured ? "the one that is configured" : "before"}. That
            is so after it was set up anew, and when somebody else answers in its place. Compare with what the
            desktop itself says.
          </p>
          <dl class="identity">
            <dt>Shown now</dt>
            <dd>
              <code>{words.shown}</code>
            </dd>
            <dt>{isConfigured ? "Configured" : "Seen before"}</dt>
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
            onClick={() => attempt("Could not trust it", api.trustIdentity(desktop.id, words.shown))}
          >
            Trust this {words.what}
          </button>
        )}
        <button
          type="button"
          class="button"
          onClick={() => attempt("Could not reconnect", api.reconnect(desktop.id))}
          disabled={!may("control")}
        >
          Try now
        </button>
        <button
          type="button"
          class="button"
          onClick={() => copyText(`${desktop.name}: ${desktop.state.code}: ${text}`, "Details copied")}
        >
          Copy details
        </button>
      </div>
    </div>
  );
}

function nextStep(isConfigured: boolean): string {
  if (isConfigured)
    return "Correct the fingerprint where the desktop is configured, or remove it and add it again.";
  return may("connections")
    ? "Trusted, it has to show this one from then on; another one is asked about again."
    : "Ask somebody who may add desktops to trust it.";
}
