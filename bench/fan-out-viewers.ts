// Viewers that read and do nothing else, so that one process can be many. argv: PORT COUNT asking | continuous | bare:
// asking for each frame, with continuous updates (and so answering fences), or saying nothing; MS: answers after 1 to
// that many milliseconds, at random (0: at once); `pointer` to have the pointer drawn in; `keep` to keep all bytes.
// Writes "ready"; answers a line on stdin with "MESSAGES BYTES" received since, and "judge", where bytes were kept and
// the picture stands, with what they hold, decoded: "PICTURES-A-SECOND AGE95 HASH…", the least of all viewers, all hashes.
import { createHash } from "node:crypto";
import { createInterface } from "node:readline";
import { WebSocket } from "ws";
import { PLATFORM } from "../src/appliance/open-links.ts";
import { RGBX } from "../src/framebuffer/pixel-format.ts";
import { PLAIN_RFB } from "../src/protocols/rfb/client/plain-rfb.ts";
import * as request from "../src/protocols/rfb/client/requests.ts";
import { RfbClient } from "../src/protocols/rfb/client/rfb-client.ts";
import { ENCODING } from "../src/protocols/rfb/numbers.ts";
import { ageOf, MOVING, nowMs, SCREEN } from "./fan-out-scene.ts";

/** A fence that offers them, and one that follows an update: U8 type, pad 3, U32 flags, U8 length, payload. */
const OFFER = Buffer.of(248, 0, 0, 0, 0x80, 0, 0, 0, 0);
const CONFIRM = Buffer.of(248, 0, 0, 0, 0x80, 0, 0, 1, 4);
const CONFIRM_BYTES = CONFIRM.length + 4;
const FLAGS_AT = 4;

interface Kept {
  readonly data: Buffer;
  readonly atMs: number;
}

const [port, count, mode, delayMs = "0", drawn = "", kept = ""] = process.argv.slice(2);
const viewers: Kept[][] = [];
let messages = 0;
let bytes = 0;
let waiting = Number(count);
/** When the last two lines came: pictures between them count. */
let window = { fromMs: 0, toMs: 0 };

for (let i = 0; i < Number(count); i++) {
  const socket = new WebSocket(`ws://127.0.0.1:${port}`, { perMessageDeflate: false });
  const mine: Kept[] = [];
  viewers.push(mine);
  let heard = 0;
  socket.on("open", () => {
    if (mode === "bare") arrived();
  });
  socket.on("message", (data: Buffer) => {
    heard++;
    if (kept === "keep") mine.push({ data, atMs: nowMs() });
    const fence = fenceIn(data);
    if (fence !== null) {
      later(() =>
        socket.send(
          Buffer.concat([fence.subarray(0, FLAGS_AT), Buffer.of(0, 0, 0, 0), fence.subarray(FLAGS_AT + 4)]),
        ),
      );
      if (fence.length === data.length) return;
    }
    if (mode !== "bare") answer(socket, heard);
    messages++;
    bytes += data.length;
  });
}

function later(call: () => void): void {
  if (delayMs === "0") call();
  else setTimeout(call, 1 + Math.random() * (Number(delayMs) - 1));
}

/** The fence that a message is or ends with; null where there is none. */
function fenceIn(data: Buffer): Buffer | null {
  if (data.equals(OFFER)) return data;
  const end = data.subarray(-CONFIRM_BYTES);
  return end.subarray(0, CONFIRM.length).equals(CONFIRM) ? end : null;
}

/** RFB 3.8 without a password; the server's messages of the handshake come one in a frame. */
function answer(socket: WebSocket, heard: number): void {
  if (heard === 1) socket.send("RFB 003.008\n", { binary: true });
  else if (heard === 2) socket.send(Buffer.of(1));
  else if (heard === 3) socket.send(Buffer.of(1));
  else if (heard === 4) {
    socket.send(Buffer.from(request.setPixelFormat(RGBX)));
    socket.send(Buffer.from(request.setEncodings([ENCODING.tight, ...pseudoEncodings()])));
    socket.send(Buffer.from(request.framebufferUpdateRequest(SCREEN, false)));
    if (mode === "continuous") socket.send(Buffer.from(request.enableContinuousUpdates(true, SCREEN)));
    arrived();
  } else if (mode === "asking") {
    later(() => socket.send(Buffer.from(request.framebufferUpdateRequest(SCREEN, true))));
  }
}

function pseudoEncodings(): number[] {
  const flow = mode === "continuous" ? [ENCODING.fence, ENCODING.continuousUpdates] : [];
  return drawn.includes("pointer") ? flow : [...flow, ENCODING.cursor];
}

function arrived(): void {
  waiting--;
  if (waiting === 0) process.stdout.write("ready\n");
}

/** What one viewer got, decoded: its pictures a second and their ages in the window, and what it shows in the end. */
function decoded(mine: readonly Kept[]): { perSecond: number; ages: number[]; hash: string } {
  const ages: number[] = [];
  let atMs = 0;
  let stamp = 0;
  const { width, x, y } = { ...MOVING, width: SCREEN.width };
  const client = new RfbClient(
    {
      password: null,
      encodings: [ENCODING.tight],
      dialect: { ...PLAIN_RFB, pseudoEncodings: pseudoEncodings() },
    },
    PLATFORM,
    () => {},
    ({ type }) => {
      const pixel = (client.framebuffer.words[y * width + x] ?? 0) & 0xffffff;
      if (type !== "update" || pixel === stamp) return;
      stamp = pixel;
      if (atMs >= window.fromMs && atMs < window.toMs) ages.push(ageOf(pixel, atMs));
    },
  );
  for (const message of mine) {
    atMs = message.atMs;
    client.receive(message.data, atMs);
  }
  const colours = client.framebuffer.words.map((word) => word & 0xffffff);
  const perSecond = (1000 * ages.length) / (window.toMs - window.fromMs);
  return { perSecond, ages, hash: createHash("sha256").update(colours).digest("hex") };
}

function judge(): string {
  const all = viewers.map(decoded);
  const ages = all.flatMap((one) => one.ages).sort((a, b) => a - b);
  const least = Math.min(...all.map(({ perSecond }) => perSecond));
  const hashes = new Set(all.map(({ hash }) => hash));
  return `${least.toFixed(1)} ${ages[Math.floor(ages.length * 0.95)] ?? -1} ${[...hashes].join(" ")}`;
}

createInterface({ input: process.stdin })
  .on("line", (line) => {
    if (line === "judge") {
      process.stdout.write(`${judge()}\n`);
      return;
    }
    window = { fromMs: window.toMs, toMs: nowMs() };
    process.stdout.write(`${messages} ${bytes}\n`);
    messages = 0;
    bytes = 0;
  })
  .on("close", () => process.exit(0));
