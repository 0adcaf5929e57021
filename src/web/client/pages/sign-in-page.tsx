import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { ApiError, api } from "../api-client.ts";
import { wantedPath } from "../route.ts";

const WORDS_OF_ERROR = {
  wrong:
    "That token or code is not valid, or was used already. One-time codes work once and for ten minutes.",
  wait: "Too many wrong tokens came from your address. Wait a moment, then try again.",
  lost: "The server cannot be reached. Check that it is running, then try again.",
} as const;

type SignInError = keyof typeof WORDS_OF_ERROR;

/** What the server's redirect says about a `/?token=` that did not work. */
function errorOfAddress(): SignInError | null {
  const error = new URLSearchParams(location.search).get("error");
  return error === null ? null : error === "wait" ? "wait" : "wrong";
}

function errorOf(error: unknown): SignInError {
  if (!(error instanceof ApiError) || error.status === 0) return "lost";
  return error.status === 429 ? "wait" : "wrong";
}

/** Exchanges a token or a one-time code for a session cookie; the token is in no address. */
export function SignInPage() {
  const error = useSignal<SignInError | null>(errorOfAddress());
  const isBusy = useSignal(false);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  const submit = (event: SubmitEvent & { readonly currentTarget: HTMLFormElement }): void => {
    event.preventDefault();
    const token = new FormData(event.currentTarget).get("token");
    if (typeof token !== "string" || isBusy.value) return;
    isBusy.value = true;
    api.signIn(token.trim()).then(
      () => location.assign(wantedPath(location.search)),
      (refusal: unknown) => {
        error.value = errorOf(refusal);
        isBusy.value = false;
        field.current?.focus();
        field.current?.select();
      },
    );
  };
  return (
    <main class="sign-in">
      <form class="card" onSubmit={submit}>
        <div class="sign-in-brand">
          <span class="brand-mark" aria-hidden="true" />
          <h1>Overlay Companion</h1>
        </div>
        <label class="field">
          <span>Access token or one-time code</span>
          <input
            ref={field}
            name="token"
            type="password"
            autocomplete="current-password"
            maxLength={1024}
            required
            aria-describedby="sign-in-error sign-in-hint"
            aria-invalid={error.value !== null}
          />
        </label>
        <p id="sign-in-error" class="field-error" role="alert" hidden={error.value === null}>
          {error.value !== null && WORDS_OF_ERROR[error.value]}
        </p>
        <p id="sign-in-hint" class="muted">
          When it starts, the server prints an address with a one-time code. The admin token lies in the file{" "}
          <code>admin-token</code> of its data directory.
        </p>
        <button type="submit" class="button button-primary" disabled={isBusy.value}>
          {isBusy.value ? "Signing in…" : "Sign in"}
        </button>
      </form>
    </main>
  );
}
