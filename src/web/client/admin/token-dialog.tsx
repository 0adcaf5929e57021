import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { NewToken, TokenDetails } from "../../api/tokens-api.ts";
import { IconButton } from "../controls/icon-button.tsx";
import { rich, t } from "../language/language.ts";
import { serverNowMs } from "../shell/api-client.ts";
import { sentence } from "../shell/labels.ts";
import { errorWords } from "../shell/notices.ts";
import { adminApi } from "./admin-api.ts";
import { ROLE_WORDS, ROLES } from "./admin-words.ts";
import { DesktopChecks } from "./desktop-checks.tsx";
import { ShownOnce } from "./shown-once.tsx";
import { type Toolset, ToolsetChecks } from "./toolset-checks.tsx";

/** As the server takes it. */
const LONGEST_OWNER = 300;

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** How long one is good, by what the form calls it; null for ever. */
const TERMS = [
  [t`1 hour`, HOUR_MS],
  [t`12 hours`, 12 * HOUR_MS],
  [t`7 days`, 7 * DAY_MS],
  [t`30 days`, 30 * DAY_MS],
  [t`90 days`, 90 * DAY_MS],
  [t`1 year`, 365 * DAY_MS],
  [t`It never expires`, null],
] as const;
const USUAL_TERM = 3;

/** Those who may use MCP, where tools are. */
const ROLES_OF_MCP: ReadonlySet<TokenDetails["role"]> = new Set(["admin", "operator", "agent"]);

export interface TokenDialogProps {
  readonly onMade: () => void;
  readonly onClose: () => void;
}

/** Asks what a new token is for, makes it, and shows it the only time. */
export function TokenDialog({ onMade, onClose }: TokenDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const made = useSignal<NewToken | null>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog
      ref={dialog}
      class="dialog"
      aria-labelledby="token-title"
      onClose={onClose}
      // By Escape it would be gone before it was copied.
      onCancel={(event) => {
        if (made.value !== null) event.preventDefault();
      }}
    >
      {made.value === null ? (
        <TokenForm
          onMade={(token) => {
            made.value = token;
            onMade();
          }}
          onCancel={() => dialog.current?.close()}
        />
      ) : (
        <MadeToken token={made.value} onDone={() => dialog.current?.close()} />
      )}
    </dialog>
  );
}

