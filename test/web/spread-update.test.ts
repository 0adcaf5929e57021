import fc from "fast-check";
import t from "tap";
import { intersectRects, isEmptyRect, type Rect, rect } from "../../src/framebuffer/rect.ts";
import { jpegTurbo } from "../../src/imaging/jpeg/jpeg-turbo.ts";
import { chooseInflate, nodeDeflate } from "../../src/platform/node-zlib.ts";
import { PLAIN_RFB } from "../../src/protocols/rfb/client/plain-rfb.ts";
import { RfbClient } from "../../src/protocols/rfb/client/rfb-client.ts";
import { ENCODING } from "../../src/protocols/rfb/numbers.ts";
import { EncodeBudget } from "../../src/web/viewer/encode-budget.ts";
import { ViewerRectCache } from "../../src/web/viewer/rect-cache.ts";
import { ViewerSession } from "../../src/web/viewer/session.ts";
import { spec } from "../compositor/scenes.ts";
import { FakeClock } from "../fake-clock.ts";
import { securityCrypto } from "../protocols/rfb/server/ports.ts";
import { FakeTransport } from "./fake-transport.ts";
import { arrow, OverlaidDesktop } from "./overlaid-desktop.ts";
import { KeptLog, rfbPorts } from "./viewer-ports.ts";

const WIDTH = 330;
const HEIGHT = 260;
const CLIENT_PORTS = {
  ...{ inflate: chooseInflate(), deflate: nodeDeflate, jpeg: jpegTurbo, crypto: securityCrypto },
};

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

interface Kind {
  readonly encoding: number;
  readonly hasCopyRect: boolean;
  readonly isContinuous: boolean;
  readonly drawsPointer: boolean;
  /** Of JPEG, 0 to 9; null for a viewer that takes none. */
  readonly quality: number | null;
}

/** Each reading takes two milliseconds; timers go off where the test says so. */
class HandClock extends FakeClock {
  #readMs = 0;

  override nowMs(): number {
    this.#readMs += 2;
    return super.nowMs() + this.#readMs;
  }

  /** What stood still for a while is sent exactly. */
  ring(): void {
    this.advance(400);
  }
}

/** A viewer that reads with our own client; each rectangle takes two milliseconds to encode. */
class Watching {
  readonly transport = new FakeTransport();
  readonly session: ViewerSession;
  readonly #client: RfbClient;
  readonly #kind: Kind;
  readonly #clock = new HandClock();
  #queue = Buffer.alloc(0);
  updates = 0;

  constructor(desktop: OverlaidDesktop, cache: ViewerRectCache, budget: EncodeBudget, kind: Kind) {
    this.#kind = kind;
    const actor = { kind: "human", id: "anna", name: "Anna" } as const;
    this.session = new ViewerSession(
      { rfb: rfbPorts, cacheOf: () => cache, clock: this.#clock, log: new KeptLog(), budget },
      {
        ...{ desktop, transport: this.transport, security: [{ type: "none" }] },
        ...{ isComposited: true, viewport: null },
        rights: () => ({ actor, audience: "viewer", isViewOnly: true, hasClipboard: true }),
      },
    );
    const pointer = kind.drawsPointer ? [ENCODING.cursor] : [];
    const quality = kind.quality === null ? [] : [ENCODING.jpegQuality0 + kind.quality];
    const flow = kind.isContinuous ? [ENCODING.fence, ENCODING.continuousUpdates] : [];
    this.#client = new RfbClient(
      {
        password: null,
        encodings: kind.hasCopyRect ? [ENCODING.copyRect, kind.encoding] : [kind.encoding],
        dialect: { ...PLAIN_RFB, pseudoEncodings: [ENCODING.desktopSize, ...pointer, ...flow, ...quality] },
      },
      CLIENT_PORTS,
      (bytes) => this.transport.say(bytes),
      ({ type }) => this.#on(type),
    );
  }

  get isUpToDate(): boolean {
    return this.#client.isReady && this.transport.bufferedBytes === 0 && this.#queue.length === 0;
  }

