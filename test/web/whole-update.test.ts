import t from "tap";
import type { View } from "../../src/desktop/view.ts";
import type { Picture } from "../../src/framebuffer/picture.ts";
import { areaOfRect } from "../../src/framebuffer/rect.ts";
import { jpegTurbo } from "../../src/imaging/jpeg/jpeg-turbo.ts";
import { type Clock, systemClock } from "../../src/platform/clock.ts";
import { chooseInflate, nodeDeflate } from "../../src/platform/node-zlib.ts";
import { PLAIN_RFB } from "../../src/protocols/rfb/client/plain-rfb.ts";
import { RfbClient } from "../../src/protocols/rfb/client/rfb-client.ts";
import { ENCODING } from "../../src/protocols/rfb/numbers.ts";
import { ViewerSession } from "../../src/web/viewer/session.ts";
import { FakeClock } from "../fake-clock.ts";
import { securityCrypto } from "../protocols/rfb/server/ports.ts";
import { DrawnDesktop } from "./drawn-desktop.ts";
import { FakeTransport } from "./fake-transport.ts";
import { KeptLog, oneCache, rfbPorts } from "./viewer-ports.ts";

const MIB = 1024 * 1024;
const SIZES = [
  [1280, 800],
  [1920, 1080],
  [3840, 2160],
  [7680, 4320],
] as const;
const ENCODINGS = ["raw", "hextile", "zrle", "tight"] as const;
/** Turns of the event loop, of which an update of the largest size takes thousands. */
const MANY_TURNS = 20_000;
/** What a turn may work, and what encoding a pixel of a slow machine counts as. */
const MOST_MS = 5;
const MS_PER_PIXEL = 4e-5;

const CLIENT_PORTS = {
  inflate: chooseInflate(),
  deflate: nodeDeflate,
  jpeg: jpegTurbo,
  crypto: securityCrypto,
};

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A desktop whose clock goes on only with the pixels that are read of it: work that can be counted. */
class WorkedDesktop extends DrawnDesktop {
  readonly clock = new WorkClock();

  override view(): View {
    const view = super.view();
    const picture = view.picture.bind(view);
    return Object.assign(view, {
      picture: (withOverlays: boolean): Picture => {
        const { width, height, pixels } = picture(withOverlays);
        return {
          ...{ width, height },
          pixels: (rect) => {
            this.clock.work(areaOfRect(rect) * MS_PER_PIXEL);
            return pixels(rect);
          },
        };
      },
    });
  }
}

class WorkClock extends FakeClock {
  #workedMs = 0;

  override nowMs(): number {
    return this.#workedMs;
  }

  work(ms: number): void {
    this.#workedMs += ms;
  }
}

/** A program that takes one picture: asks once, for everything, and is content with the first update. */
class Capture {
  readonly transport = new FakeTransport();
  readonly heard: string[] = [];
  readonly #client: RfbClient;

  constructor(desktop: DrawnDesktop, encoding: number, clock: Clock = systemClock) {
    const actor = { kind: "human", id: "anna", name: "Anna" } as const;
    new ViewerSession(
      { rfb: rfbPorts, cacheOf: oneCache(desktop.view()), clock, log: new KeptLog() },
      {
        ...{ desktop, transport: this.transport, security: [{ type: "none" }] },
        ...{ isComposited: true, viewport: null },
        rights: () => ({ actor, audience: "viewer", isViewOnly: true, hasClipboard: true }),
      },
    );
    this.#client = new RfbClient(
      {
        password: null,
        encodings: [encoding],
        dialect: { ...PLAIN_RFB, pseudoEncodings: [ENCODING.desktopSize] },
      },
      CLIENT_PORTS,
      (bytes) => this.transport.say(bytes),
      ({ type }) => {
        this.heard.push(type);
        if (type === "ready") this.#client.requestUpdate(false);
      },
    );
  }

  ask(isIncremental: boolean): void {
    this.#client.requestUpdate(isIncremental);
  }

  /** `turned` is called after each turn. */
  async readUntil(isOver: () => boolean, turned = (): void => {}): Promise<void> {
    for (let i = 0; i < MANY_TURNS && !isOver(); i++) {
      const bytes = this.transport.drain();
      if (bytes.length > 0) this.#client.receive(bytes, 0);
      await turn();
      turned();
    }
  }

  differences(desktop: DrawnDesktop): number {
    const { words } = this.#client.framebuffer;
    let different = words.length === desktop.frame.words.length ? 0 : words.length;
    for (let i = 0; i < words.length; i++) {
      if ((((words[i] ?? 0) ^ (desktop.frame.words[i] ?? 0)) & 0xffffff) !== 0) different++;
    }
    return different;
  }
}

