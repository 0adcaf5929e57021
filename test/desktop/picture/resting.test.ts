import fc from "fast-check";
import t from "tap";
import { PLATFORM } from "../../../src/appliance/open-links.ts";
import { Scene } from "../../../src/compositor/scene.ts";
import { Display } from "../../../src/desktop/picture/display.ts";
import { Framebuffer } from "../../../src/framebuffer/framebuffer.ts";
import { type Rect, rect } from "../../../src/framebuffer/rect.ts";
import { ByteWriter } from "../../../src/protocols/byte-writer.ts";
import type { RfbClientEvent } from "../../../src/protocols/rfb/client/client-context.ts";
import { RfbClient } from "../../../src/protocols/rfb/client/rfb-client.ts";
import type { EncoderState } from "../../../src/protocols/rfb/encodings/encoding.ts";
import { ALL_ENCODINGS } from "../../../src/protocols/rfb/encodings/list.ts";
import { ENCODING } from "../../../src/protocols/rfb/numbers.ts";
import { FakeClock } from "../../fake-clock.ts";
import { drawText } from "../../framebuffer/frames.ts";
import { hello, join, rectangle, update } from "../../protocols/rfb/client/server-bytes.ts";
import { encoderState, pixelsAt } from "../../protocols/rfb/encodings/wire.ts";

/** As wide and high that scrolls are looked for. */
const WIDTH = 160;
const HEIGHT = 120;
const EXACT = ALL_ENCODINGS.filter((e) => e.encode !== undefined);

/** A server's own picture, and what it says of it. */
class Server {
  readonly picture = new Framebuffer(WIDTH, HEIGHT);
  readonly #state: EncoderState = encoderState();

  moved(fromX: number, fromY: number, to: Rect): Uint8Array {
    this.picture.copy(fromX, fromY, to);
    const body = new ByteWriter().u16(fromX).u16(fromY).bytes();
    return rectangle(to.x, to.y, to.width, to.height, ENCODING.copyRect, body);
  }

