import t, { type Test } from "tap";
import type { SeenDesktop } from "../../src/browser/page/element-on-desktop.ts";
import { elementsOnDesktop, type PageOnDesktop } from "../../src/browser/page/elements-on-desktop.ts";
import { encodePicture } from "../../src/compositor/picture-file.ts";
import type { Rect } from "../../src/framebuffer/rect.ts";
import { attaches, type Call, openTab } from "./fake-tab.ts";

const PAGE = { width: 60, height: 40 };
const SCREEN = { width: 100, height: 80 };
/** Where the desktop shows the corner of the page. */
const CORNER = { x: 20, y: 30 };

const NODES = [
  { nodeId: "1", role: "RootWebArea", name: "Page", backendDOMNodeId: 1, childIds: ["2", "3", "4", "5"] },
  { nodeId: "2", role: "button", name: "Save", backendDOMNodeId: 2 },
  { nodeId: "3", role: "textbox", name: "Name", backendDOMNodeId: 3 },
  { nodeId: "4", role: "button", name: "Under the wall", backendDOMNodeId: 4 },
  { nodeId: "5", role: "link", name: "Below", backendDOMNodeId: 5 },
];
/** As IN_VIEW tells them. */
const IN_VIEW: Readonly<Record<string, unknown>> = {
  "object 2": [4, 4, 20, 12, null],
  "object 3": [30, 4, 50, 12, null],
  "object 4": [4, 20, 20, 28, "<div> cookie wall"],
  "object 5": null,
};

/** What the browser paints: each pixel is told from its neighbours. */
function painted(): Uint8ClampedArray {
  const rgba = new Uint8ClampedArray(PAGE.width * PAGE.height * 4);
  for (let at = 0; at < rgba.length; at += 4) {
    const [x, y] = [(at / 4) % PAGE.width, Math.floor(at / 4 / PAGE.width)];
    rgba.set([(x * 4) % 256, (y * 6) % 256, (x * y) % 256, 255], at);
  }
  return rgba;
}

/** A desktop that shows that page, but for what lies over it. */
function desktopWith(over: Rect | null): SeenDesktop {
  const rgba = new Uint8Array(SCREEN.width * SCREEN.height * 4).fill(200);
  const page = painted();
  for (let y = 0; y < PAGE.height; y++) {
    const row = page.subarray(y * PAGE.width * 4, (y + 1) * PAGE.width * 4);
    rgba.set(row, ((y + CORNER.y) * SCREEN.width + CORNER.x) * 4);
  }
  for (let y = over?.y ?? 0; over !== null && y < over.y + over.height; y++)
    rgba.fill(90, (y * SCREEN.width + over.x) * 4, (y * SCREEN.width + over.x + over.width) * 4);
  const picture = {
    ...SCREEN,
    pixels: ({ x, y }: Rect) => ({
      ...{ bytes: rgba, offset: (y * SCREEN.width + x) * 4, strideBytes: SCREEN.width * 4 },
    }),
  };
  return { id: "d1", view: () => ({ picture: () => picture, watch: () => ({ take() {}, close() {} }) }) };
}

async function openPage(t: Test, isHidden = false) {
  const png = Buffer.from(await encodePicture({ ...PAGE, rgba: painted() }, "png")).toString("base64");
  const tab = await openTab(t, (call: Call): unknown => {
    switch (call.method) {
      case "Accessibility.getFullAXTree":
        tab.extension.say({ id: call.id, nodes: NODES });
        return {};
      case "Page.createIsolatedWorld":
        return { executionContextId: 1 };
      case "DOM.resolveNode":
        return { object: { objectId: `object ${call.params["backendNodeId"]}` } };
      case "Runtime.callFunctionOn": {
        const given: unknown[] = Object(call.params)["arguments"];
        return { result: { value: given.map((one) => IN_VIEW[String(Object(one)["objectId"])] ?? null) } };
      }
      case "Runtime.evaluate":
        return { result: { value: isHidden ? 0 : 1 } };
      case "Page.captureScreenshot":
        return { data: png };
      default:
        return attaches(call);
    }
  });
  tab.page().seen = { desktopId: "d1", ...CORNER, scale: 1 };
  return tab;
}

async function seen(tab: Awaited<ReturnType<typeof openPage>>, over: Rect | null): Promise<PageOnDesktop> {
  const told = await elementsOnDesktop(tab.page(), [desktopWith(over)]);
  if (typeof told === "string") throw new Error(told);
  return told;
}

t.test("elements of a page are told where the desktop shows them, and why where it does not", async (t) => {
  const tab = await openPage(t);
  const told = await seen(tab, null);
  t.same(told.area, { ...CORNER, ...PAGE });
  t.same(
    told.elements.map(({ role, name, rect, unseen }) => [role, name, rect, unseen]),
    [
      ["button", "Save", { x: 24, y: 34, width: 16, height: 8 }, null],
      ["textbox", "Name", { x: 50, y: 34, width: 20, height: 8 }, null],
      ["button", "Under the wall", null, "covered in the page"],
      ["link", "Below", null, "out of view"],
    ],
  );
  const resolved = () => tab.calls.filter(({ method }) => method === "DOM.resolveNode").length;
  t.equal(resolved(), 4);
  await elementsOnDesktop(tab.page(), [desktopWith(null)]);
  t.equal(resolved(), 4, "what is known is not asked for again");
});

t.test("what another window covers is not seen, and the rest is", async (t) => {
  const tab = await openPage(t);
  const told = await seen(tab, { x: 48, y: 30, width: 30, height: 20 });
  t.same(
    told.elements.slice(0, 2).map(({ rect, unseen }) => [rect === null, unseen]),
    [
      [false, null],
      [true, "covered or masked on the desktop"],
    ],
  );
});

t.test("a tab in the background says so", async (t) => {
  const tab = await openPage(t, true);
  t.equal(
    await elementsOnDesktop(tab.page(), [desktopWith(null)]),
    "in the background, minimized or covered",
  );
});
