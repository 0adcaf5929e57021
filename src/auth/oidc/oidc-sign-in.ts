import { createHash } from "node:crypto";
import * as z from "zod";
import type { Clock } from "../../platform/clock.ts";
import { AuthError } from "../error.ts";
import type { Principal } from "../principal.ts";
import type { ReturnedSession, SessionHandle, Sessions } from "../sessions.ts";
import { claimedRights, isSameRights, ROLES_OF_PEOPLE, type RoleRule } from "./claimed-role.ts";
import type { LogoutTokens } from "./logout-tokens.ts";
import type { Grant, OpenidProvider } from "./openid-provider.ts";
import { isSubject, LONGEST_NAME, LONGEST_SUBJECT, nameIn, personId } from "./person.ts";
import type { SignInTickets } from "./sign-in-tickets.ts";

/** After a restart the provider is asked about all that were open, one after the other. */
const ASKED_APART_MS = 20;

/** By what a session is judged after a restart. */
const proofSchema = z.strictObject({
  issuer: z.string(),
  clientId: z.string(),
  grant: z.strictObject({
    subject: z.string(),
    sid: z.string().nullable(),
    claims: z.record(z.string(), z.unknown()),
    accessToken: z.string(),
    refreshToken: z.string().nullable(),
    expiresAtMs: z.number().nullable(),
  }),
});

export interface OidcPorts {
  readonly provider: Pick<OpenidProvider, "begin" | "finish" | "standing" | "signOutUrl">;
  readonly sessions: Pick<Sessions, "open" | "handle" | "takeBack" | "endElsewhere" | "flush">;
  readonly tickets: Pick<SignInTickets, "issue" | "take" | "use">;
  readonly clock: Clock;
  readonly logoutTokens: Pick<LogoutTokens, "judge">;
  /** What a person's agents were given until then by the provider, whose seconds these are, counts no more. Never rejects. */
  signedOut(personId: string, atS: number): Promise<void>;
  /** The session of a person was ended: its reason is session_over or role_changed. */
  ended(principal: Principal, reason: EndReason): void;
  /** The provider could not be asked whether a session stands. */
  unasked(reason: string): void;
}

export type EndReason = "session_over" | "role_changed";

export interface OidcSettings {
  /** What people call the provider. */
  readonly name: string;
  readonly issuer: string;
  /** Whom its ID tokens have to be for. */
  readonly clientId: string;
  readonly rule: RoleRule;
  readonly sessionMs: number;
  readonly checkMs: number;
}

interface Watched {
  readonly principal: Principal;
  readonly session: SessionHandle;
  grant: Grant;
  cancel: () => void;
}

/** People who sign in at an OpenID provider: from the button to a session, and to its end. */
export class OidcSignIn {
  readonly name: string;
  readonly sessionMs: number;
  readonly #ports: OidcPorts;
  readonly #settings: OidcSettings;
  /** By hash of the session's identifier. */
  readonly #watched = new Map<string, Watched>();

