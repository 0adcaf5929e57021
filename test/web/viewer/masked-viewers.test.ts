import t from "tap";
import { PLATFORM } from "../../../src/appliance/open-links.ts";
import { audienceOf } from "../../../src/auth/audience.ts";
import type { Role } from "../../../src/auth/principal.ts";
import type { Actor } from "../../../src/desktop/control/action.ts";
import type { Audience } from "../../../src/desktop/view.ts";
import { Framebuffer } from "../../../src/framebuffer/framebuffer.ts";
import { rect } from "../../../src/framebuffer/rect.ts";
import { ByteQueue } from "../../../src/protocols/byte-queue.ts";
import { rightsOf } from "../../../src/web/viewer/rights.ts";
import { ViewerSessions } from "../../../src/web/viewer/sessions.ts";
import { House } from "../../desktop/house.ts";
import { FakeClock } from "../../fake-clock.ts";
import { say } from "../../protocols/rfb/server/viewer.ts";
import { FakeTransport } from "../fake-transport.ts";
import { KeptLog, rfbPorts } from "../viewer-ports.ts";

const HUMAN: Actor = { kind: "human", id: "anna", name: "Anna", authority: "rules" };
const AGENT: Actor = { kind: "agent", id: "bot", name: "Bot" };
const HELLO = [Buffer.from("RFB 003.008\n"), Uint8Array.of(1), Uint8Array.of(1)];
const SECRET = 0x12fe34;

/** The bytes of RGBA pixels of one colour. */
function pixelOf(colour: number): Buffer {
  return Buffer.from([colour & 255, (colour >> 8) & 255, colour >> 16]);
}

/** Raw rectangles of updates, painted: what the viewer shows. */
function show(bytes: Uint8Array, frame: Framebuffer): void {
  const from = new ByteQueue();
  from.push(bytes);
  while (from.size > 0) {
    if (from.u8() !== 0) return;
    from.skip(1);
    const count = from.u16();
    for (let i = 0; i < count; i++) {
      const [x, y, width, height, encoding] = [from.u16(), from.u16(), from.u16(), from.u16(), from.i32()];
      if (encoding === 1) frame.copy(from.u16(), from.u16(), rect(x, y, width, height));
      else if (encoding === 0) {
        for (let row = 0; row < height; row++) {
          const line = from.take(width * 4);
          frame.bytes.set(line, ((y + row) * frame.width + x) * 4);
        }
      } else return;
    }
  }
}

t.test("an agent's token sees by RFB what its agent sees, beside people who see more", async (t) => {
  const house = House.live("autopilot", {}, PLATFORM);
  const { desktop, link } = house;
  const sessions = new ViewerSessions({
    rfb: rfbPorts,
    clock: new FakeClock(),
    log: new KeptLog(),
    audit: () => {},
  });
  const open = async (actor: Actor) => {
    const transport = new FakeTransport();
    sessions.admit(transport, desktop, {
      security: [{ type: "none" }],
      rights: () => ({
        actor,
        audience: actor === AGENT ? "agent" : "viewer",
        isViewOnly: true,
        hasClipboard: false,
      }),
      isComposited: false,
      viewport: null,
    });
    await transport.whenSent();
    transport.say(...HELLO);
    transport.drain();
    transport.say(say.encodings(1, 0));
    transport.drain();
    return { transport, frame: new Framebuffer(200, 100) };
  };
  desktop.masks.add(
    { rect: rect(20, 20, 60, 40), monitor: null, audiences: ["agent"], label: null },
    null,
    HUMAN,
  );
  const viewers = [await open(HUMAN), await open(AGENT), await open(AGENT), await open(HUMAN)];
  const sent: Buffer[][] = viewers.map(() => []);
  const look = async (): Promise<void> => {
    for (const [i, { transport, frame }] of viewers.entries()) {
      transport.say(say.request(true, 0, 0, 200, 100));
      await new Promise((resolve) => setImmediate(resolve));
      for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
      const bytes = Buffer.from(transport.drain());
      sent[i]?.push(bytes);
      show(bytes, frame);
    }
  };
  await look();
  for (const at of [rect(30, 30, 20, 10), rect(25, 40, 50, 15)]) {
    link.paint(at, SECRET);
    link.paint(rect(120, 10, 30, 30), 0x0000ff);
    await look();
  }
  link.framebuffer.copy(22, 22, rect(24, 26, 50, 30));
  link.paint(rect(150, 60, 4, 4), 0x00ff00, [{ fromX: 22, fromY: 22, to: rect(24, 26, 50, 30) }]);
  await look();
  await look();
  for (const [i, { frame }] of viewers.entries()) {
    const isAgent = i === 1 || i === 2;
    const audience = isAgent ? "agent" : "viewer";
    const { bytes } = desktop
      .view(audience)
      .picture(false)
      .pixels(rect(0, 0, 200, 100));
    const own = Buffer.from(frame.bytes.map((byte, at) => (at % 4 === 3 ? 255 : byte)));
    t.equal(Buffer.compare(own, Buffer.from(bytes)), 0, `viewer ${i} shows what its audience sees`);
    const hasSecret = sent[i]?.some((one) => one.includes(pixelOf(SECRET)));
    t.equal(hasSecret, !isAgent, `viewer ${i}`);
  }
  sessions.close();
});

