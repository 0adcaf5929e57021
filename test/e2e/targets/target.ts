import { createCipheriv } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Owner, Program } from "../../support/program.ts";
import { type DisplayOptions, XDisplay } from "../harness/x-display.ts";

export const TARGETS = ["tigervnc", "x11vnc"] as const;
export type TargetKind = (typeof TARGETS)[number];

/** A desktop of somebody else: an X display, and the VNC server that shows it. */
export interface Target {
  readonly kind: TargetKind;
  readonly display: XDisplay;
  readonly port: number;
  readonly password: string;
  /** What `--connect` takes. */
  readonly url: string;
  /** The process that speaks VNC. */
  readonly server: Program;
}

const PASSWORD = "secret42";

export interface TargetOptions extends Pick<DisplayOptions, "geometry" | "depth"> {
  /** Of its keyboard, as setxkbmap takes it. x11vnc reads it once, when it starts. */
  readonly layout?: readonly string[];
}

/** `folder` holds the password file. Resolves when the server takes connections. */
export async function startTarget(
  owner: Owner,
  kind: TargetKind,
  folder: string,
  options: TargetOptions = {},
): Promise<Target> {
  const passwordFile = join(folder, `${kind}.passwd`);
  writeFileSync(passwordFile, vncPassword(PASSWORD), { mode: 0o600 });
  const url = (port: number): string => `vnc://:${PASSWORD}@127.0.0.1:${port}`;
  if (kind === "tigervnc") {
    const display = await XDisplay.start(owner, { ...options, passwordFile });
    await setLayout(display, options);
    const port = display.vncPort;
    return { kind, display, port, password: PASSWORD, url: url(port), server: display.server };
  }
  const display = await XDisplay.start(owner, { ...options, hasVnc: false });
  await setLayout(display, options);
  const server = display.program(
    "x11vnc",
    ...["-display", display.name, "-rfbport", `${display.vncPort}`, "-localhost", "-no6", "-noipv6"],
    ...["-rfbauth", passwordFile, "-forever", "-shared", "-xrandr", "newfbsize", "-noxrecord", "-q"],
  );
  await server.waitFor("its port", ({ stdout }) => (/^PORT=\d+/m.test(stdout) ? true : null));
  return { kind, display, port: display.vncPort, password: PASSWORD, url: url(display.vncPort), server };
}

async function setLayout(display: XDisplay, { layout }: TargetOptions): Promise<void> {
  if (layout !== undefined) await display.command("setxkbmap", ...layout);
}

/** The key that VNC password files are sealed with, its bits in the order DES wants them. */
const FILE_KEY = Uint8Array.from([23, 82, 107, 6, 35, 78, 88, 7], reverseBits);

/** A password of at most 8 characters as `vncpasswd` writes it. */
export function vncPassword(password: string): Buffer {
  const block = Buffer.alloc(8);
  block.write(password, "latin1");
  // OpenSSL 3 has no single DES; three times the same key is the same cipher.
  const cipher = createCipheriv("des-ede3-ecb", Buffer.concat([FILE_KEY, FILE_KEY, FILE_KEY]), null);
  return Buffer.concat([cipher.setAutoPadding(false).update(block), cipher.final()]);
}

function reverseBits(byte: number): number {
  let reversed = 0;
  for (let bit = 0; bit < 8; bit++) reversed |= ((byte >> bit) & 1) << (7 - bit);
  return reversed;
}
