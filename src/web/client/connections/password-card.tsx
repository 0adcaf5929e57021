import { useSignal } from "@preact/signals";
import type { DesktopInfo } from "../../api/api.ts";
import { t } from "../language/language.ts";
import { api } from "../shell/api-client.ts";
import { stateReason, stateWords } from "../shell/labels.ts";
import { attempt } from "../shell/notices.ts";

/** A desktop that refused to be signed in to: the right password is asked for where its picture would be. */
export function PasswordCard({ desktop }: { readonly desktop: DesktopInfo }) {
  const { id, state } = desktop;
  const isTrying = useSignal(false);
  return (
    <form
      class="card stage-card"
      aria-label={t`Sign in to the desktop`}
      onSubmit={(event) => {
        event.preventDefault();
        const form = new FormData(event.currentTarget);
        isTrying.value = true;
        const tried = signInAnew(id, `${form.get("username")}`, `${form.get("password")}`);
        attempt(
          t`Could not sign in`,
          tried.finally(() => {
            isTrying.value = false;
          }),
        );
      }}
    >
      <h2>{stateWords(state, 0)}</h2>
      <p>{stateReason(state)}</p>
      <label class="field">
        <span>{t`User`}</span>
        <input name="username" placeholder={t`As it was`} maxLength={256} autocomplete="off" />
      </label>
      <label class="field">
        <span>{t`Password`}</span>
        <input name="password" type="password" required autocomplete="off" />
      </label>
      <div class="stage-tools">
        <button type="submit" class="button button-primary" disabled={isTrying.value}>
          {t`Try again`}
        </button>
      </div>
    </form>
  );
}

/** All else of the connection stays, its other secrets too. */
async function signInAnew(id: string, username: string, password: string): Promise<void> {
  const { connection } = await api.connection(id);
  await api.editConnection(id, {
    ...connection,
    ...(username === "" ? {} : { username }),
    password,
    kept_secrets: (connection.kept_secrets ?? []).filter((name) => name !== "password"),
  });
}
