import t from "tap";
import type { CopyMove } from "../../../../src/framebuffer/picture.ts";
import { rect } from "../../../../src/framebuffer/rect.ts";
import { Region } from "../../../../src/framebuffer/region.ts";
import type { EncodedUpdate, RfbServerOptions } from "../../../../src/protocols/rfb/server/rfb-server.ts";
import { colourful, pictureOf, say, TestViewer } from "./viewer.ts";

const picture = pictureOf(colourful(64, 48));
const SPOT = Region.of(rect(16, 16, 16, 16));
const MOVE: CopyMove = { fromX: 0, fromY: 0, to: rect(32, 0, 16, 16) };
const ASK = say.request(true, 0, 0, 64, 48);

/** A viewer of Raw and CopyRect that has asked for what changes. */
function viewerOf(numbers: readonly number[] = [1, 0], options: Partial<RfbServerOptions> = {}): TestViewer {
  const viewer = TestViewer.ready(options);
  viewer.say(say.encodings(...numbers), ASK);
  return viewer;
}

/** The update of SPOT as a viewer got it first. */
function made(copies: readonly CopyMove[] = [], viewer = viewerOf()): EncodedUpdate {
  viewer.server.update(picture, SPOT, copies);
  const update = viewer.server.made;
  if (update === null) throw new Error("the update is not for others");
  return update;
}

t.test("a viewer that is owed the same gets the very bytes", async (t) => {
  for (const copies of [[], [MOVE]]) {
    const first = viewerOf();
    const update = made(copies, first);
    const second = viewerOf();
    t.ok(second.server.repeat(update));
    t.same(second.takeBytes(), first.takeBytes());
    t.notOk(second.server.isUpdateWanted, "its request is answered");
    t.notOk(second.server.repeat(update), "and there is none open");
    t.equal(second.takeBytes().length, 0);
  }
});

t.test("a viewer of another kind, or owed something else, is sent nothing", async (t) => {
  const update = made([MOVE]);
  const pixels = made();
  const cases: Record<string, [TestViewer, EncodedUpdate]> = {
    "another encoding": [viewerOf([1, 16]), pixels],
    "no moves": [viewerOf([0]), update],
    "another viewport": [viewerOf([1, 0], { viewport: rect(0, 0, 32, 48) }), pixels],
    "a size to be told": [viewerOf([1, 0, -223]), pixels],
    "something whole to come": [viewerOf(), pixels],
    "only a part asked for": [TestViewer.ready(), pixels],
    "only where a move goes asked for": [TestViewer.ready(), update],
  };
  cases["a size to be told"]?.[0].server.resize(80, 60, []);
  cases["something whole to come"]?.[0].say(say.request(false, 0, 0, 8, 8));
  cases["only a part asked for"]?.[0].say(say.encodings(1, 0), say.request(true, 16, 16, 15, 16));
  cases["only where a move goes asked for"]?.[0].say(say.encodings(1, 0), say.request(true, 16, 0, 48, 48));
  for (const [name, [viewer, shared]] of Object.entries(cases)) {
    t.notOk(viewer.server.repeat(shared), name);
    t.equal(viewer.takeBytes().length, 0);
  }
});

t.test("a stream of ZRLE is begun by an update of one's own", async (t) => {
  const first = viewerOf([16]);
  first.server.update(picture, SPOT);
  t.equal(first.server.made, null, "the first holds the stream's header");
  first.say(ASK);
  const update = made([], first);
  const second = viewerOf([16]);
  t.notOk(second.server.repeat(update));
  second.server.update(picture, SPOT);
  second.say(ASK);
  t.ok(second.server.repeat(update));
});

t.test("what holds more than damage, or not all of it, is for nobody else", async (t) => {
  const told = viewerOf([0, -307]);
  told.server.name("other");
  told.server.update(picture, SPOT);
  t.equal(told.server.made, null, "a name");
  const whole = TestViewer.ready();
  whole.say(say.request(false, 0, 0, 64, 48));
  whole.server.update(picture, SPOT);
  t.equal(whole.server.made, null, "a refresh");
  const part = TestViewer.ready();
  part.say(say.request(true, 0, 0, 20, 48));
  part.server.update(picture, SPOT);
  t.equal(part.server.made, null, "a part");
});

t.test("continuous updates that are repeated are confirmed as others are", async (t) => {
  const update = made();
  const viewer = TestViewer.ready();
  viewer.say(say.encodings(1, 0, -312, -313), say.continuous(true, 0, 0, 64, 48));
  viewer.take();
  for (let i = 0; i < 4; i++) t.ok(viewer.server.repeat(update));
  t.notOk(viewer.server.repeat(update), "it is behind");
  const fences = viewer.take().flatMap((sent) => (sent.type === "fence" ? [sent.payload] : []));
  t.equal(fences.length, 4);
  for (const payload of fences) viewer.say(say.fence(0, payload));
  t.ok(viewer.server.repeat(update));
});
