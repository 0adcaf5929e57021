import type { Clock } from "../../platform/clock.ts";
import { type IssuerPorts, verifyToken } from "./signed-token.ts";

/** A logout token is a small JWT; more is not looked at. */
const LONGEST_TOKEN = 16_384;
/** One that is older counts no more: a provider sends it when the session ends. */
const MOST_AGE_S = 300;
/** What was heard of is not heard of again; beyond so many the oldest is forgotten. */
const MOST_HEARD = 10_000;

const EVENT = "http://schemas.openid.net/event/backchannel-logout";
/** What providers that know no type of it send, too. */
const TYPES: ReadonlySet<unknown> = new Set([undefined, "jwt", "logout+jwt", "application/logout+jwt"]);

/** Whose session ended at the provider. */
interface SignedOut {
  /** null: the provider names the session alone. */
  readonly subject: string | null;
  /** null: all of the subject's. */
  readonly sid: string | null;
  /** By the provider's clock, seconds since 1970. */
  readonly atS: number;
}

export type LogoutResult =
  | ({ readonly kind: "known" } & SignedOut)
  /** `reason` holds nothing of it. */
  | { readonly kind: "wrong"; readonly reason: string }
  | { readonly kind: "unreachable"; readonly reason: string };

/** What a provider says of sessions that end there: OpenID Connect Back-Channel Logout 1.0, section 2.6. */
export class LogoutTokens {
  readonly #settings: { readonly clientId: string; readonly clockSkewS: number };
  readonly #ports: IssuerPorts & { readonly clock: Pick<Clock, "date"> };
  /** By jti, oldest first. */
  readonly #heard = new Set<string>();

  constructor(settings: { readonly clientId: string; readonly clockSkewS: number }, ports: IssuerPorts) {
    this.#settings = settings;
    this.#ports = ports;
  }

  /** Never rejects but for a bug. A token counts once. */
  async judge(token: string): Promise<LogoutResult> {
    if (token.length > LONGEST_TOKEN) {
      return wrong(`got a token of ${token.length} characters, expected ${LONGEST_TOKEN} at most`);
    }
    const { clientId, clockSkewS } = this.#settings;
    const verified = await verifyToken(
      token,
      { audience: clientId, requiredClaims: ["iat", "jti"], clockSkewS, mostAgeS: MOST_AGE_S },
      this.#ports,
    );
    if (verified.kind === "unreachable") return verified;
    if (verified.kind === "wrong") return wrong(verified.reason);
    const { events, nonce, jti = "", iat = 0, sub, sid } = verified.claims;
    if (!TYPES.has(verified.type)) return wrong("it is of another type, expected logout+jwt");
    if (typeof events !== "object" || events === null || !(EVENT in events)) {
      return wrong("it has no event of back-channel logout");
    }
    // An ID token has one, and must not pass for this.
    if (nonce !== undefined) return wrong("it has a nonce, expected none");
    const subject = typeof sub === "string" ? sub : null;
    const session = typeof sid === "string" ? sid : null;
    if (subject === null && session === null) return wrong("it names neither a subject nor a session");
    if (this.#heard.has(jti)) return wrong("it was sent before");
    this.#heard.add(jti);
    for (const oldest of this.#heard) {
      if (this.#heard.size <= MOST_HEARD) break;
      this.#heard.delete(oldest);
    }
    return { kind: "known", subject, sid: session, atS: iat };
  }
}

function wrong(reason: string): LogoutResult {
  return { kind: "wrong", reason };
}
