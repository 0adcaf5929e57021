import { RfbError } from "../error.ts";
import { SECURITY, TIGHT_AUTH, VENCRYPT } from "../numbers.ts";

/** What a security type needs of us, and what it protects. */
interface SecurityTraits {
  readonly asks: "nothing" | "password" | "user";
  /** The server shows a certificate or a key that can be told from another's. */
  readonly provesServer: boolean;
  /** The password goes over the wire as it is. */
  readonly isInClear: boolean;
}

const way = (asks: SecurityTraits["asks"], provesServer = false, isInClear = false): SecurityTraits => ({
  asks,
  provesServer,
  isInClear,
});

/** Every way into a server that we know; the names are rfbproto's and those of TigerVNC's SecurityTypes. */
const WAYS = {
  X509Plain: way("user", true),
  X509Vnc: way("password", true),
  RA256: way("password", true),
  RA2: way("password", true),
  TLSPlain: way("user"),
  TLSVnc: way("password"),
  RAne256: way("password", true),
  RA2ne: way("password", true),
  Apple: way("user"),
  MSLogonII: way("user"),
  VncAuth: way("password"),
  X509None: way("nothing", true),
  TLSNone: way("nothing"),
  None: way("nothing"),
  Plain: way("user", false, true),
  UnixLogon: way("user", false, true),
} as const satisfies Record<string, SecurityTraits>;

export type SecurityName = keyof typeof WAYS;

const isSecurityName = (name: string): name is SecurityName => Object.hasOwn(WAYS, name);

/** All of them, the best first. */
export const SECURITY_NAMES: readonly SecurityName[] = Object.keys(WAYS).filter(isSecurityName);

/** How a server may let us in. */
export interface SecurityOptions {
  /**
   * Names in order of preference, and nothing else will do. "auto": with a password whatever authenticates and does
   * not send it in clear; without one whatever asks for nothing.
   */
  readonly allowed: "auto" | readonly SecurityName[];
  /** Only ways in which the server proves who it is: it did before, or its fingerprint is configured. */
  readonly needsIdentity: boolean;
}

/** Credentials as far as choosing needs to know. */
export interface Means {
  readonly username?: string | null;
  readonly password: string | null;
  readonly security?: SecurityOptions;
}

/** Something a server offers: a number, and the ways in that it may lead to. */
export interface Offer {
  readonly number: number;
  readonly leadsTo: readonly SecurityName[];
  /** For messages. */
  readonly label: string;
}

const DIRECT: readonly (readonly [number, SecurityName])[] = [
  [SECURITY.none, "None"],
  [SECURITY.vncAuth, "VncAuth"],
  [SECURITY.ra2, "RA2"],
  [SECURITY.ra2ne, "RA2ne"],
  [SECURITY.apple, "Apple"],
  [SECURITY.msLogonII, "MSLogonII"],
  [SECURITY.ra256, "RA256"],
  [SECURITY.rane256, "RAne256"],
];

const offersOf = (direct: readonly (readonly [number, SecurityName])[]): Offer[] =>
  direct.map(([number, name]) => ({ number, leadsTo: [name], label: name }));

/** Security types of RFB itself. What lies inside the containers is only seen once they are chosen. */
export const TYPES: readonly Offer[] = [
  ...offersOf(DIRECT),
  {
    number: SECURITY.veNCrypt,
    leadsTo: [
      ...(["X509Plain", "X509Vnc", "X509None", "TLSPlain", "TLSVnc", "TLSNone", "Plain"] as const),
      ...DIRECT.map(([, name]) => name),
    ],
    label: "VeNCrypt",
  },
  { number: SECURITY.tls, leadsTo: ["TLSVnc", "TLSNone"], label: "TLS" },
  { number: SECURITY.tight, leadsTo: ["VncAuth", "None", "UnixLogon"], label: "Tight" },
];

/** The numbers of RFB itself stand beside its own: TigerVNC lists all types that are on there, such as 2 for VncAuth. */
export const VENCRYPT_TYPES: readonly Offer[] = offersOf([
  ...DIRECT,
  [VENCRYPT.plain, "Plain"],
  [VENCRYPT.tlsNone, "TLSNone"],
  [VENCRYPT.tlsVnc, "TLSVnc"],
  [VENCRYPT.tlsPlain, "TLSPlain"],
  [VENCRYPT.x509None, "X509None"],
  [VENCRYPT.x509Vnc, "X509Vnc"],
  [VENCRYPT.x509Plain, "X509Plain"],
]);

