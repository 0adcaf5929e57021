import { Duplex } from "node:stream";
import t from "tap";
import { PLATFORM } from "../../../../src/appliance/open-links.ts";
import { LinkError } from "../../../../src/desktop/error.ts";
import type { LinkEvents, Showing } from "../../../../src/desktop/link.ts";
import { VncLink } from "../../../../src/desktop/links/vnc/vnc-link.ts";
import { rect } from "../../../../src/framebuffer/rect.ts";
import { FakeClock, settle } from "../../../fake-clock.ts";
import { hello, join, rectangle, solid, u32, update } from "../../../protocols/rfb/client/server-bytes.ts";

/** The far end of a stream, played by hand. */
class FakeStream extends Duplex {
  readonly heard: number[] = [];
  isStuck = false;

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.heard.push(...chunk);
    if (!this.isStuck) done();
  }

  say(...parts: readonly Uint8Array[]): void {
    this.push(Buffer.from(join(...parts)));
  }
}

class Rig {
  readonly clock = new FakeClock();
  readonly stream = new FakeStream();
  readonly said: string[] = [];
  readonly errors: LinkError[] = [];
  readonly link: VncLink;
  /** What updates are answered with. */
  showing: Showing | undefined = undefined;

  constructor(emitsConnect = false, mayAskPlain = false) {
    const options = { connect: () => this.stream, emitsConnect, password: null, mayAskPlain };
    this.link = new VncLink(options, PLATFORM, this.clock);
    const note = (name: string) => () => {
      this.said.push(name);
    };
    const events: LinkEvents = {
      ready: note("ready"),
      update: () => {
        this.said.push("update");
        return this.showing;
      },
      resize: note("resize"),
      cursor: note("cursor"),
      clipboard: note("clipboard"),
      name: note("name"),
      bell: note("bell"),
      stalled: (isStalled) => this.said.push(isStalled ? "stalled" : "speaks"),
      step: (name) => this.said.push(name),
      closed: (error) => this.errors.push(error),
    };
    this.link.open(events);
  }

  static async live(): Promise<Rig> {
    const rig = new Rig();
    rig.stream.say(hello(8, 8));
    await settle();
    rig.stream.heard.length = 0;
    rig.said.length = 0;
    return rig;
  }

  get code(): string | undefined {
    return this.errors[0]?.code;
  }
}

const PIXEL = update(rectangle(0, 0, 1, 1, 0, solid(1, 1, [1, 2, 3])));
const NON_INCREMENTAL_PIXEL = [3, 0, 0, 0, 0, 0, 0, 1, 0, 1];
const isWithin = (heard: readonly number[], message: readonly number[]): boolean =>
  heard.some((_, at) => message.every((byte, i) => heard[at + i] === byte));
const INCREMENTAL = [3, 1, 0, 0, 0, 0, 0, 8, 0, 8];

t.test(
  "an update whose damage is told as bounds is no answer: what was asked for is asked for again",
  async (t) => {
    const rig = new Rig();
    rig.stream.say(hello(100, 100));
    await settle();
    rig.stream.heard.length = 0;
    let isOver = false;
    const latest = rig.link.latest(rect(50, 50, 1, 1)).then(() => {
      isOver = true;
    });
    await settle();
    const ASKED = [3, 0, 0, 50, 0, 50, 0, 1, 0, 1];
    t.same(rig.stream.heard.slice(-10), ASKED);
    rig.stream.heard.length = 0;
    const dot = (x: number, y: number) => rectangle(x, y, 1, 1, 0, solid(1, 1, [1, 2, 3]));
    const dots = Array.from({ length: 5000 }, (_, i) =>
      dot((i * 2 + (Math.floor(i / 50) % 2)) % 100, Math.floor(i / 50)),
    );
    const others = dots.filter((_, i) => i !== 2525);
    rig.stream.say(update(...others));
    await settle();
    t.notOk(isOver, "none of them was painted there");
    t.ok(isWithin(rig.stream.heard, ASKED), "asked again");
    rig.stream.say(update(dot(50, 50)));
    await latest;
    t.ok(isOver);
  },
);

t.test("while an update is not shown nothing more is read, painted or told", async (t) => {
  const rig = await Rig.live();
  let show = (): void => {};
  const done = new Promise<void>((resolve) => {
    show = resolve;
  });
  rig.showing = { done };
  let isLatest = false;
  const latest = rig.link.latest(rect(0, 0, 1, 1)).then(() => {
    isLatest = true;
  });
  const passed = rectangle(0, 0, 1, 1, 0, solid(1, 1, [9, 9, 9]));
  rig.stream.say(PIXEL, update(passed));
  await settle();
  t.same(rig.said, ["update"]);
  t.equal((rig.link.framebuffer.words[0] ?? 0) >>> 0, 0xff030201, "the second one is not decoded");
  t.notOk(isLatest, "nobody knows what is not shown");
  rig.stream.say(Uint8Array.of(2));
  await settle();
  t.same(rig.said, ["update"], "a bell after it waits as well");
  rig.showing = undefined;
  show();
  await latest;
  await settle();
  t.same(rig.said, ["update", "update", "bell"]);
  t.equal((rig.link.framebuffer.words[0] ?? 0) >>> 0, 0xff090909);
});

