import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { SignInWays } from "../../api/api.ts";
import { rich, t } from "../language/language.ts";
import { ApiError, api } from "../shell/api-client.ts";
import { below } from "../shell/base-path.ts";
import { wantedPath } from "../shell/route.ts";
import { route } from "../shell/router.ts";

const WORDS_OF_ERROR = {
  wrong: t`That token or code is not valid, or was used already. One-time codes work once and for ten minutes.`,
  wait: t`Too many wrong tokens came from your address. Wait a moment, then try again.`,
  role: t`You signed in, but none of your groups has a role here. Ask whoever runs this appliance for one, then sign in again.`,
  expired: t`That sign-in took too long, or began in another browser. Begin again.`,
  provider: t`The provider's answer was not accepted. Try again, or tell whoever runs this appliance: its log says why.`,
  "provider-down": t`The provider cannot be reached. Try again in a moment, or sign in with a token.`,
  lost: t`The server cannot be reached. Check that it is running, then try again.`,
} as const;

/** Why somebody who was signed in is here again. */
const WORDS_OF_END = {
  idle: t`You were signed out because nothing was done for an hour.`,
  expired: t`You were signed out because your session reached its end.`,
  ended: t`You were signed out: this session was ended, here or at your provider.`,
  replaced: t`You were signed out because you signed in too many times elsewhere.`,
  revoked: t`You were signed out because the token that you signed in with was revoked.`,
  unknown: t`You were signed out: the server does not know your session any more.`,
} as const satisfies Record<NonNullable<SignInWays["ended"]>, string>;

/** What the link of a guest says: "1", or "over" when their visit is; null for everybody else. */
function guestOfAddress(): string | null {
  return new URLSearchParams(location.search).get("guest");
}

function wasSignedIn(): boolean {
  return new URLSearchParams(location.search).has("was");
}

type SignInError = keyof typeof WORDS_OF_ERROR;

function isSignInError(word: string): word is SignInError {
  return Object.hasOwn(WORDS_OF_ERROR, word);
}

/** What the server's redirect says about a sign-in that did not work. */
function errorOfAddress(): SignInError | null {
  const error = new URLSearchParams(location.search).get("error");
  return error === null ? null : isSignInError(error) ? error : "wrong";
}

/** The token that a link brought here, taken out of the address bar; null where none did. */
function broughtToken(): string | null {
  const token = new URLSearchParams(location.hash.slice(1)).get("token");
  if (token !== null) history.replaceState(null, "", location.pathname + location.search);
  return token;
}

function errorOf(error: unknown): SignInError {
  if (!(error instanceof ApiError) || error.status === 0) return "lost";
  return error.status === 429 ? "wait" : "wrong";
}

