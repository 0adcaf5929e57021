// One picture to many viewers, so many times a second: `ours` through our sessions, `bare` the same bytes by ws.send.
// argv: ours | bare, BYTES (of bare), FRAMES a second, what is drawn over it: "", pointer, overlay or pointer+overlay.
// Writes its port; answers a line on stdin with "CPU-µs FRAMES", "stop" with a hash of what viewers then show.
import { createHash } from "node:crypto";
import { createServer } from "node:http";
import { createInterface } from "node:readline";
import { WebSocketServer } from "ws";
import { Region } from "../src/framebuffer/region.ts";
import { spec } from "../test/compositor/scenes.ts";
import { arrow, OverlaidDesktop } from "../test/web/overlaid-desktop.ts";
import { viewerSessions } from "../test/web/viewer-ports.ts";
import { MOVING, SCREEN, stampNow } from "./fan-out-scene.ts";

const PICTURES = 4;
/** An overlay changes with every so many frames. */
const OVERLAY_EVERY = 5;

const [mode, bytes, perSecond, over = ""] = process.argv.slice(2);
const http = createServer();
const sockets = new WebSocketServer({ server: http, perMessageDeflate: false });
let frames = 0;
const { tick, hash } = mode === "bare" ? bare(Number(bytes)) : ours();

http.listen(0, "127.0.0.1", () => {
  const address = http.address();
  if (address === null || typeof address === "string") throw new Error("a TCP server without a port");
  process.stdout.write(`${address.port}\n`);
});
let timer: ReturnType<typeof setInterval> | null = null;
start();
createInterface({ input: process.stdin })
  .on("line", (line) => {
    if (line === "stop") {
      if (timer !== null) clearInterval(timer);
      timer = null;
      process.stdout.write(`${hash()}\n`);
      return;
    }
    start();
    const { user, system } = process.cpuUsage();
    process.stdout.write(`${user + system} ${frames}\n`);
  })
  .on("close", () => process.exit(0));

function start(): void {
  timer ??= setInterval(() => {
    frames++;
    tick();
  }, 1000 / Number(perSecond));
}

function bare(sizeBytes: number): { tick(): void; hash(): string } {
  const message = Buffer.alloc(sizeBytes, 7);
  return {
    tick() {
      for (const socket of sockets.clients) socket.send(message, { binary: true });
    },
    hash: () => "",
  };
}

function ours(): { tick(): void; hash(): string } {
  const desktop = new OverlaidDesktop(SCREEN.width, SCREEN.height);
  const sessions = viewerSessions();
  const principal = { id: "bench", name: "bench", role: "viewer" } as const;
  const [hasPointer, hasOverlay] = [over.includes("pointer"), over.includes("overlay")];
  const options = { viewport: null, composite: hasOverlay, viewOnly: true } as const;
  sockets.on("connection", (socket, request) =>
    sessions.attach(socket, desktop, options, principal, request.socket),
  );
  if (hasPointer) desktop.cursor = arrow(0x3366cc, 19);
  const pictures = Array.from({ length: PICTURES }, (_, seed) => grain(seed + 1));
  const { x, y, width, height } = MOVING;
  const tick = (): void => {
    const words = pictures[frames % PICTURES];
    if (words === undefined) return;
    for (let row = 0; row < height; row++) {
      const part = words.subarray(row * width, (row + 1) * width);
      desktop.frame.words.set(part, (y + row) * desktop.frame.width + x);
    }
    desktop.frame.words[y * desktop.frame.width + x] = stampNow();
    desktop.changed(Region.of(MOVING));
    if (hasPointer) {
      desktop.pointer = { x: x + 40 + (frames % 200), y: y + 60 };
      desktop.emit({ type: "cursor", cursor: desktop.cursor });
    }
    if (hasOverlay && frames % OVERLAY_EVERY === 0) {
      desktop.scene.clear(null);
      const at = { x: x + 100, y: y + 100, width: 120, height: 60 };
      const color = frames % 2 === 0 ? "#12ab34" : "#ab1234";
      desktop.scene.add(spec({ kind: "box", ...at, color, opacity: 0.5 }), "bench", desktop.frame.rect);
    }
  };
  return { tick, hash: () => createHash("sha256").update(colours(desktop.shown())).digest("hex") };
}

/** Without what is no colour. */
function colours(words: Uint32Array): Uint32Array {
  return words.map((word) => word & 0xffffff);
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
