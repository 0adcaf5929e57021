import t from "tap";
import { Scene } from "../../../../src/compositor/scene.ts";
import { Display } from "../../../../src/desktop/picture/display.ts";
import type { View } from "../../../../src/desktop/view.ts";
import { Framebuffer } from "../../../../src/framebuffer/framebuffer.ts";
import { type Rect, rect, type Size } from "../../../../src/framebuffer/rect.ts";
import { Region } from "../../../../src/framebuffer/region.ts";
import { EncodeBudget } from "../../../../src/web/viewer/encode-budget.ts";
import { FilmSet } from "../../../../src/web/viewer/film/film-set.ts";
import { ViewerFilms } from "../../../../src/web/viewer/film/viewer-films.ts";
import { FakeClock } from "../../../fake-clock.ts";

const WHOLE = rect(0, 0, 640, 480);
const FILM = rect(64, 32, 320, 240);
const RESET = 1;
/** Rows that a page scrolls by: more than a film is high, at least. */
const STEP = 120;

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** An encoder whose pictures come out when a test says so: each is the grey of its first pixel. */
class FakeEncoder {
  readonly size: Size;
  readonly #encoded: (picture: Uint8Array) => void;
  readonly fail: () => void;
  readonly #given: number[] = [];
  isClosed = false;

  constructor(size: Size, on: { encoded(picture: Uint8Array): void; failed(error: Error): void }) {
    this.size = size;
    this.#encoded = on.encoded;
    this.fail = () => on.failed(new Error("it ended"));
  }

  get waiting(): number {
    return this.#given.length;
  }

  put(rgba: Uint8Array): void {
    if (rgba.length !== this.size.width * this.size.height * 4) throw new Error("a picture of another size");
    this.#given.push(rgba[0] ?? 0);
  }

  give(): void {
    this.#encoded(Uint8Array.of(this.#given.shift() ?? 0));
  }

  close(): void {
    this.isClosed = true;
  }
}

/** A desktop with a film in it, its films, and the encoders that they opened. */
function house() {
  const clock = new FakeClock();
  const decoded = new Framebuffer(WHOLE.width, WHOLE.height);
  const display = new Display(new Scene(clock), clock, {
    changed: () => {},
    resized: () => {},
    whole: () => {},
    watched: () => {},
  });
  display.begin([]);
  display.update(decoded, Region.of(WHOLE), []);
  const hidden = { region: Region.empty };
  const view: View = {
    ...{ audience: "viewer", kind: "viewer", generation: 0, screens: [] },
    ...{ width: WHOLE.width, height: WHOLE.height },
    get hidden() {
      return hidden.region;
    },
    snapshot: () => Promise.reject(new Error("no snapshots of this one")),
    picture: (withOverlays) => display.shownTo("viewer").picture(withOverlays),
    watch: (onDamage, options) => display.shownTo("viewer").watchers.add(WHOLE, options ?? {}, onDamage),
  };
  const encoders: FakeEncoder[] = [];
  const openEncoder = (size: Size, on: ConstructorParameters<typeof FakeEncoder>[1]): FakeEncoder => {
    const encoder = new FakeEncoder(size, on);
    encoders.push(encoder);
    return encoder;
  };
  const set = new FilmSet({ clock, budget: new EncodeBudget(), openEncoder }, view, false);
  const paint = async (grey: number, place = FILM): Promise<void> => {
    decoded.fill(place, (0xff000000 | (grey * 0x010101)) >>> 0);
    display.update(decoded, Region.of(place), []);
    await settled();
  };
  const scroll = async (seed: number): Promise<void> => {
    const to = rect(0, 0, WHOLE.width, WHOLE.height - STEP);
    decoded.copy(0, STEP, to);
    for (let y = to.height; y < WHOLE.height; y++) {
      decoded.fill(
        rect(0, y, WHOLE.width, 1),
        (0xff000000 | (Math.imul(seed * STEP + y, 0x9e3779b1) >>> 8)) >>> 0,
      );
    }
    const painted = Region.of(rect(0, to.height, WHOLE.width, STEP));
    display.update(decoded, painted, [{ fromX: 0, fromY: STEP, to }]);
    await settled();
  };
  /** As long as a film takes to be seen as one. */
  const play = async (): Promise<void> => {
    for (let nth = 0; nth < 8; nth++) {
      clock.advance(120);
      await paint(nth + 1);
      set.wasJpeg(FILM);
    }
  };
  return { clock, hidden, set, encoders, paint, scroll, play };
}

