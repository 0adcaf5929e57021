import t from "tap";
import type { Actor } from "../../../src/desktop/control/action.ts";
import { LinkError, RefusedError } from "../../../src/desktop/error.ts";
import { Framebuffer, OPAQUE } from "../../../src/framebuffer/framebuffer.ts";
import { rect } from "../../../src/framebuffer/rect.ts";
import { Region } from "../../../src/framebuffer/region.ts";
import { ByteQueue } from "../../../src/protocols/byte-queue.ts";
import { ViewerRectCache } from "../../../src/web/viewer/rect-cache.ts";
import type { ViewerRights } from "../../../src/web/viewer/rights.ts";
import { ViewerSession, type ViewerSessionOptions } from "../../../src/web/viewer/session.ts";
import { ViewerSessions } from "../../../src/web/viewer/sessions.ts";
import { FakeClock } from "../../fake-clock.ts";
import { say } from "../../protocols/rfb/server/viewer.ts";
import { DrawnDesktop } from "../drawn-desktop.ts";
import { FakeTransport } from "../fake-transport.ts";
import { KeptLog, oneCache, rfbPorts } from "../viewer-ports.ts";

const MIB = 1024 * 1024;
const HUMAN: Actor = { kind: "human", id: "anna", name: "Anna" };
const AGENT: Actor = { kind: "agent", id: "bot", name: "Bot" };
const HELLO = [Buffer.from("RFB 003.008\n"), Uint8Array.of(1), Uint8Array.of(1)];
const CONTINUOUS = [say.encodings(0, -312, -313)];

interface Stand {
  readonly desktop: DrawnDesktop;
  readonly transport: FakeTransport;
  readonly clock: FakeClock;
  readonly log: KeptLog;
  readonly session: ViewerSession;
}

/** A session on a transport that the test reads, past the handshake. */
async function stand(
  {
    rights,
    ...options
  }: Partial<Omit<ViewerSessionOptions, "rights">> & { rights?: Partial<ViewerRights> } = {},
  desktop = new DrawnDesktop(64, 48),
): Promise<Stand> {
  const transport = new FakeTransport();
  const clock = new FakeClock();
  const log = new KeptLog();
  const session = new ViewerSession(
    { rfb: rfbPorts, cacheOf: oneCache(desktop.view()), clock, log },
    {
      desktop,
      transport,
      security: [{ type: "none" }],
      rights: () => ({
        actor: HUMAN,
        audience: "viewer" as const,
        isViewOnly: false,
        hasClipboard: true,
        ...rights,
      }),
      isComposited: false,
      viewport: null,
      ...options,
    },
  );
  await transport.whenSent();
  if (options.said === undefined) transport.say(...HELLO);
  transport.drain();
  return { desktop, transport, clock, log, session };
}

/** Lets everything that is due by now happen; nothing here waits for time. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Paints the Raw rectangles of updates on a picture of the viewer's own; returns other messages' types. */
function show(bytes: Uint8Array, frame: Framebuffer): number[] {
  const from = new ByteQueue();
  const others: number[] = [];
  from.push(bytes);
  while (from.size > 0) {
    const type = from.u8();
    if (type === 248) {
      from.skip(7);
      from.skip(from.u8());
    } else if (type === 3) {
      from.skip(3);
      from.skip(from.u32());
    }
    if (type !== 0) {
      others.push(type);
      continue;
    }
    from.skip(1);
    for (let left = from.u16(); left > 0; left--) {
      const [x, y, width, height] = [from.u16(), from.u16(), from.u16(), from.u16()];
      const encoding = from.i32();
      if (encoding === -223) frame.resize(width, height);
      else if (encoding !== 0) throw new Error(`the viewer asked for Raw and got encoding ${encoding}`);
      else {
        for (let row = y; row < y + height; row++) {
          frame.bytes.set(from.take(width * 4), (row * frame.width + x) * 4);
        }
      }
    }
  }
  for (let i = 0; i < frame.words.length; i++) frame.words[i] = ((frame.words[i] ?? 0) | OPAQUE) >>> 0;
  return others;
}

const isSame = (a: Framebuffer, b: Framebuffer): boolean => Buffer.compare(a.bytes, b.bytes) === 0;

