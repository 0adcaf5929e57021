import * as z from "zod";
import type { Rect } from "../../src/framebuffer/rect.ts";
import { openBrowser } from "../../test/e2e/harness/browser.ts";
import type { Owner } from "../../test/support/program.ts";
import { times } from "./pages.ts";
import { Wording } from "./wording.ts";

export const CONTROL_KINDS = ["button", "field", "check_box"] as const;
export type ControlKind = (typeof CONTROL_KINDS)[number];

/** Something that is truly there to be pressed or filled in. */
export interface TrueControl {
  readonly kind: ControlKind;
  /** What stands in it, or names it. */
  readonly label: string;
  /** Pixels of the picture. What names a check box is pressed with it. */
  readonly rect: Rect;
}

/** A picture of real controls. */
export interface ControlScene {
  readonly name: string;
  /** PNG. */
  readonly file: Uint8Array;
  readonly controls: readonly TrueControl[];
}

const button = (label: string, more = ""): string =>
  `<button data-kind=button data-label="${label}" ${more}>${label}</button>`;

const field = (label: string, value: string): string =>
  `<p><label class=name>${label}</label><input data-kind=field data-label="${label}" value="${value}"></p>`;

const check = (label: string, type: string, isOn: boolean): string =>
  `<p><label data-kind=check_box data-label="${label}"><input type=${type} ${isOn ? "checked" : ""}> ${label}</label></p>`;

const toggle = (label: string, isOn: boolean): string =>
  `<p><label data-kind=check_box data-label="${label}"><span class="switch ${isOn ? "on" : ""}"></span> ${label}</label></p>`;

const contentOf = (w: Wording): string =>
  `<h2>${w.title(3)}</h2><div class=columns><div>` +
  times(7, () => field(w.title(2), w.pick(["", "", w.mail(), w.date(), w.amount(), w.title(3)]))) +
  `<p>${w.sentence()}</p>` +
  `<p><label class=name>${w.title(2)}</label>${((label) => `<select data-kind=field data-label="${label}"><option>${label}</select>`)(w.title(2))}</p>` +
  `</div><div>${times(4, (at) => check(w.title(3), "checkbox", at % 2 === 0))}` +
  `${times(3, (at) => check(w.title(2), "radio", at === 1))}${times(2, (at) => toggle(w.title(2), at === 0))}</div></div>` +
  `<p>${times(3, () => button(w.title(1)))} ${times(2, () => button(w.title(2), "class=main"))} ${times(2, () => button(w.title(1), "class=outline"))}</p>` +
  `<p>${w.sentence()}</p><p>${times(3, () => button(w.title(1), "class=pill"))} ${times(2, () => button(w.title(2), "class=soft"))}</p>`;

const LOOKS = [
  { name: "plain", css: "font:14px 'Liberation Sans';color:#222;background:#fff", scale: 1 },
  {
    name: "dark",
    css: "color-scheme:dark;font:14px 'DejaVu Sans';color:#e6e6e6;background:#1e1f22",
    scale: 1,
  },
  { name: "1.25", css: "font:13px 'Nimbus Sans';color:#333;background:#f4f5f7", scale: 1.25 },
  { name: "1.5", css: "font:13px 'Cantarell';color:#111;background:#fffdf6", scale: 1.5 },
  { name: "small", css: "font:12px 'Roboto';color:#234;background:#eef2f6", scale: 1 },
  {
    name: "dark 2",
    css: "color-scheme:dark;font:15px 'Liberation Sans';color:#ddd;background:#263238",
    scale: 2,
  },
] as const;

const STYLE =
  "*{box-sizing:border-box}body{margin:0;padding:16px 22px}.columns{display:flex;gap:60px}p{margin:9px 0}.name{display:inline-block;width:170px}" +
  "input:not([type]),select{width:260px;font:inherit;padding:4px 7px}button{font:inherit;padding:5px 14px;margin-right:10px}" +
  ".main{background:#2d6cdf;color:#fff;border:0;border-radius:4px}.outline{background:transparent;color:inherit;border:1px solid #8a8f98;border-radius:4px}" +
  ".pill{background:#1a7f5a;color:#fff;border:0;border-radius:99px}.soft{background:#7773;color:inherit;border:0;border-radius:6px}" +
  ".switch{display:inline-block;width:36px;height:20px;border-radius:10px;background:#999;position:relative;vertical-align:middle}" +
  ".switch::after{content:'';position:absolute;left:3px;top:3px;width:14px;height:14px;border-radius:7px;background:#fff}.on{background:#2d6cdf}.on::after{left:19px}";

const told = z.array(
  z.object({
    kind: z.enum(CONTROL_KINDS),
    label: z.string(),
    x: z.number(),
    y: z.number(),
    width: z.number(),
    height: z.number(),
  }),
);

/** With all that stands in it: a switch is higher than the line of its label. */
const CONTROLS_OF_PAGE = `[...document.querySelectorAll("[data-kind]")].map((node) => {
  const boxes = [node, ...node.querySelectorAll("*")].map((each) => each.getBoundingClientRect());
  const [x, y] = [Math.min(...boxes.map(({ left }) => left)), Math.min(...boxes.map(({ top }) => top))];
  const [right, bottom] = [Math.max(...boxes.map((box) => box.right)), Math.max(...boxes.map((box) => box.bottom))];
  return { kind: node.dataset.kind, label: node.dataset.label, x, y, width: right - x, height: bottom - y };
})`;

/** Chromium's own controls and styled ones, in several looks; the page says where they are. */
export async function controlScenes(owner: Owner, most: number): Promise<ControlScene[]> {
  const browser = await openBrowser(owner);
  const scenes: ControlScene[] = [];
  for (const [index, { name, css, scale }] of LOOKS.slice(0, most).entries()) {
    const page = await browser.newPage({ viewport: { width: 1000, height: 620 }, deviceScaleFactor: scale });
    const content = contentOf(new Wording(9100 + index));
    await page.setContent(`<!doctype html><meta charset=utf-8><style>${STYLE}body{${css}}</style>${content}`);
    const file = await page.screenshot({ type: "png" });
    const controls = told.parse(await page.evaluate(CONTROLS_OF_PAGE));
    scenes.push({
      name: `Chromium controls ${name}`,
      file,
      controls: controls.map(({ kind, label, x, y, width, height }) => ({
        ...{ kind, label },
        rect: { x: x * scale, y: y * scale, width: width * scale, height: height * scale },
      })),
    });
    await page.close();
  }
  return scenes;
}