  constructor(settings: OidcSettings, ports: OidcPorts) {
    this.name = settings.name;
    this.sessionMs = settings.sessionMs;
    this.#settings = settings;
    this.#ports = ports;
    ports.sessions.takeBack((returned) => this.#takeBack(returned));
  }

  /** Who signs its ID tokens, and for whom. */
  get signedBy(): { readonly issuer: string; readonly audience: string } {
    return { issuer: this.#settings.issuer, audience: this.#settings.clientId };
  }

  /** Sessions that the provider is asked about. */
  get size(): number {
    return this.#watched.size;
  }

  /** `next`: where the person wanted to go. The ticket is for the browser that began, and for nobody else. */
  async begin(redirectUri: string, next: string): Promise<{ readonly url: string; readonly ticket: string }> {
    const { provider, tickets } = this.#ports;
    const begun = await provider.begin(redirectUri);
    return { url: begun.url, ticket: tickets.issue(begun, next) };
  }

  /**
   * Opens the session of who comes back from the provider. Throws AuthError: sign_in_expired, no_role,
   * provider_refused, provider_unreachable; RefusedError not_held where another node of a fleet may have opened it.
   */
  async finish(
    ticket: string,
    answer: URLSearchParams,
  ): Promise<{ readonly principal: Principal; readonly sessionId: string; readonly next: string }> {
    const { provider, sessions, tickets } = this.#ports;
    const returned = await tickets.take(ticket);
    if (returned === null) throw expired();
    const grant = await provider.finish(returned.begun, answer);
    const principal = this.#principalOf(grant);
    if (!(await tickets.use(returned))) throw expired();
    const sessionId = sessions.open(principal, this.#settings.sessionMs);
    this.#watch(sessionId, principal, grant);
    return { principal, sessionId, next: returned.next };
  }

  /** Where the browser of a session ends the one at the provider too; null for a session of another kind. */
  async signOutUrl(sessionId: string, returnTo: string): Promise<string | null> {
    const watched = this.#watched.get(hash(sessionId));
    if (watched === undefined) return null;
    this.#forget(hash(sessionId), watched);
    return this.#ports.provider.signOutUrl(returnTo).catch(() => null);
  }

  /**
   * A provider says that a session has ended (OpenID Connect Back-Channel Logout 1.0), by a token that it signed: what
   * began by that session ends at once, at all nodes of a fleet. Throws AuthError bad_notice for what is no such token, provider_unreachable
   * where its keys cannot be had.
   */
  async noticed(logoutToken: string): Promise<void> {
    const said = await this.#ports.logoutTokens.judge(logoutToken);
    if (said.kind === "wrong") throw new AuthError("bad_notice", said.reason);
    if (said.kind === "unreachable") throw new AuthError("provider_unreachable", said.reason);
    const isMeant = ({ sid, subject }: Pick<Grant, "sid" | "subject">): boolean =>
      said.sid === null || sid === null ? said.subject === subject : said.sid === sid;
    const people = new Set(said.subject === null ? [] : [personId(said.subject)]);
    for (const [key, watched] of [...this.#watched]) {
      if (!isMeant(watched.grant)) continue;
      people.add(watched.principal.id);
      this.#end(key, watched, "session_over");
    }
    const { sessions, ended, signedOut } = this.#ports;
    const elsewhere = await sessions.endElsewhere((proof) => {
      const grant = this.#grantIn(proof);
      return grant !== null && isMeant(grant);
    });
    for (const principal of elsewhere) {
      people.add(principal.id);
      ended(principal, "session_over");
    }
    await Promise.all([...people].map((id) => signedOut(id, said.atS)));
    await sessions.flush();
  }

  close(): void {
    for (const { cancel } of this.#watched.values()) cancel();
    this.#watched.clear();
  }

  #principalOf({ subject, claims }: Grant): Principal {
    if (!isSubject(subject)) {
      throw new AuthError(
        "provider_refused",
        `got a subject of ${subject.length} characters, expected 1 to ${LONGEST_SUBJECT}, ASCII`,
      );
    }
    const rights = claimedRights(claims, this.#settings.rule, ROLES_OF_PEOPLE);
    if (rights === null) {
      throw new AuthError("no_role", `the claim ${this.#settings.rule.claim} gives ${subject} no role`);
    }
    return { id: personId(subject), name: nameIn(claims) ?? subject.slice(0, LONGEST_NAME), ...rights };
  }

  /**
   * Goes on with a session of before a restart: only where it is of the same provider, and its claims give the same by
   * the rule of now. What the provider told meanwhile was lost, so it is asked at once.
   */
  #takeBack({ key, principal, proof, handle: session }: ReturnedSession): boolean {
    const grant = this.#grantIn(proof);
    if (grant === null) return false;
    if (!isSameRights(claimedRights(grant.claims, this.#settings.rule, ROLES_OF_PEOPLE), principal)) {
      this.#ports.ended(principal, "role_changed");
      return false;
    }
    const watched: Watched = { principal, session, grant, cancel: () => undefined };
    this.#schedule(key, watched, this.#watched.size * ASKED_APART_MS);
    this.#watched.set(key, watched);
    return true;
  }

  /** null for one of another provider, or none at all. */
  #grantIn(proof: unknown): Grant | null {
    const { issuer, clientId } = this.#settings;
    const { data } = proofSchema.safeParse(proof);
    return data?.issuer === issuer && data.clientId === clientId ? data.grant : null;
  }

  #watch(sessionId: string, principal: Principal, grant: Grant): void {
    const session = this.#ports.sessions.handle(sessionId);
    const watched: Watched = { principal, session, grant, cancel: () => undefined };
    this.#prove(watched);
    this.#watched.set(hash(sessionId), watched);
    this.#schedule(hash(sessionId), watched);
  }

  #prove({ session, grant }: Watched): void {
    const { issuer, clientId } = this.#settings;
    session.prove({ issuer, clientId, grant });
  }

  #schedule(key: string, watched: Watched, afterMs = this.#settings.checkMs): void {
    watched.cancel();
    watched.cancel = this.#ports.clock.after(afterMs, () => void this.#ask(key, watched));
  }

  /** Never rejects. */
  async #ask(key: string, watched: Watched): Promise<void> {
    const { provider, unasked, clock, signedOut } = this.#ports;
    if (!watched.session.isOpen()) {
      this.#forget(key, watched);
      return;
    }
    const standing = await provider.standing(watched.grant);
    // It was signed out meanwhile.
    if (this.#watched.get(key) !== watched) return;
    if (standing.kind === "unknown") unasked(standing.reason);
    if (standing.kind === "stands" && JSON.stringify(standing.grant) !== JSON.stringify(watched.grant)) {
      watched.grant = standing.grant;
      this.#prove(watched);
    }
    const reason = this.#reasonToEnd(standing.kind, watched);
    if (reason === null) {
      this.#schedule(key, watched);
      return;
    }
    this.#end(key, watched, reason);
    await signedOut(watched.principal.id, Math.floor(clock.date().getTime() / 1000));
  }

  #end(key: string, watched: Watched, reason: EndReason): void {
    this.#forget(key, watched);
    watched.session.end();
    this.#ports.ended(watched.principal, reason);
  }

  #reasonToEnd(kind: "stands" | "over" | "unknown", { grant, principal }: Watched): EndReason | null {
    if (kind === "over") return "session_over";
    return isSameRights(claimedRights(grant.claims, this.#settings.rule, ROLES_OF_PEOPLE), principal)
      ? null
      : "role_changed";
  }

  #forget(key: string, watched: Watched): void {
    watched.cancel();
    this.#watched.delete(key);
  }
}

function expired(): AuthError {
  return new AuthError(
    "sign_in_expired",
    "this browser began no sign-in, or more than ten minutes ago, or it is over: begin again",
  );
}

function hash(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
