import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { appendFile } from "node:fs/promises";
import { connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Owner, Program } from "../../support/program.ts";
import { until } from "../../support/until.ts";
import { Enclosure, requireNamespaces } from "../harness/namespaces.ts";
import type { PeerTest } from "../harness/peers.ts";
import { makeCertificate } from "./rdp-target.ts";
import type { WaylandDisplay } from "./wayland-probe.ts";

/** Files of the Debian packages gnome-remote-desktop, mutter, pipewire, wireplumber, dbus, iproute2 and ffmpeg. */
const NEEDED = [
  "/usr/libexec/gnome-remote-desktop-daemon",
  "/usr/bin/grdctl",
  "/usr/bin/mutter",
  "/usr/bin/pipewire",
  "/usr/bin/wireplumber",
  "/usr/bin/dbus-run-session",
  "/usr/bin/ffplay",
  "/usr/bin/openssl",
] as const;

const PACKAGES = "gnome-remote-desktop mutter pipewire wireplumber dbus iproute2 ffmpeg openssl";

const GEOMETRY = "800x600";
const USERNAME = "gnome";
const PASSWORD = "Secret-123";

const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

/** True where a GNOME desktop can be started here; as `requirePeers`. */
export function requireGnome(t: PeerTest): boolean {
  const missing = NEEDED.filter((path) => !existsSync(path));
  if (missing.length === 0) return requireNamespaces(t, "GNOME", ["net", "mount", "pid"]);
  const message = `needs ${missing.join(", ")} (apt-get install ${PACKAGES})`;
  if (process.env["CI"]) t.fail(message);
  else process.stderr.write(`SKIPPED: ${message}\n`);
  return false;
}

/** GNOME's own remote desktop, showing one picture full screen, on 127.0.0.1. It takes NLA and nothing else. */
export class GnomeDesktop {
  readonly username = USERNAME;
  readonly password = PASSWORD;
  readonly port: number;
  /** SHA-256 of its certificate, 64 hex digits. */
  readonly fingerprint: string;
  readonly #folder: string;
  readonly #program: Program;

  private constructor(folder: string, port: number, fingerprint: string, program: Program) {
    this.#folder = folder;
    this.port = port;
    this.fingerprint = fingerprint;
    this.#program = program;
  }

  /**
   * `picture` is a PNG of 800x600; `layout` is its keyboard's as X names it, default "us". Resolves when it takes
   * connections.
   */
  static async start(owner: Owner, picture: Uint8Array, layout = "us"): Promise<GnomeDesktop> {
    // A short path, because that of a unix socket has at most 107 characters.
    const folder = mkdtempSync(join(tmpdir(), "oc-gnome-"));
    owner.teardown(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));
    for (const name of ["run", "home"]) mkdirSync(join(folder, name), { mode: 0o700 });
    writeFileSync(join(folder, "picture.png"), picture);
    if (layout !== "us") writeLayout(join(folder, "home"), layout);
    execFileSync("mkfifo", [join(folder, "again")]);
    const { certificate, key, fingerprint } = makeCertificate(folder);
    const relay = join(folder, "relay.sock");
    const port = await listen(owner, relay);
    const env = {
      FOLDER: folder,
      GEOMETRY,
      ACCOUNT: USERNAME,
      SECRET: PASSWORD,
      NODE: process.execPath,
      CERTIFICATE: certificate,
      KEY: key,
    };
    const { program } = new Enclosure(
      owner,
      ["--net", "--mount-proc"],
      ["dbus-run-session", "--", "sh", here("gnome-session.sh")],
      { env: { ...env, RELAY: here("socket-relay.mjs") } },
    );
    await program.waitFor("the RDP server", heardServer, 60_000);
    await until("the relay", () => existsSync(relay));
    return new GnomeDesktop(folder, port, fingerprint, program);
  }

  /** Shows another picture, a PNG of 800x600, or the same anew: the window goes and comes back. */
  show(picture: Uint8Array): Promise<void> {
    writeFileSync(join(this.#folder, "picture.png"), picture);
    return appendFile(join(this.#folder, "again"), "\n");
  }

  get wayland(): WaylandDisplay {
    return { XDG_RUNTIME_DIR: join(this.#folder, "run"), WAYLAND_DISPLAY: "picture" };
  }

  /** What all its programs have said so far. */
  get log(): string {
    return `${this.#program.stdout}${this.#program.stderr}`;
  }
}

/**
 * Mutter without GNOME's shell has the layout "us" and asks nobody; the user's own "us" comes before the system's
 * (libxkbcommon 1.5).
 */
function writeLayout(home: string, layout: string): void {
  const symbols = join(home, ".xkb/symbols");
  mkdirSync(symbols, { recursive: true });
  writeFileSync(join(symbols, "us"), `default xkb_symbols "basic" { include "${layout}(basic)" };\n`);
}

function heardServer({ stdout, stderr }: Program): true | null {
  return `${stdout}${stderr}`.includes("RDP server started") ? true : null;
}

/** A port on 127.0.0.1 that leads to the unix socket `path`. */
async function listen(owner: Owner, path: string): Promise<number> {
  const open = new Set<Socket>();
  const server = createServer((outer) => {
    const inner = connect(path);
    const end = (): void => {
      outer.destroy();
      inner.destroy();
    };
    for (const side of [outer, inner]) {
      open.add(side);
      side.on("error", end).on("close", end);
    }
    outer.pipe(inner).pipe(outer);
  });
  owner.teardown(() => {
    for (const side of open) side.destroy();
    server.close();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("a server without a port");
  return address.port;
}
