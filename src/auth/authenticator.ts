import { createHash, timingSafeEqual } from "node:crypto";
import type { Clock } from "../platform/clock.ts";
import { CredentialWatch } from "./credential-watch.ts";
import { AuthError } from "./error.ts";
import type { Lockout } from "./lockout.ts";
import type { AccessTokens } from "./oidc/access-tokens.ts";
import type { OneTimeCodes } from "./one-time-codes.ts";
import type { Principal } from "./principal.ts";
import type { SessionEnd, Sessions } from "./sessions.ts";
import { OWN_TOKEN_ID } from "./stored-session.ts";
import { isTokenId, type TokenStore } from "./tokens.ts";

const SHORTEST_OWN_TOKEN = 16;

/** No credential of ours is longer; more is not even hashed. */
const LONGEST_CREDENTIAL = 1024;

/** The principal of `OC_TOKEN`. */
const OWN_TOKEN_PRINCIPAL: Principal = { id: OWN_TOKEN_ID, name: "OC_TOKEN", role: "admin" };

/** A credential that was right once, and may be revoked while its connection is open: see `whenVoid`. */
export type Credential =
  | { readonly kind: "token"; readonly principal: Principal }
  /** An access token of the provider; `expiresAtMs` by the clock's date. */
  | {
      readonly kind: "access_token";
      readonly principal: Principal;
      readonly issuedAtS: number;
      readonly expiresAtMs: number;
    }
  | { readonly kind: "session"; readonly principal: Principal; readonly sessionId: string }
  /** Judged by the node of a fleet that carries the call, which ends it when that credential is void. */
  | { readonly kind: "carried"; readonly principal: Principal };

export type AuthResult =
  | { readonly kind: "known"; readonly credential: Credential }
  /** Nothing was presented, or a session that ended. */
  | { readonly kind: "anonymous" }
  /** What was presented is wrong; `waitMs` is the wait that it brought, mostly 0; `reason` holds nothing of it. */
  | { readonly kind: "wrong"; readonly waitMs: number; readonly reason?: string }
  /** Too many wrong guesses from this address. */
  | { readonly kind: "locked"; readonly waitMs: number };

/** "revoked": the token that it was opened with is no more. */
export type SessionOver = SessionEnd | "revoked" | "unknown";

/** The same for MCP, where access tokens of the provider count as well. */
export type McpAuthResult =
  | AuthResult
  | { readonly kind: "insufficient_scope" | "no_role" }
  /** Nobody can be asked for the keys that it may be signed with. */
  | { readonly kind: "unreachable"; readonly reason: string };

export interface AuthenticatorPorts {
  readonly clock: Clock;
  readonly tokens: TokenStore;
  readonly sessions: Sessions;
  readonly codes: OneTimeCodes;
  /** Of guests; absent: nobody is invited. */
  readonly tickets?: Pick<OneTimeCodes, "redeem">;
  readonly lockout: Lockout;
  /** `OC_TOKEN`, 16 characters or more; null when not set. */
  readonly ownToken: string | null;
  /** Absent: no provider's tokens count. */
  readonly accessTokens?: Pick<AccessTokens, "isOne" | "isOver" | "judge" | "whenSignedOut"> | undefined;
}

/** What a request presents. */
interface Presented {
  readonly authorization: string | undefined;
  readonly sessionId: string | undefined;
  readonly address: string;
}

/** Tells who calls, from a Bearer header, a session cookie, or what was typed into the sign-in page. */
export class Authenticator {
  readonly #ports: AuthenticatorPorts;
  readonly #ownTokenHash: Buffer | null;
  readonly #watch: CredentialWatch<Credential>;
  readonly #overWatch: CredentialWatch<Credential>;

