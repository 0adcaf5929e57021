import { randomBytes } from "node:crypto";
import { join } from "node:path";
import type { Audit } from "../audit/audit.ts";
import type { Authenticator } from "../auth/authenticator.ts";
import { Lockout } from "../auth/lockout.ts";
import { vncSecurity } from "../config/check-config.ts";
import { type Config, ConfigError } from "../config/config-schema.ts";
import type { OwnListener } from "../desktop/connections/target-guard.ts";
import type { Desktops } from "../desktop/desktops.ts";
import { RefusedError } from "../desktop/error.ts";
import { systemClock } from "../platform/clock.ts";
import type { Logger } from "../platform/log.ts";
import { createPrivateFile } from "../platform/private-file.ts";
import { farNodeOf, farOwner } from "../web/cascade/far-owner.ts";
import type { FarViewers } from "../web/cascade/far-viewers.ts";
import { MonitorDesktop } from "../web/viewer/monitor-view.ts";
import { usesPassword } from "../web/viewer/security.ts";
import type { ViewedDesktop } from "../web/viewer/session.ts";
import type { ViewerSessions } from "../web/viewer/sessions.ts";
import { ViewerSignIn } from "../web/viewer/sign-in.ts";
import { type ViewerCertificate, ViewerTls } from "../web/viewer/tls.ts";
import { ardCrypto, keptRsaKey, msLogonCrypto } from "../web/viewer/viewer-crypto.ts";
import { type FarChoice, VncListener } from "../web/viewer/vnc/vnc-listener.ts";
import type { OpenFleet } from "./fleet/open-fleet.ts";
import { listenFault, type PortKey } from "./listen-fault.ts";
import type { PLATFORM } from "./open-links.ts";

interface Door {
  readonly port: number;
  readonly desktop?: string | undefined;
  readonly monitor?: number | undefined;
  readonly place: PortKey;
}

export interface VncRooms {
  readonly sessions: ViewerSessions;
  readonly platform: typeof PLATFORM;
  readonly desktops: Desktops;
  readonly authenticator: Authenticator;
  readonly audit: Audit;
  readonly certificate: ViewerCertificate | null;
  /** Of desktops that other nodes have. */
  readonly far: FarViewers;
  /** null: this server is alone. */
  readonly shared: Pick<OpenFleet, "fleet" | "lockouts"> | null;
}

/** Opens the VNC port and those of `vnc.listeners`, as far as they are configured; all share one sign-in. */
export async function openVnc(
  config: Config,
  log: Logger,
  rooms: VncRooms,
  own: OwnListener[],
  isLoopbackOnly: boolean,
): Promise<readonly VncListener[]> {
  const { vnc, server, data_dir } = config;
  const doors: readonly Door[] = [
    ...(vnc.port === undefined ? [] : [{ port: vnc.port, place: { key: "vnc.port", flag: "--vnc-port" } }]),
    ...vnc.listeners.map((listener, nth) => ({ ...listener, place: { key: `vnc.listeners.${nth}.port` } })),
  ];
  if (doors.length === 0) return [];
  const security = vncSecurity(config, isLoopbackOnly);
  const { platform, sessions, audit } = rooms;
  const signIn = new ViewerSignIn(
    {
      log,
      lockout: new Lockout(systemClock, rooms.shared?.lockouts.of("vnc")),
      means: {
        crypto: { ...platform.crypto, ...ardCrypto, ...msLogonCrypto },
        rsaKey: await rsaKeyOf(join(data_dir, "vnc-rsa-key.pem")),
      },
      users: rooms.authenticator,
      audit: (entry) => audit.record(entry),
    },
    {
      security,
      password: security.some(usesPassword) ? await passwordOf(config, log) : null,
      passwordRole: vnc.role,
    },
  );
  const tls = new ViewerTls(rooms.certificate);
  const listeners: VncListener[] = [];
  for (const door of doors) {
    const activeDesktop = desktopChoice(rooms, door);
    const ports = { sessions, rfb: platform, clock: systemClock, log, signIn, tls, activeDesktop };
    const listener = new VncListener(ports, { host: server.host, port: door.port });
    try {
      const { port } = await listener.listen();
      own.push({ port });
      listeners.push(listener);
    } catch (cause) {
      await Promise.all(listeners.map((open) => open.close()));
      throw listenFault(cause, door.place, server.host, door.port);
    }
  }
  return listeners;
}

async function rsaKeyOf(path: string): ReturnType<typeof keptRsaKey> {
  try {
    return await keptRsaKey(path);
  } catch (cause) {
    if (cause instanceof Error && "syscall" in cause) throw cause;
    throw new ConfigError(
      `${path} holds no RSA key: restore it from a backup, or remove it and viewers will ask about the new one`,
      { cause },
    );
  }
}

async function passwordOf({ vnc, data_dir }: Config, log: Logger): Promise<string> {
  if (vnc.password !== undefined) return vnc.password;
  const file = join(data_dir, "vnc-password");
  log.info({ file }, "VNC password is kept in a file");
  return (await createPrivateFile(file, `${randomBytes(6).toString("base64url")}\n`)).trim();
}

/** What a port shows: the active desktop or a certain one, whole or one monitor of it; of a fleet also what another node has. */
function desktopChoice(
  { desktops, far, shared }: Pick<VncRooms, "desktops" | "far" | "shared">,
  { desktop: wanted, monitor }: Door,
): () => ViewedDesktop | FarChoice {
  // One for all viewers of a monitor, so that they share what is encoded.
  const monitors = new WeakMap<ViewedDesktop, MonitorDesktop>();
  const partOf = (desktop: ViewedDesktop): ViewedDesktop => {
    if (monitor === undefined) return desktop;
    const known = monitors.get(desktop) ?? new MonitorDesktop(desktop, monitor);
    monitors.set(desktop, known);
    return known;
  };
  return () => {
    const own = ownDesktop(desktops, wanted);
    if (own !== null) return partOf(own);
    const fleet = shared?.fleet ?? null;
    const id = fleet?.find(wanted) ?? null;
    const node = id === null ? null : farNodeOf(fleet, id);
    const { calls = null } = fleet ?? {};
    if (id === null || node === null || calls === null) {
      throw new RefusedError("not_found", `there is no desktop ${wanted ?? "yet"}`);
    }
    return {
      id,
      join: async (principal, ended) => {
        const owner = farOwner(calls, node, systemClock);
        const { desktop, leave } = await far.join({ principal, composite: true }, owner, id, ended);
        return { desktop: partOf(desktop), leave };
      },
    };
  };
}

/** null: it is not here, or none is. */
function ownDesktop(desktops: Desktops, wanted: string | undefined): ViewedDesktop | null {
  if (wanted !== undefined) {
    return desktops.all.find(({ id, name }) => id === wanted || name === wanted) ?? null;
  }
  return desktops.all.length === 0 ? null : desktops.active("vnc");
}