t.test("a link that is closed while an update is not shown says nothing more", async (t) => {
  const rig = await Rig.live();
  let show = (): void => {};
  const done = new Promise<void>((resolve) => {
    show = resolve;
  });
  rig.showing = { done };
  rig.stream.say(PIXEL, PIXEL);
  await settle();
  rig.link.close();
  show();
  await settle();
  t.same(rig.said, ["update"]);
  t.same(rig.errors, []);
});

t.test("the handshake's steps are told, then the whole picture is asked for", async (t) => {
  const rig = new Rig();
  rig.stream.say(hello(8, 8));
  await settle();
  t.same(rig.said, ["connect", "version", "security", "authentication", "ready"]);
  t.same(rig.stream.heard.slice(-10), [3, 0, 0, 0, 0, 0, 0, 8, 0, 8]);
});

t.test("case 2: a target that never accepts, never speaks or speaks too slowly is given up", async (t) => {
  const deaf = new Rig(true);
  deaf.clock.advance(10_000);
  t.equal(deaf.code, "unreachable");
  const mute = new Rig();
  mute.clock.advance(15_000);
  t.equal(mute.code, "handshake_timeout");
  const slow = new Rig();
  for (const byte of "RFB 003.008\n".slice(0, 10)) {
    slow.stream.say(Buffer.from(byte));
    await settle();
    slow.clock.advance(1400);
  }
  slow.clock.advance(1000);
  t.equal(slow.code, "handshake_timeout");
  t.ok(slow.stream.destroyed);
});

t.test("case 27: an end, a reset and a cut in the middle are one typed error each", async (t) => {
  const ended = await Rig.live();
  ended.stream.push(null);
  await settle();
  t.equal(ended.code, "target_closed");
  const cut = await Rig.live();
  cut.stream.say(PIXEL.subarray(0, 9));
  cut.stream.destroy(Object.assign(new Error("reset"), { code: "ECONNRESET" }));
  await settle();
  t.equal(cut.errors.length, 1);
  t.match(cut.errors[0]?.message, /cut the connection/);
});

t.test("protocol faults name the phase and the byte", async (t) => {
  const rig = await Rig.live();
  rig.stream.say(Uint8Array.of(99));
  await settle();
  t.equal(rig.code, "protocol_error");
  t.match(rig.errors[0]?.message, /message type 99.*\(message, byte 47\)/);
  rig.stream.say(PIXEL);
  t.same(rig.said, []);
});

t.test("unwatched: asked again after 500 ms; watched: at once", async (t) => {
  const rig = await Rig.live();
  rig.stream.say(PIXEL);
  await settle();
  t.same(rig.stream.heard, []);
  rig.clock.advance(500);
  await settle();
  t.same(rig.stream.heard, INCREMENTAL);
  rig.link.follow(true);
  rig.stream.heard.length = 0;
  rig.stream.say(PIXEL);
  await settle();
  t.same(rig.stream.heard, INCREMENTAL);
});

t.test("becoming watched asks at once, not when the pause is over", async (t) => {
  const rig = await Rig.live();
  rig.stream.say(PIXEL);
  await settle();
  rig.link.follow(true);
  await settle();
  t.same(rig.stream.heard, INCREMENTAL);
});

t.test("continuous updates are used only with fences, and ended when nobody watches", async (t) => {
  const rig = await Rig.live();
  rig.link.follow(true);
  rig.stream.say(Uint8Array.of(150), PIXEL);
  await settle();
  t.notOk(rig.stream.heard.includes(150), "no fence yet");
  rig.stream.say(Uint8Array.of(248, 0, 0, 0), u32(0x80000000), Uint8Array.of(0), PIXEL);
  await settle();
  t.match(rig.stream.heard.join(), /150,1,0,0,0,0,0,8,0,8/);
  rig.stream.heard.length = 0;
  rig.stream.say(PIXEL);
  await settle();
  t.same(rig.stream.heard, [], "updates come by themselves");
  rig.link.follow(false);
  await settle();
  t.match(rig.stream.heard.join(), /150,0,0,0,0,0,0,8,0,8/);
});

t.test("a barrier is a fence where there are fences, else one pixel asked anew", async (t) => {
  const plain = await Rig.live();
  const passed = plain.link.barrier();
  await settle();
  t.same(plain.stream.heard, NON_INCREMENTAL_PIXEL);
  plain.stream.say(PIXEL);
  await passed;
  const fenced = await Rig.live();
  fenced.stream.say(Uint8Array.of(248, 0, 0, 0), u32(0x80000000), Uint8Array.of(0));
  await settle();
  fenced.stream.heard.length = 0;
  const answered = fenced.link.barrier();
  await settle();
  t.same(fenced.stream.heard, [248, 0, 0, 0, 128, 0, 0, 1, 4, 0, 0, 0, 1]);
  fenced.stream.say(Uint8Array.of(248, 0, 0, 0), u32(1), Uint8Array.of(4, 0, 0, 0, 1));
  await answered;
  const lost = fenced.link.barrier();
  fenced.stream.destroy();
  await t.rejects(lost, LinkError);
});

