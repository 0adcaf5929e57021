import t from "tap";
import { RdpError } from "../../../src/protocols/rdp/error.ts";
import { pictureHash } from "../rfb/capture.ts";
import { type RdpCapture, readCaptures, replay, streamOf } from "./capture.ts";

const CAPTURES = readCaptures();

function pictureOf({ client }: ReturnType<typeof replay>): string {
  const { width, height, bytes } = client.framebuffer;
  return pictureHash({ width, height, rgba: bytes });
}

t.test("a recorded session ends with the picture that the server's own display had", async (t) => {
  for (const capture of CAPTURES) {
    const stream = streamOf(capture);
    for (const chunkBytes of [stream.length, 1460, 7, 1]) {
      const run = replay(capture, stream, chunkBytes);
      t.equal(pictureOf(run), capture.picture, `${capture.file}, chunks of ${chunkBytes}`);
    }
  }
});

t.test("the recorded hosts' clipboards and sizes are heard", async (t) => {
  for (const capture of CAPTURES.filter(({ server }) => server.startsWith("xrdp"))) {
    const { events } = replay(capture, streamOf(capture), 1460);
    const texts = events.flatMap((event) => (event.type === "clipboard" ? [event.text] : []));
    t.same(texts, ["copied at the host: €"], capture.file);
    t.ok(
      events.some(({ type }) => type === "resize"),
      `${capture.file}: the new size`,
    );
  }
});

/** Numbers that look random and are the same in each run (mulberry32). */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % below;
  };
}

const SESSIONS = 2400;
const MOST_GROWTH_BYTES = 128 * 1024 * 1024;
/** Hundreds of times what a session takes: an endless loop, not a slow machine. */
const MOST_MS = 20_000;

/** The stream with some bytes changed; the handshake, being short, in half of all sessions. */
function damaged(capture: RdpCapture, stream: Buffer, next: (below: number) => number): Buffer {
  const changed = Buffer.from(stream);
  const isEarly = next(2) === 0;
  const from = isEarly ? 0 : Math.min(3000, stream.length - 1);
  const to = isEarly ? Math.min(capture.tlsAt + 2000, stream.length) : stream.length;
  const count = 1 + next(isEarly ? 3 : 12);
  for (let i = 0; i < count; i++) {
    const at = from + next(to - from);
    const value = changed.readUInt8(at);
    const kind = next(4);
    changed.writeUInt8(
      kind === 0 ? value ^ (1 << next(8)) : kind === 1 ? 0xff : kind === 2 ? 0 : next(256),
      at,
    );
  }
  return changed;
}

t.test("sessions with bytes changed end in an RdpError or go on", { timeout: 300_000 }, async (t) => {
  const next = numbers(20261121);
  const streams = CAPTURES.map(streamOf);
  const codes = new Map<string, number>();
  const before = process.memoryUsage().rss;
  let most = before;
  for (let session = 0; session < SESSIONS; session++) {
    const index = session % CAPTURES.length;
    const [capture, stream] = [CAPTURES[index], streams[index]];
    if (capture === undefined || stream === undefined) throw new Error("there are no captures");
    const endMs = performance.now() + MOST_MS;
    let code = "none";
    try {
      replay(capture, damaged(capture, stream, next), 1460, () => performance.now() > endMs);
    } catch (error) {
      if (!(error instanceof RdpError)) {
        t.fail(`session ${session} of ${capture.file}: ${String(error)}`, { cause: error });
        break;
      }
      code = `${error.phase} ${error.code}`;
      if (/Secret-123|rdptest/.test(error.message)) t.fail(`a secret: ${error.message}`);
    }
    if (performance.now() > endMs) t.fail(`session ${session} of ${capture.file} took ${MOST_MS} ms`);
    codes.set(code, (codes.get(code) ?? 0) + 1);
    most = Math.max(most, process.memoryUsage().rss);
  }
  const counts = [...codes].map(([code, count]) => `${code}: ${count}`).join(", ");
  t.comment(counts);
  t.ok(codes.size > 8, `many ways to fail: ${counts}`);
  const growth = Math.round((most - before) / (1 << 20));
  t.ok(most - before < MOST_GROWTH_BYTES, `grew by ${growth} MiB`);
});