export const TIGHT_TYPES: readonly Offer[] = offersOf([
  [TIGHT_AUTH.none, "None"],
  [TIGHT_AUTH.vncAuth, "VncAuth"],
  [TIGHT_AUTH.unixLogon, "UnixLogon"],
]);

/** Inside the TLS of type 18 the plain types are offered again. */
export const INSIDE_TLS_TYPES: readonly Offer[] = [
  { number: SECURITY.none, leadsTo: ["TLSNone"], label: "None" },
  { number: SECURITY.vncAuth, leadsTo: ["TLSVnc"], label: "VncAuth" },
];

const MOST_NAMED = 16;

/**
 * The best of what a server offers, by number, among `known`. Throws RfbError password_required where credentials
 * would help, no_identity where only an unproven server is offered, else no_common_auth with both lists.
 */
export function choose(means: Means, offered: readonly number[], known: readonly Offer[]): Offer {
  const { allowed, needsIdentity } = means.security ?? { allowed: "auto", needsIdentity: false };
  const candidates = known.filter(({ number }) => offered.includes(number));
  const ranking = rankingOf(means, allowed);
  const proving = ranking.filter((name) => !needsIdentity || WAYS[name].provesServer);
  const best = bestOf(
    candidates,
    proving.filter((name) => isWithin(name, means)),
  );
  if (best !== undefined) return best;

  const names = offered.slice(0, MOST_NAMED).map((number) => labelOf(number, known));
  const rest = offered.length > MOST_NAMED ? ` and ${offered.length - MOST_NAMED} more` : "";
  const list = `the server offers only ${names.join(", ")}${rest}`;
  if (
    needsIdentity &&
    bestOf(
      candidates,
      ranking.filter((name) => isWithin(name, means)),
    ) !== undefined
  ) {
    throw new RfbError(
      "no_identity",
      "security",
      `${list}, where it does not prove who it is, expected X.509 or RSA keys as it had before or as is configured`,
    );
  }
  const wanting = bestOf(candidates, proving.length > 0 ? askingOf(proving, allowed) : []);
  if (wanting !== undefined) throw lacking(means, wanting, list);
  const hint =
    allowed === "auto" && means.password !== null && bestOf(candidates, ["X509None", "TLSNone", "None"])
      ? ": a password is configured, so ways without one must be allowed by name"
      : "";
  throw new RfbError(
    "no_common_auth",
    "security",
    `${list}, expected ${[...proving].join(", ") || "nothing"}${hint}`,
  );
}

/** The ways that are acceptable, the best first, whether or not we have what they ask. */
function rankingOf({ password }: Means, allowed: SecurityOptions["allowed"]): readonly SecurityName[] {
  if (allowed !== "auto") return allowed;
  return SECURITY_NAMES.filter((name) => {
    const { asks, isInClear } = WAYS[name];
    return !isInClear && (asks === "nothing") === (password === null);
  });
}

/** Ways that a password, or a user name, would open; in "auto" without a password none of them is ranked. */
function askingOf(
  ranking: readonly SecurityName[],
  allowed: SecurityOptions["allowed"],
): readonly SecurityName[] {
  const names = allowed === "auto" ? SECURITY_NAMES.filter((name) => !WAYS[name].isInClear) : ranking;
  return names.filter((name) => WAYS[name].asks !== "nothing");
}

function isWithin(name: SecurityName, { username, password }: Means): boolean {
  const { asks } = WAYS[name];
  if (asks === "nothing") return true;
  if (password === null) return false;
  return asks === "password" || (username !== null && username !== undefined);
}

function bestOf(candidates: readonly Offer[], ranking: readonly SecurityName[]): Offer | undefined {
  for (const name of ranking) {
    const found = candidates.find(({ leadsTo }) => leadsTo.includes(name));
    if (found !== undefined) return found;
  }
  return undefined;
}

function lacking({ password }: Means, { label }: Offer, list: string): RfbError {
  return new RfbError(
    "password_required",
    "security",
    password === null
      ? `the server asks for a password and none is configured: ${list}`
      : `the server asks for a user name and none is configured: ${label} needs one, and ${list}`,
  );
}

function labelOf(number: number, known: readonly Offer[]): string {
  return known.find((offer) => offer.number === number)?.label ?? `type ${number}`;
}
