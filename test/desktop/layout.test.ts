import t from "tap";
import { rect } from "../../src/framebuffer/rect.ts";
import { House } from "./house.ts";

t.test(
  "monitors that change within the same size are told, and all of the picture is due again",
  async (t) => {
    const house = House.live();
    const watcher = house.desktop.view("viewer").watch(() => undefined);
    watcher.take();
    house.events.length = 0;
    const halves = [
      { id: 1, rect: rect(0, 0, 100, 100), flags: 0 },
      { id: 2, rect: rect(100, 0, 100, 100), flags: 0 },
    ];
    house.link.events.resize(halves);
    t.match(house.events, [{ type: "resize", size: { width: 200, height: 100 }, screens: halves }]);
    t.same(house.desktop.screens, halves);
    t.same(watcher.take().painted.bounds, rect(0, 0, 200, 100));
    t.same(house.bugs, []);
  },
);

t.test("the lights of the target's keyboard are told and kept", async (t) => {
  const house = House.live();
  t.equal(house.desktop.locks(), null);
  const locks = { scrollLock: false, numLock: true, capsLock: true };
  house.link.events.locks?.(locks);
  t.match(house.events.at(-1), { type: "locks", locks });
  t.same(house.desktop.locks(), locks);
});
