// Viewers that read and do nothing else, so that one process can be many. argv: PORT COUNT asking | continuous | bare:
// asking for each frame, with continuous updates (and so answering fences), or saying nothing.
// Writes "ready"; answers a line on stdin with "MESSAGES BYTES" received since.
import { createInterface } from "node:readline";
import { WebSocket } from "ws";
import { RGBX } from "../src/framebuffer/pixel-format.ts";
import { rect } from "../src/framebuffer/rect.ts";
import * as request from "../src/protocols/rfb/client/requests.ts";
import { ENCODING } from "../src/protocols/rfb/numbers.ts";

const ALL = rect(0, 0, 1280, 720);
/** A fence that offers them, and one that follows an update: U8 type, pad 3, U32 flags, U8 length, payload. */
const OFFER = Buffer.of(248, 0, 0, 0, 0x80, 0, 0, 0, 0);
const CONFIRM = Buffer.of(248, 0, 0, 0, 0x80, 0, 0, 1, 4);
const CONFIRM_BYTES = CONFIRM.length + 4;
const FLAGS_AT = 4;

const [port, count, mode] = process.argv.slice(2);
let messages = 0;
let bytes = 0;
let waiting = Number(count);

for (let i = 0; i < Number(count); i++) {
  const socket = new WebSocket(`ws://127.0.0.1:${port}`, { perMessageDeflate: false });
  let heard = 0;
  socket.on("open", () => {
    if (mode === "bare") arrived();
  });
  socket.on("message", (data: Buffer) => {
    heard++;
    const fence = fenceIn(data);
    if (fence !== null) {
      socket.send(
        Buffer.concat([fence.subarray(0, FLAGS_AT), Buffer.of(0, 0, 0, 0), fence.subarray(FLAGS_AT + 4)]),
      );
      if (fence.length === data.length) return;
    }
    if (mode !== "bare") answer(socket, heard);
    messages++;
    bytes += data.length;
  });
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
    const flow = mode === "continuous" ? [ENCODING.fence, ENCODING.continuousUpdates] : [];
    socket.send(Buffer.from(request.setEncodings([ENCODING.tight, ...flow])));
    socket.send(Buffer.from(request.framebufferUpdateRequest(ALL, false)));
    if (mode === "continuous") socket.send(Buffer.from(request.enableContinuousUpdates(true, ALL)));
    arrived();
  } else if (mode === "asking") socket.send(Buffer.from(request.framebufferUpdateRequest(ALL, true)));
}

function arrived(): void {
  waiting--;
  if (waiting === 0) process.stdout.write("ready\n");
}

createInterface({ input: process.stdin })
  .on("line", () => {
    process.stdout.write(`${messages} ${bytes}\n`);
    messages = 0;
    bytes = 0;
  })
  .on("close", () => process.exit(0));
