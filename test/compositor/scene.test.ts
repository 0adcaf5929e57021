import t from "tap";
import type { OverlaySpec } from "../../src/compositor/overlay.ts";
import { Scene, type SceneEvent } from "../../src/compositor/scene.ts";
import { OVERLAY_LIMIT, OWNER_OVERLAY_LIMIT, OWNER_POINT_LIMIT } from "../../src/compositor/scene-budget.ts";
import { rect } from "../../src/framebuffer/rect.ts";
import { HandTimer, spec } from "./scenes.ts";

const MONITOR = rect(0, 0, 800, 600);

function sceneWithLog(timer = new HandTimer()): { scene: Scene; events: SceneEvent[]; timer: HandTimer } {
  const scene = new Scene(timer);
  const events: SceneEvent[] = [];
  scene.on((event) => events.push(event));
  return { scene, events, timer };
}

function place({ x, y, width, height }: OverlaySpec): readonly number[] {
  return [x, y, width, height];
}

t.test("an overlay gets an id, an owner, a date and a plain colour", async (t) => {
  const { scene, events } = sceneWithLog();
  const overlay = scene.add(spec({ color: "Tomato" }), "ann", MONITOR);
  t.match(overlay.id, /^[0-9a-f-]{36}$/);
  t.equal(overlay.ownerId, "ann");
  t.equal(overlay.color, "#ff6347");
  t.equal(overlay.createdAt, "2026-11-21T00:00:00.000Z");
  t.same(scene.overlays, [overlay]);
  t.equal(scene.version, 1);
  t.match(events, [{ type: "created", overlay: { id: overlay.id } }]);
  t.same(events[0]?.damage.rects, [rect(10, 10, 40, 30)]);
});

t.test("overlays are clamped to their monitor, whichever side they leave by", async (t) => {
  const { scene } = sceneWithLog();
  const second = rect(800, 100, 400, 300);
  const cases = [
    [[-20, -10, 50, 50], MONITOR, [0, 0, 30, 40]],
    [[790, 590, 50, 50], MONITOR, [790, 590, 10, 10]],
    [[-5, -5, 9000, 9000], MONITOR, [0, 0, 800, 600]],
    [[700, 50, 200, 100], second, [800, 100, 100, 50]],
    // Wholly outside: at the nearest edge, so that it is seen.
    [[5000, 20, 50, 40], MONITOR, [750, 20, 50, 40]],
    [[10, -300, 50, 40], MONITOR, [10, 0, 50, 40]],
    [[100, 100, 0, 0], MONITOR, [100, 100, 1, 1]],
    [[10.4, 10.6, 20.5, 3.2], MONITOR, [10, 11, 21, 3]],
  ] as const;
  for (const [[x, y, width, height], monitor, expected] of cases) {
    t.same(place(scene.add(spec({ x, y, width, height }), "ann", monitor)), expected);
  }
});

t.test("an arrow keeps its direction and both its ends are clamped", async (t) => {
  const { scene } = sceneWithLog();
  const arrow = spec({ kind: "arrow", x: 100, y: 700, width: -300, height: -650 });
  t.same(place(scene.add(arrow, "ann", MONITOR)), [100, 599, -100, -549]);
});

t.test("what cannot be drawn is refused and changes nothing", async (t) => {
  const { scene, events } = sceneWithLog();
  const cases = [
    [{ kind: "blob" }, "unknown_kind"],
    [{ color: "#12" }, "bad_colour"],
    [{ opacity: 1.1 }, "bad_overlay"],
    [{ opacity: Number.NaN }, "bad_overlay"],
    [{ width: Number.POSITIVE_INFINITY }, "bad_overlay"],
    [{ x: Number.NaN }, "bad_overlay"],
    [{ temporaryMs: 0 }, "bad_overlay"],
    [{ kind: "text", label: null }, "bad_overlay"],
    [{ kind: "label", label: "  " }, "bad_overlay"],
    [{ label: "x".repeat(2001) }, "bad_overlay"],
  ] as const;
  for (const [given, code] of cases) {
    t.throws(() => scene.add(spec(given), "ann", MONITOR), { name: "CompositorError", code });
  }
  t.throws(() => scene.add(spec(), "ann", rect(0, 0, 0, 0)), { code: "bad_overlay" });
  t.equal(scene.version, 0);
  t.same(events, []);
});

t.test("more than the limit is refused, and room comes back with a removal", async (t) => {
  const { scene } = sceneWithLog();
  const first = scene.add(spec(), "ann", MONITOR);
  for (let i = 1; i < OWNER_OVERLAY_LIMIT; i++) scene.add(spec(), "ann", MONITOR);
  t.throws(() => scene.add(spec(), "ann", MONITOR), {
    code: "too_many",
    message: /you have 100.*clear_overlays/,
  });
  scene.remove(first.id);
  t.ok(scene.add(spec(), "ann", MONITOR));
  for (let i = OWNER_OVERLAY_LIMIT; i < OVERLAY_LIMIT; i++) {
    scene.add(spec(), `owner ${Math.floor(i / OWNER_OVERLAY_LIMIT)}`, MONITOR);
  }
  t.throws(() => scene.add(spec(), "zoe", MONITOR), {
    code: "too_many",
    message: /the desktop has 500.*human/,
  });
});

