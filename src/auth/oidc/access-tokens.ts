import type { JWTPayload } from "jose";
import type { Principal } from "../principal.ts";
import { claimedRights, type RoleRule } from "./claimed-role.ts";
import { isSubject, LONGEST_NAME, LONGEST_SUBJECT, nameIn, personId } from "./person.ts";
import { type IssuerPorts, verifyToken } from "./signed-token.ts";

/** Longer is not looked at; groups make tokens long. */
const LONGEST_TOKEN = 12 * 1024;

/** People who signed out and are remembered; beyond it the one who did first is forgotten. */
const MOST_SIGNED_OUT = 10_000;

/** RFC 9068 section 2.1, and what providers before it send; a logout token, say, is none. */
const TYPES: ReadonlySet<unknown> = new Set([undefined, "at+jwt", "application/at+jwt", "jwt"]);

/** Those whose claims give one of these may have an agent; who only watches or approves has none by signing in. */
const ROLES_WITH_AGENTS = ["admin", "operator", "agent"] as const;

export interface ResourceSettings {
  /** What the provider calls us: the audience of a token. */
  readonly resource: string;
  /** The provider, as it is configured. */
  readonly issuer: string;
  /** What a token has to have. */
  readonly scopes: readonly string[];
  readonly clockSkewS: number;
  readonly rule: RoleRule;
}

/** How nodes of a fleet tell each other who signed out. */
export interface SharedSignOuts {
  /** Resolves once it is kept for all, or could not be as yet. Never rejects. */
  tell(personId: string, atS: number): Promise<void>;
  /** Calls `told` with what any node told, also before. */
  follow(told: (personId: string, atS: number) => void): void;
}

/** Whose an access token is. */
export type AccessResult =
  | {
      readonly kind: "known";
      readonly principal: Principal;
      /** By the provider's clock, seconds since 1970; 0 where it does not say. */
      readonly issuedAtS: number;
      readonly expiresAtMs: number;
    }
  /** `isForged`: nobody whom we believe signed it. `reason` holds nothing of it. */
  | { readonly kind: "wrong"; readonly isForged: boolean; readonly reason: string }
  /** It is right, and does not reach: by its scopes, or by the claims of whose it is. */
  | { readonly kind: "insufficient_scope" | "no_role" }
  | { readonly kind: "unreachable"; readonly reason: string };

/**
 * MCP as a resource server of OAuth 2.1: access tokens of the configured provider, as JWTs (RFC 9068). The library is
 * loaded with the first of them. Whoever comes by one is an agent, whatever the person behind it may do.
 */
export class AccessTokens {
  readonly #settings: ResourceSettings;
  readonly #ports: IssuerPorts;
  readonly #shared: SharedSignOuts | null;
  /** By the person's id, oldest first. */
  readonly #signedOutAtS = new Map<string, number>();
  #onSignedOut: () => void = () => undefined;

