import t from "tap";
import { LinkError } from "../../../src/desktop/error.ts";
import { DecodeLink } from "../../../src/desktop/links/decode-link.ts";
import { rect } from "../../../src/framebuffer/rect.ts";
import type { Region } from "../../../src/framebuffer/region.ts";
import { FakeClock, settle } from "../../fake-clock.ts";
import { FakeLink } from "../fake-link.ts";
import { LinkEar } from "./link-ear.ts";

/** A link that may move, both its ends played by hand. */
class Rig {
  readonly clock = new FakeClock();
  readonly here = new FakeLink();
  readonly there: FakeLink[] = [];
  readonly ear = new LinkEar();
  readonly link: DecodeLink;
  heavy = 0;
  moved = 0;
  size: readonly [number, number] = [200, 100];
  #onTurn: (startMs: number, tookMs: number) => void = () => undefined;

  constructor() {
    this.link = new DecodeLink(
      {
        openHere: (onTurn) => {
          this.#onTurn = onTurn;
          return this.here;
        },
        openThere: () => {
          const link = new FakeLink(...this.size);
          this.there.push(link);
          return link;
        },
        onHeavy: () => this.heavy++,
        onMoved: () => this.moved++,
      },
      this.clock,
    );
    this.link.open(this.ear.events);
    this.here.goLive();
    this.link.follow(true);
    this.here.said.length = 0;
  }

  /** Three seconds of the thread's time are spent. */
  work(): void {
    for (let i = 0; i < 3; i++) {
      this.#onTurn(this.clock.nowMs(), 500);
      this.clock.advance(1000);
    }
  }

  get second(): FakeLink {
    const link = this.there.at(-1);
    if (link === undefined) throw new Error("no second link was opened");
    return link;
  }

  /** What was published last, of how many pixels. */
  get published(): Region | undefined {
    const updates = this.ear.said.flatMap((said) => (said.type === "update" ? [said.painted] : []));
    return updates.at(-1);
  }
}

t.test("what others do with an update is no decoding", async (t) => {
  const clock = new FakeClock();
  const here = new FakeLink();
  let onTurn: (startMs: number, tookMs: number) => void = () => undefined;
  let isMoving = false;
  const link = new DecodeLink(
    {
      openHere: (hears) => {
        onTurn = hears;
        return here;
      },
      openThere: () => {
        isMoving = true;
        return new FakeLink();
      },
      onHeavy: () => undefined,
      onMoved: () => undefined,
    },
    clock,
  );
  const ear = new LinkEar();
  link.open({ ...ear.events, update: () => clock.advance(400) });
  for (let i = 0; i < 10; i++) {
    const startMs = clock.nowMs();
    here.paint(rect(0, 0, 1, 1), 1);
    onTurn(startMs, clock.nowMs() - startMs);
    clock.advance(600);
  }
  t.notOk(isMoving);
});

t.test(
  "a heavy link moves once the second one has everything, and its whole picture is published",
  async (t) => {
    const rig = new Rig();
    rig.work();
    t.equal(rig.heavy, 1);
    t.equal(rig.there.length, 1);
    const before = rig.ear.said.length;
    rig.second.events.ready({ name: "fake", screens: [] });
    t.ok(rig.second.isWatched);
    rig.second.paint(rect(0, 0, 200, 60), 0x111111);
    await settle();
    t.equal(rig.link.framebuffer, rig.here.framebuffer, "half a picture is none");
    rig.second.paint(rect(0, 60, 200, 40), 0x111111);
    rig.second.events.bell();
    t.equal(rig.ear.said.length, before, "the second link says nothing before it is the first");
    await settle();
    t.equal(rig.link.framebuffer, rig.second.framebuffer);
    t.equal(rig.moved, 1);
    t.notOk(rig.here.isWatched);
    const said = rig.ear.said.length;
    rig.here.paint(rect(0, 0, 1, 1), 5);
    t.equal(rig.ear.said.length, said, "the first one is heard no more");
    rig.work();
    t.equal(rig.there.length, 1, "nor does what it still decodes count");
    rig.clock.advance(5000);
    t.ok(rig.here.isClosed);
    t.same(rig.second.said, ["latest"], "an update is asked for, inside which its memory may be read");
    rig.second.paint(rect(3, 3, 2, 2), 0x333333);
    t.same(rig.published?.rects, [rect(0, 0, 200, 100)]);
    rig.second.paint(rect(3, 3, 2, 2), 0x444444);
    t.same(rig.published?.rects, [rect(3, 3, 2, 2)]);
    rig.second.drop();
    t.equal(rig.ear.said.at(-1)?.type, "closed");
  },
);

