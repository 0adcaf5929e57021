import t from "tap";
import type { View } from "../../src/desktop/view.ts";
import { rect } from "../../src/framebuffer/rect.ts";
import { Region } from "../../src/framebuffer/region.ts";
import type { Clock } from "../../src/platform/clock.ts";
import { ViewerSessions } from "../../src/web/viewer/sessions.ts";
import { FakeClock } from "../fake-clock.ts";
import { say } from "../protocols/rfb/server/viewer.ts";
import { DrawnDesktop } from "./drawn-desktop.ts";
import { FakeTransport } from "./fake-transport.ts";
import { KeptLog, rfbPorts } from "./viewer-ports.ts";

const WIDTH = 640;
const HEIGHT = 400;
const HELLO = [Buffer.from("RFB 003.008\n"), Uint8Array.of(1), Uint8Array.of(1)];
const ASK = say.request(true, 0, 0, WIDTH, HEIGHT);
const TIGHT = 7;
const COPY_RECT = 1;

/** A transport that keeps what it was given as it was given. */
class Kept extends FakeTransport {
  #sent: Uint8Array[] = [];

  override send(bytes: Uint8Array): void {
    this.#sent.push(bytes);
    super.send(bytes);
  }

  /** What was sent since the last call. */
  take(): readonly Uint8Array[] {
    const sent = this.#sent;
    this.#sent = [];
    this.drain();
    return sent;
  }
}

/** Counts how often a viewer looked at its picture: whoever gets another's update does not. */
class CountedDesktop extends DrawnDesktop {
  looks = 0;

  override view(): View {
    const view = super.view();
    const picture = view.picture.bind(view);
    return Object.assign(view, {
      picture: (withOverlays: boolean) => {
        this.looks++;
        return picture(withOverlays);
      },
    });
  }
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Viewers of one desktop, of these encodings each, that have its picture and ask for more. */
async function stand(desktop: DrawnDesktop, ...kinds: readonly (readonly number[])[]): Promise<Kept[]> {
  return standAt(new FakeClock(), desktop, kinds);
}

async function standAt(
  clock: Clock,
  desktop: DrawnDesktop,
  kinds: readonly (readonly number[])[],
): Promise<Kept[]> {
  const sessions = new ViewerSessions({ rfb: rfbPorts, clock, log: new KeptLog(), audit: () => {} });
  const actor = { kind: "human", id: "anna", name: "Anna" } as const;
  const transports = kinds.map(() => new Kept());
  for (const [i, transport] of transports.entries()) {
    sessions.admit(transport, desktop, {
      ...{ security: [{ type: "none" }], isComposited: false, viewport: null },
      rights: () => ({ actor, audience: "viewer", isViewOnly: true, hasClipboard: false }),
    });
    await settled();
    transport.say(...HELLO, say.encodings(...(kinds[i] ?? [])), say.request(false, 0, 0, WIDTH, HEIGHT));
    await settled();
    transport.take();
    transport.say(ASK);
  }
  await settled();
  return transports;
}

function noise(desktop: DrawnDesktop, seed: number): void {
  const { frame } = desktop;
  const area = rect(32, 32, 320, 160);
  for (let y = area.y; y < area.y + area.height; y++) {
    for (let x = area.x; x < area.x + area.width; x++) {
      frame.words[y * WIDTH + x] = (0xff000000 | (Math.imul(x * 31 + y * 17 + seed, 2654435761) >>> 8)) >>> 0;
    }
  }
  desktop.changed(Region.of(area));
}

t.test("viewers in step get the same memory, whatever they missed together", async (t) => {
  const desktop = new CountedDesktop(WIDTH, HEIGHT);
  const viewers = await stand(desktop, [TIGHT], [TIGHT], [TIGHT]);
  for (let round = 0; round < 5; round++) {
    desktop.looks = 0;
    noise(desktop, round);
    // What they did not ask for in time merges, the same for all.
    if (round > 2) desktop.paint(rect(480, 16 * round, 32, 16), 0xff000000 | round);
    if (round > 3) desktop.move({ fromX: 32, fromY: 32, to: rect(32, 224, 320, 64) });
    await settled();
    t.equal(desktop.looks, 1, "made once");
    const [first, ...others] = viewers.map((viewer) => viewer.take());
    t.equal(first?.length, 1, "one message");
    for (const other of others) {
      t.equal(other.length, 1);
      t.equal(other[0], first?.[0]);
    }
    if (round % 2 === 0) noise(desktop, 100 + round);
    await settled();
    for (const viewer of viewers) t.equal(viewer.take().length, 0, "nobody asked");
    for (const viewer of viewers) viewer.say(ASK);
    await settled();
    if (round % 2 !== 0) continue;
    t.equal(desktop.looks, 2);
    const [late, ...lates] = viewers.map((viewer) => viewer.take());
    t.equal(late?.length, 1);
    for (const other of lates) t.equal(other[0], late?.[0]);
    for (const viewer of viewers) viewer.say(ASK);
    await settled();
  }
});

t.test("one that missed something gets its own, and is in step after it", async (t) => {
  const desktop = new DrawnDesktop(WIDTH, HEIGHT);
  const [one, two] = await stand(desktop, [TIGHT], [TIGHT]);
  if (one === undefined || two === undefined) throw new Error("two viewers");
  noise(desktop, 1);
  await settled();
  one.take();
  two.take();
  one.say(ASK);
  await settled();
  noise(desktop, 2);
  desktop.paint(rect(480, 16, 32, 16), 0xff123456);
  await settled();
  t.equal(one.take().length, 1);
  one.say(ASK);
  two.say(ASK);
  await settled();
  t.equal(two.take().length, 1, "what it missed");
  two.say(ASK);
  await settled();
  noise(desktop, 3);
  await settled();
  const [mine] = one.take();
  t.ok(mine !== undefined);
  t.equal(two.take()[0], mine);
});

t.test("viewers of several kinds share by kind", async (t) => {
  const desktop = new DrawnDesktop(WIDTH, HEIGHT);
  const plain = [TIGHT];
  const moving = [COPY_RECT, TIGHT];
  const viewers = await stand(desktop, plain, moving, plain, moving);
  noise(desktop, 1);
  await settled();
  for (const viewer of viewers) {
    viewer.take();
    viewer.say(ASK);
  }
  await settled();
  desktop.move({ fromX: 32, fromY: 32, to: rect(32, 224, 320, 64) });
  await settled();
  const [a, b, c, d] = viewers.map((viewer) => viewer.take()[0]);
  t.equal(a, c);
  t.equal(b, d);
  t.ok((b?.length ?? 0) < (a?.length ?? 0) / 10, "a move instead of pixels");
});

/** A clock by which each piece takes two milliseconds to encode once it is slow: an update then takes many turns. */
class SlowClock extends FakeClock {
  isSlow = false;
  #nowMs = 0;

