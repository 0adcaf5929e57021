// `npx tsx test/e2e/targets/record-rdp.ts`: records test/wire/rdp/, what each server of rdp-target.ts says inside TLS in a short
// session, with the hash of its own display at the end. Small screens: a few kilobytes each. Root, as the targets.
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { connect as connectTls } from "node:tls";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { rdpPlatform, subjectPublicKeyOf } from "../../../src/desktop/links/rdp/rdp-platform.ts";
import type { ColourDepth, RdpEffect } from "../../../src/protocols/rdp/client-context.ts";
import { RdpClient } from "../../../src/protocols/rdp/rdp-client.ts";
import type { RdpCapture } from "../../protocols/rdp/capture.ts";
import { pictureHash } from "../../protocols/rfb/capture.ts";
import { until } from "../../support/until.ts";
import { differenceOf, type Shot } from "../harness/xwd.ts";
import type { RdpDisplay } from "./rdp-display.ts";
import { type RdpTarget, type RdpTargetKind, startRdpTarget } from "./rdp-target.ts";

const FOLDER = fileURLToPath(new URL("../../wire/rdp/", import.meta.url));
const SIZE = { width: 320, height: 240 } as const;
/** Weston sends nothing compressed. */
const WESTON_SIZE = { width: 96, height: 64 } as const;
const PACKAGES: Readonly<Record<RdpTargetKind, string>> = {
  "xrdp-xorg": "xrdp",
  "xrdp-xvnc": "xrdp",
  "shadow-tls": "freerdp2-shadow-x11",
  "shadow-nla": "freerdp2-shadow-x11",
  weston: "weston",
};

/**
 * NLA's answers are to our random numbers: its sessions cannot be played again. At 8 bits a pixel xrdp 0.9.21 sends
 * drawing orders though none are advertised, and there is no session to record.
 */
const SESSIONS: readonly (readonly [kind: RdpTargetKind, colourDepth: ColourDepth])[] = [
  ["xrdp-xorg", 32],
  ["xrdp-xorg", 24],
  ["xrdp-xorg", 16],
  ["xrdp-xorg", 15],
  ["xrdp-xvnc", 32],
  ["shadow-tls", 32],
  ["shadow-tls", 16],
  ["weston", 32],
];

/** A client of ours, and all that it hears. */
class Recorder {
  readonly client: RdpClient;
  readonly before: Buffer[] = [];
  readonly inside: Buffer[] = [];
  isReady = false;
  /** What the host copied last. */
  text: string | null = null;
  #stream: { write(bytes: Uint8Array): unknown; destroy(): unknown };

  private constructor(socket: Socket, target: RdpTarget, colourDepth: ColourDepth) {
    this.#stream = socket;
    const { username, password } = target;
    this.client = new RdpClient(
      { username, password, size: SIZE, colourDepth },
      rdpPlatform,
      (bytes) => this.#stream.write(Uint8Array.from(bytes)),
      (event) => {
        if (event.type === "ready") this.isReady = true;
        if (event.type === "clipboard") this.text = event.text;
        if (event.type === "effect") void this.#startTls(socket, event.effect);
      },
    );
    socket.on("data", (chunk: Buffer) => {
      this.before.push(chunk);
      this.client.receive(chunk, performance.now());
    });
    this.client.start(performance.now());
  }

  static async open(target: RdpTarget, colourDepth: ColourDepth): Promise<Recorder> {
    const socket = connect(target.port, "127.0.0.1");
    await once(socket, "connect");
    return new Recorder(socket, target, colourDepth);
  }

  get shot(): Shot {
    const { width, height, bytes } = this.client.framebuffer;
    return { width, height, rgba: bytes.slice() };
  }

  close(): void {
    this.#stream.destroy();
  }

