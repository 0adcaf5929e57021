import { timingSafeEqual } from "node:crypto";
import type { AuditEntry } from "../../audit/audit-event.ts";
import { addressKey } from "../../auth/address.ts";
import type { Authenticator, Credential } from "../../auth/authenticator.ts";
import { reaches } from "../../auth/granted-desktops.ts";
import type { Lockout } from "../../auth/lockout.ts";
import type { Principal, Role } from "../../auth/principal.ts";
import { vncAuthResponse } from "../../protocols/rfb/security/vnc-auth.ts";
import type { ServerSecurity } from "../../protocols/rfb/server/rfb-server.ts";
import type { ViewerLog } from "./log.ts";
import {
  isOpenToAll,
  securityOffers,
  usesPassword,
  type ViewerSecurity,
  type ViewerSecurityMeans,
} from "./security.ts";

export interface ViewerSignInPorts {
  readonly log: ViewerLog;
  /** Of wrong passwords. */
  readonly lockout: Lockout;
  readonly means: ViewerSecurityMeans;
  /** Who has a token of their own. */
  readonly users: Pick<Authenticator, "signInAs" | "whenVoid">;
  audit(entry: AuditEntry): void;
}

export interface ViewerSignInOptions {
  readonly security: readonly ViewerSecurity[];
  /** The one password of VNC viewers; null where none of the ways uses it. */
  readonly password: string | null;
  /** What who has the password may. */
  readonly passwordRole: Role;
}

/** Who signed in by VNC. */
export interface SignedInViewer {
  readonly principal: Principal;
  /** A token, which may be revoked while its viewer looks on; null for the password and for an open door. */
  readonly credential: Credential | null;
}

/** The sign-in of one socket: what it is offered, and who it turned out to be. */
export interface ViewerSignInAttempt {
  readonly security: readonly ServerSecurity[];
  /** Who came in; call after the handshake. */
  visitor(): SignedInViewer;
}

/** Signs VNC viewers in: by the one password, or by user and token; slows down who guesses. Serves all listeners. */
export class ViewerSignIn {
  readonly #ports: ViewerSignInPorts;
  readonly #options: ViewerSignInOptions;

  constructor(ports: ViewerSignInPorts, options: ViewerSignInOptions) {
    this.#ports = ports;
    this.#options = options;
  }

  get security(): readonly ViewerSecurity[] {
    return this.#options.security;
  }

  /** How long this address still has to wait, 0 where it may try: after too many wrong passwords. */
  waitMs(address: string): number {
    return this.#ports.lockout.waitMs(address);
  }

  /** See Authenticator; the password and an open door are never revoked. */
  whenVoid({ credential }: SignedInViewer, onVoid: () => void): () => void {
    return credential === null ? () => {} : this.#ports.users.whenVoid(credential, onVoid);
  }

  /** `desktopId`: what its port shows. A token that is for others is as wrong as one that is nobody's. */
  enter(address: string, desktopId: string): ViewerSignInAttempt {
    const { security } = this.#options;
    // Where nobody has to show anything, nobody may do anything either.
    let visitor = visitorFrom(address, "viewer");
    const checks = {
      answers: (challenge: Uint8Array, response: Uint8Array): boolean => {
        const isRight = this.#isAnswer(address, challenge, response);
        if (isRight) visitor = visitorFrom(address, this.#options.passwordRole);
        return this.#judged(address, isRight, visitor);
      },
      isUser: (user: string, secret: string): boolean => {
        const found = this.#find(address, user, secret);
        const isRight = found !== null && reaches(found.principal, desktopId);
        if (isRight) visitor = found;
        return this.#judged(address, isRight, visitor);
      },
    };
    return { security: securityOffers(security, checks, this.#ports.means), visitor: () => visitor };
  }

  #isAnswer(address: string, challenge: Uint8Array, response: Uint8Array): boolean {
    const { password } = this.#options;
    // Sockets opened before the lock must not be so many more guesses.
    if (password === null || this.waitMs(address) > 0) return false;
    const expected = vncAuthResponse(this.#ports.means.crypto, password, challenge);
    return response.length === expected.length && timingSafeEqual(response, expected);
  }

  /** A user and a token, or the one password with any user: some viewers always ask for a user. */
  #find(address: string, user: string, secret: string): SignedInViewer | null {
    const { password, passwordRole, security } = this.#options;
    const isLocked = this.waitMs(address) > 0;
    if (password !== null && !isLocked && security.some(usesPassword) && isSame(secret, password)) {
      return visitorFrom(address, passwordRole);
    }
    const result = this.#ports.users.signInAs(user, secret, address);
    if (result.kind !== "known") return null;
    return { principal: result.credential.principal, credential: result.credential };
  }

  #judged(address: string, isRight: boolean, { principal, credential }: SignedInViewer): boolean {
    if (isRight) {
      // A token of one's own would buy new guesses at the password.
      if (this.waitMs(address) === 0 && credential === null) this.#ports.lockout.succeed(address);
      const { id, name, role } = principal;
      const kind = role === "agent" ? "agent" : "human";
      this.#ports.audit({ type: "auth.login", actor: { id, name, kind, role, ip: address }, action: "vnc" });
      return true;
    }
    const waitMs = this.waitMs(address) > 0 ? this.waitMs(address) : this.#ports.lockout.fail(address);
    this.#ports.log.warn({ address, waitMs }, "VNC viewer gave a wrong password");
    this.#ports.audit({
      type: waitMs > 0 ? "auth.locked" : "auth.failed",
      actor: { id: "unknown", name: "unknown", kind: "human", ip: address },
      action: "vnc",
      errorCode: "auth_failed",
    });
    return false;
  }
}

/** True where at least one way lets everybody in who reaches the port. */
export function letsAnybodyIn(security: readonly ViewerSecurity[]): boolean {
  return security.some(isOpenToAll);
}

function visitorFrom(address: string, role: Role): SignedInViewer {
  return {
    principal: { id: `vnc:${addressKey(address)}`, name: `VNC viewer at ${address}`, role },
    credential: null,
  };
}

function isSame(a: string, b: string): boolean {
  const given = Buffer.from(a);
  const expected = Buffer.from(b);
  return given.length === expected.length && timingSafeEqual(given, expected);
}
