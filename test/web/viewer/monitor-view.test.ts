import t from "tap";
import type { DesktopEvent } from "../../../src/desktop/desktop.ts";
import { rect } from "../../../src/framebuffer/rect.ts";
import { MonitorDesktop } from "../../../src/web/viewer/monitor-view.ts";
import { DrawnDesktop } from "../drawn-desktop.ts";

const ANNA = { kind: "human", id: "anna", name: "Anna" } as const;

/** Two monitors of 40x30 side by side, and the second of them. */
function two(): { readonly desktop: DrawnDesktop; readonly second: MonitorDesktop } {
  const desktop = new DrawnDesktop(80, 30);
  desktop.layout = [
    { id: 1, rect: rect(0, 0, 40, 30), flags: 0 },
    { id: 2, rect: rect(40, 0, 40, 30), flags: 0 },
  ];
  return { desktop, second: new MonitorDesktop(desktop, 2) };
}

t.test("a monitor is as large as itself and shows its own pixels", async (t) => {
  const { desktop, second } = two();
  t.same(second.size, { width: 40, height: 30 });
  t.same(second.screens, [{ id: 2, rect: rect(0, 0, 40, 30), flags: 0 }]);
  t.equal(second.name, "Drawn (monitor 2)");
  desktop.paintScene(1);
  const picture = second.view("viewer").picture(true);
  const { bytes, offset } = picture.pixels(rect(3, 4, 1, 1));
  const at = (4 * 80 + 43) * 4;
  t.same(bytes.subarray(offset, offset + 4), desktop.frame.bytes.subarray(at, at + 4));
});

t.test("only its own damage is told, counted from its own corner", async (t) => {
  const { desktop, second } = two();
  let calls = 0;
  const watcher = second.view("viewer").watch(() => calls++);
  t.same(watcher.take().painted.rects, [rect(0, 0, 40, 30)], "all of it at first");
  desktop.paint(rect(0, 0, 40, 30), 1);
  t.equal(calls, 0, "the other monitor wakes nobody");
  desktop.paint(rect(35, 10, 10, 5), 2);
  t.equal(calls, 1);
  const { painted } = watcher.take();
  t.same(painted.rects, [rect(0, 10, 5, 5)]);
  watcher.putBack(painted);
  t.same(watcher.take().painted.rects, [rect(0, 10, 5, 5)]);
});

t.test(
  "where it moved its picture has another name: what was encoded of it before is of another place",
  async (t) => {
    const { desktop, second } = two();
    const names = [second.scene.version, second.scene.version];
    desktop.layout = [
      { id: 1, rect: rect(0, 0, 30, 30), flags: 0 },
      { id: 2, rect: rect(30, 0, 40, 30), flags: 0 },
    ];
    names.push(second.scene.version, second.scene.version);
    const [before, still, moved, stayed] = names;
    t.equal(still, before);
    t.not(moved, before);
    t.equal(stayed, moved);
  },
);

t.test("moves within it stay moves, moves over its edge become pixels", async (t) => {
  const { desktop, second } = two();
  const watcher = second.view("viewer").watch(() => {});
  watcher.take();
  desktop.move({ fromX: 45, fromY: 5, to: rect(50, 6, 10, 10) });
  t.same(watcher.take().copies, [{ fromX: 5, fromY: 5, to: rect(10, 6, 10, 10) }]);
  desktop.move({ fromX: 35, fromY: 5, to: rect(50, 6, 10, 10) });
  const taken = watcher.take();
  t.same(taken.copies, []);
  t.same(taken.painted.rects, [rect(10, 6, 10, 10)]);
});

t.test("its pointer goes where it lies on the desktop, and it changes nobody's size", async (t) => {
  const { desktop, second } = two();
  await second.perform({ kind: "pointer", x: 3, y: 4, buttons: 1 }, ANNA);
  t.match(desktop.performed, [{ action: { kind: "pointer", x: 43, y: 4, buttons: 1 } }]);
  t.same(second.pointer, { x: 3, y: 4 });
  await t.rejects(second.perform({ kind: "resize", width: 10, height: 10 }, ANNA), { code: "not_supported" });
});

t.test("it follows the layout, and ends when there is no such monitor any more", async (t) => {
  const { desktop, second } = two();
  const events: DesktopEvent[] = [];
  second.on((event) => events.push(event));
  const watcher = second.view("viewer").watch(() => {});
  watcher.take();
  desktop.layout = [
    { id: 1, rect: rect(0, 0, 20, 30), flags: 0 },
    { id: 2, rect: rect(20, 0, 60, 30), flags: 0 },
  ];
  desktop.emit({ type: "resize", size: desktop.size, screens: desktop.screens });
  t.match(events.pop(), { type: "resize", size: { width: 60, height: 30 } });
  t.same(watcher.take().painted.rects, [rect(0, 0, 60, 30)]);
  desktop.layout = [{ id: 1, rect: rect(0, 0, 80, 30), flags: 0 }];
  desktop.emit({ type: "resize", size: desktop.size, screens: desktop.screens });
  t.match(events.pop(), { type: "state", state: { kind: "closed" } });
  await t.rejects(second.whenReady(1000), { code: "not_found", message: /monitor 2/ });
});
