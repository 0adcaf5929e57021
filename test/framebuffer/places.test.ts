import t from "tap";
import { placesIn } from "../../src/framebuffer/places.ts";

t.test("places are read as X writes them", async (t) => {
  t.same(placesIn("1280x800+0+0"), [{ x: 0, y: 0, width: 1280, height: 800 }]);
  const two = [
    { x: 640, y: 0, width: 800, height: 600 },
    { x: 0, y: 100, width: 640, height: 480 },
  ];
  t.same(placesIn("800x600+640+0, 640x480+0+100"), two);
  t.same(placesIn("800x600 640 0,640x480 0 100"), two, "as a query has them where nobody escaped the plus");
});

t.test("what is no place makes it none", async (t) => {
  for (const text of ["", "800x600", "800x600+0", "800x600-1+0", "800x600+0+0,", "x+0+0", "1e3x600+0+0"]) {
    t.equal(placesIn(text), null, JSON.stringify(text));
  }
});