/** A viewer, and the places that it was told that it owes. */
function viewerOf({ clock, set }: ReturnType<typeof house>, visible: Rect = WHOLE) {
  const owed: Rect[] = [];
  const films = new ViewerFilms({
    clock,
    visible: () => visible,
    schedule: () => {},
    owed: (place) => owed.push(place),
  });
  films.follow(set);
  /** What it would be sent: of each picture its flags and its grey. */
  const take = (): string[] => {
    const taken = films.take(Region.of(WHOLE)).map(({ body }) => `${body[7]}:${body[8]}`);
    films.took();
    return taken;
  };
  return { films, owed, take };
}

t.test("what moves like a film is encoded, and sent instead of its pixels", async (t) => {
  const it = house();
  await it.play();
  t.equal(it.encoders.length, 0, "nobody shows films");
  const { films, owed, take } = viewerOf(it);
  await it.play();
  const [encoder] = it.encoders;
  t.match(encoder?.size, { width: 320, height: 240 });
  t.ok(films.region.isEmpty, "until the first picture its pixels go as before");
  t.equal(films.without(Region.of(WHOLE)).area, WHOLE.width * WHOLE.height);
  encoder?.give();
  t.same(films.region.rects, [FILM]);
  t.equal(films.without(Region.of(WHOLE)).area, WHOLE.width * WHOLE.height - FILM.width * FILM.height);
  t.match(take(), [new RegExp(`^${RESET}:`)]);
  // The newest is made when there is room, and nothing between is kept.
  for (const grey of [50, 51, 52, 53]) await it.paint(grey);
  const shown: string[] = [];
  for (let nth = 0; nth < 6; nth++) {
    while ((encoder?.waiting ?? 0) > 0) encoder?.give();
    shown.push(...take());
  }
  t.equal(shown.at(-1), "0:53");
  t.ok(shown.length <= 3, "no more than were given in time");
  t.same(films.moving.rects, [FILM]);
  it.clock.advance(1000);
  t.ok(films.moving.isEmpty, "a second without a change, and it is sent exactly");
  t.same(films.region.rects, [FILM], "but may go on");
  // It stands still: the process ends, and what was shown last is the newest.
  it.clock.advance(4000);
  await settled();
  t.equal(encoder?.isClosed, true);
  t.ok(films.region.isEmpty);
  t.same(owed, [], "the last picture is what the desktop shows");
  t.equal(it.clock.waiting, 0, "no timer stays");
});

t.test("a film is as large as what moves, however much goes as JPEG around it", async (t) => {
  const it = house();
  const { films } = viewerOf(it);
  // Who joins is owed the whole picture, and it takes several updates while the film goes on.
  for (let nth = 0; nth < 8; nth++) {
    it.clock.advance(120);
    await it.paint(nth + 1);
    for (let y = 0; y < WHOLE.height; y += 96) it.set.wasJpeg(rect(0, y, WHOLE.width, 96));
  }
  t.same(
    it.encoders.map(({ size }) => size),
    [FILM].map(({ x, y, width, height }) => ({ x, y, width, height })),
  );
  it.encoders[0]?.give();
  t.same(films.region.rects, [FILM]);
  // It goes on for longer than a film is looked at for.
  for (let nth = 0; nth < 40; nth++) {
    it.clock.advance(120);
    await it.paint(50 + nth);
    while ((it.encoders[0]?.waiting ?? 0) > 0) it.encoders[0]?.give();
    films.take(Region.of(WHOLE));
    films.took();
  }
  t.equal(it.encoders.length, 1, "it is opened once");
  t.equal(it.encoders[0]?.isClosed, false);
});

t.test("what stands still is no film, however often it goes as JPEG", async (t) => {
  const it = house();
  viewerOf(it);
  await it.paint(7);
  for (let nth = 0; nth < 20; nth++) {
    it.clock.advance(120);
    await settled();
    it.set.wasJpeg(FILM);
  }
  t.equal(it.encoders.length, 0);
});

/** A page of lines that differ, one step further up each time; `jpeg`: what of it went as JPEG. */
async function scroll(it: ReturnType<typeof house>, steps: number, jpeg: Rect): Promise<void> {
  for (let nth = 0; nth < steps; nth++) {
    it.clock.advance(40);
    await it.scroll(nth);
    it.set.wasJpeg(jpeg);
  }
}

t.test("a page that scrolls is no film, however much of it goes as JPEG", async (t) => {
  for (const jpeg of [WHOLE, rect(0, WHOLE.height - STEP, WHOLE.width, STEP)]) {
    const it = house();
    viewerOf(it);
    await scroll(it, 60, jpeg);
    t.equal(it.encoders.length, 0);
  }
});