for (const [width, height] of SIZES) {
  const desktop = new WorkedDesktop(width, height);
  desktop.paintScene(3);
  for (const name of ENCODINGS) {
    t.test(
      `RFC 6143 7.5.3 and 7.6.1: one request, one update, all of ${width}x${height} in ${name}`,
      { timeout: 180_000 },
      async (t) => {
        const { clock } = desktop;
        const capture = new Capture(desktop, ENCODING[name], clock);
        let mostMs = 0;
        let beforeMs = clock.nowMs();
        await capture.readUntil(
          () => capture.heard.includes("update"),
          () => {
            mostMs = Math.max(mostMs, clock.nowMs() - beforeMs);
            beforeMs = clock.nowMs();
          },
        );
        t.ok(mostMs > 0 && mostMs <= MOST_MS, `${mostMs.toFixed(1)} ms of work in a turn`);
        t.equal(capture.differences(desktop), 0, "the first update holds every pixel");
        t.ok(
          capture.transport.mostBufferedBytes < 2 * MIB,
          `${capture.transport.mostBufferedBytes} bytes at most`,
        );
        t.same(capture.transport.closed, []);
        for (let i = 0; i < 20; i++) await turn();
        t.equal(capture.transport.bufferedBytes, 0, "and nothing else comes");
      },
    );
  }
}

t.test("RFC 6143 7.6.1: what is to be told in the middle of a whole update is told after it", async (t) => {
  const desktop = new DrawnDesktop(1920, 1080);
  desktop.paintScene(5);
  const capture = new Capture(desktop, ENCODING.raw);
  await capture.readUntil(() => capture.transport.bufferedBytes > MIB / 4);
  desktop.emit({ type: "bell" });
  desktop.emit({ type: "clipboard", text: "text" });
  await capture.readUntil(() => capture.heard.includes("clipboard"));
  const order = capture.heard.filter((type) => ["update", "bell", "clipboard"].includes(type));
  t.same(order, ["update", "bell", "clipboard"]);
  t.equal(capture.differences(desktop), 0);
});

t.test("a viewer that does not read a whole update is held up, and ends it when it reads on", async (t) => {
  const desktop = new DrawnDesktop(3840, 2160);
  desktop.paintScene(7);
  const capture = new Capture(desktop, ENCODING.raw);
  await capture.readUntil(() => capture.transport.bufferedBytes > MIB / 4);
  for (let i = 0; i < 200; i++) await turn();
  t.ok(capture.transport.mostBufferedBytes < 2 * MIB, `${capture.transport.mostBufferedBytes} bytes wait`);
  await capture.readUntil(() => capture.heard.includes("update"));
  t.equal(capture.differences(desktop), 0);
});

t.test("a desktop that gets another size in the middle of a whole update", async (t) => {
  const desktop = new DrawnDesktop(1920, 1080);
  desktop.paintScene(9);
  const capture = new Capture(desktop, ENCODING.zrle);
  await capture.readUntil(() => capture.transport.bufferedBytes > MIB / 4);
  desktop.resize(800, 600);
  desktop.paintScene(11);
  await capture.readUntil(() => capture.heard.includes("update"));
  capture.heard.length = 0;
  capture.ask(true);
  await capture.readUntil(() => capture.heard.includes("resize"));
  capture.heard.length = 0;
  capture.ask(false);
  await capture.readUntil(() => capture.heard.includes("update"));
  t.equal(capture.differences(desktop), 0);
  t.same(capture.transport.closed, []);
});