  /** `shared` null: this server is alone. */
  constructor(settings: ResourceSettings, ports: IssuerPorts, shared: SharedSignOuts | null = null) {
    this.#settings = settings;
    this.#ports = ports;
    this.#shared = shared;
    shared?.follow((personId, atS) => this.#told(personId, atS));
  }

  get resource(): string {
    return this.#settings.resource;
  }

  get scopes(): readonly string[] {
    return this.#settings.scopes;
  }

  /** Where clients sign in. */
  get issuer(): string {
    return this.#settings.issuer;
  }

  /** Whether it may be one: no token of ours has its form. */
  isOne(token: string): boolean {
    return /^eyJ[\w-]*\.[\w-]+\.[\w-]*$/.test(token);
  }

  /** Never rejects but for a bug. */
  async judge(token: string): Promise<AccessResult> {
    if (token.length > LONGEST_TOKEN) {
      const reason = `got a token of ${token.length} characters, expected ${LONGEST_TOKEN} at most`;
      return { kind: "wrong", isForged: true, reason };
    }
    const { resource, clockSkewS } = this.#settings;
    const verified = await verifyToken(
      token,
      { audience: resource, requiredClaims: ["sub", "exp"], clockSkewS },
      this.#ports,
    );
    return verified.kind === "signed" ? this.#found(verified.claims, verified.type) : verified;
  }

  /**
   * Somebody signed out at the provider, or has other rights there: what they were given until then counts no more, though
   * it has not expired, here at once and at the other nodes of a fleet. A server that is alone keeps it in memory. `atS`: by the
   * provider's clock. Resolves once the others can know. Never rejects.
   */
  async signedOut(personId: string, atS: number): Promise<void> {
    this.#told(personId, atS);
    await this.#shared?.tell(personId, atS);
  }

  /** Calls it whenever somebody signed out, here or at another node. */
  whenSignedOut(call: () => void): void {
    this.#onSignedOut = call;
  }

  #told(personId: string, atS: number): void {
    if (atS <= (this.#signedOutAtS.get(personId) ?? Number.NEGATIVE_INFINITY)) return;
    this.#signedOutAtS.delete(personId);
    this.#signedOutAtS.set(personId, atS);
    for (const oldest of this.#signedOutAtS.keys()) {
      if (this.#signedOutAtS.size <= MOST_SIGNED_OUT) break;
      this.#signedOutAtS.delete(oldest);
    }
    this.#onSignedOut();
  }

  /** Whether its person has signed out since a token was issued to one of their agents. */
  isOver({ owner = "" }: Principal, issuedAtS: number): boolean {
    return issuedAtS <= (this.#signedOutAtS.get(owner) ?? Number.NEGATIVE_INFINITY);
  }

  #found(claims: JWTPayload, type: string | undefined): AccessResult {
    const wrong = (reason: string): AccessResult => ({ kind: "wrong", isForged: false, reason });
    if (!TYPES.has(type)) return wrong("it is of another type, expected at+jwt");
    // Bound to a key or a certificate of the client's, which a Bearer header proves nothing of.
    if (claims["cnf"] !== undefined) return wrong("it is bound to a key, expected a bearer token");
    const { sub = "", iat = 0, exp = 0 } = claims;
    if (!isSubject(sub)) {
      return wrong(`got a subject of ${sub.length} characters, expected 1 to ${LONGEST_SUBJECT}, ASCII`);
    }
    const granted = scopesIn(claims);
    if (!this.#settings.scopes.every((scope) => granted.has(scope))) return { kind: "insufficient_scope" };
    const rights = claimedRights(claims, this.#settings.rule, ROLES_WITH_AGENTS);
    if (rights === null) return { kind: "no_role" };
    const client = textIn(claims, "client_id") ?? textIn(claims, "azp") ?? "";
    const { desktops } = rights;
    // What it keeps (screenshots, subscriptions, sessions) is the client's for the same desktops: no other credential's.
    const place = desktops === undefined ? "" : ` ${JSON.stringify(desktops.toSorted())}`;
    const name = nameIn(claims) ?? sub;
    const principal: Principal = {
      id: `mcp:${sub}|${encodeURIComponent(client)}${place}`,
      name: (client === "" ? name : `${name}, by ${client}`).slice(0, LONGEST_NAME),
      role: "agent",
      owner: personId(sub),
      ...(desktops === undefined ? {} : { desktops }),
    };
    if (this.isOver(principal, iat)) return wrong("its person has signed out at the provider since");
    return {
      kind: "known",
      principal,
      issuedAtS: iat,
      expiresAtMs: (exp + this.#settings.clockSkewS) * 1000,
    };
  }
}

/** RFC 8693 section 4.2 a text; some providers a list named scp. */
function scopesIn(claims: JWTPayload): ReadonlySet<unknown> {
  const { scope, scp } = claims;
  const said = scope ?? scp;
  if (typeof said === "string") return new Set(said.split(" "));
  return new Set(Array.isArray(said) ? said : []);
}

function textIn(claims: JWTPayload, name: string): string | null {
  const value = claims[name];
  return typeof value === "string" && /^[\x21-\x7e]{1,200}$/.test(value) ? value : null;
}
