import t from "tap";
import { isPicture, LivelyAreas } from "../../../src/desktop/masks/lively-areas.ts";
import { Framebuffer } from "../../../src/framebuffer/framebuffer.ts";
import { type Rect, rect } from "../../../src/framebuffer/rect.ts";
import { Region } from "../../../src/framebuffer/region.ts";

const [WIDTH, HEIGHT] = [640, 480];

/** Paints some place a few times a second and tells of it; gives what counts as films then. */
function play(at: Rect, colourAt: (x: number, y: number, i: number) => number, pictures = 4, everyMs = 100) {
  const areas = new LivelyAreas();
  const frame = new Framebuffer(WIDTH, HEIGHT);
  for (let i = 0; i < pictures; i++) {
    for (let y = at.y; y < at.y + at.height; y++) {
      for (let x = at.x; x < at.x + at.width; x++) frame.words[y * WIDTH + x] = colourAt(x, y, i) >>> 0;
    }
    areas.add(Region.of(at), Region.empty, everyMs * i, (part) => isPicture(frame, part));
  }
  return { areas, films: areas.filmsAt(everyMs * (pictures - 1) + 100) };
}

const noise = (x: number, y: number, i: number): number =>
  Math.imul(x * 7919 + y * 104_729 + i, 2_654_435_761);
/** A third of it is letters, softened: each of their pixels has another colour. */
const letters = (x: number, y: number, i: number): number =>
  (x + i) % 8 < 3 && y % 17 < 12 ? noise(x, y, i) : 0xff101010;

t.test("what is a picture in some place is a film as far as it changes", async (t) => {
  const at = rect(64, 64, 320, 160);
  /** Flat but for one cell, as drawn films are. */
  const drawn = (x: number, y: number, i: number): number =>
    x >= 192 && x < 224 && y >= 96 && y < 128 ? noise(x, y, i) : i;
  t.same(play(at, noise, 2).films, [rect(32, 32, 384, 224)], "a busy target shows few of its pictures");
  /** Its picture is seen once alone. */
  const slow = (x: number, y: number, i: number): number => (i === 0 ? drawn(x, y, i) : i);
  t.same(play(at, slow, 3).films, [rect(32, 32, 384, 224)]);
  t.same(
    play(at, noise, 3, 1000).films,
    [rect(32, 32, 384, 224)],
    "nor as many as two in one second: captions over it are read as badly",
  );
  for (const one of [noise, drawn]) {
    const { areas, films } = play(at, one);
    t.same(films, [rect(32, 32, 384, 224)]);
    t.same(areas.filmsAt(5000), [], "until it stands still");
  }
});

t.test("letters on a plain ground are no film, however often they are painted", async (t) => {
  t.same(play(rect(64, 64, 320, 160), letters, 9).films, []);
  t.same(play(rect(64, 64, 320, 160), noise, 1).films, [], "nor what changed once");
});

t.test(
  "a title whose ground changes from top to bottom is no film, wherever its window is moved",
  async (t) => {
    const at = rect(70, 75, 300, 120);
    /** 20 rows of a title with a name and buttons in it, over a terminal. */
    const titled = (x: number, y: number, i: number): number => {
      const isMark = (x > 180 && x < 250 && x % 8 < 3) || (x > 330 && x % 16 < 4);
      return y - at.y < 20
        ? isMark && y % 20 > 4
          ? noise(x, y, i)
          : 0xff4060a0 + (y - at.y) * 0x030303
        : letters(x, y, i);
    };
    t.same(play(at, titled, 9).films, []);
    /** From left to right, as a picture that is softly lit. */
    const lit = (x: number, y: number): number => 0xff000000 + x * 0x0103 + y * 0x010000;
    t.same(play(at, lit, 3).films, [rect(32, 32, 384, 224)]);
    t.same(play(rect(70, 75, 3, 300), titled, 9).films.length, 0);
  },
);

t.test(
  "some letters that come alone are no film, though nothing of their ground comes with them",
  async (t) => {
    const frame = new Framebuffer(WIDTH, HEIGHT);
    frame.words.fill(0xff101010);
    const areas = new LivelyAreas();
    for (let i = 0; i < 9; i++) {
      for (let line = 0; line < 8; line++) {
        const at = rect(70 + 12 * i, 64 + 17 * line, 7, 9);
        for (let y = at.y; y < at.y + at.height; y++) {
          for (let x = at.x; x < at.x + at.width; x++) frame.words[y * WIDTH + x] = noise(x, y, i) >>> 0;
        }
        areas.add(Region.of(at), Region.empty, 100 * i, (part) => isPicture(frame, part));
      }
    }
    t.same(areas.filmsAt(900), []);
  },
);