  shows(desktop: OverlaidDesktop): boolean {
    const words = desktop.shown(!this.#kind.drawsPointer);
    const shown = this.#client.framebuffer.words;
    return (
      shown.length === words.length && shown.every((word, i) => ((word ^ (words[i] ?? 0)) & 0xffffff) === 0)
    );
  }

  /** Until it has its first picture. */
  async begin(): Promise<void> {
    while (this.updates < 1) {
      await turn();
      this.read(Number.MAX_SAFE_INTEGER);
    }
  }

  /** Time goes by: what was sent as JPEG and stands still becomes due. */
  wait(): void {
    this.#clock.ring();
  }

  /** Takes what came off the line and reads so many bytes of it. */
  read(bytes: number): void {
    this.#queue = Buffer.concat([this.#queue, this.transport.drain()]);
    const chunk = this.#queue.subarray(0, bytes);
    this.#queue = this.#queue.subarray(bytes);
    if (chunk.length > 0) this.#client.receive(chunk, 0);
  }

  #on(type: string): void {
    if (type === "ready") {
      this.#client.requestUpdate(false);
    } else if (type === "update") {
      this.updates++;
      const { hasContinuousUpdates } = this.#client.features;
      if (!this.#kind.isContinuous || !hasContinuousUpdates) this.#client.requestUpdate(true);
      else if (this.updates === 1) this.#client.continuousUpdates(true);
    } else if (type === "resize" && this.#kind.isContinuous) {
      if (this.#client.features.hasContinuousUpdates) this.#client.continuousUpdates(true);
    }
  }
}

type Step =
  | { readonly do: "paint"; readonly at: Rect; readonly colour: number }
  | { readonly do: "scene"; readonly seed: number }
  | { readonly do: "move"; readonly at: Rect; readonly dx: number; readonly dy: number }
  | { readonly do: "resize"; readonly width: number; readonly height: number }
  | { readonly do: "overlay"; readonly at: Rect }
  | { readonly do: "unlay" }
  | { readonly do: "point"; readonly at: Rect }
  | { readonly do: "cursor"; readonly colour: number; readonly side: number }
  | { readonly do: "say" }
  | { readonly do: "read"; readonly bytes: number; readonly who: number }
  | { readonly do: "turn" };

function perform(step: Step, desktop: OverlaidDesktop, watching: readonly Watching[]): void {
  const { frame, scene } = desktop;
  switch (step.do) {
    case "paint": {
      const at = intersectRects(step.at, frame.rect);
      if (!isEmptyRect(at)) desktop.paint(at, step.colour);
      break;
    }
    case "scene":
      desktop.paintScene(step.seed);
      break;
    case "move": {
      const from = intersectRects(step.at, frame.rect);
      const to = { ...from, x: from.x + step.dx, y: from.y + step.dy };
      const isInside = JSON.stringify(intersectRects(to, frame.rect)) === JSON.stringify(to);
      // As the watchers do for moves that overlays touch, whose pixels do not come along.
      const touches = scene.coverage.overlaps(from) || scene.coverage.overlaps(to);
      if (isEmptyRect(from) || !isInside) break;
      if (!touches) desktop.move({ fromX: from.x, fromY: from.y, to });
      break;
    }
    case "resize":
      desktop.resize(step.width, step.height);
      break;
    case "overlay": {
      const { x, y, width, height } = step.at;
      scene.add(
        spec({ kind: "box", x, y, width, height, color: "#12ab34", opacity: 0.5 }),
        "ann",
        frame.rect,
      );
      break;
    }
    case "unlay":
      scene.clear(null);
      break;
    case "point":
      desktop.pointer = { x: step.at.x % frame.width, y: step.at.y % frame.height };
      for (const { session } of watching) session.pointerMoved();
      break;
    case "cursor":
      desktop.cursor = arrow(step.colour, step.side);
      desktop.emit({ type: "cursor", cursor: desktop.cursor });
      break;
    case "say":
      desktop.emit({ type: "bell" });
      desktop.emit({ type: "clipboard", text: `text ${desktop.generation}` });
      break;
    case "read":
      watching[step.who % watching.length]?.read(step.bytes);
      break;
    case "turn":
      break;
  }
}

const side = (most: number): fc.Arbitrary<number> => fc.integer({ min: 0, max: most });
const anyRect = fc.record({
  x: side(WIDTH - 1),
  y: side(HEIGHT - 1),
  width: side(WIDTH),
  height: side(HEIGHT),
});
const anyStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant("paint"), at: anyRect, colour: side(0xffffff) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("scene"), seed: side(1000) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      ...{ do: fc.constant("move"), at: anyRect },
      ...{ dx: fc.integer({ min: -60, max: 60 }), dy: fc.integer({ min: -60, max: 60 }) },
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      ...{ do: fc.constant("resize"), width: fc.integer({ min: 20, max: WIDTH }) },
      height: fc.integer({ min: 20, max: HEIGHT }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("overlay"), at: anyRect }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("unlay") }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("point"), at: anyRect }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant("cursor"), colour: side(0xffffff), side: side(24) }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("say") }) },
  { weight: 8, arbitrary: fc.record({ do: fc.constant("read"), bytes: side(60_000), who: side(2) }) },
  { weight: 8, arbitrary: fc.record({ do: fc.constant("turn") }) },
);
const anyKind: fc.Arbitrary<Kind> = fc.record({
  encoding: fc.constantFrom(ENCODING.tight, ENCODING.zrle, ENCODING.raw, ENCODING.hextile),
  ...{ hasCopyRect: fc.boolean(), isContinuous: fc.boolean(), drawsPointer: fc.boolean() },
  quality: fc.option(side(9)),
});