t.test("what a viewer says in its address is heard before its socket says anything", async (t) => {
  const said = Buffer.concat([...HELLO, say.encodings(0), say.request(false, 0, 0, 65535, 65535)]);
  const { desktop, transport } = await stand({ said });
  const shown = new Framebuffer(64, 48);
  await settled();
  show(transport.drain(), shown);
  t.ok(isSame(shown, desktop.frame), "the whole picture, as large as the desktop is");
});

t.test("a viewer that reads sees every change", async (t) => {
  const { desktop, transport } = await stand();
  const shown = new Framebuffer(64, 48);
  transport.say(say.request(false, 0, 0, 64, 48));
  await settled();
  for (let i = 1; i < 5; i++) {
    desktop.paint(rect(i * 3, i * 5, 20, 10), 0x112233 * i);
    transport.say(say.request(true, 0, 0, 64, 48));
    await settled();
    show(transport.drain(), shown);
    t.ok(isSame(shown, desktop.frame));
  }
});

t.test(
  "a viewer that stops reading costs at most 4 MiB and gets the newest picture when it reads again",
  async (t) => {
    const width = 1600;
    const height = 1200;
    const { desktop, transport, clock } = await stand({}, new DrawnDesktop(width, height));
    transport.say(...CONTINUOUS, say.continuous(true, 0, 0, width, height));
    const ask = say.request(true, 0, 0, width, height);
    for (let i = 0; i < 300; i++) {
      desktop.paint(desktop.frame.rect, 0x010101 * (i % 250));
      transport.say(ask);
      await settled();
    }
    t.ok(transport.bufferedBytes > MIB, "there was something to hold back");
    t.ok(transport.mostBufferedBytes < 4 * MIB, `${transport.mostBufferedBytes} bytes`);
    t.same(transport.closed, []);
    desktop.paintScene(1);
    const shown = new Framebuffer(width, height);
    for (let i = 0; i < 20 && !isSame(shown, desktop.frame); i++) {
      show(transport.drain(), shown);
      transport.say(ask);
      await settled();
    }
    t.ok(isSame(shown, desktop.frame));
    clock.advance(29_000);
    t.same(transport.closed, []);
  },
);

t.test("a viewer that takes nothing for 30 s while something waits is closed", async (t) => {
  const { desktop, transport, clock } = await stand();
  transport.say(say.request(false, 0, 0, 64, 48));
  await settled();
  clock.advance(29_000);
  transport.say(say.key(true, 0x61), say.request(true, 0, 0, 64, 48));
  t.same(transport.closed, []);
  clock.advance(1000);
  t.match(transport.closed, [{ code: 1008, reason: /30 s/ }]);
  await settled();
  t.equal(desktop.viewers, 0);
  t.equal(desktop.listeners, 0);
  t.equal(clock.waiting, 0);
});

t.test("a viewer that never answers a fence is closed, one that only looks on is not", async (t) => {
  const behind = await stand();
  behind.transport.say(...CONTINUOUS, say.continuous(true, 0, 0, 64, 48));
  await settled();
  behind.transport.drain();
  behind.clock.advance(31_000);
  t.match(behind.transport.closed, [{ code: 1008 }]);

  const idle = await stand();
  idle.transport.say(say.request(false, 0, 0, 64, 48));
  await settled();
  idle.transport.drain();
  idle.clock.advance(3_600_000);
  t.same(idle.transport.closed, []);
});

t.test("a viewer that asks for more than it reads is closed", async (t) => {
  const { transport } = await stand();
  transport.say(say.encodings(0, -312));
  const fences = Buffer.concat(Array.from({ length: 1000 }, () => say.fence(0x80000000, new Uint8Array(64))));
  for (let i = 0; i < 100 && transport.closed.length === 0; i++) transport.say(fences);
  t.match(transport.closed, [{ code: 1002, reason: "too_large" }]);
  t.ok(transport.mostBufferedBytes <= 4 * MIB);
});

