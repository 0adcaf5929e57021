import { execFileSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import type { Owner } from "../../support/program.ts";
import { Enclosure } from "../harness/namespaces.ts";
import { filesOfDisplay } from "./rdp-display.ts";

/** Belongs to nobody on a Debian system; the account exists in the namespaces below only. */
const USER_ID = 61_234;
const PACKAGE_FOLDER = "/etc/xrdp";

export interface XrdpOptions {
  readonly back: "xorg" | "xvnc";
  readonly user: string;
  readonly password: string;
  readonly port: number;
  readonly sesmanPort: number;
  /** The number of the X display that its one session gets. */
  readonly displayNumber: number;
  /** PEM files. */
  readonly certificate: string;
  readonly key: string;
}

/**
 * An xrdp and its session manager, set up in `folder`. Both read fixed paths (the port of the session manager from
 * /etc/xrdp/sesman.ini, accounts from /etc/passwd through PAM), so each runs in a mount namespace where those are our
 * own files, and in a process namespace whose death takes every session along. Needs root.
 */
export class Xrdp {
  readonly #owner: Owner;
  readonly #folder: string;
  readonly #displayNumber: number;

  constructor(owner: Owner, folder: string, options: XrdpOptions) {
    this.#owner = owner;
    this.#folder = folder;
    this.#displayNumber = options.displayNumber;
    for (const name of ["etc", "run", "home"])
      mkdirSync(join(folder, name), { recursive: true, mode: 0o755 });
    chownSync(join(folder, "home"), USER_ID, USER_ID);
    this.#writeAccounts(options);
    this.#writeConfiguration(options);
    writeFileSync(join(folder, "enter.sh"), enterScript(folder));
  }

  /** The session manager, which owns the sessions and outlives the server. */
  startSessionManager(): Enclosure {
    const number = this.#displayNumber;
    // What X leaves behind where its namespace is killed.
    const sweep = (): void => {
      for (const file of filesOfDisplay(number)) rmSync(file, { force: true });
    };
    this.#owner.teardown(sweep);
    return this.#enclose("xrdp-sesman", "-n");
  }

  /** The server alone. */
  startServer(): Enclosure {
    return this.#enclose("xrdp", "-n");
  }

  /** Where the session's sound is taken, by whoever plays something in it. */
  get soundSocket(): string {
    return join(this.#folder, "run/sockdir", `xrdp_chansrv_audio_out_socket_${this.#displayNumber}`);
  }

  /** What both have logged so far. */
  log(): string {
    const folder = join(this.#folder, "run");
    const names = readdirSync(folder).filter((name) => name.endsWith(".log"));
    return names.map((name) => readFileSync(join(folder, name), "utf8")).join("\n");
  }

  #enclose(...command: string[]): Enclosure {
    return new Enclosure(this.#owner, [], ["sh", join(this.#folder, "enter.sh"), ...command]);
  }

  #writeAccounts({ user, password }: XrdpOptions): void {
    const at = (name: string): string => join(this.#folder, name);
    const hash = execFileSync("openssl", ["passwd", "-6", "-stdin"], { input: password, encoding: "utf8" });
    const append = (file: string, line: string): string =>
      `${readFileSync(file, "utf8").trimEnd()}\n${line}\n`;
    writeFileSync(at("passwd"), append("/etc/passwd", `${user}:x:${USER_ID}:${USER_ID}::/mnt:/bin/sh`));
    writeFileSync(at("group"), append("/etc/group", `${user}:x:${USER_ID}:`));
    writeFileSync(at("shadow"), append("/etc/shadow", `${user}:${hash.trim()}:20000:0:99999:7:::`), {
      mode: 0o600,
    });
  }

  #writeConfiguration(options: XrdpOptions): void {
    const at = (name: string): string => join(this.#folder, "etc", name);
    for (const name of readdirSync(PACKAGE_FOLDER)) {
      if (/^(km-.*|xrdp_keyboard|rsakeys)\.ini$/.test(name))
        copyFileSync(join(PACKAGE_FOLDER, name), at(name));
    }
    copyFileSync(options.certificate, at("cert.pem"));
    copyFileSync(options.key, at("key.pem"));
    writeFileSync(at("xrdp.ini"), serverConfiguration(options));
    writeFileSync(at("sesman.ini"), sessionConfiguration(options));
    // Whoever sits at this machine may look at the session: the tests compare pictures with it.
    writeFileSync(at("startwm.sh"), "#!/bin/sh\nxhost +si:localuser:root\nexec openbox --sm-disable\n");
    writeFileSync(at("reconnectwm.sh"), "#!/bin/sh\n");
    for (const name of ["startwm.sh", "reconnectwm.sh"]) chmodSync(at(name), 0o755);
  }
}

/** /mnt is there on every system and, in here, the home that the account may reach whatever lies above the folder. */
function enterScript(folder: string): string {
  const bind = (from: string, to: string): string => `mount --bind '${join(folder, from)}' ${to}`;
  const binds = [
    bind("etc", PACKAGE_FOLDER),
    bind("run", "/run/xrdp"),
    bind("home", "/mnt"),
    bind("passwd", "/etc/passwd"),
    bind("group", "/etc/group"),
    bind("shadow", "/etc/shadow"),
  ];
  return `mkdir -p /run/xrdp && ${binds.join(" && ")} && exec "$@"\n`;
}

function serverConfiguration({ back, port }: XrdpOptions): string {
  const isXorg = back === "xorg";
  return ini({
    Globals: [
      "ini_version=1",
      "fork=true",
      `port=tcp://127.0.0.1:${port}`,
      "tcp_nodelay=true",
      "security_layer=tls",
      "certificate=/etc/xrdp/cert.pem",
      "key_file=/etc/xrdp/key.pem",
      "ssl_protocols=TLSv1.2, TLSv1.3",
      "autorun=desktop",
      "allow_channels=true",
      "allow_multimon=true",
      "bitmap_cache=true",
      "bitmap_compression=true",
      "bulk_compression=true",
      "max_bpp=32",
      "new_cursors=true",
      "use_fastpath=both",
    ],
    Logging: ["LogFile=/run/xrdp/xrdp.log", "LogLevel=INFO", "EnableSyslog=false"],
    Channels: ["drdynvc=true", "cliprdr=true", "rdpdr=false", "rdpsnd=true"],
    desktop: [
      "name=desktop",
      `lib=${isXorg ? "libxup.so" : "libvnc.so"}`,
      "username=ask",
      "password=ask",
      "ip=127.0.0.1",
      "port=-1",
      ...(isXorg ? ["code=20"] : []),
    ],
  });
}

function sessionConfiguration({ sesmanPort, displayNumber }: XrdpOptions): string {
  const param = (...values: string[]): string[] => values.map((value) => `param=${value}`);
  return ini({
    // It listens on ::1 for this address (0.9.21), and xrdp finds it there.
    Globals: [
      "ListenAddress=127.0.0.1",
      `ListenPort=${sesmanPort}`,
      "EnableUserWindowManager=false",
      "UserWindowManager=startwm.sh",
      "DefaultWindowManager=startwm.sh",
      "ReconnectScript=reconnectwm.sh",
    ],
    Security: [
      "AllowRootLogin=false",
      "MaxLoginRetry=4",
      "TerminalServerUsers=tsusers",
      "TerminalServerAdmins=tsadmins",
      "AlwaysGroupCheck=false",
      "RestrictOutboundClipboard=none",
      "RestrictInboundClipboard=none",
    ],
    Sessions: [
      `X11DisplayOffset=${displayNumber}`,
      "MaxSessions=1",
      "KillDisconnected=false",
      "DisconnectedTimeLimit=0",
      "IdleTimeLimit=0",
      "Policy=Default",
    ],
    Logging: ["LogFile=/run/xrdp/sesman.log", "LogLevel=INFO", "EnableSyslog=false"],
    Xorg: param(
      "/usr/lib/xorg/Xorg",
      ...["-config", "xrdp/xorg.conf", "-noreset", "-nolisten", "tcp", "-logfile", ".xorg.log"],
    ),
    Xvnc: param("Xvnc", "-bs", "-nolisten", "tcp", "-localhost", "-dpi", "96"),
    Chansrv: ["FuseMountName=thinclient_drives", "FileUmask=077"],
    ChansrvLogging: ["LogFile=chansrv.log", "LogLevel=INFO", "EnableSyslog=false"],
  });
}

function ini(sections: Readonly<Record<string, readonly string[]>>): string {
  return Object.entries(sections)
    .map(([name, lines]) => `[${name}]\n${lines.join("\n")}\n`)
    .join("\n");
}
