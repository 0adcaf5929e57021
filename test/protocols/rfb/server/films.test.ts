import t from "tap";
import { rect } from "../../../../src/framebuffer/rect.ts";
import { Region } from "../../../../src/framebuffer/region.ts";
import type { FilmRect } from "../../../../src/protocols/rfb/server/server-context.ts";
import { ports } from "./ports.ts";
import { colourful, pictureOf, say, TestViewer } from "./viewer.ts";

const picture = pictureOf(colourful(64, 48));
const FILM = rect(8, 8, 32, 16);
/** Raw, H.264, JPEG quality 6, Cursor. */
const ASKED = [0, 50, -26, -239];
const body = (byte: number): Uint8Array => Uint8Array.of(0, 0, 0, 1, 0, 0, 0, 1, byte);

t.test(
  "pictures of films go in order before the pixels, and are sent exactly when they stand still",
  async (t) => {
    const waiting: FilmRect[] = [];
    const takeFilms = (asked: Region): readonly FilmRect[] =>
      Region.of(FILM).subtract(asked).isEmpty ? waiting.splice(0) : [];
    const viewer = TestViewer.ready({}, { ...ports, takeFilms });
    viewer.say(say.encodings(...ASKED), say.request(true, 0, 0, 64, 48));
    waiting.push({ rect: FILM, body: body(1) }, { rect: FILM, body: body(2) });
    viewer.server.update(picture, Region.of(rect(50, 40, 4, 4)));
    const sent = viewer.takeRects();
    t.same(
      sent.map(({ encoding, x, y }) => [encoding, x, y]),
      [
        [50, 8, 8],
        [50, 8, 8],
        [0, 50, 40],
      ],
    );
    t.same(
      sent.slice(0, 2).map(({ body: bytes }) => bytes.at(-1)),
      [1, 2],
    );
    t.equal(viewer.server.made, null, "nobody else repeats it");
    t.ok(viewer.server.isTurnDue);
    // A busy machine shows few pictures of one that moves all the same.
    for (let nth = 0; nth < 4; nth++) viewer.server.turn(Region.of(FILM));
    t.ok(viewer.server.isTurnDue);
    t.notOk(viewer.server.hasRefinement, "while it moves nothing of it is sent exactly");
    viewer.server.turn();
    viewer.server.turn();
    t.ok(viewer.server.hasRefinement);
    viewer.say(say.request(true, 0, 0, 64, 48));
    viewer.server.refine(picture);
    const exact = viewer.takeRects();
    t.ok(Region.from(exact).equals(Region.of(FILM)));
    t.ok(exact.every(({ encoding }) => encoding === 0));
    // What lies beyond what was asked for waits.
    viewer.say(say.request(true, 0, 0, 20, 48));
    waiting.push({ rect: FILM, body: body(3) });
    viewer.server.update(picture, Region.empty);
    t.equal(viewer.takeBytes().length, 0);
    t.equal(waiting.length, 1);
  },
);

t.test("films are for viewers that ask for them, take JPEG and draw the pointer themselves", async (t) => {
  const areaOf = (...numbers: number[]) => {
    const viewer = TestViewer.ready({ viewport: rect(0, 0, 40, 40) });
    viewer.say(say.encodings(...numbers));
    return viewer.server.filmArea;
  };
  t.same(areaOf(...ASKED), rect(0, 0, 40, 40), "where they see the desktop");
  for (const number of [50, -26, -239])
    t.equal(areaOf(...ASKED.filter((other) => other !== number)), null, `without ${number}`);
});