t.test("in a private time an agent's viewer shows one grey, and a new one is refused", async (t) => {
  const { desktop, link } = House.live("autopilot", {}, PLATFORM);
  const log = new KeptLog();
  const sessions = new ViewerSessions({ rfb: rfbPorts, clock: new FakeClock(), log, audit: () => {} });
  t.teardown(() => sessions.close());
  const open = async (): Promise<FakeTransport> => {
    const transport = new FakeTransport();
    sessions.admit(transport, desktop, {
      security: [{ type: "none" }],
      rights: () => ({ actor: AGENT, isViewOnly: true, audience: "agent", hasClipboard: false }),
      isComposited: false,
      viewport: null,
    });
    await transport.whenSent();
    transport.say(...HELLO);
    return transport;
  };
  const before = await open();
  before.drain();
  before.say(say.encodings(0));
  const { id } = desktop.requests.ask({ kind: "login", reason: "log in", wantsPrivate: true }, AGENT);
  desktop.requests.take(id, true, HUMAN);
  link.paint(rect(10, 10, 50, 50), SECRET);
  before.say(say.request(false, 0, 0, 200, 100));
  for (let turn = 0; turn < 8; turn++) await new Promise((resolve) => setImmediate(resolve));
  const bytes = Buffer.from(before.drain());
  t.ok(bytes.length > 200 * 100 * 4, "it is sent a whole picture");
  t.ok(bytes.includes(Buffer.from([0x40, 0x40, 0x40])));
  t.notOk(bytes.includes(pixelOf(SECRET)));
  const after = await open();
  after.drain();
  for (let turn = 0; turn < 8; turn++) await new Promise((resolve) => setImmediate(resolve));
  t.match(after.closed, [{ code: 1008, reason: "private_time" }]);
});

t.test(
  "people of a role do not see what is hidden from it, and those who see the same share it",
  async (t) => {
    const house = House.live("autopilot", {}, PLATFORM);
    const { desktop, link } = house;
    let encoded = 0;
    const deflate: typeof rfbPorts.deflate = {
      ...rfbPorts.deflate,
      rawSegment: (input, level) => {
        encoded++;
        return rfbPorts.deflate.rawSegment(input, level);
      },
    };
    const sessions = new ViewerSessions({
      ...{ rfb: { ...rfbPorts, deflate }, clock: new FakeClock(), log: new KeptLog(), audit: () => {} },
    });
    t.teardown(() => sessions.close());
    const open = async (role: Role, encoding: number) => {
      const transport = new FakeTransport();
      const principal = { id: role, name: role, role };
      sessions.admit(transport, desktop, {
        ...{
          security: [{ type: "none" }],
          rights: () => rightsOf(principal),
          isComposited: false,
          viewport: null,
        },
      });
      await transport.whenSent();
      transport.say(...HELLO);
      transport.drain();
      transport.say(say.encodings(encoding));
      transport.drain();
      return { role, transport, frame: new Framebuffer(200, 100) };
    };
    const roles = ["admin", "operator", "approver", "viewer"] as const;
    const raw: Awaited<ReturnType<typeof open>>[] = [];
    for (const role of roles) raw.push(await open(role, 0));
    const look = async (): Promise<Buffer[]> => {
      const all: Buffer[] = [];
      for (const { transport, frame } of raw) {
        transport.say(say.request(true, 0, 0, 200, 100));
        for (let turn = 0; turn < 6; turn++) await new Promise((resolve) => setImmediate(resolve));
        const bytes = Buffer.from(transport.drain());
        all.push(bytes);
        show(bytes, frame);
      }
      return all;
    };
    const has = (all: readonly Buffer[], colour: number) =>
      all.map((bytes) => bytes.includes(pixelOf(colour)));
    const areSeen = (why: string): void => {
      for (const { role, frame } of raw) {
        const picture = desktop.view(audienceOf({ role })).picture(false);
        const { bytes } = picture.pixels(rect(0, 0, 200, 100));
        const own = Buffer.from(frame.bytes.map((byte, at) => (at % 4 === 3 ? 255 : byte)));
        t.equal(Buffer.compare(own, Buffer.from(bytes)), 0, `${role} shows what its audience sees: ${why}`);
      }
    };
    await look();
    link.paint(rect(30, 30, 20, 10), SECRET);
    t.same(has(await look(), SECRET), [true, true, true, true]);
    const mask = (audiences: readonly Audience[]) => {
      const spec = { rect: rect(20, 20, 60, 40), monitor: null, audiences, label: null };
      return desktop.masks.add(spec, null, HUMAN).id;
    };
    const first = mask(["viewer:viewer"]);
    const kinds = () => roles.map((role) => desktop.view(audienceOf({ role })).kind);
    t.same(kinds(), ["viewer", "viewer", "viewer", "viewer:viewer"]);
    await look();
    areSeen("a mask came while they looked");
    link.paint(rect(25, 25, 50, 15), SECRET + 1);
    link.paint(rect(120, 10, 30, 30), 0x0000ff);
    t.same(has(await look(), SECRET + 1), [true, true, true, false]);
    areSeen("what changes under it");
    mask(["viewer:viewer", "viewer:approver"]);
    desktop.masks.remove(first, HUMAN);
    t.same(
      kinds(),
      ["viewer", "viewer", "viewer:approver", "viewer:approver"],
      "who see the same are one kind",
    );
    link.framebuffer.copy(22, 22, rect(24, 26, 50, 30));
    link.paint(rect(150, 60, 4, 4), 0x00ff00, [{ fromX: 22, fromY: 22, to: rect(24, 26, 50, 30) }]);
    await look();
    areSeen("moves, and another who sees less");
    for (const { transport } of raw) transport.hangUp();
    const packed = [];
    for (const role of ["admin", "operator", "approver", "viewer", "viewer"] as const)
      packed.push(await open(role, 16));
    encoded = 0;
    for (const { transport } of packed) transport.say(say.request(false, 0, 0, 200, 100));
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
    const sizes = packed.map(({ transport }) => transport.drain().length);
    t.ok(sizes.every((size) => size > 0));
    t.equal(encoded, 2, "encoded once for each picture, whoever looks at it");
  },
);
