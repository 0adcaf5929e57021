import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { SecretBody, SecretDetails } from "../../api/secrets-api.ts";
import { IconButton } from "../controls/icon-button.tsx";
import { SIDES } from "../controls/place-fields.tsx";
import { t } from "../language/language.ts";
import { sentence } from "../shell/labels.ts";
import { errorWords, showNotice } from "../shell/notices.ts";
import { adminApi } from "./admin-api.ts";
import { AgentChecks } from "./agent-checks.tsx";
import { DesktopChecks } from "./desktop-checks.tsx";

export interface SecretDialogProps {
  /** null: a new one. */
  readonly edited: SecretDetails | null;
  readonly onSaved: () => void;
  readonly onClose: () => void;
}

/** Asks for a secret and for whom it is; of one that is kept, for what is to be other. */
export function SecretDialog({ edited, onSaved, onClose }: SecretDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const kind = useSignal<SecretDetails["kind"]>(edited?.kind ?? "secret");
  const desktops = useSignal<readonly string[]>(edited?.desktops ?? []);
  const agents = useSignal<readonly string[]>(edited?.agents ?? []);
  const isBusy = useSignal(false);
  const fault = useSignal<string | null>(null);
  useEffect(() => dialog.current?.showModal(), []);
  const save = (event: SubmitEvent & { readonly currentTarget: HTMLFormElement }): void => {
    event.preventDefault();
    if (isBusy.value) return;
    const data = new FormData(event.currentTarget);
    const name = edited?.name ?? textOf(data, "name");
    const body: SecretBody = {
      ...writtenOf(kind.value, textOf(data, "value")),
      desktops: [...desktops.value],
      agents: [...agents.value],
      ...seenOf(data, edited?.seen),
    };
    isBusy.value = true;
    adminApi.setSecret(name, body).then(
      () => {
        showNotice(edited === null ? t`Added ${name}` : t`Saved ${name}`);
        onSaved();
        dialog.current?.close();
      },
      (error: unknown) => {
        fault.value = sentence(errorWords(error).message);
        isBusy.value = false;
      },
    );
  };
  const isTotp = kind.value === "totp";
  const { seen = null } = edited ?? {};
  return (
    <dialog ref={dialog} class="dialog" aria-labelledby="secret-title" onClose={onClose}>
      <form onSubmit={save} autocomplete="off">
        <header class="dialog-head">
          <h2 id="secret-title">{edited === null ? t`Add a secret` : t`Change ${edited.name}`}</h2>
          <IconButton icon="cross" label={t`Close`} onClick={() => dialog.current?.close()} />
        </header>
        {edited === null && (
          <div class="field-pair">
            <label class="field">
              <span>{t`Name`}</span>
              <input
                name="name"
                required
                maxLength={64}
                pattern="[A-Za-z0-9._\-]{1,64}"
                title={t`1 to 64 letters, digits, ".", "_" or "-"`}
                placeholder={t`bank`}
                spellcheck={false}
              />
            </label>
            <label class="field">
              <span>{t`Kind`}</span>
              <select
                value={kind.value}
                onChange={(event) => {
                  kind.value = event.currentTarget.value === "totp" ? "totp" : "secret";
                }}
              >
                <option value="secret">{t`Password or other text`}</option>
                <option value="totp">{t`One-time codes`}</option>
              </select>
            </label>
          </div>
        )}
        <label class="field">
          <span>{isTotp ? t`Seed of the codes` : t`Secret`}</span>
          <input
            key={kind.value}
            name="value"
            type="password"
            required={edited === null}
            maxLength={isTotp ? 1000 : 256}
            autocomplete="new-password"
            spellcheck={false}
            placeholder={edited === null ? "" : t`Unchanged`}
          />
        </label>
        <p class="muted">
          {isTotp
            ? t`The otpauth:// address behind the QR code, or the seed in letters and digits.`
            : t`One line. It can be replaced later, not read.`}
        </p>
        <DesktopChecks legend={t`May be typed on`} chosen={desktops} />
        <AgentChecks chosen={agents} />
        <details class="seen" open={seen !== null}>
          <summary>{t`Only while the screen shows a text`}</summary>
          <label class="field">
            <span>{t`Text, such as the beginning of an address`}</span>
            <input
              name="seen"
              minLength={3}
              maxLength={200}
              defaultValue={seen?.text ?? ""}
              placeholder="https://bank.example/"
              spellcheck={false}
            />
          </label>
          <fieldset class="sides">
            <legend>{t`Where, in pixels of the desktop (empty: anywhere)`}</legend>
            {SIDES.map(([side, label, min]) => (
              <label key={side} class="field">
                <span>{label}</span>
                <input
                  name={side}
                  type="number"
                  min={min}
                  max={16_384}
                  defaultValue={seen?.region?.[side] ?? ""}
                />
              </label>
            ))}
          </fieldset>
          <p class="muted">
            {t`Give the place of the browser's address bar: a page can write anything into itself.`}
          </p>
        </details>
        <p class="field-error" role="alert" hidden={fault.value === null}>
          {fault.value}
        </p>
        <footer class="dialog-foot">
          <button type="button" class="button" onClick={() => dialog.current?.close()}>
            {t`Cancel`}
          </button>
          <button type="submit" class="button button-primary" disabled={isBusy.value}>
            {isBusy.value ? t`Saving…` : edited === null ? t`Add secret` : t`Save`}
          </button>
        </footer>
      </form>
    </dialog>
  );
}

function textOf(data: FormData, name: string): string {
  const value = data.get(name);
  return typeof value === "string" ? value : "";
}

/** An empty field keeps what is there. */
function writtenOf(kind: SecretDetails["kind"], text: string): Pick<SecretBody, "value" | "totp"> {
  if (text === "") return {};
  return kind === "totp" ? { totp: text.trim() } : { value: text };
}

/**
 * Without a whole place it may stand anywhere; the server refuses half of one. A picture and the place of the field, which
 * are said elsewhere, stay.
 */
function seenOf(data: FormData, kept: SecretDetails["seen"] | undefined): Pick<SecretBody, "seen"> {
  const text = textOf(data, "seen").trim();
  if (text === "" && !kept?.picture) return {};
  const [x = "", y = "", width = "", height = ""] = SIDES.map(([side]) => textOf(data, side));
  return {
    seen: {
      ...(text && { text }),
      ...(kept?.picture && { picture: kept.picture }),
      ...(kept?.field && { field: kept.field }),
      ...(x + y + width + height && {
        region: { x: Number(x), y: Number(y), width: Number(width), height: Number(height) },
      }),
    },
  };
}