t.test("input goes to the desktop in the viewer's name", async (t) => {
  const { desktop, transport } = await stand();
  transport.say(say.pointer(1, 2, 3), say.pointer(0, 2, 3), say.key(true, 0x61), say.key(false, 0x61));
  transport.say(say.cutText("text"));
  t.same(
    desktop.performed.map(({ action }) => action),
    [
      { kind: "pointer", x: 2, y: 3, buttons: 1 },
      { kind: "pointer", x: 2, y: 3, buttons: 0 },
      { kind: "key", keysym: 0x61, isDown: true, scancode: null },
      { kind: "key", keysym: 0x61, isDown: false, scancode: null },
      { kind: "write_clipboard", text: "text" },
    ],
  );
  t.ok(desktop.performed.every(({ actor }) => actor === HUMAN));
});

t.test("a view-only viewer's and an agent's input is dropped", async (t) => {
  for (const rights of [{ isViewOnly: true }, { actor: AGENT, audience: "agent" as const }]) {
    const { desktop, transport } = await stand({ rights });
    transport.say(say.encodings(0, -308), say.pointer(1, 2, 3), say.key(true, 0x61), say.cutText("text"));
    transport.say(say.desktopSize(80, 60, rect(0, 0, 80, 60)));
    transport.hangUp();
    await settled();
    t.same(desktop.performed, []);
  }
});

t.test("what a viewer still holds when it goes is let go", async (t) => {
  const { desktop, transport } = await stand();
  transport.say(say.key(true, 0xffe3), say.key(true, 0x61), say.key(false, 0x61), say.pointer(5, 7, 8));
  desktop.performed.length = 0;
  transport.hangUp();
  t.same(
    desktop.performed.map(({ action }) => action),
    [
      { kind: "key", keysym: 0xffe3, isDown: false, scancode: null },
      { kind: "pointer", x: 7, y: 8, buttons: 0 },
    ],
  );
});

t.test("a flood of moves keeps the newest, a flood of keys ends it", async (t) => {
  const { desktop, transport } = await stand();
  let release = (): void => {};
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  desktop.answer = () => gate;
  for (let i = 0; i < 2000; i++) transport.say(say.pointer(0, i % 64, i % 48));
  t.equal(desktop.performed.length, 256);
  release();
  await settled();
  t.match(desktop.performed.at(-1)?.action, { kind: "pointer", x: 1999 % 64, y: 1999 % 48 });
  t.equal(desktop.performed.length, 257);
  desktop.answer = () => new Promise(() => {});
  for (let i = 0; i < 5000; i++) transport.say(say.key(true, 0x61));
  t.match(transport.closed, [{ code: 1002 }]);
});

t.test("what the desktop refuses is logged by its code, never with what was typed", async (t) => {
  const { desktop, transport, log } = await stand();
  desktop.answer = () => Promise.reject(new RefusedError("target_down", "the target is away"));
  transport.say(say.key(true, 0x61), say.cutText("sesame"));
  await settled();
  t.match(
    log.lines.filter(({ level }) => level === "debug"),
    [
      { fields: { action: "key", code: "target_down" } },
      { fields: { action: "write_clipboard", code: "target_down" } },
    ],
  );
  t.notMatch(JSON.stringify(log.lines), /sesame/);
  t.same(transport.closed, []);
});

t.test("the desktop's clipboard reaches those who may have it, but not as an echo", async (t) => {
  const { desktop, transport } = await stand();
  transport.say(say.cutText("mine"));
  desktop.emit({ type: "clipboard", text: "mine" });
  t.equal(transport.drain().length, 0);
  desktop.emit({ type: "clipboard", text: "theirs" });
  t.match(Buffer.from(transport.drain()).toString("latin1"), /theirs$/);
  const kept = await stand({ rights: { hasClipboard: false } });
  kept.desktop.emit({ type: "clipboard", text: "private" });
  kept.transport.say(say.cutText("text"));
  t.equal(kept.transport.drain().length, 0);
  t.same(kept.desktop.performed, []);
});

t.test("a viewer that is behind gets only the newest clipboard text, once it has caught up", async (t) => {
  const { desktop, transport } = await stand({}, new DrawnDesktop(1600, 1200));
  transport.say(say.request(false, 0, 0, 1600, 1200));
  for (let i = 0; i < 1000 && transport.bufferedBytes <= MIB; i++) await settled();
  t.ok(transport.bufferedBytes > MIB);
  for (let i = 0; i < 1000; i++) desktop.emit({ type: "clipboard", text: `text ${i}` });
  desktop.emit({ type: "bell" });
  const read: Buffer[] = [];
  for (let i = 0; i < 1000 && !/text/.test((read.at(-1) ?? "").toString("latin1")); i++) {
    read.push(Buffer.from(transport.drain()));
    await settled();
  }
  const all = Buffer.concat(read);
  t.ok(all.length > 1600 * 1200 * 4, "after the update that was open");
  t.same(all.toString("latin1").match(/text \d+/g), ["text 999"]);
});

