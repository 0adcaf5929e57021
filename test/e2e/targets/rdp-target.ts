import { execFileSync } from "node:child_process";
import { X509Certificate } from "node:crypto";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { md4 } from "../../../src/protocols/rdp/security/md4.ts";
import { freePort } from "../../support/free-port.ts";
import { type Owner, Program } from "../../support/program.ts";
import { until } from "../../support/until.ts";
import { requireNamespaces } from "../harness/namespaces.ts";
import { type Peer, type PeerTest, requirePeers } from "../harness/peers.ts";
import { XDisplay } from "../harness/x-display.ts";
import type { Shot } from "../harness/xwd.ts";
import { claimDisplayNumber, RdpDisplay } from "./rdp-display.ts";
import type { WaylandDisplay } from "./wayland-probe.ts";
import { Xrdp } from "./xrdp.ts";

export const RDP_TARGETS = ["xrdp-xorg", "xrdp-xvnc", "shadow-tls", "shadow-nla", "weston"] as const;
export type RdpTargetKind = (typeof RDP_TARGETS)[number];

export interface RdpTargetOptions {
  /** "1024x768": of the shadow servers' and Weston's screen; xrdp takes the client's wish. */
  readonly geometry?: string;
  /** Of the shadow servers' X display. */
  readonly depth?: 16 | 24;
}

/** A desktop of somebody else that is reached by RDP, on 127.0.0.1. */
export interface RdpTarget {
  readonly kind: RdpTargetKind;
  readonly port: number;
  readonly username: string;
  readonly password: string;
  /** What `--connect` takes. */
  readonly url: string;
  /** SHA-256 of its certificate, 64 hex digits. */
  readonly fingerprint: string;
  /** The X display that it shows, for xwd and xdotool; xrdp's is up after the first sign-in. Weston has none. */
  readonly display: RdpDisplay | null;
  /** The Wayland display that it shows: Weston's. */
  readonly wayland: WaylandDisplay | null;
  /** The unix socket that takes what is played in its session; null where there is none. */
  readonly soundSocket: string | null;
  /** What it shows now, pointer not included. */
  truth(): Promise<Shot>;
  /** What the server has said so far. */
  log(): string;
  /** Ends the server at once, as a crash does; sessions of xrdp live on. */
  kill(): Promise<void>;
  /** Starts it anew on the same port with the same certificate. */
  restart(): Promise<void>;
}

const USERNAME = "rdptest";
const PASSWORD = "Secret-123";

const PEERS: Readonly<Record<RdpTargetKind, readonly Peer[]>> = {
  "xrdp-xorg": ["xrdp", "openssl", "openbox", "xhost", "xwd", "xdotool"],
  "xrdp-xvnc": ["xrdp", "Xtigervnc", "openssl", "openbox", "xhost", "xwd", "xdotool"],
  "shadow-tls": ["freerdp-shadow-cli", "Xtigervnc", "openssl", "xwd", "xdotool"],
  "shadow-nla": ["freerdp-shadow-cli", "Xtigervnc", "openssl", "xwd", "xdotool"],
  weston: ["weston", "openssl"],
};

/** True where the target can be started here; as `requirePeers`. xrdp changes accounts inside namespaces. */
export function requireRdpTarget(t: PeerTest, kind: RdpTargetKind, more: readonly Peer[] = []): boolean {
  if (!requirePeers(t, [...PEERS[kind], ...more])) return false;
  return !kind.startsWith("xrdp") || requireNamespaces(t, kind, ["mount", "pid"]);
}

/** A server that runs. */
interface Running {
  readonly program: Program;
  /** Ends it at once, as a crash does. */
  kill(): Promise<void>;
}

/** What the kinds do differently. */
interface Server {
  readonly display: RdpDisplay | null;
  readonly wayland?: WaylandDisplay;
  readonly soundSocket?: string;
  truth(): Promise<Shot>;
  start(): Running;
  log(): string;
}

/** What each is started with. */
interface Setting {
  readonly folder: string;
  readonly port: number;
  readonly geometry: string;
  readonly depth: 16 | 24;
  /** PEM files. */
  readonly certificate: string;
  readonly key: string;
}