t.test("nothing moves while a key or a button is down", async (t) => {
  for (const [press, release] of [
    ["key", "key"],
    ["button", "button"],
  ] as const) {
    const rig = new Rig();
    if (press === "key") rig.link.key(0xffe1, true, null);
    else rig.link.pointer(5, 5, 1);
    rig.work();
    rig.second.goLive();
    await settle();
    t.equal(rig.moved, 0);
    rig.link.pointer(6, 6, press === "key" ? 0 : 1);
    await settle();
    t.equal(rig.moved, 0, `the ${press} is still down`);
    if (release === "key") rig.link.key(0xffe1, false, null);
    else rig.link.pointer(6, 6, 0);
    await settle();
    t.equal(rig.moved, 1);
    t.match(rig.here.said.at(-1), release === "key" ? "up ffe1" : "pointer 6,6 0");
    t.notMatch(rig.second.said.join(), /up|pointer/, "what was pressed by the first is let go by the first");
  }
});

t.test("input that comes while the first link's is still on its way waits and keeps its order", async (t) => {
  const rig = new Rig();
  rig.here.answers = false;
  rig.link.key(0x61, true, null);
  rig.link.key(0x61, false, null);
  rig.work();
  rig.second.goLive();
  await settle();
  rig.link.key(0x62, true, null);
  rig.link.clipboard("later");
  const asked = rig.link.barrier();
  rig.link.key(0x62, false, null);
  t.same(rig.here.said, ["down 61", "up 61"]);
  for (let i = 0; i < 3; i++) {
    rig.here.pass();
    await settle();
  }
  t.equal(rig.moved, 0, "the first answers may have been on their way already");
  rig.here.pass();
  await settle();
  t.same(rig.second.said, ["latest", "down 62", "clipboard 5", "up 62"]);
  await asked;
  t.same(rig.here.said, ["down 61", "up 61"]);
});

t.test("a target that does not answer the first link in time keeps it, and nothing is lost", async (t) => {
  const rig = new Rig();
  rig.here.answers = false;
  rig.work();
  rig.second.goLive();
  await settle();
  rig.link.key(0x61, true, null);
  rig.clock.advance(5000);
  t.ok(rig.second.isClosed);
  t.ok(rig.here.isWatched);
  t.same(rig.here.said, ["down 61"]);
  t.equal(rig.moved, 0);
  rig.work();
  t.equal(rig.there.length, 1, "the next try waits");
  rig.clock.advance(60_000);
  rig.work();
  t.equal(rig.there.length, 2);
});

t.test("where a second connection is refused the first one stays", async (t) => {
  const rig = new Rig();
  rig.work();
  rig.second.drop(new LinkError("refused", "one viewer only"));
  rig.here.paint(rect(0, 0, 5, 5), 0x777777);
  t.same(rig.published?.rects, [rect(0, 0, 5, 5)]);
  rig.clock.advance(61_000);
  rig.work();
  t.equal(rig.there.length, 2, "a while later another is tried");
  rig.second.drop(new LinkError("auth_failed", "no", { isFinal: true }));
  rig.clock.advance(10_000_000);
  rig.work();
  t.equal(rig.there.length, 2, "a refusal for good is one");
});

t.test("where the second connection costs the first one its own, that is told as any end is", async (t) => {
  const rig = new Rig();
  rig.work();
  rig.here.drop();
  t.equal(rig.ear.said.filter(({ type }) => type === "closed").length, 1);
  t.ok(rig.second.isClosed);
  t.equal(rig.heavy, 1, "whoever opens the next link knows where");
});

t.test("a desktop that changed its size meanwhile is told of it", async (t) => {
  const rig = new Rig();
  rig.size = [300, 80];
  rig.work();
  rig.second.goLive();
  await settle();
  t.equal(rig.ear.said.at(-1)?.type, "resize");
  rig.second.paint(rect(0, 0, 1, 1), 1);
  t.same(rig.published?.rects, [rect(0, 0, 300, 80)]);
});

t.test("cursor and locks are the second link's once it is the first", async (t) => {
  const rig = new Rig();
  rig.work();
  const cursor = { width: 1, height: 1, hotspotX: 0, hotspotY: 0, rgba: new Uint8Array(4) };
  rig.second.events.cursor(cursor);
  t.notOk(rig.ear.said.some(({ type }) => type === "cursor"));
  rig.second.goLive();
  await settle();
  t.equal(rig.ear.said.filter(({ type }) => type === "cursor").length, 1);
  rig.second.events.cursor(null);
  t.equal(rig.ear.said.filter(({ type }) => type === "cursor").length, 2);
});

t.test("what the first link was asked and did not live to answer the second one answers", async (t) => {
  const rig = new Rig();
  let ask: (error: LinkError) => void = () => undefined;
  rig.here.latest = () => new Promise((_, reject) => (ask = reject));
  const asked = rig.link.latest();
  rig.work();
  rig.second.goLive();
  await settle();
  t.equal(rig.moved, 1);
  ask(new LinkError("target_closed", "the connection was closed here"));
  await asked;
  t.same(rig.second.said, ["latest", "latest"]);
});

t.test("closing ends both links and every question", async (t) => {
  const rig = new Rig();
  rig.here.answers = false;
  rig.work();
  rig.second.goLive();
  await settle();
  const asked = rig.link.latest();
  rig.link.close();
  await t.rejects(asked, { code: "target_closed" });
  t.ok(rig.here.isClosed);
  t.ok(rig.second.isClosed);
  t.equal(rig.clock.waiting, 0);
});
