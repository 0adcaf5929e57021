import t, { type Test } from "tap";
import { PLATFORM } from "../../src/appliance/open-links.ts";
import type { View } from "../../src/desktop/view.ts";
import type { Picture } from "../../src/framebuffer/picture.ts";
import { areaOfRect, type Rect, rect } from "../../src/framebuffer/rect.ts";
import { Region } from "../../src/framebuffer/region.ts";
import { PLAIN_RFB } from "../../src/protocols/rfb/client/plain-rfb.ts";
import { RfbClient } from "../../src/protocols/rfb/client/rfb-client.ts";
import { ENCODING } from "../../src/protocols/rfb/numbers.ts";
import { ViewerSessions } from "../../src/web/viewer/sessions.ts";
import { FakeClock } from "../fake-clock.ts";
import { DrawnDesktop } from "./drawn-desktop.ts";
import { FakeTransport } from "./fake-transport.ts";
import { KeptLog, rfbPorts } from "./viewer-ports.ts";

const WIDTH = 640;
const HEIGHT = 480;
const VIEWERS = 20;
const FOR_MS = 1500;
/** A viewer asks, or confirms what it got, after one to so many milliseconds. */
const LATE_MS = 60;

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Counts the pixels that encoders read. */
class CountedDesktop extends DrawnDesktop {
  encoded = 0;

  override view(): View {
    const view = super.view();
    const picture = view.picture.bind(view);
    return Object.assign(view, {
      picture: (withOverlays: boolean): Picture => {
        const { width, height, pixels } = picture(withOverlays);
        return {
          ...{ width, height },
          pixels: (area) => {
            this.encoded += areaOfRect(area);
            return pixels(area);
          },
        };
      },
    });
  }
}

/** A viewer that reads at once and answers late. */
class LateViewer {
  readonly transport = new FakeTransport();
  readonly #client: RfbClient;
  updates = 0;

  constructor(isContinuous: boolean, later: (call: () => void) => void) {
    const flow = isContinuous ? [ENCODING.fence, ENCODING.continuousUpdates] : [];
    let isFirst = true;
    this.#client = new RfbClient(
      {
        password: null,
        encodings: [ENCODING.tight],
        dialect: { ...PLAIN_RFB, pseudoEncodings: [ENCODING.desktopSize, ENCODING.cursor, ...flow] },
      },
      PLATFORM,
      (bytes) => {
        if (isFirst || !this.#client.isReady) this.transport.say(bytes);
        else later(() => this.transport.say(bytes));
      },
      ({ type }) => {
        if (type === "ready") this.#client.requestUpdate(false);
        if (type !== "update") return;
        isFirst = false;
        this.updates++;
        if (!isContinuous || !this.#client.features.hasContinuousUpdates) this.#client.requestUpdate(true);
        else if (this.updates === 1) this.#client.continuousUpdates(true);
      },
    );
  }

  read(): void {
    const bytes = this.transport.drain();
    if (bytes.length > 0) this.#client.receive(bytes, 0);
  }

  shows({ frame }: DrawnDesktop): boolean {
    const { words } = this.#client.framebuffer;
    return frame.words.every((word, i) => ((word ^ (words[i] ?? 0)) & 0xffffff) === 0);
  }
}

/** A line of text, a clock, and something that wanders about. */
function damageOf(frame: number): readonly Rect[] {
  return [
    rect(20, (frame * 14) % 460, 200, 12),
    rect(560, 20, 60, 12),
    rect(240 + ((frame * 57) % 200), 100 + ((frame * 31) % 250), 100, 60),
  ];
}

function draw(desktop: DrawnDesktop, frame: number): number {
  const damage = Region.from(damageOf(frame));
  for (const { x, y, width, height } of damage.rects) {
    for (let row = y; row < y + height; row++) {
      for (let column = x; column < x + width; column++) {
        const level = (column * 7 + row * 13 + frame * 29) & 63;
        desktop.frame.words[row * WIDTH + column] = (0xff000000 | (level * 0x010203)) >>> 0;
      }
    }
  }
  desktop.changed(damage);
  return damage.area;
}

/** Encoded pixels by those that changed. */
async function shareEncoded(t: Test, isContinuous: boolean, everyMs: number): Promise<number> {
  const clock = new FakeClock();
  const desktop = new CountedDesktop(WIDTH, HEIGHT);
  const sessions = new ViewerSessions({ rfb: rfbPorts, clock, log: new KeptLog(), audit: () => {} });
  const actor = { kind: "human", id: "anna", name: "Anna" } as const;
  let random = 1;
  const later = (call: () => void): void => {
    random = (Math.imul(random, 1103515245) + 12345) & 0x7fffffff;
    clock.after(1 + ((random >> 8) % LATE_MS), call);
  };
  const viewers = Array.from({ length: VIEWERS }, () => new LateViewer(isContinuous, later));
  for (const { transport } of viewers) {
    sessions.admit(transport, desktop, {
      ...{ security: [{ type: "none" }], isComposited: false, viewport: null },
      rights: () => ({ actor, audience: "viewer", isViewOnly: true, hasClipboard: false }),
    });
  }
  const pass = async (): Promise<void> => {
    clock.advance(1);
    await settled();
    for (const viewer of viewers) viewer.read();
    await settled();
  };
  for (let i = 0; i < 200 && viewers.some(({ updates }) => updates === 0); i++) await pass();
  desktop.encoded = 0;
  let changed = 0;
  for (let ms = 0; ms < FOR_MS; ms++) {
    if (ms % everyMs === 0) changed += draw(desktop, ms / everyMs);
    await pass();
  }
  const share = desktop.encoded / changed;
  for (let ms = 0; ms < 4 * LATE_MS; ms++) await pass();
  t.ok(
    viewers.every((viewer) => viewer.shows(desktop)),
    "all show what the desktop does",
  );
  t.ok(Math.min(...viewers.map(({ updates }) => updates)) > 10, "each got many pictures");
  return share;
}

for (const isContinuous of [false, true]) {
  const kind = isContinuous ? "continuous updates, confirmed" : "asking";
  t.test(`25 pictures a second, ${kind} late by 1 to 60 ms, are encoded once`, async (t) => {
    const share = await shareEncoded(t, isContinuous, 40);
    t.ok(share <= 1.25, `${share.toFixed(2)} times what changed`);
  });
  t.test(`59 pictures a second, ${kind} late by 1 to 60 ms, are encoded little more than once`, async (t) => {
    const share = await shareEncoded(t, isContinuous, 17);
    t.ok(share <= 1.6, `${share.toFixed(2)} times what changed`);
  });
}
