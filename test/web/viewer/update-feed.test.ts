import t from "tap";
import { Framebuffer } from "../../../src/framebuffer/framebuffer.ts";
import type { Clock } from "../../../src/platform/clock.ts";
import { ByteQueue } from "../../../src/protocols/byte-queue.ts";
import { ViewerSession } from "../../../src/web/viewer/session.ts";
import { say } from "../../protocols/rfb/server/viewer.ts";
import { DrawnDesktop } from "../drawn-desktop.ts";
import { FakeTransport } from "../fake-transport.ts";
import { KeptLog, oneCache, rfbPorts } from "../viewer-ports.ts";

/** Less than an update's limit of bytes, also in Raw. */
const WIDTH = 800;
const HEIGHT = 600;
const HELLO = [Buffer.from("RFB 003.008\n"), Uint8Array.of(1), Uint8Array.of(1)];

/** Encoding takes two milliseconds a piece: time passes only by looking at the clock. */
function slowClock(): Clock {
  let now = 0;
  return { nowMs: () => (now += 2), date: () => new Date(0), after: () => () => {} };
}

/** A viewer of Raw pixels that answers fences. */
class Viewer {
  readonly desktop = new DrawnDesktop(WIDTH, HEIGHT);
  readonly transport = new FakeTransport();
  readonly shown = new Framebuffer(WIDTH, HEIGHT);

  constructor() {
    new ViewerSession(
      {
        rfb: rfbPorts,
        cacheOf: oneCache(this.desktop.view()),
        clock: slowClock(),
        log: new KeptLog(),
      },
      {
        desktop: this.desktop,
        transport: this.transport,
        security: [{ type: "none" }],
        rights: () => ({
          ...{
            actor: { kind: "human", id: "anna", name: "Anna" },
            audience: "viewer",
            isViewOnly: true,
            hasClipboard: false,
          },
        }),
        isComposited: false,
        viewport: null,
      },
    );
  }

  async open(...numbers: number[]): Promise<void> {
    await this.transport.whenSent();
    this.transport.say(...HELLO);
    this.transport.drain();
    // Continuous from the start: an update that is asked for may come in parts, which this reader does not put together.
    this.transport.say(say.encodings(0, ...numbers), say.continuous(true, 0, 0, WIDTH, HEIGHT));
    await settled();
    this.read();
  }

  /** Shows what came, and answers. Returns how many updates that were. */
  read(): number {
    const from = new ByteQueue();
    from.push(this.transport.drain());
    let updates = 0;
    while (from.size > 0) {
      const type = from.u8();
      if (type === 248) {
        from.skip(7);
        this.transport.say(say.fence(0, from.take(from.u8()).slice()));
      } else if (type === 0) {
        updates++;
        from.skip(1);
        for (let left = from.u16(); left > 0; left--) this.#show(from);
      }
    }
    return updates;
  }

  get isUpToDate(): boolean {
    const { frame } = this.desktop;
    return this.shown.words.every((word, i) => (word & 0xffffff) === ((frame.words[i] ?? 0) & 0xffffff));
  }

  #show(from: ByteQueue): void {
    const [x, y, width, height] = [from.u16(), from.u16(), from.u16(), from.u16()];
    if (from.i32() !== 0) throw new Error("expected Raw rectangles alone");
    for (let row = y; row < y + height; row++) {
      this.shown.bytes.set(from.take(width * 4), (row * WIDTH + x) * 4);
    }
  }
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

t.test(
  "a viewer with continuous updates gets a large change in parts, a turn of the event loop each",
  async (t) => {
    const viewer = new Viewer();
    await viewer.open(-312, -313);
    viewer.desktop.paintScene(1);
    for (let i = 0; i < 60 && !viewer.isUpToDate; i++) {
      await settled();
      viewer.read();
    }
    await settled();
    viewer.desktop.paintScene(2);
    await Promise.resolve();
    t.equal(viewer.read(), 1, "one part at once");
    t.notOk(viewer.isUpToDate);
    let parts = 1;
    for (let i = 0; i < 60 && !viewer.isUpToDate; i++) {
      await settled();
      parts += viewer.read();
    }
    t.ok(viewer.isUpToDate, "all of it in the end");
    t.ok(parts >= 3, `${parts} parts`);
    await settled();
    t.equal(viewer.read(), 0, "and nothing after that");
  },
);
