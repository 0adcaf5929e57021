import { AuthError } from "../error.ts";

type Library = typeof import("openid-client");
type Settings = InstanceType<Library["Configuration"]>;

/** The provider's own metadata are taken anew after so long; its keys at each sign-in. */
const METADATA_MS = 60_000;
const ANSWER_WITHIN_S = 10;

export interface ProviderSettings {
  /** https, or http on loopback. */
  readonly issuer: string;
  readonly clientId: string;
  /** null: a public client. */
  readonly clientSecret: string | null;
  readonly scopes: readonly string[];
  readonly clockSkewS: number;
}

/** A sign-in that was begun: all of it but `url` stays here. */
export interface BegunSignIn {
  readonly url: string;
  readonly redirectUri: string;
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** What the provider vouched for, and by what it can be asked again. Secret: never logged. */
export interface Grant {
  readonly subject: string;
  /** The session at the provider; null where it does not say. */
  readonly sid: string | null;
  /** Of the ID token and of userinfo. */
  readonly claims: Readonly<Record<string, unknown>>;
  readonly accessToken: string;
  readonly refreshToken: string | null;
  /** Of the access token, by Date.now(); null where it does not say. */
  readonly expiresAtMs: number | null;
}

/** Whether the session at the provider still stands, as far as can be known. */
export type Standing =
  | { readonly kind: "stands"; readonly grant: Grant }
  | { readonly kind: "over" }
  /** Nobody can be asked any more, or just now. */
  | { readonly kind: "unknown"; readonly reason: string };

/**
 * One OpenID provider, by openid-client: code flow with PKCE, state and nonce; signatures of ID tokens are checked though
 * they come over TLS. The library is loaded when it is needed first.
 */
export class OpenidProvider {
  readonly #settings: ProviderSettings;
  readonly #nowMs: () => number;
  #metadata: {
    readonly atMs: number;
    readonly found: Promise<ReturnType<Settings["serverMetadata"]>>;
  } | null = null;

  /** `nowMs`: wall time, as Date.now(). */
  constructor(settings: ProviderSettings, nowMs: () => number = Date.now) {
    this.#settings = settings;
    this.#nowMs = nowMs;
  }

  /** Throws AuthError provider_refused or provider_unreachable, as all the others do. */
  async begin(redirectUri: string): Promise<BegunSignIn> {
    return this.#ask(async (library, settings) => {
      const [state, nonce] = [library.randomState(), library.randomNonce()];
      const verifier = library.randomPKCECodeVerifier();
      const url = library.buildAuthorizationUrl(settings, {
        ...{ redirect_uri: redirectUri, scope: this.#settings.scopes.join(" "), state, nonce },
        code_challenge: await library.calculatePKCECodeChallenge(verifier),
        code_challenge_method: "S256",
        // Some providers refresh nobody who did not see a page of consent.
        ...(this.#settings.scopes.includes("offline_access") ? { prompt: "consent" } : {}),
      });
      return { url: url.href, redirectUri, state, nonce, verifier };
    });
  }