  override nowMs(): number {
    this.#nowMs += this.isSlow ? 2 : 0;
    return this.#nowMs;
  }
}

/** Paints pieces that lie too far apart to be joined. */
function paintApart(desktop: DrawnDesktop, seed: number): void {
  for (let i = 0; i < 12; i++) {
    desktop.paint(rect(40 * i, 80 * (i % 4), 30, 30), (0xff000000 | (seed * 4096 + i * 64)) >>> 0);
  }
}

t.test("what takes many turns to encode is made by one, and the others get it whole", async (t) => {
  const clock = new SlowClock();
  const desktop = new CountedDesktop(WIDTH, HEIGHT);
  const viewers = await standAt(clock, desktop, [[TIGHT], [TIGHT], [TIGHT], [TIGHT]]);
  clock.isSlow = true;
  paintApart(desktop, 1);
  await Promise.resolve();
  await Promise.resolve();
  t.ok(
    viewers.every(({ bufferedBytes }) => bufferedBytes === 0),
    "nothing goes before all of it is there",
  );
  for (let turn = 0; turn < 60; turn++) await settled();
  const [first, ...others] = viewers.map((viewer) => viewer.take());
  t.equal(first?.length, 1, "one message");
  for (const other of others) t.same([other.length, other[0] === first?.[0]], [1, true]);
});

t.test("where the picture changes faster than it is encoded, viewers get parts of it", async (t) => {
  const clock = new SlowClock();
  const desktop = new DrawnDesktop(WIDTH, HEIGHT);
  const viewers = await standAt(clock, desktop, [[TIGHT], [TIGHT]]);
  clock.isSlow = true;
  for (let turn = 0; turn < 12; turn++) {
    paintApart(desktop, turn);
    await settled();
  }
  for (const viewer of viewers) t.not(viewer.take().length, 0);
});