  painted(r: Rect, seed: number, encoding: number): Uint8Array {
    drawText(this.picture, r, seed);
    const chosen = EXACT[encoding % EXACT.length];
    const body = new ByteWriter();
    chosen?.encode?.(body, pixelsAt(this.picture, r.x, r.y), r, this.#state);
    return rectangle(r.x, r.y, r.width, r.height, chosen?.number ?? ENCODING.raw, body.bytes());
  }
}

/** A client of ours and the display it feeds, as a desktop has them. */
function stand() {
  const clock = new FakeClock();
  const generations: number[] = [];
  const display = new Display(new Scene(clock), clock, {
    changed: (_changes, generation) => void generations.push(generation),
    resized: () => {},
    whole: () => {},
    watched: () => {},
  });
  const connect = (): RfbClient => {
    const client = new RfbClient(
      { password: null, encodings: [ENCODING.copyRect, ...EXACT.map(({ number }) => number)] },
      PLATFORM,
      () => {},
      (event: RfbClientEvent) => {
        if (event.type === "ready") display.begin(event.screens);
        if (event.type === "update")
          display.update(client.framebuffer, event.painted, event.copies, client.missingPixels);
      },
    );
    client.receive(hello(WIDTH, HEIGHT), 0);
    return client;
  };
  return { display, connect, generations };
}

const place = fc
  .record({ x: fc.nat(WIDTH - 1), y: fc.nat(HEIGHT - 1), w: fc.nat(WIDTH), h: fc.nat(HEIGHT) })
  .map(({ x, y, w, h }) =>
    rect(x, y, Math.max(1, Math.min(w, WIDTH - x)), Math.max(1, Math.min(h, HEIGHT - y))),
  );
const part = fc.record({
  isMove: fc.boolean(),
  to: place,
  ...{ fromX: fc.nat(1000), fromY: fc.nat(1000), seed: fc.integer(), encoding: fc.nat(EXACT.length - 1) },
});
const updates = fc.array(
  fc.record({ parts: fc.array(part, { minLength: 1, maxLength: 6 }), isReconnected: fc.nat(5) }),
  { minLength: 1, maxLength: 8 },
);

t.test("readers see whole pictures alone, and a watcher that follows them has every pixel", async (t) => {
  fc.assert(
    fc.property(updates, fc.integer({ min: 400, max: 20_000 }), (all, pieceBytes) => {
      const { display, connect } = stand();
      let server = new Server();
      let client = connect();
      client.receive(update(server.painted(server.picture.rect, 1, 0)), 0);
      const { watchers } = display.shownTo("viewer");
      const watcher = watchers.add(display.bounds, {}, () => {});
      const seen = new Framebuffer(WIDTH, HEIGHT);
      const bytesShown = (): Buffer => Buffer.from(display.shownTo("agent").frame?.bytes ?? []);
      const follow = (): boolean => {
        const { painted, copies } = watcher.take();
        for (const { fromX, fromY, to } of copies) seen.copy(fromX, fromY, to);
        const { words } = display.shownTo("viewer").frame ?? seen;
        for (const r of painted.rects) {
          for (let y = r.y; y < r.y + r.height; y++) {
            const at = y * WIDTH + r.x;
            seen.words.set(words.subarray(at, at + r.width), at);
          }
        }
        return Buffer.compare(Buffer.from(seen.bytes), Buffer.from(server.picture.bytes)) === 0;
      };
      if (!follow()) return false;
      for (const { parts, isReconnected } of all) {
        const whole: Uint8Array[] = [];
        if (isReconnected === 0) {
          display.lost();
          client.close();
          server = new Server();
          client = connect();
          whole.push(server.painted(server.picture.rect, parts.length, parts[0]?.encoding ?? 0));
        }
        for (const { isMove, to, fromX, fromY, seed, encoding } of parts) {
          const x = fromX % (WIDTH - to.width + 1);
          const y = fromY % (HEIGHT - to.height + 1);
          whole.push(isMove ? server.moved(x, y, to) : server.painted(to, seed, encoding));
        }
        const bytes = join(update(...whole));
        const before = bytesShown();
        const { generation } = display;
        for (let at = 0; at < bytes.length; at += pieceBytes) {
          client.receive(bytes.subarray(at, at + pieceBytes), 0);
          if (at + pieceBytes >= bytes.length) break;
          if (display.generation !== generation || Buffer.compare(bytesShown(), before) !== 0) return false;
        }
        if (Buffer.compare(bytesShown(), Buffer.from(server.picture.bytes)) !== 0) return false;
        if (!follow()) return false;
      }
      client.close();
      return true;
    }),
    { numRuns: 60 },
  );
  t.pass("every picture was whole and right");
});

t.test("an update that never ends is never shown", async (t) => {
  const { display, connect } = stand();
  const server = new Server();
  const client = connect();
  client.receive(update(server.painted(server.picture.rect, 2, 0)), 0);
  const before = Buffer.from(server.picture.bytes);
  const next = join(
    update(server.painted(rect(0, 0, WIDTH, 60), 3, 0), server.painted(rect(0, 60, WIDTH, 60), 4, 0)),
  );
  client.receive(next.subarray(0, next.length - 1), 0);
  t.equal(Buffer.compare(Buffer.from(display.shownTo("agent").frame?.bytes ?? []), before), 0);
  display.lost();
  t.equal(
    Buffer.compare(Buffer.from(display.shownTo("agent").frame?.bytes ?? []), before),
    0,
    "nor is it later",
  );
});

t.test("the first picture is shown where it was decoded, and no second one is kept", async (t) => {
  const { display, connect, generations } = stand();
  const server = new Server();
  const client = connect();
  const half = HEIGHT / 2;
  client.receive(update(server.painted(rect(0, 0, WIDTH, half), 5, 0)), 0);
  const { buffer } = client.framebuffer.words;
  client.receive(update(server.painted(rect(0, half, WIDTH, half), 6, 0)), 0);
  t.equal(display.shownTo("agent").frame?.words.buffer, buffer);
  t.equal(generations.length, 1);
  client.receive(update(server.painted(rect(8, 8, 16, 16), 7, 0)), 0);
  t.equal(display.shownTo("agent").frame?.words.buffer, buffer, "later ones are published into it");
});