  /** Throws AuthError bad_token for an `OC_TOKEN` that is too short. */
  constructor(ports: AuthenticatorPorts) {
    const length = ports.ownToken?.length ?? SHORTEST_OWN_TOKEN;
    if (length < SHORTEST_OWN_TOKEN || length > LONGEST_CREDENTIAL) {
      throw new AuthError(
        "bad_token",
        `OC_TOKEN has ${length} characters: expected ${SHORTEST_OWN_TOKEN} to ${LONGEST_CREDENTIAL}`,
      );
    }
    this.#ports = ports;
    this.#watch = new CredentialWatch((credential) => this.#isStillValid(credential), ports.clock);
    this.#overWatch = new CredentialWatch((credential) => !this.#isOver(credential), ports.clock);
    const check = (): void => {
      this.#watch.check();
      this.#overWatch.check();
    };
    ports.tokens.whenRevoked(check);
    ports.sessions.whenEnded(check);
    ports.accessTokens?.whenSignedOut(check);
    this.#ownTokenHash = ports.ownToken === null ? null : sha256(ports.ownToken);
  }

  /** A Bearer header decides alone: a cookie never rescues a wrong one. */
  authenticate(request: Presented): AuthResult {
    if (request.authorization !== undefined) {
      return this.#judge(tokenIn(request.authorization), request.address, (text) => this.#byToken(text));
    }
    if (request.sessionId === undefined) return { kind: "anonymous" };
    const principal =
      request.sessionId.length > LONGEST_CREDENTIAL ? null : this.#ports.sessions.find(request.sessionId);
    if (principal === null || !this.isActive(principal)) return { kind: "anonymous" };
    return { kind: "known", credential: { kind: "session", principal, sessionId: request.sessionId } };
  }

  /** As `authenticate`, for MCP: an access token of the provider opens that, and nothing else. */
  async authenticateMcp(request: Presented): Promise<McpAuthResult> {
    const { accessTokens, lockout } = this.#ports;
    const token = tokenIn(request.authorization ?? "");
    if (accessTokens === undefined || !accessTokens.isOne(token)) return this.authenticate(request);
    const result = await accessTokens.judge(token);
    if (result.kind === "known") {
      const { principal, issuedAtS, expiresAtMs } = result;
      return { kind: "known", credential: { kind: "access_token", principal, issuedAtS, expiresAtMs } };
    }
    if (result.kind !== "wrong") return result;
    // Whose token has expired is told so, and gets another: it is no guess.
    if (!result.isForged) return { kind: "wrong", waitMs: 0, reason: result.reason };
    const waitMs = lockout.waitMs(request.address);
    if (waitMs > 0) return { kind: "locked", waitMs };
    return { kind: "wrong", waitMs: lockout.fail(request.address), reason: result.reason };
  }

