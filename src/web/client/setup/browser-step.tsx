import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { BrowserDetails, NewPairing, PairingBody } from "../../api/browsers-api.ts";
import type { TokenDetails } from "../../api/tokens-api.ts";
import { CopyButton } from "../controls/copy-button.tsx";
import { rich, t } from "../language/language.ts";
import { request } from "../shell/api-client.ts";
import { showError } from "../shell/notices.ts";

/** How often the list is looked at while this page is open: a browser pairs by itself. */
const LOOK_MS = 3000;

/** Where each browser lists its extensions; pages may not link there. */
const PLACES = [
  ["Chrome, Chromium", "chrome://extensions"],
  ["Edge", "edge://extensions"],
  ["Brave", "brave://extensions"],
] as const;

/** From nothing to tabs that agents may use: the extension, a link, and the browsers that are paired. */
export function BrowserStep() {
  const browsers = useSignal<readonly BrowserDetails[]>([]);
  const load = async (): Promise<void> => {
    browsers.value = await (await request("GET", "/api/v1/browsers")).json();
  };
  useEffect(() => {
    // One look that fails is followed by the next.
    const look = (): void => void load().catch(() => undefined);
    look();
    const timer = setInterval(look, LOOK_MS);
    return () => clearInterval(timer);
  }, []);
  const remove = ({ id }: BrowserDetails): void => {
    request("DELETE", `/api/v1/browsers/${encodeURIComponent(id)}`)
      .then(load)
      .catch((error: unknown) => showError(t`The browser could not be removed`, error));
  };
  return (
    <section aria-labelledby="step-browser">
      <h2 id="step-browser">{t`Share a browser`}</h2>
      <p class="muted">
        {t`Optional: agents read and use the tabs that you choose in your own browser, by their elements.`}
      </p>
      <p>
        <a class="button" href="/browser-extension.zip" download>
          {t`Get the extension`}
        </a>
      </p>
      <p>
        {rich`Unpack it, open your browser's page of extensions, switch on ${<strong>{t`Developer mode`}</strong>}, press ${<strong>{t`Load unpacked`}</strong>}, and choose the folder ${<code>overlay-companion-bridge</code>}.`}
      </p>
      <ul class="rows">
        {PLACES.map(([name, address]) => (
          <li key={name} class="row">
            <span>{name}</span>
            <code>{address}</code>
          </li>
        ))}
      </ul>
      <PairingLink />
      {browsers.value.length > 0 && (
        <ul class="rows" aria-label={t`Paired browsers`}>
          {browsers.value.map((browser) => (
            <li key={browser.id} class="row">
              <span>
                {browser.name} <span class="muted">{stateWords(browser)}</span>
              </span>
              <button
                type="button"
                class="button"
                aria-label={t`Remove ${browser.name}`}
                onClick={() => remove(browser)}
              >
                {t`Remove`}
              </button>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function stateWords({ is_connected, shared_tabs }: BrowserDetails): string {
  if (!is_connected) return t`not connected`;
  return shared_tabs === 0 ? t`connected, nothing shared` : t`connected, ${shared_tabs} shared`;
}

/** A link for one browser, for every agent or for one. */
function PairingLink() {
  const tokens = useSignal<readonly TokenDetails[]>([]);
  const agentId = useSignal("");
  const link = useSignal<string | null>(null);
  useEffect(() => {
    request("GET", "/api/v1/tokens")
      .then((answer) => answer.json())
      .then((listed: readonly TokenDetails[]) => {
        tokens.value = listed.filter(({ role }) => role === "agent");
      })
      .catch((error: unknown) => showError(t`The tokens could not be listed`, error));
  }, []);
  const make = async (): Promise<void> => {
    const body: PairingBody = { agent_id: agentId.value === "" ? null : agentId.value };
    const made: NewPairing = await (await request("POST", "/api/v1/browsers/pairings", body)).json();
    link.value = made.link;
  };
  return (
    <>
      <label class="field">
        <span>{t`Who may use it`}</span>
        <select
          value={agentId.value}
          onChange={(event) => {
            agentId.value = event.currentTarget.value;
            link.value = null;
          }}
        >
          <option value="">{t`Every agent`}</option>
          {tokens.value.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <button
        type="button"
        class="button"
        onClick={() => {
          make().catch((error: unknown) => showError(t`The link could not be made`, error));
        }}
      >
        {t`Make a pairing link`}
      </button>
      {link.value !== null && (
        <div class="snippet">
          <div class="snippet-head">
            <span class="snippet-file">{t`Paste it into the extension: good once, for ten minutes`}</span>
            <CopyButton text={link.value} label={t`Copy`} />
          </div>
          <pre>
            <code>{link.value}</code>
          </pre>
        </div>
      )}
    </>
  );
}
