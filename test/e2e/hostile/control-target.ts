// A target that behaves, as a process of its own, so that what happens in a test's own process cannot slow it.
// It draws by a clock of its own, as a display does: a frame that nobody has asked for by then is a frame lost. What
// the processor's other users cost is therefore not counted where it is this process that they slow.
// Writes two ports: its own, and one that tells "drawn sent connections" to whoever connects.
import { createServer } from "node:net";
import { rawUpdateHeader, startFakeTarget } from "./fake-target.ts";

const FRAME_MS = 20;
const SIDE = { width: 320, height: 240 } as const;
const SQUARE = 16;

let drawn = 0;
let sent = 0;
let connections = 0;

const port = await startFakeTarget({ teardown: () => undefined }, async (wire) => {
  connections++;
  await wire.shakeHands(SIDE.width, SIDE.height);
  await wire.nextRequest();
  await wire.write(
    Buffer.concat([
      rawUpdateHeader(0, 0, SIDE.width, SIDE.height),
      Buffer.alloc(SIDE.width * SIDE.height * 4),
    ]),
  );
  let isAsked = false;
  const display = setInterval(() => {
    drawn++;
    if (!isAsked) return;
    isAsked = false;
    sent++;
    // It rejects once the other side has gone, which `nextRequest` says as well.
    wire
      .write(
        Buffer.concat([
          rawUpdateHeader(0, 0, SQUARE, SQUARE),
          Buffer.alloc(SQUARE * SQUARE * 4, drawn & 255),
        ]),
      )
      .catch(() => undefined);
  }, FRAME_MS);
  try {
    for (;;) {
      await wire.nextRequest();
      isAsked = true;
    }
  } finally {
    clearInterval(display);
  }
});

const figures = createServer((socket) => {
  socket.on("error", () => undefined);
  socket.end(`${drawn} ${sent} ${connections}\n`);
}).listen(0, "127.0.0.1", () => {
  const address = figures.address();
  if (address === null || typeof address === "string") throw new Error("a TCP server without a port");
  process.stdout.write(`ports ${port} ${address.port}\n`);
});