  /** For `/?token=` and the sign-in form: a token or a one-time code. */
  signIn(secret: string, address: string): AuthResult {
    return this.#judge(
      secret,
      address,
      (text) => this.#byToken(text) ?? this.#byCode(text),
      (text) => this.#ports.tokens.verify(text) ?? this.#byCode(text),
    );
  }

  /**
   * For VNC viewers: `user` is the name or the id of whose token `secret` is, or empty. The token may be without its
   * "ocp_<id>_", since some security types carry no more than 63 bytes.
   */
  signInAs(user: string, secret: string, address: string): AuthResult {
    return this.#judge(
      secret,
      address,
      (text) => this.#ofUser(user, this.#byToken(text)) ?? this.#byShortToken(user, text),
      (text) => this.#ofUser(user, this.#ports.tokens.verify(text)) ?? this.#byShortToken(user, text),
    );
  }

  /** Opens a browser session for who just signed in; gives the identifier for the cookie. */
  openSession(principal: Principal): string {
    const { sessions } = this.#ports;
    return sessions.open(principal, this.sessionMs(principal));
  }

  endSession(sessionId: string): boolean {
    return this.#ports.sessions.end(sessionId);
  }

  /** Resolves when no restart brings back a session that was ended. */
  sessionsKept(): Promise<void> {
    return this.#ports.sessions.flush();
  }

  /**
   * Why a browser's session opens nothing any more, for who shows its identifier; null while it is open. "unknown" is one
   * that was over before the server started, or nobody's.
   */
  whyOver(sessionId: string): SessionOver | null {
    if (sessionId.length > LONGEST_CREDENTIAL) return "unknown";
    const fate = this.#ports.sessions.fate(sessionId);
    if (typeof fate === "string") return fate;
    return this.isActive(fate) ? null : "revoked";
  }

  /** How long a session of theirs lasts that is opened now. */
  sessionMs({ guest }: Principal): number {
    const { sessions, clock } = this.#ports;
    return Math.min(sessions.lifetimeMs, (guest?.endsAtMs ?? Number.POSITIVE_INFINITY) - clock.nowMs());
  }

  /**
   * Calls `onVoid` once, as soon as the credential's end is known here, at the latest within a second; the returned function stops watching. Counts as use of
   * a session for as long.
   */
  whenVoid(credential: Credential, onVoid: () => void): () => void {
    return this.#watch.add(credential, onVoid);
  }

  /**
   * As whenVoid, for what outlasts a request and is no use of a session: an access token that has only expired is not
   * over, since its client goes on with the next one.
   */
  whenOver(credential: Credential, onOver: () => void): () => void {
    return this.#overWatch.add(credential, onOver);
  }

  /** Asking counts as use of a session. */
  #isStillValid(credential: Credential): boolean {
    if (this.#isOver(credential)) return false;
    switch (credential.kind) {
      case "access_token":
        return this.#ports.clock.date().getTime() < credential.expiresAtMs;
      case "session":
        return this.#ports.sessions.find(credential.sessionId) !== null;
      default:
        return true;
    }
  }

  #isOver(credential: Credential): boolean {
    const { kind, principal } = credential;
    if (kind === "carried") return false;
    if (!this.isActive(principal)) return true;
    if (kind === "access_token") {
      return this.#ports.accessTokens?.isOver(principal, credential.issuedAtS) === true;
    }
    return kind === "session" && typeof this.#ports.sessions.fate(credential.sessionId) === "string";
  }

  /** `findStored`: what still counts from an address that guessed too often. */
  #judge(
    secret: string,
    address: string,
    find: (secret: string) => Principal | null,
    findStored: (secret: string) => Principal | null = (text) => this.#ports.tokens.verify(text),
  ): AuthResult {
    const { lockout } = this.#ports;
    const waitMs = lockout.waitMs(address);
    // Nobody guesses 128 bits or more: a stored token, a code is right or not whatever others behind the address do.
    const isSane = secret.length <= LONGEST_CREDENTIAL;
    const principal = isSane ? (waitMs > 0 ? findStored(secret) : find(secret)) : null;
    if (principal !== null) {
      // Who knows OC_TOKEN has no use for guesses at it; to anybody else a right credential would buy new ones.
      if (waitMs === 0 && principal === OWN_TOKEN_PRINCIPAL) lockout.succeed(address);
      return { kind: "known", credential: { kind: "token", principal } };
    }
    if (waitMs > 0) return { kind: "locked", waitMs };
    return { kind: "wrong", waitMs: lockout.fail(address) };
  }

  #byToken(text: string): Principal | null {
    if (this.#ownTokenHash !== null && timingSafeEqual(sha256(text), this.#ownTokenHash)) {
      return OWN_TOKEN_PRINCIPAL;
    }
    return this.#ports.tokens.verify(text);
  }

  #ofUser(user: string, principal: Principal | null): Principal | null {
    if (principal === null || user === "") return principal;
    return principal.id === user || principal.name === user ? principal : null;
  }

  #byShortToken(user: string, secret: string): Principal | null {
    const { tokens } = this.#ports;
    for (const { id, name } of tokens.list()) {
      const principal = id === user || name === user ? tokens.verify(`ocp_${id}_${secret}`) : null;
      if (principal !== null) return principal;
    }
    return null;
  }

  #byCode(text: string): Principal | null {
    const principal = this.#ports.codes.redeem(text) ?? this.#ports.tickets?.redeem(text) ?? null;
    return principal !== null && this.isActive(principal) ? principal : null;
  }

  /** Who came by a token is gone with it, and so are their guests; others, such as who used the code of the first start, are not bound to one. */
  isActive(principal: Pick<Principal, "id" | "guest"> | Principal): boolean {
    const { id, guest } = principal;
    const credential = guest?.hostId ?? id;
    if (!isTokenId(credential)) return true;
    const rights = guest === undefined && "role" in principal ? principal : null;
    return this.#ports.tokens.has(credential, rights);
  }
}

/** Empty for what is no Bearer header. */
function tokenIn(authorization: string): string {
  return /^bearer +([^\s]+)$/i.exec(authorization)?.[1] ?? "";
}

function sha256(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
