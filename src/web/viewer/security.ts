import type { RsaKey, SecurityCrypto } from "../../protocols/platform.ts";
import type {
  ArdCrypto,
  InnerSecurity,
  MsLogonCrypto,
  ServerSecurity,
  TlsIdentity,
  VeNCryptSubtype,
} from "../../protocols/rfb/server/rfb-server.ts";

/** The ways to sign in that can be configured for VNC viewers. */
export const VIEWER_SECURITY = [
  "none",
  "vnc-auth",
  "ra2ne",
  "ard",
  "ms-logon",
  "tls-none",
  "tls-vnc",
  "tls-plain",
  "x509-none",
  "x509-vnc",
  "x509-plain",
] as const;
export type ViewerSecurity = (typeof VIEWER_SECURITY)[number];

/**
 * Offered by "auto", best first: viewers take the first that they know. x509 only with a certificate; ms-logon never, which
 * hides a name and a token from nobody.
 */
const AUTOMATIC: readonly ViewerSecurity[] = [
  "x509-vnc",
  "x509-plain",
  "tls-vnc",
  "tls-plain",
  "ra2ne",
  "ard",
  "vnc-auth",
];

/** What is meant by a configured list, in its order and each once. */
export function viewerSecurities(
  list: readonly ("auto" | ViewerSecurity)[],
  hasCertificate: boolean,
): readonly ViewerSecurity[] {
  const automatic = AUTOMATIC.filter((name) => hasCertificate || !needsCertificate(name));
  return [...new Set(list.flatMap((name) => (name === "auto" ? automatic : name)))];
}

export function needsCertificate(name: ViewerSecurity): boolean {
  return name === "x509-none" || name === "x509-vnc" || name === "x509-plain";
}

/** True where who reaches the port gets in. */
export function isOpenToAll(name: ViewerSecurity): boolean {
  return name === "none" || name === "tls-none" || name === "x509-none";
}

/** True where the one password of VNC viewers is what signs in. */
export function usesPassword(name: ViewerSecurity): boolean {
  return name === "vnc-auth" || name === "tls-vnc" || name === "x509-vnc";
}

/** True where a user name and that user's token sign in. */
export function usesUsers(name: ViewerSecurity): boolean {
  return (
    name === "ra2ne" || name === "ard" || name === "ms-logon" || name === "tls-plain" || name === "x509-plain"
  );
}

/** What the appliance has for the ways that need more than a password. */
export interface ViewerSecurityMeans {
  readonly crypto: SecurityCrypto & ArdCrypto & MsLogonCrypto;
  /** The key that viewers remember us by (RA2ne). */
  readonly rsaKey: RsaKey;
}

/** How what a viewer gives is judged. */
export interface ViewerChecks {
  /** Whether `response` is the answer to `challenge` for the one password. */
  answers(challenge: Uint8Array, response: Uint8Array): boolean;
  isUser(user: string, password: string): boolean;
}

/** The ways in RFB's own words; all sub-types of VeNCrypt are one of them, where the first of them stands. */
export function securityOffers(
  names: readonly ViewerSecurity[],
  checks: ViewerChecks,
  means: ViewerSecurityMeans,
): ServerSecurity[] {
  const offers: ServerSecurity[] = [];
  const subtypes: VeNCryptSubtype[] = [];
  const inside = (identity: TlsIdentity, inner: InnerSecurity): void => {
    if (subtypes.length === 0) offers.push({ type: "veNCrypt", subtypes });
    subtypes.push({ identity, inner });
  };
  const none = { type: "none" } as const;
  const password = {
    type: "vncAuth",
    verify: (challenge: Uint8Array, response: Uint8Array) => checks.answers(challenge, response),
  } as const;
  const verify = (user: string, secret: string): boolean => checks.isUser(user, secret);
  const plain = { type: "plain", verify } as const;
  for (const name of names) {
    switch (name) {
      case "none":
        offers.push(none);
        break;
      case "vnc-auth":
        offers.push(password);
        break;
      case "ra2ne":
        offers.push({ type: "ra2ne", key: means.rsaKey, crypto: means.crypto, verify });
        break;
      case "ard":
        offers.push({ type: "ard", crypto: means.crypto, verify });
        break;
      case "ms-logon":
        offers.push({ type: "msLogon", crypto: means.crypto, verify });
        break;
      case "tls-none":
        inside("anonymous", none);
        break;
      case "tls-vnc":
        inside("anonymous", password);
        break;
      case "tls-plain":
        inside("anonymous", plain);
        break;
      case "x509-none":
        inside("x509", none);
        break;
      case "x509-vnc":
        inside("x509", password);
        break;
      case "x509-plain":
        inside("x509", plain);
        break;
    }
  }
  return offers;
}
