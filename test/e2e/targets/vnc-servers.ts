import { execFile } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import sharp from "sharp";
import { freePort } from "../../support/free-port.ts";
import { type Owner, Program } from "../../support/program.ts";
import { until } from "../../support/until.ts";
import { readPpm } from "../harness/ppm.ts";
import { Qmp } from "../harness/qmp.ts";
import { XScene } from "../harness/x-scene.ts";
import { type Shot, shootDisplay } from "../harness/xwd.ts";
import { startTarget, type TargetKind } from "./target.ts";

const run = promisify(execFile);

/** A VNC server as Debian ships it, showing something that can be changed. */
export interface VncServer {
  readonly port: number;
  readonly password: string | null;
  /** What the server's own display shows, pointer not included. */
  truth(): Promise<Shot>;
  /** Changes what is shown. */
  change(): Promise<void>;
}

export interface ServerKind {
  readonly name: string;
  /** The Debian package, and the programs the test needs, each with the package that brings it. */
  readonly debianPackage: string;
  readonly programs: Readonly<Record<string, string>>;
  /** `scale`: 1 for a screen of ordinary size, less for a smaller one where the server can. */
  start(owner: Owner, folder: string, scale?: number): Promise<VncServer>;
}

const X_PROGRAMS = {
  xwd: "x11-apps",
  xwud: "x11-apps",
  xwininfo: "x11-utils",
  xsetroot: "x11-xserver-utils",
} as const;

function geometryOf(scale: number): string {
  return `${800 * scale}x${600 * scale}`;
}

async function startOnXtigervnc(
  kind: TargetKind,
  owner: Owner,
  folder: string,
  scale = 1,
): Promise<VncServer> {
  const target = await startTarget(owner, kind, folder, { geometry: geometryOf(scale) });
  const scene = new XScene(owner, target.display.name, folder, scale);
  await scene.open();
  const { port, password } = target;
  return { port, password, truth: () => target.display.shot(), change: () => scene.move() };
}

/** Displays for a server that cannot choose one itself. */
const FIRST_DISPLAY = 85;
const LAST_DISPLAY = 89;

async function startXtightvnc(owner: Owner, folder: string, scale = 1): Promise<VncServer> {
  for (let number = FIRST_DISPLAY; number <= LAST_DISPLAY; number++) {
    if (existsSync(`/tmp/.X${number}-lock`) || existsSync(`/tmp/.X11-unix/X${number}`)) continue;
    const display = `:${number}`;
    const port = 5900 + number;
    const fonts = "/usr/share/fonts/X11/misc";
    const server = new Program(owner, "Xtightvnc", [
      ...[display, "-geometry", geometryOf(scale), "-depth", "24", "-rfbport", `${port}`],
      ...["-localhost", "-nolisten", "tcp", "-ac", "-fp", fonts],
    ]);
    const isUp = await until("its display", async () => {
      if (!server.isRunning) return "no";
      await shootDisplay(display);
      return "yes";
    });
    if (isUp === "no") continue;
    const scene = new XScene(owner, display, folder, scale);
    await scene.open();
    return { port, password: null, truth: () => shootDisplay(display), change: () => scene.replace() };
  }
  throw new Error(`no free X display between :${FIRST_DISPLAY} and :${LAST_DISPLAY}`);
}

/**
 * A boot sector that fills the 320x200 screen with all 256 colours, in another order after each key:
 *
 *     mov ax, 13h; int 10h; push 0a000h; pop es; xor bx, bx
 *     draw:  xor di, di
 *     pixel: mov ax, di; xor al, ah; add al, bl; stosb; or di, di; jnz pixel
 *            add bl, 11h; xor ax, ax; int 16h; jmp draw
 */
const BOOT_CODE = Uint8Array.from([
  ...[0xb8, 0x13, 0x00, 0xcd, 0x10, 0x68, 0x00, 0xa0, 0x07, 0x31, 0xdb],
  ...[0x31, 0xff, 0x89, 0xf8, 0x30, 0xe0, 0x00, 0xd8, 0xaa, 0x09, 0xff, 0x75, 0xf5],
  ...[0x80, 0xc3, 0x11, 0x31, 0xc0, 0xcd, 0x16, 0xeb, 0xea],
]);

async function startQemu(owner: Owner, folder: string): Promise<VncServer> {
  const sector = new Uint8Array(1024 * 1024);
  sector.set(BOOT_CODE);
  sector.set([0x55, 0xaa], 510);
  const disk = join(folder, "boot.img");
  writeFileSync(disk, sector);
  const port = await freePort();
  // A test's own folder has a longer name than a Unix socket may have.
  const controlFolder = mkdtempSync(join(tmpdir(), "oc-qemu-"));
  owner.teardown(() => rmSync(controlFolder, { recursive: true, force: true }));
  const control = join(controlFolder, "qmp");
  const server = new Program(owner, "qemu-system-x86_64", [
    ...["-display", "none", "-machine", "pc,accel=tcg", "-m", "32", "-nodefaults", "-no-user-config"],
    ...["-vga", "std", "-drive", `file=${disk},format=raw,if=ide`, "-vnc", `127.0.0.1:${port - 5900}`],
    ...["-qmp", `unix:${control},server=on,wait=off`],
  ]);
  await until("qemu's control socket", () => existsSync(control) || !server.isRunning);
  const qmp = await Qmp.open(control);
  owner.teardown(() => qmp.close());
  const dump = join(folder, "screen.ppm");
  const truth = async (): Promise<Shot> => {
    await qmp.execute("screendump", { filename: dump });
    return readPpm(readFileSync(dump));
  };
  await until("the boot sector's screen", async () => coloursOf(await truth()) > 200);
  const change = async (): Promise<void> => {
    await qmp.execute("send-key", { keys: [{ type: "qcode", data: "spc" }] });
  };
  return { port, password: null, truth, change };
}