function TokenForm({
  onMade,
  onCancel,
}: {
  readonly onMade: (token: NewToken) => void;
  readonly onCancel: () => void;
}) {
  const name = useSignal("");
  const role = useSignal<TokenDetails["role"]>("agent");
  const isLimited = useSignal(false);
  const desktops = useSignal<readonly string[]>([]);
  const hasSets = useSignal(false);
  const toolsets = useSignal<readonly Toolset[]>([]);
  const owner = useSignal("");
  const term = useSignal<number>(USUAL_TERM);
  const isBusy = useSignal(false);
  const fault = useSignal<string | null>(null);
  const isForCertain = role.value !== "admin" && isLimited.value;
  const isNarrowed = ROLES_OF_MCP.has(role.value) && hasSets.value;
  const make = (event: Event): void => {
    event.preventDefault();
    if (isBusy.value) return;
    const lifeMs = TERMS[term.value]?.[1] ?? null;
    isBusy.value = true;
    adminApi
      .makeToken({
        name: name.value.trim(),
        role: role.value,
        desktops: isForCertain ? [...desktops.value] : null,
        toolsets: isNarrowed ? [...toolsets.value] : null,
        owner: owner.value.trim() || null,
        expires_at: lifeMs === null ? null : new Date(serverNowMs() + lifeMs).toISOString(),
      })
      .then(onMade, (error: unknown) => {
        fault.value = sentence(errorWords(error).message);
        isBusy.value = false;
      });
  };
  return (
    <form onSubmit={make} autocomplete="off">
      <header class="dialog-head">
        <h2 id="token-title">{t`New token`}</h2>
        <IconButton icon="cross" label={t`Close`} onClick={onCancel} />
      </header>
      <label class="field">
        <span>{t`Name`}</span>
        <input
          required
          maxLength={100}
          placeholder={t`claude on build-vm`}
          value={name.value}
          onInput={(event) => {
            name.value = event.currentTarget.value;
          }}
        />
      </label>
      <label class="field">
        <span>{t`Role`}</span>
        <select
          value={role.value}
          onChange={(event) => {
            role.value = ROLES.find((one) => one === event.currentTarget.value) ?? "viewer";
          }}
        >
          {ROLES.map((one) => (
            <option key={one} value={one}>
              {ROLE_WORDS[one].name}
            </option>
          ))}
        </select>
      </label>
      <p class="muted">{ROLE_WORDS[role.value].meaning}</p>
      {role.value !== "admin" && (
        <label class="check">
          <input
            type="checkbox"
            checked={isLimited.value}
            onChange={(event) => {
              isLimited.value = event.currentTarget.checked;
            }}
          />
          <span>{t`For certain desktops alone`}</span>
        </label>
      )}
      {isForCertain && <DesktopChecks legend={t`Desktops`} chosen={desktops} />}
      {ROLES_OF_MCP.has(role.value) && (
        <label class="check">
          <input
            type="checkbox"
            checked={hasSets.value}
            onChange={(event) => {
              hasSets.value = event.currentTarget.checked;
            }}
          />
          <span>{t`With certain tools alone`}</span>
        </label>
      )}
      {isNarrowed && <ToolsetChecks chosen={toolsets} />}
      <label class="field">
        <span>{t`Owner`}</span>
        <input
          maxLength={LONGEST_OWNER}
          placeholder={t`You`}
          autocomplete="off"
          spellcheck={false}
          aria-describedby="token-owner-help"
          value={owner.value}
          onInput={(event) => {
            owner.value = event.currentTarget.value;
          }}
        />
      </label>
      <p class="muted" id="token-owner-help">
        {rich`The person whose it is: the id of their token, or ${<code>oidc:</code>} and their id at the sign-in provider. Where four eyes are needed, they do not approve what it asks.`}
      </p>
      <label class="field">
        <span>{t`How long it is good`}</span>
        <select
          value={term.value}
          onChange={(event) => {
            term.value = Number(event.currentTarget.value);
          }}
        >
          {TERMS.map(([words], nth) => (
            <option key={words} value={nth}>
              {words}
            </option>
          ))}
        </select>
      </label>
      <p class="field-error" role="alert" hidden={fault.value === null}>
        {fault.value}
      </p>
      <footer class="dialog-foot">
        <button type="button" class="button" onClick={onCancel}>
          {t`Cancel`}
        </button>
        <button
          type="submit"
          class="button button-primary"
          disabled={
            isBusy.value ||
            (isForCertain && desktops.value.length === 0) ||
            (isNarrowed && toolsets.value.length === 0)
          }
        >
          {isBusy.value ? t`Making it…` : t`Make the token`}
        </button>
      </footer>
    </form>
  );
}

function MadeToken({ token, onDone }: { readonly token: NewToken; readonly onDone: () => void }) {
  const title = useRef<HTMLHeadingElement>(null);
  useEffect(() => title.current?.focus(), []);
  return (
    <div class="dialog-body">
      <h2 id="token-title" ref={title} tabIndex={-1}>
        {t`${token.name} has its token`}
      </h2>
      <ShownOnce label={t`Token`} text={token.token} />
      <p>{t`Copy it now: it is shown this once, and nobody can read it again.`}</p>
      <p class="muted">
        {rich`Programs and agents send it as ${<code>Authorization: Bearer …</code>}; people enter it on the sign-in page.`}
      </p>
      <footer class="dialog-foot">
        <button type="button" class="button button-primary" onClick={onDone}>
          {t`Done`}
        </button>
      </footer>
    </div>
  );
}