t.test("a silent target is asked after 5 s, stalled within 10 s, given up after 40 s", async (t) => {
  const rig = await Rig.live();
  rig.stream.say(PIXEL);
  await settle();
  rig.clock.advance(5000);
  await settle();
  t.same(rig.stream.heard.slice(-10), NON_INCREMENTAL_PIXEL);
  rig.clock.advance(4500);
  t.ok(rig.said.includes("stalled"));
  rig.stream.say(PIXEL);
  await settle();
  t.ok(rig.said.includes("speaks"));
  rig.clock.advance(45_000);
  t.equal(rig.code, undefined, "it spoke, so it is watched anew");
  const dead = await Rig.live();
  dead.clock.advance(45_000);
  t.equal(dead.code, "stalled");
});

t.test("a target that stops reading is given up before its input fills memory", async (t) => {
  const rig = await Rig.live();
  rig.stream.isStuck = true;
  for (let i = 0; i < 100 && rig.code === undefined; i++) {
    rig.link.clipboard("x".repeat(100_000));
    await settle();
  }
  t.equal(rig.code, "stalled");
});

t.test("closing is silent and final", async (t) => {
  const rig = await Rig.live();
  rig.link.close();
  await settle();
  t.ok(rig.stream.destroyed);
  t.same(rig.errors, []);
  t.equal(rig.clock.waiting, 0);
});

t.test("what was said in the turn in which a link is closed still leaves", async (t) => {
  const rig = await Rig.live();
  rig.link.key(0xffe1, false, null);
  rig.link.close();
  t.same(rig.stream.heard, [4, 0, 0, 0, 0, 0, 0xff, 0xe1]);
  t.ok(rig.stream.destroyed);
  const stuck = await Rig.live();
  stuck.stream.isStuck = true;
  stuck.link.key(0xffe1, false, null);
  stuck.link.close();
  await settle();
  t.notOk(stuck.stream.destroyed, "it has a moment to leave");
  stuck.clock.advance(1000);
  t.ok(stuck.stream.destroyed);
});

t.test("a link that is closed answers no question, whatever its target could do", async (t) => {
  const rig = await Rig.live();
  rig.stream.say(Uint8Array.of(248, 0, 0, 0), u32(0x80000000), Uint8Array.of(0));
  await settle();
  rig.link.close();
  await t.rejects(rig.link.barrier(), { code: "target_closed" });
  await t.rejects(rig.link.latest(), { code: "target_closed" });
});

/** SetEncodings with compression level 0 last, and without. */
const LEVEL_0 = [255, 255, 255, 0];
const SIZE = 400;

/** The encodings that it was last asked for, as bytes; null where it was not asked since. */
function askedOf(heard: readonly number[]): readonly number[] | null {
  for (let at = heard.length - 4; at >= 0; at--) {
    const count = ((heard[at + 2] ?? 0) << 8) | (heard[at + 3] ?? 0);
    const end = at + 4 + count * 4;
    // Requests of 10 bytes may follow.
    if (heard[at] === 2 && heard[at + 1] === 0 && count > 10 && (heard.length - end) % 10 === 0) {
      if (end <= heard.length) return heard.slice(at + 4, end);
    }
  }
  return null;
}

for (const [name, fastMs] of [
  ["a target on a fast line is asked for pictures without compression", 1],
  ["a target on a slow line is left to compress its pictures", 30],
] as const) {
  t.test(name, async (t) => {
    const rig = new Rig(false, true);
    rig.stream.say(hello(SIZE, SIZE));
    await settle();
    const whole = update(rectangle(0, 0, SIZE, SIZE, 0, solid(SIZE, SIZE, [1, 2, 3])));
    const pieces = 10;
    /** One update of 640 KB, a tenth in so many milliseconds. Gives what it is then asked for. */
    const send = async (ms: number): Promise<readonly number[] | null> => {
      rig.stream.heard.length = 0;
      const step = Math.ceil(whole.length / pieces);
      for (let from = 0; from < whole.length; from += step) {
        rig.stream.say(whole.slice(from, from + step));
        await settle();
        rig.clock.advance(ms);
      }
      await settle();
      return askedOf(rig.stream.heard);
    };
    const isPlain = (asked: readonly number[] | null): boolean | null =>
      asked === null ? null : asked.slice(-4).every((byte, i) => byte === LEVEL_0[i]);
    const isFast = fastMs === 1;
    t.equal(isPlain(await send(fastMs)), isFast ? true : null, "after a first picture");
  });
}