/** Resolves when the server takes connections. */
export async function startRdpTarget(
  owner: Owner,
  kind: RdpTargetKind,
  options: RdpTargetOptions = {},
): Promise<RdpTarget> {
  // Not below the checkout, whose path may be long: that of a unix socket has at most 107 characters.
  const own = mkdtempSync(join(tmpdir(), "oc-rdp-"));
  owner.teardown(() => rmSync(own, { recursive: true, force: true, maxRetries: 10 }));
  const { certificate, key, fingerprint } = makeCertificate(own);
  const port = await freePort();
  const { geometry = "1024x768", depth = 24 } = options;
  const server = await prepare(owner, kind, { folder: own, port, geometry, depth, certificate, key });
  let running = await startServer(server, kind, port);
  return {
    kind,
    port,
    username: USERNAME,
    password: PASSWORD,
    url: `rdp://${USERNAME}:${PASSWORD}@127.0.0.1:${port}`,
    fingerprint,
    display: server.display,
    wayland: server.wayland ?? null,
    soundSocket: server.soundSocket ?? null,
    truth: () => server.truth(),
    log: () => server.log(),
    kill: () => running.kill(),
    restart: async () => {
      running = await startServer(server, kind, port);
    },
  };
}

async function startServer(server: Server, kind: RdpTargetKind, port: number): Promise<Running> {
  const running = server.start();
  await listens(running.program, kind, port);
  return running;
}

/** Resolves when a program listens; rejects at once when it ends instead. */
async function listens(program: Program, name: string, port: number): Promise<void> {
  await until(`${name} to listen on port ${port}`, () => !program.isRunning || isListening(port));
  if (!program.isRunning) throw new Error(`${name} ended: ${outputOf(program)}`);
}

function prepare(owner: Owner, kind: RdpTargetKind, setting: Setting): Promise<Server> {
  switch (kind) {
    case "xrdp-xorg":
    case "xrdp-xvnc":
      return prepareXrdp(owner, kind === "xrdp-xorg" ? "xorg" : "xvnc", setting);
    case "shadow-tls":
    case "shadow-nla":
      return prepareShadow(owner, kind === "shadow-nla", setting);
    case "weston":
      return prepareWeston(owner, setting);
  }
}

async function prepareXrdp(owner: Owner, back: "xorg" | "xvnc", setting: Setting): Promise<Server> {
  const { folder, port, certificate, key } = setting;
  const displayNumber = await claimDisplayNumber(owner);
  const sesmanPort = await freePort();
  const account = { user: USERNAME, password: PASSWORD };
  const options = { back, ...account, port, sesmanPort, displayNumber, certificate, key };
  const xrdp = new Xrdp(owner, folder, options);
  await listens(xrdp.startSessionManager().program, "xrdp-sesman", sesmanPort);
  const display = new RdpDisplay(owner, `:${displayNumber}`, () => xrdp.log());
  const start = (): Running => {
    const server = xrdp.startServer();
    return { program: server.program, kill: () => server.end() };
  };
  const { soundSocket } = xrdp;
  return { display, soundSocket, truth: () => display.shot(), start, log: () => xrdp.log() };
}

/** FreeRDP's shadow server, which shows an X display that is there already. */
async function prepareShadow(owner: Owner, isNla: boolean, setting: Setting): Promise<Server> {
  const { folder, port, geometry, depth } = setting;
  const { name } = await XDisplay.start(owner, { geometry, depth, hasVnc: false });
  const display = new RdpDisplay(owner, name);
  // It makes itself a certificate where these are not.
  const home = join(folder, "home");
  const store = join(home, ".config/freerdp/shadow");
  mkdirSync(store, { recursive: true });
  copyFileSync(setting.certificate, join(store, "shadow.crt"));
  copyFileSync(setting.key, join(store, "shadow.key"));
  const accounts = join(folder, "sam");
  const hash = Buffer.from(md4(Buffer.from(PASSWORD, "utf16le"))).toString("hex");
  writeFileSync(accounts, `${USERNAME}:::${hash}:::\n`, { mode: 0o600 });
  const args = [`/port:${port}`, "/bind-address:127.0.0.1"].concat(
    isNla ? ["/sec:nla", `/sam-file:${accounts}`] : ["-auth", "-sec-nla"],
  );
  let program: Program | null = null;
  const start = (): Running => {
    const env = { ...display.env, HOME: home, XDG_CONFIG_HOME: join(home, ".config") };
    const server = new Program(owner, "freerdp-shadow-cli", args, { env });
    program = server;
    return { program: server, kill: () => server.stop("SIGKILL") };
  };
  return { display, truth: () => display.shot(), start, log: () => outputOf(program) };
}

