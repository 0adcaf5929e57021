import t from "tap";
import { composeCursor } from "../../../src/compositor/compose.ts";
import { Scene } from "../../../src/compositor/scene.ts";
import type { ActionResult } from "../../../src/desktop/control/action.ts";
import type { DesktopEvent } from "../../../src/desktop/desktop.ts";
import { rfbCrypto } from "../../../src/desktop/links/vnc/rfb-crypto.ts";
import { Display } from "../../../src/desktop/picture/display.ts";
import type { View } from "../../../src/desktop/view.ts";
import type { Cursor } from "../../../src/framebuffer/cursor.ts";
import { Framebuffer } from "../../../src/framebuffer/framebuffer.ts";
import type { CopyMove } from "../../../src/framebuffer/picture.ts";
import { type Point, type Rect, rect, rectOfSize, type Size } from "../../../src/framebuffer/rect.ts";
import { Region } from "../../../src/framebuffer/region.ts";
import type { Screen } from "../../../src/framebuffer/screen.ts";
import type { Clock } from "../../../src/platform/clock.ts";
import { chooseInflate } from "../../../src/platform/node-zlib.ts";
import { PLAIN_RFB } from "../../../src/protocols/rfb/client/plain-rfb.ts";
import { RfbClient } from "../../../src/protocols/rfb/client/rfb-client.ts";
import { ENCODING } from "../../../src/protocols/rfb/numbers.ts";
import { MonitorDesktop } from "../../../src/web/viewer/monitor-view.ts";
import type { ViewedDesktop } from "../../../src/web/viewer/session.ts";
import { ViewerSessions } from "../../../src/web/viewer/sessions.ts";
import { FakeClock } from "../../fake-clock.ts";
import { FakeTransport } from "../fake-transport.ts";
import { KeptLog, rfbPorts } from "../viewer-ports.ts";

type Random = (below: number) => number;

