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

t.test("no answer echoes where a person left the pointer under a mask", async (t) => {
  const house = fakeHouse();
  const call = callsTo(house);
  const desktop = house.desktops.get("one");
  const { x, y } = desktop.pointer;
  desktop.onPerform = async () => ({ position: { x, y } });
  const calls = [
    ["click_at", {}],
    ["scroll", { dy: 1 }],
    ["mouse_down", {}],
    ["mouse_up", {}],
    ["computer", { action: "left_click" }],
  ] as const;
  const echo = new RegExp(`"[xy]":\\s*(${x}|${y})\\b|\\b${x},${y}\\b`);
  for (const [name, args] of calls) {
    const told = await call(name, args);
    t.notOk(told.isError, name);
    t.match(
      JSON.stringify(told.structured) + told.text,
      echo,
      `${name} says where it was, where that is seen`,
    );
  }
  desktop.hidden = [rect(x - 5, y - 5, 50, 40)];
  for (const [name, args] of calls) {
    const told = await call(name, args);
    t.notOk(told.isError, name);
    t.notMatch(JSON.stringify(told.structured) + told.text, echo, `${name} does not, where it is hidden`);
  }
  for (const args of [{ action: "cursor_position" }, { action: "left_click_drag", coordinate: [300, 310] }]) {
    const told = await call("computer", args);
    t.notMatch(JSON.stringify(told.structured) + told.text, echo);
    t.match(told.text, /hidden from agents/);
  }
  desktop.onPerform = async () => ({ position: { x: 6, y: 7 } });
  t.match(
    (await call("click_at", { x: 6, y: 7 })).structured,
    { actual_position: { x: 6, y: 7 } },
    "what it named",
  );
  t.match(
    (await call("move_mouse", { x: 300, y: 310 })).structured,
    { position: null },
    "a person wanted it elsewhere",
  );
  desktop.pointerArea = rect(x, y, 16, 16);
  t.match((await call("take_screenshot")).structured, { context_metadata: { drawn_pointer: null } });
  desktop.hidden = [];
  t.match((await call("take_screenshot")).structured, { context_metadata: { drawn_pointer: { x, y } } });
});
