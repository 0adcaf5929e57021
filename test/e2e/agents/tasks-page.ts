import { until } from "../../support/until.ts";
import type { Desk } from "./desk.ts";
import { MOVING } from "./page.ts";
import type { Task } from "./tasks.ts";

const DIFF = { return_screenshot: "diff" };

/** Gives a field of the page the focus. */
async function focus(desk: Desk, place: "name" | "area"): Promise<void> {
  await desk.act("click_at", { ...desk.at(place), ...DIFF });
}

/** Tasks on web pages. */
export const PAGE_TASKS: readonly Task[] = [
  {
    name: "click a button",
    async run(desk) {
      const from = await desk.fresh();
      await desk.act("click_at", { ...desk.at("save"), ...DIFF });
      await desk.page.expect(from, "saved", "1");
    },
  },
  {
    name: "follow a link and go back",
    async run(desk) {
      const from = await desk.fresh();
      await desk.act("click_at", { ...desk.at("link"), ...DIFF });
      await desk.page.expect(from, "loaded", "/two");
      await desk.act("click_at", { ...desk.at("back"), ...DIFF });
      await desk.page.expect(from, "loaded", "/");
    },
  },
  {
    name: "type into a field",
    async run(desk) {
      const from = await desk.fresh();
      await focus(desk, "name");
      await desk.act("type_text", { text: "Grace Hopper 1906", ...DIFF });
      await desk.page.expect(from, "name", "Grace Hopper 1906");
    },
  },
  {
    name: "replace the text of a field",
    async run(desk) {
      const from = await desk.fresh();
      await desk.page.order("by('name').value = 'old'");
      await focus(desk, "name");
      await desk.act("type_text", { text: "new", clear_existing: true, ...DIFF });
      await desk.page.expect(from, "name", "new");
    },
  },
  {
    name: "type several lines",
    async run(desk) {
      const from = await desk.fresh();
      await focus(desk, "area");
      await desk.act("type_text", { text: "one\ntwo & three", ...DIFF });
      await desk.page.expect(from, "area", "one\ntwo & three");
    },
  },
  {
    name: "double click a word",
    async run(desk) {
      const from = await desk.fresh();
      await desk.act("click_at", { ...desk.at("word"), clicks: 2, ...DIFF });
      await desk.page.expect(from, "selected", "alpha");
    },
  },
  {
    name: "triple click a line",
    async run(desk) {
      const from = await desk.fresh();
      await desk.act("click_at", { ...desk.at("word"), clicks: 3, ...DIFF });
      await desk.page.expect(from, "selected", "alpha bravo charlie delta");
    },
  },
  {
    name: "drag and drop on a page",
    async run(desk) {
      const from = await desk.fresh();
      await desk.act("drag", { path: [desk.at("source"), desk.at("target")], ...DIFF });
      await desk.page.expect(from, "dropped", "card");
    },
  },
  {
    name: "draw a line on a canvas",
    async run(desk) {
      const from = await desk.fresh();
      const path = [
        [20, 20],
        [60, 80],
        [100, 30],
        [140, 90],
        [180, 40],
      ].map(([x, y]) => desk.at("canvas", x, y));
      await desk.act("drag", { path, ...DIFF });
      await desk.page.expect(from, "drawn", "179,39");
    },
  },
  {
    name: "drag by the button's own calls",
    async run(desk) {
      const from = await desk.fresh();
      await desk.act("mouse_down", { ...desk.at("canvas", 30, 30), ...DIFF });
      await desk.act("move_mouse", { ...desk.at("canvas", 90, 60), ...DIFF });
      await desk.act("mouse_up", { ...desk.at("canvas", 120, 70), ...DIFF });
      await desk.page.expect(from, "drawn", "119,69");
    },
  },
  {
    name: "scroll a long page and come back",
    async run(desk) {
      const from = await desk.fresh("/long");
      await desk.act("scroll", { ...desk.at("middle"), dy: 5, ...DIFF });
      await until("the page scrolled", () => Number(desk.page.since(from, "scrolled").at(-1) ?? 0) > 100);
      await desk.act("scroll", { ...desk.at("middle"), dy: -9, ...DIFF });
      await desk.page.expect(from, "scrolled", "0");
    },
  },
  {
    name: "scroll where the page begins",
    async run(desk) {
      const from = await desk.fresh("/long");
      const said = await desk.act("scroll", { ...desk.at("middle"), dy: -3, ...DIFF });
      desk.judge.fact(
        `${desk.kind}: a scroll at the top says changed: ${said["changed"]}`,
        said["changed"] !== true,
      );
      if (desk.page.since(from, "scrolled").some((y) => y !== "0")) throw new Error("the page scrolled");
    },
  },
  {
    name: "press a chord",
    async run(desk) {
      const from = await desk.fresh();
      await desk.act("click_at", { ...desk.at("dead"), ...DIFF });
      await desk.act("press_keys", { keys: "ctrl+shift+y", ...DIFF });
      await desk.page.expect(from, "chord", "y");
    },
  },
  {
    name: "choose in a select box",
    async run(desk) {
      const from = await desk.fresh();
      await desk.act("click_at", { ...desk.at("choice"), ...DIFF });
      await desk.act("press_keys", { keys: ["down", "enter"], ...DIFF });
      await desk.page.expect(from, "chosen", "two");
    },
  },
  {
    name: "hover",
    async run(desk) {
      const from = await desk.fresh();
      await desk.act("move_mouse", { ...desk.at("hover"), ...DIFF });
      await desk.page.expect(from, "hovered", "in");
      await desk.act("move_mouse", { ...desk.at("dead"), ...DIFF });
    },
  },
  {
    name: "open a dialog and close it",
    async run(desk) {
      const from = await desk.fresh();
      await desk.act("click_at", { ...desk.at("open"), ...DIFF });
      await desk.page.expect(from, "dialog", "open");
      await desk.act("click_at", { ...desk.at("close"), ...DIFF });
      await desk.page.expect(from, "dialog", "closed");
    },
  },
  {
    name: "open a context menu",
    async run(desk) {
      const from = await desk.fresh();
      await desk.act("click_at", { ...desk.at("dead"), button: "right", ...DIFF });
      await desk.page.expect(from, "menu", "open");
    },
  },
  {
    name: "click where nothing happens",
    async run(desk) {
      await desk.fresh();
      await desk.act("click_at", { ...desk.at("dead"), ...DIFF });
      const said = await desk.act("click_at", { ...desk.at("dead"), ...DIFF });
      desk.judge.fact(
        `${desk.kind}: a click on nothing says changed: ${JSON.stringify(said)}`,
        said["changed"] !== true,
      );
    },
  },
  {
    name: "load a slow page",
    async run(desk) {
      const from = await desk.fresh();
      await desk.act("click_at", { ...desk.at("slow"), ...DIFF });
      await desk.page.expect(from, "loaded", "/slow");
      const { met, stale } = (await desk.ask("wait_for", { condition: "stable", stable_ms: 300 }))
        .structuredContent;
      desk.judge.fact(`${desk.kind}: a page that was loaded is not stable`, met === true && stale !== true);
    },
  },
  {
    name: "click beside an animation",
    async run(desk) {
      const from = await desk.fresh();
      await desk.page.order("animate()");
      const moving = [desk.over(MOVING.box)];
      await desk.act("click_at", { ...desk.at("save"), ...DIFF }, { moving });
      await desk.act("click_at", { ...desk.at("dead"), ...DIFF }, { moving });
      await desk.page.order("still()");
      await desk.page.expect(from, "saved", "1");
    },
  },
  {
    name: "type beside a clock",
    async run(desk) {
      const from = await desk.fresh();
      await desk.page.order("tick()");
      const moving = [desk.over(MOVING.clock)];
      await desk.act("click_at", { ...desk.at("name"), ...DIFF }, { moving });
      await desk.act("type_text", { text: "what time is it", ...DIFF }, { moving });
      await desk.page.order("still()");
      await desk.page.expect(from, "name", "what time is it");
    },
  },
  {
    name: "type with a caret that blinks",
    async run(desk) {
      const from = await desk.fresh();
      await desk.page.order("by('name').style.caretColor = 'black'");
      const moving = [desk.over(MOVING.caret)];
      await desk.act("click_at", { ...desk.at("name"), ...DIFF }, { moving });
      await desk.act("type_text", { text: "blink", ...DIFF }, { moving });
      await desk.page.expect(from, "name", "blink");
      await desk.act("click_at", { ...desk.at("save"), ...DIFF }, { moving });
      await desk.page.expect(from, "saved", "1");
    },
  },
];