t.test("only what lies in the viewport is sent, of a desktop told whole", async (t) => {
  const { desktop, transport } = await stand({ viewport: rect(10, 10, 20, 20) });
  const shown = new Framebuffer(64, 48);
  desktop.paint(desktop.frame.rect, 0xffffff);
  transport.say(say.request(false, 0, 0, 64, 48));
  await settled();
  show(transport.drain(), shown);
  const inside = new Framebuffer(64, 48);
  inside.fill(rect(10, 10, 20, 20), 0xffffff);
  t.ok(isSame(shown, inside));
  desktop.paint(rect(40, 40, 4, 4), 0);
  transport.say(say.request(true, 0, 0, 64, 48));
  await settled();
  t.equal(transport.drain().length, 0, "damage outside is nothing to it");
});

t.test("another size is followed, and drawn anew", async (t) => {
  const { desktop, transport } = await stand();
  const shown = new Framebuffer(64, 48);
  transport.say(say.encodings(0, -223), say.request(false, 0, 0, 64, 48));
  await settled();
  show(transport.drain(), shown);
  desktop.resize(100, 30);
  desktop.paintScene(2);
  for (let i = 0; i < 3; i++) {
    transport.say(say.request(true, 0, 0, 100, 48));
    await settled();
    show(transport.drain(), shown);
  }
  t.equal(shown.width, 100);
  t.ok(isSame(shown, desktop.frame));
});

t.test("a viewer that asks for another size hears what came of it", async (t) => {
  const { desktop, transport } = await stand();
  transport.say(say.encodings(0, -308), say.request(false, 0, 0, 64, 48));
  await settled();
  transport.drain();
  desktop.answer = () => Promise.reject(new RefusedError("not_supported", "no"));
  transport.say(say.request(true, 0, 0, 64, 48), say.desktopSize(80, 60, rect(0, 0, 80, 60)));
  await settled();
  t.match(desktop.performed, [{ action: { kind: "resize", width: 80, height: 60 } }]);
  const header = Buffer.from(transport.drain()).subarray(4, 16).toString("hex");
  t.equal(header, "0001000100400030fffffecc", "by this viewer, prohibited, still 64x48");
});

t.test("the keyboard's lights go to viewers that show them, late ones too, and to no other", async (t) => {
  const locks = { scrollLock: false, numLock: true, capsLock: true };
  for (const [encoding, body] of [
    [-261, "06"],
    [0x574d5668, "00000006"],
    [-239, ""],
  ] as const) {
    const desktop = Object.assign(new DrawnDesktop(64, 48), { locks: () => locks });
    const { transport } = await stand({}, desktop);
    transport.say(say.encodings(0, encoding), say.request(true, 0, 0, 64, 48));
    await settled();
    const sent = Buffer.from(transport.drain());
    const isShown = body !== "";
    t.equal(sent.length > 0 && sent.readInt32BE(12) === encoding, isShown, `${encoding}`);
    if (!isShown) continue;
    t.equal(sent.subarray(16, 16 + body.length / 2).toString("hex"), body);
    transport.say(say.request(true, 0, 0, 64, 48));
    desktop.emit({ type: "locks", locks: { ...locks, capsLock: false } });
    await settled();
    t.equal(Buffer.from(transport.drain()).subarray(16).toString("hex"), body.replace("6", "2"));
  }
});