/** Exchanges a token or a one-time code for a session cookie; the token is in no address. */
export function SignInPage() {
  const error = useSignal<SignInError | null>(errorOfAddress());
  const isBusy = useSignal(false);
  const brought = useSignal<string | null>(null);
  const provider = useSignal<string | null>(null);
  const ended = useSignal<SignInWays["ended"]>(null);
  /** A guest's link whose code was not taken, or is not there any more. */
  const isVoid = useSignal(false);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    brought.value = broughtToken();
    isVoid.value = brought.value === null;
    field.current?.focus();
    api.signInWays().then(
      (ways) => {
        provider.value = ways.provider;
        // The browser forgets a session whose time is over by itself.
        ended.value = ways.ended ?? (wasSignedIn() ? "expired" : null);
      },
      () => undefined,
    );
  }, []);
  const submit = (event: SubmitEvent & { readonly currentTarget: HTMLFormElement }): void => {
    event.preventDefault();
    const token = new FormData(event.currentTarget).get("token");
    if (typeof token !== "string" || isBusy.value) return;
    isBusy.value = true;
    api.signIn(token.trim()).then(
      () => location.assign(below(wantedPath(location.search))),
      (refusal: unknown) => {
        error.value = errorOf(refusal);
        // While the server is away nothing is used up.
        if (error.value === "lost" && brought.value !== null) {
          isBusy.value = false;
          return;
        }
        isVoid.value = error.value === "wrong";
        brought.value = null;
        isBusy.value = false;
        field.current?.focus();
        field.current?.select();
      },
    );
  };
  // A link of this page leads to itself by another address.
  void route.value;
  const guest = guestOfAddress();
  if (guest === "over" || (guest !== null && isVoid.value)) return <GuestNote isOver={guest === "over"} />;
  const isGuest = guest !== null && brought.value !== null;
  return (
    <main class="sign-in">
      <form class="card" onSubmit={submit}>
        <div class="brand">
          <span class="brand-mark" aria-hidden="true" />
          <h1>Overlay Companion</h1>
        </div>
        {ended.value !== null && brought.value === null && <p role="status">{WORDS_OF_END[ended.value]}</p>}
        {provider.value !== null && brought.value === null && (
          <a
            class="button button-primary"
            href={`/signin/oidc?${new URLSearchParams({ next: wantedPath(location.search) })}`}
          >
            {t`Sign in with ${provider.value}`}
          </a>
        )}
        {brought.value !== null && <BroughtNote isGuest={isGuest} />}
        <label class="field" hidden={brought.value !== null}>
          <span>{t`Access token or one-time code`}</span>
          <input
            ref={field}
            name="token"
            type="password"
            autocomplete="current-password"
            maxLength={1024}
            {...(brought.value === null ? {} : { value: brought.value })}
            required
            aria-describedby="sign-in-error sign-in-hint"
            aria-invalid={error.value !== null}
          />
        </label>
        <p id="sign-in-error" class="field-error" role="alert" hidden={error.value === null}>
          {error.value !== null && WORDS_OF_ERROR[error.value]}
        </p>
        <p id="sign-in-hint" class="muted" hidden={brought.value !== null}>
          {rich`When it starts, the server prints an address with a one-time code. The admin token lies in the file ${<code>admin-token</code>} of its data directory.`}
        </p>
        <button
          type="submit"
          class={provider.value === null || brought.value !== null ? "button button-primary" : "button"}
          disabled={isBusy.value}
        >
          {isBusy.value ? t`Signing in…` : submitWords(isGuest, provider.value !== null)}
        </button>
      </form>
    </main>
  );
}

function submitWords(isGuest: boolean, hasProvider: boolean): string {
  if (isGuest) return t`Open the desktop`;
  return hasProvider ? t`Sign in with a token` : t`Sign in`;
}

/** A guest whose link leads nowhere any more, or whose visit is over. */
function GuestNote({ isOver }: { readonly isOver: boolean }) {
  return (
    <main class="sign-in">
      <div class="card sign-in-card">
        <div class="brand">
          <span class="brand-mark" aria-hidden="true" />
          <h1>{isOver ? t`Your visit is over` : t`This link does not work any more`}</h1>
        </div>
        <p role="alert">
          {isOver
            ? t`Ask whoever invited you for a new link.`
            : t`It works once, and within a minute after it was made. Ask whoever sent it for a new one.`}
        </p>
        <p>
          <a href="/signin">{t`Sign in with a token`}</a>
        </p>
      </div>
    </main>
  );
}

/** A link may be anybody's: it could sign its reader in as somebody else. */
function BroughtNote({ isGuest }: { readonly isGuest: boolean }) {
  const current = useSignal<string | null>(null);
  useEffect(() => {
    api.me().then(
      ({ name }) => {
        current.value = name;
      },
      () => undefined,
    );
  }, []);
  return (
    <p role="status">
      {isGuest
        ? t`You are invited to a desktop here. The link works once, so go on only if you meant to open it.`
        : t`A link brought you here with a token of its own. Sign in with it only if you opened that link yourself.`}
      {current.value !== null && t` You are signed in as ${current.value}, and would be somebody else then.`}
    </p>
  );
}
