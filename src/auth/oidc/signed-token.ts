import type { JWTPayload } from "jose";
import type { Clock } from "../../platform/clock.ts";
import { AuthError } from "../error.ts";
import type { ProviderKeys } from "./provider-keys.ts";

/** Signatures by a key of the provider's own alone: never "none", never one by a secret that both would know. */
const ALGORITHMS = [
  ...["RS256", "RS384", "RS512", "PS256", "PS384", "PS512"],
  ...["ES256", "ES384", "ES512", "EdDSA", "Ed25519"],
];

export interface IssuerPorts {
  /** Who a token has to be from, as the provider's own metadata say it; may reject as AuthError provider_unreachable or provider_refused. */
  issuer(): Promise<string>;
  readonly keys: Pick<ProviderKeys, "finder">;
  readonly clock: Pick<Clock, "date">;
}

/** What a JWT has to be, beside signed by the provider and in its time. */
export interface Expected {
  readonly audience: string;
  readonly requiredClaims: readonly string[];
  readonly clockSkewS: number;
  /** Older than this it does not count, whatever it says of its end. */
  readonly mostAgeS?: number;
}

export type Verified =
  /** `type`: of its header, in lower case. */
  | { readonly kind: "signed"; readonly claims: JWTPayload; readonly type: string | undefined }
  /** `isForged`: nobody whom we believe signed it. `reason` holds nothing of it. */
  | { readonly kind: "wrong"; readonly isForged: boolean; readonly reason: string }
  | { readonly kind: "unreachable"; readonly reason: string };

/** Checks a JWT of the provider by its keys. The library is loaded with the first. Never rejects but for a bug. */
export async function verifyToken(
  token: string,
  { audience, requiredClaims, clockSkewS, mostAgeS }: Expected,
  { issuer, keys, clock }: IssuerPorts,
): Promise<Verified> {
  const library = await import("jose");
  try {
    const { payload, protectedHeader } = await library.jwtVerify(token, keys.finder(library), {
      algorithms: ALGORITHMS,
      audience,
      clockTolerance: clockSkewS,
      currentDate: clock.date(),
      issuer: await issuer(),
      requiredClaims: [...requiredClaims],
      ...(mostAgeS === undefined ? {} : { maxTokenAge: mostAgeS }),
    });
    return { kind: "signed", claims: payload, type: protectedHeader.typ?.toLowerCase() };
  } catch (error) {
    if (error instanceof AuthError) return { kind: "unreachable", reason: error.message };
    if (!(error instanceof library.errors.JOSEError)) throw error;
    const isSigned =
      error instanceof library.errors.JWTClaimValidationFailed || error instanceof library.errors.JWTExpired;
    return { kind: "wrong", isForged: !isSigned, reason: error.message };
  }
}
