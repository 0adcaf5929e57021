import t from "tap";
import { rect } from "../../src/framebuffer/rect.ts";
import { callsTo } from "./call.ts";
import { fakeHouse } from "./fake-house.ts";

t.test("agents are told that a place is hidden from them, and not where a pointer is in it", async (t) => {
  const house = fakeHouse();
  const call = callsTo(house);
  const desktop = house.desktops.get("one");
  t.notMatch((await call("take_screenshot")).text, "Hidden from you");
  t.notOk((await call("cursor_position")).isError);
  const { x, y } = desktop.pointer;
  desktop.hidden = [rect(x - 5, y - 5, 50, 40)];
  t.match(
    (await call("take_screenshot")).text,
    `Hidden from you by people, grey here, and not told when it changes: 50x40 at ${x - 5},${y - 5}`,
  );
  const elsewhere = { x: x + 100, y: y + 100, width: 50, height: 50 };
  t.notMatch((await call("take_screenshot", { region: elsewhere })).text, "Hidden from you");
  t.match((await call("cursor_position")).error, {
    code: "permission_denied",
    message: /hidden from agents/,
  });
});