t.test("bell, cursor and the desktop's end are passed on", async (t) => {
  const { desktop, transport } = await stand();
  desktop.emit({ type: "bell" });
  t.same([...transport.drain()], [2]);
  transport.say(say.encodings(0, -239), say.request(true, 0, 0, 64, 48));
  await settled();
  transport.drain();
  transport.say(say.request(true, 0, 0, 64, 48));
  desktop.emit({
    type: "cursor",
    cursor: { width: 1, height: 1, hotspotX: 0, hotspotY: 0, rgba: new Uint8Array(4) },
  });
  await settled();
  t.equal(Buffer.from(transport.drain()).subarray(12, 16).readInt32BE(), -239);
  desktop.emit({
    type: "state",
    state: { kind: "reconnecting", attempt: 1, nextAtMs: 0, error: new LinkError("unreachable", "away") },
  });
  t.same(transport.closed, [], "a target that is away keeps its viewers");
  desktop.emit({ type: "state", state: { kind: "closed" } });
  t.match(transport.closed, [{ code: 1001 }]);
});

t.test("a viewer of a desktop without a picture is told so in its own protocol", async (t) => {
  const desktop = new DrawnDesktop(64, 48);
  desktop.hasPicture = false;
  const transport = new FakeTransport();
  const sessions = new ViewerSessions({
    ...{ rfb: rfbPorts, clock: new FakeClock(), log: new KeptLog(), audit: () => {} },
  });
  const rights = () => ({ actor: HUMAN, audience: "viewer" as const, isViewOnly: false, hasClipboard: true });
  const view = { isComposited: false, viewport: null, rights };
  sessions.admit(transport, desktop, { security: [{ type: "none" }], ...view });
  transport.say(Buffer.from("RFB 003.008\n"));
  await transport.whenSent();
  t.match(
    Buffer.from(transport.drain()).toString("latin1"),
    /^RFB 003\.008\n\0.{4}the desktop has no picture yet \(target_down\)$/s,
  );
  t.match(transport.closed, [{ code: 1013 }]);
});

t.test("rubbish closes the session with a code and leaves nothing behind", async (t) => {
  const { desktop, transport, clock, log } = await stand();
  transport.say(Uint8Array.of(77, 1, 2, 3));
  t.match(transport.closed, [{ code: 1002, reason: "unknown_message" }]);
  t.match(
    log.lines.filter(({ level }) => level === "warn"),
    [{ fields: { code: "unknown_message", offset: 15 } }],
  );
  transport.say(say.key(true, 0x61));
  t.same(desktop.performed, []);
  t.equal(desktop.viewers, 0);
  t.equal(desktop.listeners, 0);
  t.equal(desktop.watchers.count, 0);
  t.equal(clock.waiting, 0);
});

const CURSOR = {
  width: 2,
  height: 1,
  hotspotX: 1,
  hotspotY: 0,
  rgba: Uint8Array.of(255, 0, 0, 255, 0, 255, 0, 255),
};
const RED = 0xff0000ff;
const GREEN = 0xff00ff00;

for (const cursor of [null, CURSOR]) {
  const way = cursor === null ? "" : ", with the pointer drawn in";
  t.test(`what viewers see at once is encoded once${way}`, async (t) => {
    const desktop = new DrawnDesktop(64, 48);
    desktop.cursor = cursor;
    const cache = new ViewerRectCache(desktop.view());
    let encodings = 0;
    const rfb = {
      ...rfbPorts,
      deflate: {
        zlib: rfbPorts.deflate.zlib,
        rawSegment: (input: Uint8Array, level: number) => {
          encodings++;
          return rfbPorts.deflate.rawSegment(input, level);
        },
      },
    };
    const rights = () => ({
      actor: HUMAN,
      audience: "viewer" as const,
      isViewOnly: true,
      hasClipboard: false,
    });
    const view = { isComposited: true, viewport: null, rights };
    const transports = [new FakeTransport(), new FakeTransport(), new FakeTransport()];
    const sessions: ViewerSession[] = [];
    for (const transport of transports) {
      const ports = { rfb, cacheOf: () => cache, clock: new FakeClock(), log: new KeptLog() };
      sessions.push(new ViewerSession(ports, { desktop, transport, security: [{ type: "none" }], ...view }));
      await transport.whenSent();
      transport.say(...HELLO, say.encodings(16));
      transport.drain();
    }
    const sent = async (): Promise<readonly string[]> => {
      await settled();
      return transports.map((transport) => Buffer.from(transport.drain()).toString("hex"));
    };
    desktop.paintScene(3);
    for (const transport of transports) transport.say(say.request(false, 0, 0, 64, 48));
    const [first = "", ...others] = await sent();
    t.ok(first.length > 100);
    t.same(others, [first, first]);
    t.equal(encodings, 1);
    desktop.paint(rect(0, 0, 64, 48), 0x445566);
    for (const transport of transports) transport.say(say.request(true, 0, 0, 64, 48));
    await sent();
    t.equal(encodings, 2, "another picture is encoded anew");
    if (cursor === null) return;
    for (const transport of transports) transport.say(say.request(true, 0, 0, 64, 48));
    desktop.pointer = { x: 30, y: 20 };
    for (const session of sessions) session.pointerMoved();
    const [moved = "", ...same] = await sent();
    t.not(moved.length, 0);
    t.same(same, [moved, moved]);
    t.equal(encodings, 3, "once for all");
  });
}

