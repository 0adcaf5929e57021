import t from "tap";
import { decodePicture, encodePicture } from "../../src/compositor/picture-file.ts";
import { unseenEffect } from "../../src/desktop/control/action.ts";
import { rect } from "../../src/framebuffer/rect.ts";
import type { ScreenElement } from "../../src/vision/elements/element.ts";
import { VisionError } from "../../src/vision/error.ts";
import { callsTo } from "./call.ts";
import { fakeHouse } from "./fake-house.ts";
import { SAVED_TEXT } from "./saved-text.ts";

const SAVE: ScreenElement = {
  ...{ id: "12", kind: "button", label: "Save", rect: rect(100, 50, 80, 30), score: 0.9 },
};
const NAME: ScreenElement = {
  ...{ id: "13", kind: "field", label: "Name", rect: rect(300, 50, 200, 30), score: 0.8 },
};
const TITLE: ScreenElement = {
  ...{ id: "14", kind: "text", label: "Settings", rect: rect(600, 50, 90, 14), score: 0.97 },
};

function house(elements: readonly ScreenElement[] = [SAVE, NAME, TITLE]) {
  const fake = fakeHouse({
    texts: {
      ...SAVED_TEXT,
      elements: async ({ generation }) => ({ generation, elements }),
      element: async ({ generation }, id) => {
        const element = elements.find((each) => each.id === id);
        if (element === undefined)
          throw new VisionError("element_gone", "element 7 is not on the screen any more");
        return { generation, element, isMoved: id === "13" };
      },
    },
  });
  return { desktop: fake.desktops.get("one"), call: callsTo(fake) };
}

t.test("elements are told with id, kind, label and box, marked as what others wrote", async (t) => {
  const { call } = house();
  const { structured, text } = await call("get_elements");
  t.match(structured, {
    elements: [
      {
        ...{ id: "12", kind: "button", label: "Save", score: 0.9, source: "pixels" },
        box: { x: 100, y: 50, width: 80, height: 30 },
      },
      { id: "13", kind: "field" },
      { id: "14", kind: "text" },
    ],
    ...{ left_out: 0, generation: 7, exact: true, stale: false, untrusted: true },
  });
  t.match(text, /no instructions to you.*\n12: button "Save" at 100,50 \(80x30\)\n13: field "Name"/);
  t.match((await call("get_elements", { kinds: ["field"] })).structured, { elements: [{ id: "13" }] });
  t.match((await call("get_elements", { kinds: ["icon"] })).text, /No such element/);
  const many = Array.from({ length: 450 }, (_, index) => ({ ...SAVE, id: String(index) }));
  t.match((await house(many).call("get_elements")).structured, { left_out: 50 });
});

t.test("an element is clicked in its middle, and who approves it is told which", async (t) => {
  const { call, desktop } = house();
  const { structured } = await call("click_element", {
    element_id: "12",
    button: "right",
    intent: "keep it",
  });
  t.match(structured, {
    ...{ element: { id: "12", label: "Save" }, moved: false, success: true },
    actual_position: { x: 140, y: 65 },
  });
  t.match(desktop.performed, [
    {
      action: { kind: "click", x: 140, y: 65, button: "right", clicks: 1 },
      options: { intent: 'click the button "Save": keep it' },
    },
  ]);
  const moved = await call("click_element", { element_id: "13" });
  t.match(moved, { structured: { moved: true }, text: /Clicked element 13, which moved, at 400,65/ });
  t.match((await call("click_element", { element_id: "7" })).error, {
    ...{ code: "element_gone", hint: /get_elements/ },
  });
  t.equal(desktop.performed.length, 2);
});

t.test("an element is clicked as what was found, and its answer says what became of that", async (t) => {
  const { call, desktop } = house();
  await call("click_element", { element_id: "12" });
  const found = { what: "element", rect: SAVE.rect, generation: 7 };
  t.same(desktop.performed[0]?.options.found, found);
  desktop.onPerform = async () => ({ unverified: "the element is at 100,90 now" });
  t.match(await call("click_element", { element_id: "12" }), {
    structured: { unverified: true, unverified_reason: /at 100,90 now/ },
    text: /Unverified: the element is at 100,90 now/,
  });
  desktop.onPerform = async () => ({ effect: { ...unseenEffect(7), changed: false } });
  t.match(
    (await call("click_element", { element_id: "12" })).text,
    /did not change.* no proof that it was clicked/,
  );
  t.notMatch((await call("click_at", { x: 1, y: 1 })).text, /no proof/, "it claims nothing of what is there");
  desktop.onPerform = async () => ({ looksOtherwise: true });
  const { structured, text } = await call("click_element", { element_id: "12" });
  t.match(text, /What was clicked is not on the screen as it was any more/);
  t.notMatch(structured, { unverified: true }, "as a dialog that was answered");
});

t.test("a screenshot shows the ids of elements that are as they were found", async (t) => {
  const { call, desktop } = house();
  const rgba = new Uint8ClampedArray(1920 * 800 * 4).fill(255);
  const blank = { width: 1920, height: 800, rgba };
  desktop.png = Buffer.from(await encodePicture(blank, "png"));
  const shot = async () => {
    const { images } = await call("take_screenshot", { marks: true });
    return await decodePicture(Buffer.from(images[0]?.data ?? "", "base64"));
  };
  const inked = async ({ x, y, width, height }: ScreenElement["rect"]) => {
    const picture = await shot();
    let count = 0;
    for (let row = y - 2; row < y + height + 2; row++) {
      for (let at = row * picture.width + x - 2; at < row * picture.width + x + width + 2; at++) {
        if (picture.rgba[at * 4] !== 255 || picture.rgba[at * 4 + 1] !== 255) count++;
      }
    }
    return count;
  };
  t.ok((await inked(SAVE.rect)) > 2 * (80 + 30), "a frame");
  t.ok((await inked(NAME.rect)) > 2 * (200 + 30));
  t.equal(await inked(TITLE.rect), 0, "lines of text are not hidden");
  t.ok((await inked(rect(102, 32, 20, 12))) > 100, "a tag above");
  desktop.onSnapshot = () => desktop.paint({ x: 310, y: 60, width: 3, height: 3 });
  t.equal(await inked(NAME.rect), 0, "what changed since is not marked");
  for (const args of [
    { marks: true, diff: true, if_changed_since: 1 },
    { marks: true, format: "jpeg" },
  ]) {
    t.match((await call("take_screenshot", args)).error, { code: "invalid_parameters", message: /marks/ });
  }
});
