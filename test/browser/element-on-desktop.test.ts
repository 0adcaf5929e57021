import t from "tap";
import { elementOnDesktop, type SeenDesktop } from "../../src/browser/page/element-on-desktop.ts";
import type { Page } from "../../src/browser/page/page.ts";
import type { Rect } from "../../src/framebuffer/rect.ts";
import { attaches, type Call, openTab } from "./fake-tab.ts";

const SIZE = { width: 64, height: 300 };
const PLACE = { session: null, node: 5 };
/** Of the element in CSS pixels, at a zoom of 2. */
const QUAD = [4, 70, 14, 70, 14, 75, 4, 75];

/** A desktop on which the browser is seen, and a browser that paints where it is told to. */
function openScreen() {
  const rgba = new Uint8Array(SIZE.width * SIZE.height * 4).fill(255);
  const listeners = new Set<() => void>();
  const picture = {
    ...SIZE,
    pixels: ({ x, y }: Rect) => ({
      bytes: rgba,
      offset: (y * SIZE.width + x) * 4,
      strideBytes: SIZE.width * 4,
    }),
  };
  const desktop: SeenDesktop = {
    id: "d1",
    view: () => ({
      picture: () => picture,
      watch: (onDamage) => {
        listeners.add(onDamage);
        return { take: () => null, close: () => void listeners.delete(onDamage) };
      },
    }),
  };
  return {
    desktop,
    listeners,
    paint({ x, y, width, height }: Rect, { r, g, b }: { r: number; g: number; b: number }): void {
      for (let row = y; row < y + height; row++) {
        for (let column = x; column < x + width; column++)
          rgba.set([r, g, b], (row * SIZE.width + column) * 4);
      }
      for (const told of listeners) told();
    },
  };
}

function answers(call: Call, onMark: (colour: { r: number; g: number; b: number }) => void): unknown {
  switch (call.method) {
    case "DOM.getContentQuads":
      return { quads: [QUAD] };
    case "Page.createIsolatedWorld":
      return { executionContextId: 1 };
    case "Runtime.evaluate":
      return { result: { value: 2 } };
    case "Overlay.highlightNode":
      onMark(Object(Object(call.params["highlightConfig"])["contentColor"]));
      return {};
    case "DOM.scrollIntoViewIfNeeded":
    case "Overlay.hideHighlight":
      return {};
    default:
      return attaches(call);
  }
}

t.test("an element is where its colour is seen, and a part of it is told as one", async (t) => {
  for (const [rect, isWhole] of [
    [{ x: 20, y: 120, width: 20, height: 10 }, true],
    [{ x: 20, y: 125, width: 20, height: 10 }, true],
    [{ x: 20, y: 120, width: 12, height: 10 }, false],
  ] as const) {
    const screen = openScreen();
    const tab = await openTab(t, (call) =>
      answers(call, (colour) => setImmediate(() => screen.paint(rect, colour))),
    );
    const page: Page = tab.page();
    const told = elementOnDesktop(page, PLACE, [screen.desktop]);
    const isOver = told.then(() => true);
    // Time goes on for who waits to see more of it.
    while (!(await Promise.race([isOver, new Promise((resolve) => setImmediate(resolve, false))]))) {
      tab.clock.advance(10);
    }
    t.same(await told, { desktopId: "d1", rect, isWhole });
    t.equal(tab.calls.at(-1)?.method, "Overlay.hideHighlight", "and nothing of it stays");
    t.equal(screen.listeners.size, 0);
  }
});

t.test("what is not painted anywhere is not seen", async (t) => {
  const screen = openScreen();
  const tab = await openTab(t, (call) => answers(call, () => {}));
  const told = elementOnDesktop(tab.page(), PLACE, [screen.desktop]);
  const isOver = told.then(() => true);
  while (!(await Promise.race([isOver, new Promise((resolve) => setImmediate(resolve, false))]))) {
    tab.clock.advance(10);
  }
  t.equal(await told, null);
  t.equal(await elementOnDesktop(tab.page(), PLACE, []), null);
});