function coloursOf({ rgba }: Shot): number {
  return new Set(new Uint32Array(rgba.buffer, rgba.byteOffset, rgba.length >> 2)).size;
}

const NOBODY = 65_534;

/** sway refuses root: it and all it starts run as nobody, in a folder of nobody's. */
async function startWayvnc(owner: Owner, _folder: string, scale = 1): Promise<VncServer> {
  const folder = mkdtempSync(join(tmpdir(), "oc-sway-"));
  owner.teardown(() => rmSync(folder, { recursive: true, force: true }));
  chmodSync(folder, 0o755);
  const home = join(folder, "home");
  mkdirSync(home, { mode: 0o700 });
  chownSync(home, NOBODY, NOBODY);
  const pictures = await Promise.all([1, 2].map((step) => writePicture(folder, step)));
  const config = join(folder, "config");
  const port = await freePort();
  const output = "output HEADLESS-1";
  writeFileSync(
    config,
    `${output} resolution ${640 * scale}x${480 * scale} position 0 0\n${output} bg ${pictures[0]} stretch\nexec wayvnc 127.0.0.1 ${port}\n`,
  );
  const env = {
    ...{ HOME: home, XDG_RUNTIME_DIR: home, WAYLAND_DISPLAY: "", DISPLAY: "", SWAYSOCK: join(home, "sway") },
    ...{ WLR_BACKENDS: "headless", WLR_RENDERER: "pixman", WLR_LIBINPUT_NO_DEVICES: "1" },
  };
  const asNobody = [`--reuid=${NOBODY}`, `--regid=${NOBODY}`, "--clear-groups"];
  new Program(owner, "setpriv", [...asNobody, "sway", "-c", config], { env });
  const shoot = async (): Promise<Shot> => {
    const display = { ...process.env, ...env, WAYLAND_DISPLAY: "wayland-1" };
    const { stdout } = await run("setpriv", [...asNobody, "grim", "-t", "ppm", "-"], {
      env: display,
      encoding: "buffer",
      maxBuffer: 64 * 1024 * 1024,
    });
    return readPpm(stdout);
  };
  await until("sway's picture", async () => coloursOf(await shoot()) > 200);
  let shown = 0;
  const change = async (): Promise<void> => {
    shown = 1 - shown;
    const set = `output HEADLESS-1 bg ${pictures[shown]} stretch`;
    await run("setpriv", [...asNobody, "swaymsg", "--", set], { env: { ...process.env, ...env } });
  };
  return { port, password: null, truth: shoot, change };
}

async function writePicture(folder: string, step: number): Promise<string> {
  const width = 640;
  const height = 480;
  const rgb = new Uint8Array(width * height * 3);
  for (let i = 0, y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const isFlat = (x >> 6) % 2 === (y >> 6) % 2;
      rgb[i++] = isFlat ? 40 * step : x * step;
      rgb[i++] = isFlat ? 90 : y * step;
      rgb[i++] = isFlat ? ((x ^ y) % 7 < 2 ? 255 : 20) : x * y;
    }
  }
  const file = join(folder, `picture${step}.png`);
  await sharp(rgb, { raw: { width, height, channels: 3 } })
    .png()
    .toFile(file);
  return file;
}

/** Every VNC server of Debian 12 that the matrix of docs/compatibility.json is about. */
export const SERVERS: readonly ServerKind[] = [
  {
    name: "TigerVNC's Xvnc",
    debianPackage: "tigervnc-standalone-server",
    programs: { Xtigervnc: "tigervnc-standalone-server", xdotool: "xdotool", ...X_PROGRAMS },
    start: (owner, folder, scale) => startOnXtigervnc("tigervnc", owner, folder, scale),
  },
  {
    name: "x11vnc",
    debianPackage: "x11vnc",
    programs: {
      Xtigervnc: "tigervnc-standalone-server",
      x11vnc: "x11vnc",
      xdotool: "xdotool",
      ...X_PROGRAMS,
    },
    start: (owner, folder, scale) => startOnXtigervnc("x11vnc", owner, folder, scale),
  },
  {
    name: "TightVNC's Xvnc",
    debianPackage: "tightvncserver",
    programs: { Xtightvnc: "tightvncserver", ...X_PROGRAMS },
    start: startXtightvnc,
  },
  {
    name: "QEMU",
    debianPackage: "qemu-system-x86",
    programs: { "qemu-system-x86_64": "qemu-system-x86" },
    start: startQemu,
  },
  {
    name: "wayvnc",
    debianPackage: "wayvnc",
    programs: { wayvnc: "wayvnc", sway: "sway", swaybg: "swaybg", grim: "grim", setpriv: "util-linux" },
    start: startWayvnc,
  },
];