t.test("the pointer is drawn in for a viewer that draws none, wherever anybody moves it", async (t) => {
  const desktop = new DrawnDesktop(64, 48);
  desktop.cursor = CURSOR;
  desktop.pointer = { x: 10, y: 7 };
  const { transport, session } = await stand({}, desktop);
  const shown = new Framebuffer(64, 48);
  const look = async (): Promise<void> => {
    transport.say(say.request(true, 0, 0, 64, 48));
    await settled();
    show(transport.drain(), shown);
  };
  const at = (x: number, y: number): number => shown.words[y * 64 + x] ?? 0;
  await look();
  t.same([at(9, 7), at(10, 7)], [RED, GREEN], "at its hotspot");
  transport.say(say.pointer(0, 40, 30));
  await look();
  t.same([at(39, 30), at(40, 30)], [RED, GREEN]);
  t.same(
    [at(9, 7), at(10, 7)],
    [desktop.frame.words[0], desktop.frame.words[0]],
    "and gone from where it was",
  );
  desktop.pointer = { x: 0, y: 47 };
  session.pointerMoved();
  await look();
  t.equal(at(0, 47), GREEN, "cut at the edge");
  desktop.move({ fromX: 0, fromY: 40, to: rect(20, 10, 8, 8) });
  await look();
  const plain = new Framebuffer(64, 48);
  plain.bytes.set(desktop.frame.bytes);
  plain.words[47 * 64] = GREEN;
  t.ok(isSame(shown, plain), "a move does not take it along");
  transport.say(say.encodings(0, -239));
  transport.say(say.request(false, 0, 0, 64, 48));
  await settled();
  const rectangles = Buffer.from(transport.drain());
  t.equal(rectangles.readUInt16BE(2), 2, "the cursor, then the picture");
  t.ok(rectangles.subarray(-64 * 48 * 4).equals(withoutAlpha(desktop.frame)), "without the pointer in it");
});

/** The bytes of Raw in the server's own format. */
function withoutAlpha(frame: Framebuffer): Buffer {
  return Buffer.from(frame.bytes.map((byte, i) => (i % 4 === 3 ? 0 : byte)));
}

t.test("what was sent as JPEG is sent again exactly once it stands still, and only then", async (t) => {
  const desktop = new DrawnDesktop(128, 96);
  const { transport, clock } = await stand({}, desktop);
  let seed = 1;
  const noise = (): void => {
    for (let i = 0; i < desktop.frame.words.length; i++) {
      seed = (Math.imul(seed, 1664525) + 1013904223) | 0;
      desktop.frame.words[i] = (OPAQUE | (seed >>> 8)) >>> 0;
    }
    desktop.changed(Region.of(desktop.frame.rect));
  };
  const ask = say.request(true, 0, 0, 128, 96);
  const control = (bytes: Uint8Array): number => (bytes[4 + 12] ?? 0) >> 4;
  const JPEG = 9;
  transport.say(say.encodings(7, -26));
  noise();
  transport.say(ask);
  await settled();
  t.equal(control(transport.drain()), JPEG);
  transport.say(ask);
  for (let i = 0; i < 5; i++) {
    clock.advance(250);
    await settled();
    t.equal(transport.bufferedBytes, 0, "it changed just now");
    noise();
    await settled();
    t.equal(control(transport.drain()), JPEG, "so it comes as it did");
    transport.say(ask);
  }
  clock.advance(700);
  await settled();
  const exact = transport.drain();
  t.not(exact.length, 0, "then it stood still");
  t.not(control(exact), JPEG);
  t.equal(clock.waiting, 1, "only the watchdog's is left");
  transport.say(ask);
  clock.advance(10_000);
  await settled();
  t.equal(transport.bufferedBytes, 0, "once");
});

