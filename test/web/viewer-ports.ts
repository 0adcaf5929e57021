import { generateKeyPairSync } from "node:crypto";
import type { AuditEntry } from "../../src/audit/audit-event.ts";
import { Lockout } from "../../src/auth/lockout.ts";
import { RefusedError } from "../../src/desktop/error.ts";
import { rfbCrypto } from "../../src/desktop/links/vnc/rfb-crypto.ts";
import type { View } from "../../src/desktop/view.ts";
import { jpegTurbo } from "../../src/imaging/jpeg/jpeg-turbo.ts";
import { type Clock, systemClock } from "../../src/platform/clock.ts";
import { chooseInflate, nodeDeflate } from "../../src/platform/node-zlib.ts";
import type { RfbServerPorts } from "../../src/protocols/rfb/server/rfb-server.ts";
import type { ViewerLog } from "../../src/web/viewer/log.ts";
import { ViewerRectCache } from "../../src/web/viewer/rect-cache.ts";
import type { ViewerSecurity } from "../../src/web/viewer/security.ts";
import type { ViewedDesktop } from "../../src/web/viewer/session.ts";
import { ViewerSessions } from "../../src/web/viewer/sessions.ts";
import { ViewerSignIn, type ViewerSignInPorts } from "../../src/web/viewer/sign-in.ts";
import { type ViewerCertificate, ViewerTls } from "../../src/web/viewer/tls.ts";
import { ardCrypto, msLogonCrypto, rsaKeyOf } from "../../src/web/viewer/viewer-crypto.ts";
import { type FarChoice, VncListener } from "../../src/web/viewer/vnc/vnc-listener.ts";
import { securityCrypto } from "../protocols/rfb/server/ports.ts";

/** What the product runs on. */
export const rfbPorts: RfbServerPorts = {
  deflate: nodeDeflate,
  inflate: chooseInflate(),
  jpeg: jpegTurbo,
  crypto: rfbCrypto,
};

/** One cache of a desktop's picture, for all kinds of viewers. */
export function oneCache(view: Pick<View, "watch">): () => ViewerRectCache {
  const cache = new ViewerRectCache(view);
  return () => cache;
}

/** A log that keeps what it is told. */
export class KeptLog implements ViewerLog {
  readonly lines: { readonly level: string; readonly fields: object; readonly message: string }[] = [];

  debug(fields: object, message: string): void {
    this.lines.push({ level: "debug", fields, message });
  }

  info(fields: object, message: string): void {
    this.lines.push({ level: "info", fields, message });
  }

  warn(fields: object, message: string): void {
    this.lines.push({ level: "warn", fields, message });
  }

  error(fields: object, message: string): void {
    this.lines.push({ level: "error", fields, message });
  }
}

export function viewerSessions(
  log: ViewerLog = new KeptLog(),
  audit: (entry: AuditEntry) => void = () => {},
): ViewerSessions {
  return new ViewerSessions({ rfb: rfbPorts, clock: systemClock, log, audit });
}

/** Made once: it takes a while. */
const rsaKey = rsaKeyOf(generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey);

export const securityMeans: ViewerSignInPorts["means"] = {
  crypto: { ...securityCrypto, ...ardCrypto, ...msLogonCrypto },
  rsaKey,
};

/** Nobody has a token. */
const NO_USERS: ViewerSignInPorts["users"] = {
  signInAs: () => ({ kind: "wrong", waitMs: 0 }),
  whenVoid: () => () => {},
};

export interface DoorOptions {
  readonly security: readonly ViewerSecurity[];
  readonly password?: string;
  readonly role?: "operator" | "viewer";
  readonly users?: ViewerSignInPorts["users"];
  readonly certificate?: ViewerCertificate;
  readonly clock?: Clock;
}

export interface Door {
  readonly listener: VncListener;
  readonly signIn: ViewerSignIn;
  readonly sessions: ViewerSessions;
  readonly port: number;
  readonly log: KeptLog;
  readonly audited: readonly AuditEntry[];
}

/** A VNC port on loopback that shows this desktop, closed when the test ends. */
export async function openVncDoor(
  owner: { teardown(call: () => unknown): void },
  desktop: ViewedDesktop | FarChoice | null,
  options: DoorOptions,
): Promise<Door> {
  const log = new KeptLog();
  const audited: AuditEntry[] = [];
  const audit = (entry: AuditEntry): void => void audited.push(entry);
  const { security, clock = systemClock, users = NO_USERS } = options;
  const signIn = new ViewerSignIn(
    { log, lockout: new Lockout(clock), means: securityMeans, users, audit },
    { security, password: options.password ?? null, passwordRole: options.role ?? "operator" },
  );
  const sessions = viewerSessions(log, audit);
  const activeDesktop = (): ViewedDesktop | FarChoice => {
    if (desktop === null) throw new RefusedError("not_found", "no desktop");
    return desktop;
  };
  const tls = new ViewerTls(options.certificate ?? null);
  const ports = { sessions, rfb: rfbPorts, clock, log, signIn, tls, activeDesktop };
  const listener = new VncListener(ports, { host: "127.0.0.1", port: 0 });
  const { port } = await listener.listen();
  owner.teardown(() => listener.close());
  return { listener, signIn, sessions, port, log, audited };
}