/** Of Weston's Wayland display. */
const SOCKET = "wl";

/** Weston's RDP back-end, which has no X display: its background is a picture that we know. */
async function prepareWeston(owner: Owner, setting: Setting): Promise<Server> {
  const { folder, port, certificate, key } = setting;
  const [width = 0, height = 0] = setting.geometry.split("x").map(Number);
  const picture = wallpaper(width, height);
  const file = join(folder, "wallpaper.png");
  await sharp(picture.rgba, { raw: { width, height, channels: 4 } })
    .png()
    .toFile(file);
  const configuration = join(folder, "weston.ini");
  writeFileSync(configuration, westonConfiguration(file));
  const runtime = join(folder, "run");
  mkdirSync(runtime, { recursive: true, mode: 0o700 });
  let program: Program | null = null;
  const start = (): Running => {
    const args = [
      ...[`--config=${configuration}`, "--backend=rdp-backend.so", `--socket=${SOCKET}`],
      ...["--address=127.0.0.1", `--port=${port}`, `--rdp-tls-key=${key}`, `--rdp-tls-cert=${certificate}`],
      ...[`--width=${width}`, `--height=${height}`, "--no-clients-resize"],
    ];
    const server = new Program(owner, "weston", args, { env: { XDG_RUNTIME_DIR: runtime, HOME: folder } });
    program = server;
    return { program: server, kill: () => server.stop("SIGKILL") };
  };
  const wayland = { XDG_RUNTIME_DIR: runtime, WAYLAND_DISPLAY: SOCKET };
  return { display: null, wayland, truth: async () => picture, start, log: () => outputOf(program) };
}

function outputOf(program: Program | null): string {
  return program === null ? "" : `${program.stdout}${program.stderr}`;
}

function westonConfiguration(wallpaperFile: string): string {
  return [
    "[core]",
    "idle-time=0",
    "[shell]",
    "panel-position=none",
    "locking=false",
    "animation=none",
    "startup-animation=none",
    "close-animation=none",
    "background-type=scale",
    `background-image=${wallpaperFile}`,
    "",
  ].join("\n");
}

/** Every pixel another colour than those beside it. */
function wallpaper(width: number, height: number): Shot {
  const rgba = new Uint8Array(width * height * 4);
  for (let at = 0, y = 0; y < height; y++) {
    for (let x = 0; x < width; x++, at += 4) {
      rgba[at] = (x * 5 + y) & 0xff;
      rgba[at + 1] = (x ^ (y * 3)) & 0xff;
      rgba[at + 2] = ((x * y) >> 4) & 0xff;
      rgba[at + 3] = 255;
    }
  }
  return { width, height, rgba };
}

/** A certificate that nobody vouches for, and its key, as PEM files. */
export function makeCertificate(folder: string): { certificate: string; key: string; fingerprint: string } {
  const certificate = join(folder, "cert.pem");
  const key = join(folder, "key.pem");
  const made = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1"];
  execFileSync("openssl", [...made, "-keyout", key, "-out", certificate], { stdio: "ignore" });
  const { fingerprint256 } = new X509Certificate(readFileSync(certificate));
  return { certificate, key, fingerprint: fingerprint256.replaceAll(":", "").toLowerCase() };
}

/** Asks the kernel, so that no server sees a connection that nobody speaks on. */
function isListening(port: number): boolean {
  const end = `:${port.toString(16).toUpperCase().padStart(4, "0")} `;
  return ["/proc/net/tcp", "/proc/net/tcp6"].some((table) =>
    readFileSync(table, "utf8")
      .split("\n")
      .some((line) => {
        const [, local, , state] = line.trim().split(/\s+/);
        return state === "0A" && local !== undefined && `${local} `.endsWith(end);
      }),
  );
}