  /** `answer`: the query that the provider sent the browser back with. */
  async finish({ redirectUri, ...begun }: Omit<BegunSignIn, "url">, answer: URLSearchParams): Promise<Grant> {
    return this.#ask(async (library, settings) => {
      const url = new URL(redirectUri);
      url.search = answer.toString();
      const tokens = await library.authorizationCodeGrant(settings, url, {
        expectedState: begun.state,
        expectedNonce: begun.nonce,
        pkceCodeVerifier: begun.verifier,
        idTokenExpected: true,
      });
      const claims = tokens.claims();
      if (claims === undefined) throw new AuthError("provider_refused", "the provider sent no ID token");
      const grant: Grant = {
        subject: claims.sub,
        sid: typeof claims["sid"] === "string" ? claims["sid"] : null,
        claims,
        accessToken: tokens.access_token,
        refreshToken: tokens.refresh_token ?? null,
        expiresAtMs: this.#expiry(tokens.expiresIn()),
      };
      return this.#hasUserinfo(settings) ? this.#withUserinfo(library, settings, grant) : grant;
    });
  }

  /** Asks whether a session at the provider still stands, and what its claims are now. */
  async standing(grant: Grant): Promise<Standing> {
    try {
      return { kind: "stands", grant: await this.#asked(grant) };
    } catch (error) {
      if (error instanceof GrantOver) return { kind: "over" };
      return { kind: "unknown", reason: error instanceof Error ? error.message : String(error) };
    }
  }

  /** Where a browser ends its session there; null where the provider has no such page. */
  async signOutUrl(returnTo: string): Promise<string | null> {
    return this.#ask(async (library, settings) =>
      settings.serverMetadata().end_session_endpoint === undefined
        ? null
        : library.buildEndSessionUrl(settings, { post_logout_redirect_uri: returnTo }).href,
    );
  }

  /** Its name and where its keys are, as its metadata say. */
  async asIssuer(): Promise<{ readonly issuer: string; readonly keysUrl: string }> {
    return this.#ask(async (_library, settings) => {
      const { issuer, jwks_uri } = settings.serverMetadata();
      if (jwks_uri === undefined || !URL.canParse(jwks_uri)) {
        throw new AuthError("provider_refused", "the provider's metadata name no jwks_uri");
      }
      if (new URL(jwks_uri).protocol !== "https:" && !this.#isPlain) {
        throw new AuthError("provider_refused", "the provider's jwks_uri is not https");
      }
      return { issuer, keysUrl: jwks_uri };
    });
  }

  /** That it answers and says what it has to. Resolves with whether it says that it tells of sessions that end. */
  async check(): Promise<{ readonly tellsOfEnds: boolean }> {
    return this.#ask(async (_library, settings) => ({
      tellsOfEnds: settings.serverMetadata()["backchannel_logout_supported"] === true,
    }));
  }

  async #asked(grant: Grant): Promise<Grant> {
    return this.#ask(async (library, settings) => {
      const isStale = grant.expiresAtMs !== null && this.#nowMs() >= grant.expiresAtMs;
      if (!isStale && this.#hasUserinfo(settings)) {
        try {
          return await this.#withUserinfo(library, settings, grant);
        } catch (error) {
          if (!isRefusal(library, error)) throw error;
          if (grant.refreshToken === null) throw new GrantOver();
        }
      }
      if (grant.refreshToken === null) {
        throw new AuthError(
          "provider_refused",
          "the access token has ended, and there is none to refresh it with",
        );
      }
      return this.#refreshed(library, settings, grant, grant.refreshToken);
    });
  }

  async #refreshed(library: Library, settings: Settings, grant: Grant, refreshToken: string): Promise<Grant> {
    try {
      const tokens = await library.refreshTokenGrant(settings, refreshToken);
      const renewed: Grant = {
        ...grant,
        claims: { ...grant.claims, ...tokens.claims() },
        accessToken: tokens.access_token,
        refreshToken: tokens.refresh_token ?? refreshToken,
        expiresAtMs: this.#expiry(tokens.expiresIn()),
      };
      return this.#hasUserinfo(settings) ? await this.#withUserinfo(library, settings, renewed) : renewed;
    } catch (error) {
      if (isRefusal(library, error)) throw new GrantOver();
      throw error;
    }
  }

  async #withUserinfo(library: Library, settings: Settings, grant: Grant): Promise<Grant> {
    const told = await library.fetchUserInfo(settings, grant.accessToken, grant.subject);
    return { ...grant, claims: { ...grant.claims, ...told } };
  }

  #hasUserinfo(settings: Settings): boolean {
    return settings.serverMetadata().userinfo_endpoint !== undefined;
  }

  #expiry(inSeconds: number | undefined): number | null {
    return inSeconds === undefined ? null : this.#nowMs() + inSeconds * 1000;
  }

  async #ask<T>(work: (library: Library, settings: Settings) => Promise<T>): Promise<T> {
    const library = await import("openid-client");
    try {
      return await work(library, await this.#configured(library));
    } catch (error) {
      if (error instanceof AuthError || error instanceof GrantOver) throw error;
      throw authErrorOf(library, error);
    }
  }

  /** One for each question: the library keeps a provider's keys as long as its configuration. */
  async #configured(library: Library): Promise<Settings> {
    const { clientId, clientSecret, clockSkewS } = this.#settings;
    const metadata = await this.#discovered(library);
    const settings = new library.Configuration(
      { ...metadata },
      clientId,
      { [library.clockTolerance]: clockSkewS },
      clientSecret === null ? library.None() : library.ClientSecretBasic(clientSecret),
    );
    settings.timeout = ANSWER_WITHIN_S;
    if (this.#isPlain) library.allowInsecureRequests(settings);
    library.enableNonRepudiationChecks(settings);
    return settings;
  }

  #discovered(library: Library): Promise<ReturnType<Settings["serverMetadata"]>> {
    const nowMs = this.#nowMs();
    if (this.#metadata !== null && nowMs - this.#metadata.atMs < METADATA_MS) return this.#metadata.found;
    const { issuer, clientId } = this.#settings;
    const found = library
      .discovery(new URL(issuer), clientId, undefined, undefined, {
        timeout: ANSWER_WITHIN_S,
        ...(this.#isPlain ? { execute: [library.allowInsecureRequests] } : {}),
      })
      .then((settings) => settings.serverMetadata());
    this.#metadata = { atMs: nowMs, found };
    // What failed is asked again.
    found.catch(() => {
      this.#metadata = null;
    });
    return found;
  }

  get #isPlain(): boolean {
    return this.#settings.issuer.startsWith("http:");
  }
}

/** The provider says that a grant is no more. */
class GrantOver extends Error {}

/** A refusal of what we showed, not of the question: the grant, or whoever stands behind it, is gone. */
function isRefusal(library: Library, error: unknown): boolean {
  if (error instanceof library.ResponseBodyError) return error.error === "invalid_grant";
  return error instanceof library.WWWAuthenticateChallengeError && error.status === 401;
}

/** In words that hold nothing of what was sent: tokens, codes and answers stay out of logs. */
function authErrorOf(library: Library, error: unknown): AuthError {
  if (error instanceof library.ResponseBodyError || error instanceof library.AuthorizationResponseError) {
    return new AuthError("provider_refused", `the provider answered ${plainWord(error.error)}`);
  }
  if (error instanceof library.WWWAuthenticateChallengeError) {
    return new AuthError("provider_refused", `the provider answered ${error.status} to the access token`);
  }
  if (error instanceof library.ClientError) {
    const { code = "", cause } = error;
    const isInner = cause instanceof Error && cause.name === "OperationProcessingError";
    const isDown = ["OAUTH_TIMEOUT", "OAUTH_ABORT", "OAUTH_RESPONSE_IS_NOT_CONFORM"].includes(code);
    return new AuthError(
      isDown ? "provider_unreachable" : "provider_refused",
      `what the provider sent is not accepted: ${isInner ? cause.message : error.message}`,
    );
  }
  const code =
    error instanceof TypeError && error.cause instanceof Error && "code" in error.cause
      ? error.cause.code
      : "";
  return new AuthError("provider_unreachable", `the provider cannot be reached: ${plainWord(String(code))}`);
}

function plainWord(text: string): string {
  return /^[\w-]{1,60}$/.test(text) ? text : "something that is no code of OAuth";
}