t.test("what an owner covers is bounded, and what all cover together", async (t) => {
  const { scene } = sceneWithLog();
  const monitor = rect(0, 0, 4096, 2048);
  scene.resize(monitor);
  const cover = (owner: string) => scene.add(spec({ ...monitor, kind: "highlight" }), owner, monitor);
  cover("ann");
  const second = cover("ann");
  t.throws(() => cover("ann"), { code: "too_many", message: /at most 16777216.*remove_overlay/ });
  cover("bob");
  cover("cid");
  t.throws(() => cover("dan"), { code: "too_many", message: /the desktop's overlays/ });
  scene.remove(second.id);
  t.ok(cover("dan"), "room comes back");
});

t.test("a suspended scene shows nothing, takes nothing, and goes on as it would have been", async (t) => {
  const { scene, events, timer } = sceneWithLog();
  const stays = scene.add(spec(), "ann", MONITOR);
  const goes = scene.add(spec({ temporaryMs: 50 }), "ann", MONITOR);
  events.length = 0;
  scene.suspend();
  scene.suspend();
  t.same(scene.overlays, []);
  t.ok(scene.coverage.isEmpty);
  t.match(events, [{ type: "suspended", overlays: [{ id: stays.id }, { id: goes.id }] }]);
  t.notOk(events[0]?.damage.isEmpty);
  t.throws(() => scene.add(spec(), "ann", MONITOR), { code: "stopped" });
  scene.move(stays.id, 5, 0);
  timer.advance(50);
  t.same(scene.overlays, []);
  t.notOk(events.some(({ type }) => type === "created"));
  scene.resume();
  t.match(events.at(-1), { type: "resumed", overlays: [{ id: stays.id, x: stays.x + 5 }] });
  t.same(
    scene.overlays.map(({ id }) => id),
    [stays.id],
  );
  t.ok(scene.add(spec(), "ann", MONITOR));
});

t.test("removal returns the overlay once and damages what it covered, tab included", async (t) => {
  const { scene, events } = sceneWithLog();
  const overlay = scene.add(spec({ x: 100, y: 100, label: "Save" }), "ann", MONITOR);
  t.equal(scene.remove("no such id"), null);
  t.equal(scene.remove(overlay.id), overlay);
  t.equal(scene.remove(overlay.id), null);
  t.same(
    events.map(({ type }) => type),
    ["created", "removed"],
  );
  const [created, removed] = events;
  t.ok(created && removed && created.damage.equals(removed.damage));
  t.same([created?.damage.bounds.x, created?.damage.bounds.y], [100, 80], "the tab is above the box");
  t.equal(scene.version, 2);
});

t.test("a temporary overlay removes itself when its time is over", async (t) => {
  const { scene, events, timer } = sceneWithLog();
  scene.add(spec({ temporaryMs: 500 }), "ann", MONITOR);
  const stays = scene.add(spec(), "ann", MONITOR);
  timer.advance(499);
  t.equal(scene.overlays.length, 2);
  timer.advance(1);
  t.same(scene.overlays, [stays]);
  t.equal(events.at(-1)?.type, "removed");
});

t.test("one that is removed before its time leaves no timer behind", async (t) => {
  const { scene, events, timer } = sceneWithLog();
  const overlay = scene.add(spec({ temporaryMs: 500 }), "ann", MONITOR);
  scene.remove(overlay.id);
  t.equal(timer.waiting, 0);
  timer.advance(1000);
  t.equal(events.length, 2);
});

t.test("clearing takes one owner's overlays, or all, in one event", async (t) => {
  const { scene, events, timer } = sceneWithLog();
  const [a, b, c] = ["ann", "bob", "ann"].map((owner, i) =>
    scene.add(spec({ x: 100 * i, temporaryMs: 50 }), owner, MONITOR),
  );
  t.same(scene.clear("eve"), []);
  t.same(scene.clear("ann"), [a, c]);
  t.same(scene.overlays, [b]);
  t.match(events.at(-1), { type: "cleared", overlays: [{ id: a?.id }, { id: c?.id }] });
  t.equal(events.at(-1)?.damage.area, 2 * 40 * 30);
  t.same(scene.clear(null), [b]);
  t.same(scene.clear(null), []);
  t.equal(events.length, 5);
  t.equal(timer.waiting, 0);
});

t.test(
  "a smaller desktop cuts or removes overlays, a larger one gives back what was asked for",
  async (t) => {
    const { scene, events } = sceneWithLog();
    const stays = scene.add(spec({ x: 0, y: 0 }), "ann", MONITOR);
    const cut = scene.add(spec({ x: 380, y: 100, width: 100 }), "ann", MONITOR);
    const gone = scene.add(spec({ x: 700, y: 100 }), "ann", MONITOR);
    events.length = 0;
    scene.resize({ width: 400, height: 300 });
    t.same(scene.overlays.map(place), [
      [0, 0, 40, 30],
      [380, 100, 20, 30],
    ]);
    t.same(
      events.map((event) => [event.type, "overlay" in event ? event.overlay.id : null]),
      [
        ["removed", cut.id],
        ["created", cut.id],
        ["removed", gone.id],
      ],
    );
    t.ok(events.slice(0, 2).every(({ damage }) => damage.bounds.x + damage.bounds.width <= 400));
    scene.resize({ width: 800, height: 600 });
    t.same(scene.overlays.map(place), [place(stays), place(cut)]);
  },
);

t.test("an overlay on a monitor that vanished goes with it", async (t) => {
  const { scene } = sceneWithLog();
  scene.add(spec({ x: 900 }), "ann", rect(800, 0, 400, 300));
  scene.resize({ width: 800, height: 600 });
  t.same(scene.overlays, []);
});

t.test("drawing order is that of drawing, after a resize too", async (t) => {
  const { scene } = sceneWithLog();
  const ids = [700, 10, 300].map((x) => scene.add(spec({ x, width: 60 }), "ann", MONITOR).id);
  scene.resize({ width: 750, height: 600 });
  t.same(
    scene.overlays.map(({ id }) => id),
    ids,
  );
});

t.test("a closed scene has no timers, tells nobody and draws nothing", async (t) => {
  const { scene, events, timer } = sceneWithLog();
  scene.add(spec({ temporaryMs: 50 }), "ann", MONITOR);
  scene.close();
  t.equal(timer.waiting, 0);
  t.same(scene.overlays, []);
  t.equal(events.length, 1);
  t.throws(() => scene.add(spec(), "ann", MONITOR), { code: "closed" });
});

t.test("who stopped listening hears nothing", async (t) => {
  const scene = new Scene(new HandTimer());
  let heard = 0;
  const stop = scene.on(() => heard++);
  scene.add(spec(), "ann", MONITOR);
  stop();
  scene.add(spec(), "ann", MONITOR);
  t.equal(heard, 1);
});

t.test("a moved overlay keeps its id and what was asked for, also beyond the edge and back", async (t) => {
  const { scene, events } = sceneWithLog();
  const { id } = scene.add(spec(), "ann", MONITOR);
  t.same(place(scene.move(id, 5, 7) ?? spec()), [15, 17, 40, 30]);
  t.match(events.slice(1), [
    { type: "removed", overlay: { id, x: 10 } },
    { type: "created", overlay: { id, x: 15 } },
  ]);
  t.same(place(scene.move(id, -35, 0) ?? spec()), [0, 17, 20, 30], "cut at the edge");
  t.same(place(scene.move(id, 20, 0) ?? spec()), [0, 17, 40, 30], "whole again");
  const told = events.length;
  scene.move(id, 0, 0);
  t.equal(events.length, told, "no move is no event");
  t.equal(scene.move("nobody", 1, 1), null);
});

t.test("a hidden overlay is drawn no more, and where it is moved a hidden one is shown", async (t) => {
  const { scene, events } = sceneWithLog();
  const { id } = scene.add(spec(), "ann", MONITOR);
  scene.hide(id);
  scene.hide(id);
  scene.hide("nobody");
  t.same(scene.overlays, []);
  t.ok(scene.coverage.isEmpty);
  t.equal(events.length, 2);
  scene.resize({ width: 800, height: 600 });
  t.same(scene.overlays, []);
  scene.move(id, 0, 0);
  t.match(scene.overlays, [{ id, x: 10 }]);
  t.match(events[2], { type: "created", overlay: { id } });
  scene.hide(id);
  t.match(scene.remove(id), { id });
});

t.test("the points of an owner's freehand lines together are bounded, and those of all", async (t) => {
  const { scene } = sceneWithLog();
  const points = Array.from({ length: 1000 }, (_, i) => ({ x: i % 300, y: i % 200 }));
  const draw = (owner: string, count = 1000): unknown =>
    scene.add(spec({ kind: "freehand", points: points.slice(0, count) }), owner, MONITOR);
  for (let i = 0; i < OWNER_POINT_LIMIT / 1000; i++) draw("ann");
  t.throws(() => draw("ann", 1), { code: "too_many", message: /at most 5000/ });
  t.ok(scene.add(spec({ kind: "freehand" }), "ann", MONITOR), "one without points has none");
  for (const owner of ["bob", "cid", "dan"]) for (let i = 0; i < 5; i++) draw(owner);
  t.throws(() => draw("eve", 1), { code: "too_many", message: /at most 20000/ });
});