t.test("a film ends where a page scrolls in its place", async (t) => {
  const it = house();
  const { films } = viewerOf(it);
  await it.play();
  it.encoders[0]?.give();
  t.same(films.region.rects, [FILM]);
  // Of this the film is the whole from its upper edge on.
  await scroll(it, 120, WHOLE);
  t.equal(it.encoders[0]?.isClosed, true);
  t.equal(it.encoders.length, 1, "and none begins");
});

t.test("who joins gets a key picture of a new encoder, and nobody's film stands or goes back", async (t) => {
  const it = house();
  const first = viewerOf(it);
  await it.play();
  const [old] = it.encoders;
  old?.give();
  first.take();
  it.clock.advance(1000);
  const second = viewerOf(it);
  t.equal(it.encoders.length, 1, "not so soon after the last one");
  for (let nth = 0; nth < 11; nth++) {
    it.clock.advance(300);
    await it.paint(100 + nth);
    if ((old?.waiting ?? 0) > 0) old?.give();
    first.take();
  }
  const [, next] = it.encoders;
  t.equal(it.encoders.length, 2);
  t.ok(second.films.region.isEmpty);
  // The new one starts slowly: the old one goes on.
  await it.paint(120);
  while ((old?.waiting ?? 0) > 0) old?.give();
  t.ok(first.take().every((picture) => picture.startsWith("0:")));
  t.equal(old?.isClosed, false);
  for (let nth = 0; nth < 6 && old?.isClosed === false; nth++) {
    await it.paint(130 + nth);
    while ((old?.waiting ?? 0) > 0) old?.give();
    first.take();
    while ((next?.waiting ?? 0) > 0) next?.give();
  }
  t.equal(old?.isClosed, true, "the new one has come as far");
  const shown = second.take();
  t.match(shown[0], new RegExp(`^${RESET}:`));
  t.same(first.take(), shown, "both are shown the same");
  t.same(second.films.region.rects, [FILM]);
});

t.test("what is hidden meanwhile is in no picture that is sent", async (t) => {
  const it = house();
  const { films, owed, take } = viewerOf(it);
  await it.play();
  const [encoder] = it.encoders;
  encoder?.give();
  t.ok(films.hasPictures);
  it.hidden.region = Region.of(rect(100, 100, 40, 40));
  t.same(take(), [], "it was made before");
  t.equal(encoder?.isClosed, true);
  t.same(owed, [FILM], "its place is sent as it is now");
  t.ok(films.region.isEmpty);
  await it.play();
  const again = it.encoders.at(-1);
  again?.give();
  t.match(take(), [new RegExp(`^${RESET}:`)], "it begins with a picture that needs none before it");
  it.hidden.region = Region.of(rect(500, 400, 40, 40));
  await it.paint(77);
  t.equal(again?.isClosed, true, "something is shown that was hidden");
  again?.give();
  t.same(take(), []);
});

t.test("an encoder that ends is no break: pixels go as before", async (t) => {
  const it = house();
  const { films, owed } = viewerOf(it);
  await it.play();
  it.encoders[0]?.give();
  it.encoders[0]?.fail();
  t.ok(films.region.isEmpty);
  t.same(owed, [FILM]);
});

t.test("a viewer that falls behind gets pixels, and others go on", async (t) => {
  const it = house();
  const [fast, slow] = [viewerOf(it), viewerOf(it)];
  await it.play();
  const [encoder] = it.encoders;
  encoder?.give();
  for (let nth = 0; nth < 12; nth++) {
    it.clock.advance(40);
    await it.paint(60 + nth);
    if ((encoder?.waiting ?? 0) > 0) encoder?.give();
    fast.take();
  }
  t.same(fast.films.region.rects, [FILM]);
  t.ok(slow.films.region.isEmpty);
  t.same(slow.owed, [FILM]);
  t.notOk(slow.films.isJoining, "not at once again");
  it.clock.advance(9000);
  await it.play();
  it.clock.advance(1000);
  t.ok(it.encoders.length >= 1);
});

t.test("who sees a part of the film alone gets pixels", async (t) => {
  const it = house();
  const part = viewerOf(it, rect(0, 0, 200, 480));
  await it.play();
  t.equal(it.encoders.length, 0, "for nobody nothing is encoded");
  t.ok(part.films.region.isEmpty);
});

t.test("the last viewer leaves: the process ends", async (t) => {
  const it = house();
  const { films } = viewerOf(it);
  await it.play();
  films.close();
  t.equal(it.encoders[0]?.isClosed, true);
  t.equal(it.clock.waiting, 0, "no timer stays");
});