/** A number from 0 up to `below`, of a seed. */
function randomOf(seed: number): Random {
  let random = seed | 1;
  return (below) => {
    random = (Math.imul(random, 1664525) + 1013904223) | 0;
    return (random >>> 8) % below;
  };
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Encoding a rectangle takes half a millisecond: so large updates take several turns. */
function slowClock(): Clock {
  let now = 0;
  return { nowMs: () => (now += 0.5), date: () => new Date(0), after: () => () => {} };
}

/** A display that a test draws on, of two monitors side by side, with overlays and a pointer. */
class DisplayedDesktop implements ViewedDesktop {
  readonly id = "displayed";
  readonly name = "Displayed";
  readonly decoded: Framebuffer;
  readonly display: Display;
  pointer: Point = { x: 40, y: 40 };
  viewers = 0;
  readonly #listeners = new Set<(event: DesktopEvent) => void>();

  constructor(width: number, height: number) {
    const clock = new FakeClock();
    this.decoded = new Framebuffer(width, height);
    this.display = new Display(new Scene(clock), clock, {
      changed: () => {},
      resized: (size, screens) => this.#emit({ type: "resize", size, screens }),
      whole: () => {},
      watched: () => {},
    });
    this.display.begin(this.#layout);
    this.display.update(this.decoded, Region.of(this.decoded.rect), []);
  }

  get #layout(): readonly Screen[] {
    const { width, height } = this.decoded;
    const half = width >> 1;
    return [
      { id: 1, rect: rect(0, 0, half, height), flags: 0 },
      { id: 2, rect: rect(half, 0, width - half, height), flags: 0 },
    ];
  }

  get size(): Size {
    return this.display.size;
  }

  get screens(): readonly Screen[] {
    return this.display.screens;
  }

  get cursor(): Cursor | null {
    return this.display.cursor;
  }

  get generation(): number {
    return this.display.generation;
  }

  get scene(): Scene {
    return this.display.scene;
  }

  attachViewer(): () => void {
    this.viewers++;
    return () => {
      this.viewers--;
    };
  }

  on(listener: (event: DesktopEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  view(): View {
    const { display } = this;
    return {
      audience: "viewer",
      kind: "viewer",
      get width() {
        return display.size.width;
      },
      get height() {
        return display.size.height;
      },
      get generation() {
        return display.generation;
      },
      get screens() {
        return display.screens;
      },
      hidden: Region.empty,
      snapshot: () => Promise.reject(new Error("no snapshots of this one")),
      picture: (withOverlays) => this.picture(withOverlays),
      watch: (onDamage, options) =>
        display.shownTo("viewer").watchers.add(display.bounds, options ?? {}, onDamage),
    };
  }

  picture(withOverlays: boolean) {
    return this.display.shownTo("viewer").picture(withOverlays);
  }

  whenReady(): Promise<void> {
    return Promise.resolve();
  }

  perform(): Promise<ActionResult> {
    return Promise.reject(new Error("these viewers only look"));
  }

  resize(width: number, height: number): void {
    this.decoded.resize(width, height);
    this.display.resize(this.decoded, this.#layout);
  }

  showCursor(cursor: Cursor | null): void {
    this.display.cursor = cursor;
    this.#emit({ type: "cursor", cursor });
  }

  #emit(event: DesktopEvent): void {
    for (const listener of this.#listeners) listener(event);
  }
}

interface Kind {
  readonly encodings: readonly number[];
  readonly isContinuous: boolean;
  readonly isComposited: boolean;
  readonly drawsCursor: boolean;
  readonly monitor: number | null;
  /** It reads and speaks once in about so many steps. */
  readonly delay: number;
}

/** A viewer whose bytes, both ways, wait until it gets to them. */
class LateViewer {
  readonly client: RfbClient;
  readonly kind: Kind;
  /** Moves that it was sent. */
  copies = 0;
  readonly #transport = new FakeTransport();
  readonly #desktop: ViewedDesktop;
  #said: Uint8Array[] = [];
  #nowMs = 0;

  constructor(sessions: ViewerSessions, whole: DisplayedDesktop, second: MonitorDesktop, kind: Kind) {
    this.kind = kind;
    const desktop = kind.monitor === null ? whole : second;
    this.#desktop = desktop;
    sessions.admit(this.#transport, desktop, {
      security: [{ type: "none" }],
      rights: () => ({
        ...{
          actor: { kind: "human", id: "anna", name: "Anna" },
          audience: "viewer",
          isViewOnly: true,
          hasClipboard: false,
        },
      }),
      isComposited: kind.isComposited,
      viewport: null,
    });
    const pseudo = [
      ENCODING.desktopSize,
      ...(kind.drawsCursor ? [ENCODING.cursor] : []),
      ...(kind.isContinuous ? [ENCODING.fence, ENCODING.continuousUpdates] : []),
    ];
    this.client = new RfbClient(
      {
        password: null,
        encodings: kind.encodings,
        dialect: { ...PLAIN_RFB, pseudoEncodings: pseudo },
      },
      { ...rfbPorts, inflate: chooseInflate(), crypto: rfbCrypto },
      (bytes) => void this.#said.push(bytes.slice()),
      (event) => {
        if (event.type === "ready") this.client.requestUpdate(false);
        else if (event.type === "resize" && kind.isContinuous) this.client.continuousUpdates(true);
        else if (event.type === "update") {
          this.copies += event.copies.length;
          this.#ask();
        }
      },
    );
  }

  #ask(): void {
    const { hasFence, hasContinuousUpdates } = this.client.features;
    if (this.kind.isContinuous && hasFence && hasContinuousUpdates) this.client.continuousUpdates(true);
    else this.client.requestUpdate(true);
  }

  /** True where anything went either way. */
  exchange(): boolean {
    const bytes = this.#transport.drain();
    this.#nowMs += 1000;
    if (bytes.length > 0) this.client.receive(bytes, this.#nowMs);
    const said = this.#said;
    this.#said = [];
    this.#transport.say(...said);
    return bytes.length > 0 || said.length > 0;
  }

  get closed(): FakeTransport["closed"] {
    return this.#transport.closed;
  }

  /** How many of its pixels are not what it should show. */
  wrongPixels(): number {
    const { isComposited, drawsCursor } = this.kind;
    const desktop = this.#desktop;
    const plain = desktop.view("viewer").picture(isComposited);
    const { cursor, pointer } = desktop;
    const isPainted = !drawsCursor && cursor !== null;
    const picture = isPainted ? composeCursor(plain, cursor, pointer.x, pointer.y) : plain;
    const { framebuffer } = this.client;
    const { width, height } = picture;
    if (framebuffer.width !== width || framebuffer.height !== height) return width * height;
    const { bytes, offset, strideBytes } = picture.pixels(rectOfSize(picture));
    let wrong = 0;
    for (let y = 0; y < height; y++) {
      for (let x = 0; x < width; x++) {
        const at = offset + y * strideBytes + x * 4;
        const own = (y * width + x) * 4;
        for (let i = 0; i < 3; i++) {
          if (bytes[at + i] === framebuffer.bytes[own + i]) continue;
          wrong++;
          break;
        }
      }
    }
    return wrong;
  }
}

function kinds(next: Random): readonly Kind[] {
  const { tight, zrle, raw, copyRect, hextile } = ENCODING;
  const ways = [[copyRect, tight], [copyRect, zrle, raw], [copyRect, raw], [zrle], [copyRect, hextile]];
  return Array.from({ length: 20 }, (_, i) => ({
    encodings: ways[next(ways.length)] ?? [],
    isContinuous: i % 2 === 1,
    isComposited: next(2) === 0,
    drawsCursor: next(3) !== 0,
    monitor: next(4) === 0 ? 2 : null,
    delay: [1, 1, 2, 4, 25][next(5)] ?? 1,
  }));
}

function anyRect({ width, height }: Size, next: Random): Rect {
  const [x, y] = [next(width - 1), next(height - 1)];
  return rect(x, y, 1 + next(width - x), 1 + next(height - y));
}

/** The target scrolls, drags or moves something, and paints something. */
function draw(desktop: DisplayedDesktop, next: Random): void {
  const { decoded } = desktop;
  const copies: CopyMove[] = [];
  const kind = next(5);
  if (kind === 0) {
    const rows = 1 + next(20);
    for (const [x, y, width, height] of [
      [20, 10, 250, 50],
      [20, 60, 100, 12],
      [130, 60, 140, 12],
      [20, 72, 250, 160 - rows],
    ] as const) {
      copies.push({ fromX: x, fromY: y + rows, to: rect(x, y, width, height) });
    }
  } else if (kind === 1) {
    const to = anyRect(decoded, next);
    copies.push({
      ...{ fromX: next(decoded.width - to.width + 1), fromY: next(decoded.height - to.height + 1), to },
    });
  }
  for (const { fromX, fromY, to } of copies) decoded.copy(fromX, fromY, to);
  const painted = Array.from({ length: next(4) }, () => {
    const any = anyRect(decoded, next);
    return next(6) === 0 ? any : rect(any.x, any.y, Math.min(60, any.width), Math.min(9, any.height));
  });
  for (const r of painted) {
    const grain = next(2) === 0 ? 1 << 24 : 2;
    for (let y = r.y; y < r.y + r.height; y++) {
      for (let x = r.x; x < r.x + r.width; x++) {
        decoded.words[y * decoded.width + x] =
          (0xff000000 + next(grain) * (grain === 2 ? 0xffffff : 1)) >>> 0;
      }
    }
  }
  desktop.display.update(decoded, Region.from(painted), copies);
}

function anyCursor(next: Random): Cursor | null {
  const side = 8 + next(16);
  const rgba = new Uint8Array(side * side * 4).map(() => next(256));
  return next(5) === 0 ? null : { width: side, height: side, hotspotX: 2, hotspotY: 3, rgba };
}

const SIZES = [
  { width: 300, height: 260 },
  { width: 420, height: 300 },
] as const;

/** What else happens on a desktop but drawing. */
function disturb(desktop: DisplayedDesktop, overlays: string[], next: Random): void {
  const kind = next(12);
  if (kind < 6) {
    const { width, height } = desktop.size;
    desktop.pointer = { x: next(width), y: next(height) };
    // Whoever has it drawn in looks where it is.
    desktop.showCursor(desktop.cursor);
  } else if (kind === 6) {
    desktop.showCursor(anyCursor(next));
  } else if (kind === 7) {
    const { width, height } = SIZES[next(2)] ?? SIZES[0];
    desktop.resize(width, height);
  } else if (overlays.length < 3) {
    const overlay = desktop.scene.add(
      {
        ...{ kind: "box", x: next(200), y: next(200), width: 40, height: 30, color: "#ff0000" },
        ...{ opacity: 0.5, label: null, temporaryMs: null, clickThrough: true, monitorIndex: 0 },
      },
      "test",
      rectOfSize(desktop.size),
    );
    overlays.push(overlay.id);
  } else {
    const id = overlays.shift();
    if (id !== undefined) desktop.scene.remove(id, null);
  }
}

for (const seed of [1, 300, 4000, 50_000]) {
  t.test(`viewers of all kinds, each late in its own way, all show the picture (seed ${seed})`, async (t) => {
    const next = randomOf(seed);
    const desktop = new DisplayedDesktop(300, 260);
    const second = new MonitorDesktop(desktop, 2);
    const log = new KeptLog();
    const clock = slowClock();
    const sessions = new ViewerSessions({ rfb: rfbPorts, clock, log, audit: () => {} });
    const viewers = kinds(next).map((kind) => new LateViewer(sessions, desktop, second, kind));
    const overlays: string[] = [];
    for (let step = 0; step < 240; step++) {
      draw(desktop, next);
      if (next(5) === 0) disturb(desktop, overlays, next);
      for (const viewer of viewers) if (next(viewer.kind.delay) === 0) viewer.exchange();
      if (next(3) > 0) await settled();
    }
    for (let quiet = 0, left = 2000; quiet < 20 && left > 0; left--) {
      await settled();
      quiet = viewers.map((viewer) => viewer.exchange()).includes(true) ? 0 : quiet + 1;
    }
    for (const viewer of viewers) {
      t.same(viewer.closed, []);
      t.equal(viewer.wrongPixels(), 0, JSON.stringify(viewer.kind));
    }
    t.ok(viewers.filter(({ copies }) => copies > 0).length > 5, "moves stay moves");
    t.notOk(log.lines.some(({ level }) => level === "error"));
    sessions.close();
  });
}
