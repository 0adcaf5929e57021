import type { Page } from "playwright-core";
import * as z from "zod";
import { openBrowser } from "../../test/e2e/harness/browser.ts";
import type { Owner } from "../../test/support/program.ts";
import { inLines, type Scene, type TrueWord } from "./scene.ts";
import { Wording } from "./wording.ts";

export type Body = (wording: Wording) => string;

export const times = (count: number, make: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => make(index)).join("");

const form: Body = (w) =>
  `<h2>${w.title(3)}</h2>${times(9, () => `<p><label>${w.title(2)}</label><span class=field>${w.pick([w.mail(), w.date(), w.amount(), w.title(3)])}</span></p>`)}` +
  `<p class=hint>${w.sentence(true)} ${w.sentence(true)}</p><p>${times(3, () => `<span class=button>${w.title(1)}</span> `)}</p>`;

const table: Body = (w) =>
  `<table><tr>${times(6, () => `<th>${w.title(1)}</th>`)}</tr>${times(24, () => `<tr><td>${w.digits(5)}</td><td>${w.title(2)}</td><td>${w.date()}</td><td>${w.amount()}</td><td>${w.address()}</td><td>${w.mail()}</td></tr>`)}</table>`;

const article: Body = (w) =>
  times(
    5,
    () =>
      `<h2>${w.title(4)}</h2><p>${w.sentence()} ${w.sentence()} ${w.sentence()} <b>${w.title(2)}</b> ${w.sentence()}</p>`,
  );

const german: Body = (w) =>
  times(5, () => `<h3>${w.german()} ${w.german()}</h3><p>${times(4, () => `${w.sentence(true)} `)}</p>`);

const chat: Body = (w) =>
  times(
    13,
    () =>
      `<p><b>${w.title(1)}</b> <small>${w.time()}</small><br>${w.sentence()} <code>${w.word()} --${w.word()}=${w.int(0, 900)}</code></p>`,
  );

const settings: Body = (w) =>
  times(
    9,
    () =>
      `<div class=row><span>${w.title(3)}<br><small>${w.sentence()}</small></span><span class=button>${w.title(1)}</span></div>`,
  );

interface PageScene {
  readonly name: string;
  readonly body: Body;
  readonly css: string;
  /** Pixels of the picture for one of the page. */
  readonly scale: number;
}

const PAGES: readonly PageScene[] = [
  { name: "form", body: form, css: "font:14px 'Nimbus Sans';color:#333;background:#fff", scale: 1 },
  {
    name: "form 1.25",
    body: form,
    css: "font:14px 'DejaVu Sans Condensed';color:#e8e8e8;background:#2b2b2b",
    scale: 1.25,
  },
  {
    name: "table",
    body: table,
    css: "font:12px 'Liberation Sans Narrow';color:#222;background:#f7f7f2",
    scale: 1,
  },
  { name: "table 1.5", body: table, css: "font:11px 'DejaVu Sans';color:#123;background:#fff", scale: 1.5 },
  {
    name: "table dark",
    body: table,
    css: "font:12px 'Liberation Sans';color:#ddd;background:#1b2530",
    scale: 1,
  },
  { name: "article", body: article, css: "font:17px 'P052';color:#222;background:#fffdf6", scale: 1 },
  { name: "article C059", body: article, css: "font:15px 'C059';color:#444;background:#fff", scale: 1.25 },
  {
    name: "article Gothic",
    body: article,
    css: "font:14px 'URW Gothic';color:#111;background:#dfe7ef",
    scale: 1,
  },
  { name: "German", body: german, css: "font:15px 'URW Bookman';color:#202020;background:#fff", scale: 1 },
  {
    name: "German 2",
    body: german,
    css: "font:13px 'DejaVu Serif';color:#f0e6d2;background:#3a1f2b",
    scale: 2,
  },
  { name: "chat", body: chat, css: "font:13px 'Liberation Sans';color:#cfd8dc;background:#263238", scale: 1 },
  {
    name: "settings",
    body: settings,
    css: "font:15px 'DejaVu Sans Light';color:#222;background:#fff",
    scale: 1,
  },
];

/** Of a font and colours that reading was not improved on. */
const LATER: readonly PageScene[] = [
  {
    name: "settings Lato",
    body: settings,
    css: "font:13px 'Lato';color:#5b2333;background:#f7d9c4",
    scale: 1.1,
  },
];

export const STYLE =
  "*{box-sizing:border-box}body{margin:0;padding:18px 24px}table{border-collapse:collapse}td,th{border:1px solid #8886;padding:4px 9px;text-align:left}" +
  "label{display:inline-block;width:190px}.field{display:inline-block;border:1px solid #888;border-radius:3px;padding:4px 8px;width:320px}" +
  ".hint{opacity:.75;font-size:85%}.button{display:inline-block;background:#2d6cdf;color:#fff;border-radius:4px;padding:6px 16px}" +
  ".row{display:flex;justify-content:space-between;align-items:center;border-bottom:1px solid #8884;padding:8px 0}small{opacity:.7}code{font-family:'Liberation Mono'}";

/** Pages in Chromium with fonts, colours and scales of their own. */
export async function pageScenes(owner: Owner, most: number): Promise<Scene[]> {
  return await scenesOf(owner, PAGES.slice(0, most), 4200);
}

/** The same of LATER. */
export async function laterPageScenes(owner: Owner, most: number): Promise<Scene[]> {
  return await scenesOf(owner, LATER.slice(0, most), 4700);
}

async function scenesOf(owner: Owner, pages: readonly PageScene[], seed: number): Promise<Scene[]> {
  const browser = await openBrowser(owner);
  const scenes: Scene[] = [];
  for (const [index, { name, body, css, scale }] of pages.entries()) {
    const page = await browser.newPage({
      viewport: { width: 1000, height: 640 },
      deviceScaleFactor: scale,
    });
    const content = body(new Wording(seed + index));
    await page.setContent(`<!doctype html><meta charset=utf-8><style>${STYLE}body{${css}}</style>${content}`);
    const file = await page.screenshot({ type: "png", fullPage: true });
    scenes.push({
      name: `Chromium ${name}`,
      kind: "page",
      file,
      words: await wordsOn(page, scale),
      knownFrom: 0,
    });
    await page.close();
  }
  return scenes;
}

const placed = z.object({
  text: z.string(),
  x: z.number(),
  y: z.number(),
  width: z.number(),
  height: z.number(),
});

/** Runs in the page: each word that is not broken over lines. */
export const WORDS_OF_PAGE = `(() => {
  const words = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    for (const match of (node.textContent ?? "").matchAll(/\\S+/g)) {
      range.setStart(node, match.index);
      range.setEnd(node, match.index + match[0].length);
      const [box, second] = range.getClientRects();
      if (box === undefined || second !== undefined) continue;
      const { x, y, width, height } = box;
      words.push({ text: match[0], x, y, width, height });
    }
  }
  return words;
})()`;

/** The words that the page shows, by its own layout. */
async function wordsOn(page: Page, scale: number): Promise<TrueWord[]> {
  return wordsTold(await page.evaluate(WORDS_OF_PAGE), scale);
}

/** What WORDS_OF_PAGE gives, in pixels of the picture. */
export function wordsTold(told: unknown, scale: number): TrueWord[] {
  const found = z.array(placed).parse(told);
  return inLines(
    found.map(({ text, x, y, width, height }) => ({
      text,
      rect: { x: x * scale, y: y * scale, width: width * scale, height: height * scale },
    })),
  );
}