t.test("all that stands still is sent exactly, also what has no room in one update", async (t) => {
  const [width, height] = [640, 400];
  const desktop = new DrawnDesktop(width, height);
  const { transport, clock } = await stand({}, desktop);
  transport.say(say.encodings(7, -26, -312, -313), say.continuous(true, 0, 0, width, height));
  let seed = 1;
  for (let i = 0; i < desktop.frame.words.length; i++) {
    seed = (Math.imul(seed, 1664525) + 1013904223) | 0;
    desktop.frame.words[i] = (OPAQUE | (seed >>> 8)) >>> 0;
  }
  desktop.changed(Region.of(desktop.frame.rect));
  /** Bytes that come, each update answered at once by what its fence, its end, has last. */
  const read = async (): Promise<number> => {
    let bytes = 0;
    for (;;) {
      await settled();
      const update = transport.drain();
      if (update.length === 0) return bytes;
      bytes += update.length;
      transport.say(say.fence(0, update.subarray(-4)));
    }
  };
  const noise = width * height * 3;
  const asJpeg = await read();
  t.ok(asJpeg > 0 && asJpeg < noise, `${asJpeg} bytes as JPEG`);
  clock.advance(1000);
  t.ok((await read()) >= noise, "no noise is smaller than itself");
});

t.test("a denied input is told once of each kind, however many there are", async (t) => {
  const told: string[] = [];
  const transport = new FakeTransport();
  const desktop = new DrawnDesktop(64, 48);
  const ports = {
    rfb: rfbPorts,
    cacheOf: oneCache(desktop.view()),
    clock: new FakeClock(),
    log: new KeptLog(),
    denied: ({ actor }: ViewerRights, input: string) => told.push(`${actor.id} ${input}`),
  };
  const rights = () => ({ actor: HUMAN, audience: "viewer" as const, isViewOnly: true, hasClipboard: false });
  const view = { isComposited: false, viewport: null, rights };
  new ViewerSession(ports, { desktop, transport, security: [{ type: "none" }], ...view });
  await transport.whenSent();
  transport.say(...HELLO);
  for (let i = 0; i < 100; i++) transport.say(say.pointer(0, i, i), say.key(true, 0x61));
  t.same(told, ["anna pointer", "anna key"]);
});

t.test("of 60 viewers 50 stop reading, and the ten others get every frame", async (t) => {
  const desktop = new DrawnDesktop(320, 240);
  const cache = new ViewerRectCache(desktop.view());
  const stands = [];
  for (let i = 0; i < 60; i++) {
    const transport = new FakeTransport();
    const ports = { rfb: rfbPorts, cacheOf: () => cache, clock: new FakeClock(), log: new KeptLog() };
    const rights = () => ({
      actor: HUMAN,
      audience: "viewer" as const,
      isViewOnly: true,
      hasClipboard: false,
    });
    const view = { isComposited: false, viewport: null, rights };
    new ViewerSession(ports, { desktop, transport, security: [{ type: "none" }], ...view });
    await transport.whenSent();
    transport.say(...HELLO, say.encodings(0, -312, -313), say.continuous(true, 0, 0, 320, 240));
    transport.drain();
    stands.push({ transport, shown: new Framebuffer(320, 240) });
  }
  const fast = stands.slice(50);
  const ask = say.request(true, 0, 0, 320, 240);
  for (let frame = 0; frame < 60; frame++) {
    desktop.paint(desktop.frame.rect, 0x030201 * frame + 1);
    for (const { transport } of stands) transport.say(ask);
    await settled();
    for (const { transport, shown } of fast) show(transport.drain(), shown);
    t.ok(
      fast.every(({ shown }) => isSame(shown, desktop.frame)),
      `frame ${frame}`,
    );
  }
  const most = Math.max(...stands.map(({ transport }) => transport.mostBufferedBytes));
  t.ok(most < 4 * MIB, `a paused one costs ${most} bytes`);
});