/** A client takes no more than five sizes a second. */
function fewResizes(steps: readonly Step[]): Step[] {
  let resizes = 0;
  return steps.filter((step) => step.do !== "resize" || ++resizes <= 4);
}

t.test(
  "whatever changes while updates are under way, every viewer ends with the picture as it is",
  async () => {
    await fc.assert(
      fc.asyncProperty(
        // Several of one kind, which share updates, beside others.
        fc.tuple(anyKind, fc.integer({ min: 1, max: 3 }), fc.array(anyKind, { maxLength: 2 })),
        fc.array(anyStep, { minLength: 10, maxLength: 80 }),
        async ([kind, count, others], steps) => {
          const kinds = [...Array.from({ length: count }, () => kind), ...others];
          const desktop = new OverlaidDesktop(WIDTH, HEIGHT);
          desktop.paintScene(7);
          desktop.cursor = arrow(0x3366cc, 19);
          const cache = new ViewerRectCache(desktop.view());
          const budget = new EncodeBudget();
          const watching = kinds.map((kind) => new Watching(desktop, cache, budget, kind));
          for (const viewer of watching) await viewer.begin();
          for (const step of fewResizes(steps)) {
            perform(step, desktop, watching);
            if (step.do === "turn") await turn();
          }
          const isOver = (): boolean =>
            watching.every((viewer) => viewer.isUpToDate && viewer.shows(desktop));
          for (let i = 0; i < 5000 && !isOver(); i++) {
            await turn();
            for (const viewer of watching) {
              viewer.wait();
              viewer.read(Number.MAX_SAFE_INTEGER);
            }
          }
          return watching.every((viewer) => viewer.transport.closed.length === 0 && viewer.shows(desktop));
        },
      ),
      { numRuns: 60, endOnFailure: true },
    );
  },
);

t.test("a large change reaches a viewer that asks for each update in one, over many turns", async (t) => {
  const desktop = new OverlaidDesktop(1000, 800);
  const kind = {
    encoding: ENCODING.tight,
    hasCopyRect: true,
    isContinuous: false,
    drawsPointer: false,
    quality: null,
  };
  const viewer = new Watching(desktop, new ViewerRectCache(desktop.view()), new EncodeBudget(), kind);
  const read = (): void => viewer.read(Number.MAX_SAFE_INTEGER);
  await viewer.begin();
  desktop.paintScene(2);
  await Promise.resolve();
  read();
  t.equal(viewer.updates, 1, "a part of it at once");
  await turn();
  desktop.paint(rect(0, 0, 16, 16), 0x123456);
  desktop.paint(rect(900, 760, 40, 40), 0x654321);
  let turns = 1;
  for (; viewer.updates < 2; turns++) {
    await turn();
    read();
  }
  t.ok(turns >= 8, `${turns} turns`);
  t.notOk(viewer.shows(desktop), "what changed in a part that was sent is still owed");
  while (viewer.updates < 3) {
    await turn();
    read();
  }
  t.ok(viewer.shows(desktop), "and comes with the next update");
});