  async #startTls(socket: Socket, effect: RdpEffect): Promise<void> {
    socket.removeAllListeners("data");
    const secure = connectTls({ socket, rejectUnauthorized: false });
    await once(secure, "secureConnect");
    this.#stream = secure;
    const certificate = secure.getPeerX509Certificate();
    if (certificate === undefined) throw new Error("TLS without a certificate");
    secure.on("data", (chunk: Buffer) => {
      this.inside.push(chunk);
      this.client.receive(chunk, performance.now());
    });
    effect.take(subjectPublicKeyOf(certificate));
    this.client.resume(performance.now());
  }
}

/** Text, a drawing, a pointer that changes its shape, a clipboard. */
async function play(display: RdpDisplay, recorder: Recorder, hasClipboard: boolean): Promise<void> {
  await display.command("xsetroot", "-solid", "#205080");
  display.program("xlogo", "-geometry", "100x100+10+10", "-render");
  await display.openTerminal(
    "text",
    "24x6+120+20",
    "seq 1 60; printf '\\033[31mred \\033[42mgreen'; exec cat",
  );
  recorder.client.pointer(200, 60, 0);
  recorder.client.pointer(40, 200, 0);
  await display.writeClipboard("copied at the host: €");
  if (hasClipboard) await until("the host's text", () => recorder.text !== null);
  recorder.client.clipboard("copied here");
  recorder.client.refresh();
}

/** Another size, from servers that have display control. */
async function resize({ client }: Recorder): Promise<void> {
  await until("display control", () => client.arrange([{ x: 0, y: 0, width: 400, height: 300 }]));
  await until("the new size", () => client.framebuffer.width === 400);
}

async function record(kind: RdpTargetKind, colourDepth: ColourDepth): Promise<RdpCapture> {
  const ends: (() => unknown)[] = [];
  const owner = { teardown: (end: () => unknown) => void ends.push(end) };
  try {
    const { width, height } = kind === "weston" ? WESTON_SIZE : SIZE;
    const target = await startRdpTarget(owner, kind, { geometry: `${width}x${height}` });
    const recorder = await Recorder.open(target, colourDepth);
    ends.push(() => recorder.close());
    await until("the session", () => recorder.isReady);
    const { display } = target;
    if (display !== null) {
      await display.isUp();
      const isXrdp = kind.startsWith("xrdp");
      await play(display, recorder, isXrdp);
      if (isXrdp) await resize(recorder);
    }
    // Asked for 24 bits, FreeRDP 2.11.7's shadow sends 16.
    const isExact = colourDepth >= 24 && kind !== "weston";
    let seen = recorder.shot;
    await until(`${kind} at ${colourDepth} bits to be at rest`, async () => {
      if (isExact) {
        seen = recorder.shot;
        return differenceOf(seen, await target.truth()) === null;
      }
      const bytes = recorder.inside.length;
      await pause(1000);
      seen = recorder.shot;
      return recorder.inside.length === bytes;
    });
    const before = Buffer.concat(recorder.before);
    const file = `${kind}-${colourDepth}.gz`;
    const packed = gzipSync(Buffer.concat([before, ...recorder.inside]), { level: 9 });
    writeFileSync(join(FOLDER, file), packed);
    const version = execFileSync("dpkg-query", ["-W", "-f", `\${Version}`, PACKAGES[kind]], {
      encoding: "utf8",
    });
    process.stdout.write(`${file}: ${packed.length} bytes, ${seen.width}x${seen.height}\n`);
    return {
      file,
      server: kind,
      version,
      colourDepth,
      tlsAt: before.length,
      isExact,
      picture: pictureHash(seen),
    };
  } finally {
    for (const end of ends.reverse()) await end();
  }
}

async function main(): Promise<void> {
  mkdirSync(FOLDER, { recursive: true });
  const captures: RdpCapture[] = [];
  for (const [kind, colourDepth] of SESSIONS) captures.push(await record(kind, colourDepth));
  writeFileSync(join(FOLDER, "captures.json"), `${JSON.stringify(captures, null, 2)}\n`);
}

await main();
