// One picture to many viewers, 30 times a second: `ours` through our sessions, `bare` the same bytes by ws.send.
// argv: ours | bare, BYTES (of bare). Writes its port; answers a line on stdin with "CPU-µs FRAMES".
import { createServer } from "node:http";
import { createInterface } from "node:readline";
import { WebSocketServer } from "ws";
import { rect } from "../src/framebuffer/rect.ts";
import { Region } from "../src/framebuffer/region.ts";
import { DrawnDesktop } from "../test/web/drawn-desktop.ts";
import { viewerSessions } from "../test/web/viewer-ports.ts";

const FRAME_MS = 1000 / 30;
/** On the grid that damage is snapped to. */
const MOVING = rect(320, 160, 320, 192);
const PICTURES = 4;

const [mode, bytes] = process.argv.slice(2);
const http = createServer();
const sockets = new WebSocketServer({ server: http, perMessageDeflate: false });
let frames = 0;
const tick = mode === "bare" ? bareTick(Number(bytes)) : ourTick();

http.listen(0, "127.0.0.1", () => {
  const address = http.address();
  if (address === null || typeof address === "string") throw new Error("a TCP server without a port");
  process.stdout.write(`${address.port}\n`);
});
setInterval(() => {
  frames++;
  tick();
}, FRAME_MS);
createInterface({ input: process.stdin })
  .on("line", () => {
    const { user, system } = process.cpuUsage();
    process.stdout.write(`${user + system} ${frames}\n`);
  })
  .on("close", () => process.exit(0));

function bareTick(sizeBytes: number): () => void {
  const message = Buffer.alloc(sizeBytes, 7);
  return () => {
    for (const socket of sockets.clients) socket.send(message, { binary: true });
  };
}

function ourTick(): () => void {
  const desktop = new DrawnDesktop(1280, 720);
  const sessions = viewerSessions();
  const principal = { id: "bench", name: "bench", role: "viewer" } as const;
  const options = { viewport: null, composite: false, viewOnly: true } as const;
  sockets.on("connection", (socket, request) =>
    sessions.attach(socket, desktop, options, principal, request.socket),
  );
  const pictures = Array.from({ length: PICTURES }, (_, seed) => grain(seed + 1));
  return () => {
    const words = pictures[frames % PICTURES];
    if (words === undefined) return;
    const { x, y, width, height } = MOVING;
    for (let row = 0; row < height; row++) {
      const part = words.subarray(row * width, (row + 1) * width);
      desktop.frame.words.set(part, (y + row) * desktop.frame.width + x);
    }
    desktop.changed(Region.of(MOVING));
  };
}

/** Something that neither compresses to nothing nor not at all. */
function grain(seed: number): Uint32Array {
  let random = seed * 7919;
  return Uint32Array.from({ length: MOVING.width * MOVING.height }, (_, i) => {
    random = (Math.imul(random, 1103515245) + 12345) & 0x7fffffff;
    const level = 96 + ((random >> 16) & 7) + ((i >> 4) & 63);
    return 0xff000000 + level * 0x010101;
  });
}
