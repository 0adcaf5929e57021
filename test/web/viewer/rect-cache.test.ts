import t from "tap";
import { RGBX } from "../../../src/framebuffer/pixel-format.ts";
import { rect } from "../../../src/framebuffer/rect.ts";
import { Region } from "../../../src/framebuffer/region.ts";
import { raw } from "../../../src/protocols/rfb/encodings/raw.ts";
import { MonitorDesktop } from "../../../src/web/viewer/monitor-view.ts";
import { ViewerRectCache } from "../../../src/web/viewer/rect-cache.ts";
import { DrawnDesktop } from "../drawn-desktop.ts";

t.test("parts become one message, the same one for the same bodies", async (t) => {
  const cache = new ViewerRectCache(new DrawnDesktop(64, 64).view());
  const body = new Uint8Array(5000).fill(7);
  const message = cache.join([Uint8Array.of(0, 0, 0, 1), body]);
  t.same(message, Buffer.concat([Uint8Array.of(0, 0, 0, 1), body]));
  t.equal(
    cache.join([Uint8Array.of(0, 0, 0, 1), body]),
    message,
    "the head may be another's of the same bytes",
  );
  t.not(cache.join([Uint8Array.of(0, 0, 0, 2), body]), message, "another head");
  t.not(cache.join([Uint8Array.of(0, 0, 0, 1), body.slice()]), message, "a body of other memory");
  t.not(cache.join([Uint8Array.of(0, 0, 0, 1), body, Uint8Array.of(1)]), message, "more");
});

t.test("a new picture forgets the messages of the one before", async (t) => {
  const cache = new ViewerRectCache(new DrawnDesktop(64, 64).view());
  const parts = [Uint8Array.of(1), new Uint8Array(2000)];
  const message = cache.join(parts);
  cache.clear();
  const again = cache.join(parts);
  t.not(again, message);
  t.same(again, message);
});

t.test("what is owed besides is joined once for all, until the next picture", async (t) => {
  const cache = new ViewerRectCache(new DrawnDesktop(64, 64).view());
  const painted = Region.of(rect(0, 0, 4, 4));
  const more = (): Region => Region.of(rect(10, 0, 4, 4));
  const both = cache.union("1", painted, more());
  t.ok(both.equals(painted.union(more())));
  t.equal(cache.union("1", painted, more()), both, "the same object");
  t.equal(cache.union("1", painted, Region.empty), painted, "also where nothing is added");
  t.not(cache.union("1", Region.of(rect(0, 0, 4, 4)), more()), both, "another change");
  t.not(cache.union("2", painted, more()), both, "another picture");
});

const style = { encoding: raw, format: RGBX, jpegQuality: null, compressLevel: 1 };
const workAt = (x: number) => ({ style, rect: rect(x, 0, 8, 8) });

t.test("bodies keep within their bytes", async (t) => {
  const cache = new ViewerRectCache(new DrawnDesktop(1000, 64).view(), 1000);
  for (let x = 0; x < 100; x++) cache.get("1", false, "", workAt(x), () => new Uint8Array(300));
  t.ok(cache.sizeBytes <= 1000);
  let made = 0;
  cache.get("1", false, "", workAt(99), () => new Uint8Array(++made));
  t.equal(made, 0, "the newest is still there");
  cache.get("1", true, "", workAt(99), () => new Uint8Array(++made));
  cache.get("1", false, "pointer 1 4 4", workAt(99), () => new Uint8Array(++made));
  t.equal(made, 2, "overlays and pointers are something else");
  cache.clear();
  t.equal(cache.sizeBytes, 0);
});

t.test("a body lasts until something in its rectangle changes, or nobody needed it for long", async (t) => {
  const desktop = new DrawnDesktop(100, 64);
  const cache = new ViewerRectCache(desktop.view());
  let made = 0;
  const needs = (x: number): boolean => {
    const before = made;
    cache.get(`${desktop.generation}`, false, "", workAt(x), () => new Uint8Array(++made));
    return made > before;
  };
  t.ok(needs(0) && needs(40));
  desktop.paint(rect(44, 4, 1, 1), 0xff000001);
  t.notOk(needs(0), "nothing in it changed");
  t.ok(needs(40), "one pixel of it changed");
  desktop.move({ fromX: 60, fromY: 0, to: rect(0, 0, 4, 4) });
  t.ok(needs(0), "something was moved there");
  for (let i = 0; i < 8; i++) {
    desktop.paint(rect(90, i, 1, 1), 0xff000002);
    t.notOk(needs(0));
  }
  t.ok(needs(40), "not needed for eight changes");
  desktop.resize(90, 60);
  t.ok(needs(0), "all is new");
});

t.test("the pixels of a monitor that is moved on its desktop are others", async (t) => {
  const desktop = new DrawnDesktop(200, 64);
  const screens = (x: number) => [{ id: 1, rect: rect(x, 0, 100, 64), flags: 0 }];
  desktop.layout = screens(0);
  const monitor = new MonitorDesktop(desktop, 1);
  const cache = new ViewerRectCache(monitor.view("viewer"));
  let made = 0;
  const get = (): unknown => {
    const stamp = `${monitor.generation}.${monitor.scene.version}`;
    return cache.get(stamp, false, "", workAt(0), () => new Uint8Array(++made));
  };
  get();
  desktop.layout = screens(100);
  get();
  t.equal(made, 2);
});
