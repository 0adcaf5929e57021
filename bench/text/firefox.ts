import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import * as z from "zod";
import { XDisplay } from "../../test/e2e/harness/x-display.ts";
import { type Owner, Program } from "../../test/support/program.ts";
import { until } from "../../test/support/until.ts";
import { type Body, STYLE, times, WORDS_OF_PAGE, wordsTold } from "./pages.ts";
import { codeLine, pngOf, stillPicture } from "./programs.ts";
import type { Scene } from "./scene.ts";
import { Wording } from "./wording.ts";

const coloured = (w: Wording, html: string): string =>
  `<span style="color:${w.pick(["#c678dd", "#98c379", "#e5c07b", "#61afef", "#d19a66"])}">${html}</span>`;

const escaped = (plain: string): string => plain.replace(/&/g, "&amp;").replace(/</g, "&lt;");

const code: Body = (w) =>
  `<pre>${times(
    34,
    (at) =>
      `<span class=at>${String(at + 1).padStart(3)}</span>  ${codeLine(w)
        .split(/(?<=\s)(?=\S)/)
        .map((part) => (w.int(0, 2) === 0 ? coloured(w, escaped(part)) : escaped(part)))
        .join("")}\n`,
  )}</pre>`;

const mail: Body = (w) =>
  `<div class=page><nav>${times(9, () => `<p>${w.title(1)} <b class=badge>${w.int(1, 99)}</b></p>`)}</nav><main>${times(
    15,
    () => `<div class=row><span><b>${w.title(2)}</b> ${w.sentence()}</span><small>${w.time()}</small></div>`,
  )}</main></div>`;

const document: Body = (w) =>
  `<div class=two>${times(4, () => `<h3>${w.title(4)}</h3><p>${w.sentence()} <i>${w.sentence()}</i> <a href="#">${w.title(2)}</a> ${w.sentence()}</p><ul>${times(3, () => `<li>${w.sentence()}</li>`)}</ul>`)}</div>`;

const invoice: Body = (w) =>
  `<h2>${w.german()} ${w.digits(6)}</h2><table>${times(20, (at) => `<tr style="background:${at % 2 === 0 ? "#0000" : "#8882"}"><td>${at + 1}</td><td>${w.german()} ${w.german()}</td><td>${w.date()}</td><td align=right>${w.amount()}</td><td>${w.digits(3)}-${w.digits(4)}</td></tr>`)}</table><p>${w.sentence(true)} ${w.sentence(true)}</p>`;

interface FirefoxScene {
  readonly name: string;
  readonly body: Body;
  readonly css: string;
  /** Pixels of the screen for one of the page. */
  readonly scale: number;
}

const SCENES: readonly FirefoxScene[] = [
  { name: "code dark", body: code, css: "font:12px Hack;color:#abb2bf;background:#21252b", scale: 1 },
  { name: "mail 1.5", body: mail, css: "font:11px Cantarell;color:#222;background:#fff", scale: 1.5 },
  { name: "document", body: document, css: "font:13px Roboto;color:#333;background:#fdfdfb", scale: 1 },
  {
    name: "document dark 1.25",
    body: document,
    css: "font:12px Cantarell;color:#c9d1d9;background:#0d1117",
    scale: 1.25,
  },
  { name: "invoice small", body: invoice, css: "font:10px Roboto;color:#111;background:#fff", scale: 1 },
];

const CSS =
  "pre{font:inherit;line-height:1.5;margin:0}pre .at{opacity:.5}.page{display:flex;gap:24px}nav{width:150px;border-right:1px solid #8884}" +
  "main{flex:1}.badge{background:#2d6cdf;color:#fff;border-radius:9px;padding:1px 7px;font-size:85%}.two{columns:2;column-gap:36px}a{color:#1a73e8}h3{margin:.4em 0}";

const GEOMETRY = "1280x800";

/** Says where its words stand when all is painted. */
const TELL = `addEventListener("load", () => document.fonts.ready.then(() => requestAnimationFrame(() => setTimeout(() => {
  const within = ({x, y, width, height}) => x >= 0 && y >= 0 && x + width <= innerWidth && y + height <= innerHeight;
  fetch("/told", {method: "POST", body: JSON.stringify({scale: devicePixelRatio, words: ${WORDS_OF_PAGE}.filter(within)})});
}, 300))));`;

/** Nothing asked of other hosts: what is not this page goes to a port where nobody listens. */
const SETTINGS = {
  "network.proxy.type": 1,
  "network.proxy.http": "127.0.0.1",
  "network.proxy.http_port": 9,
  "network.proxy.ssl": "127.0.0.1",
  "network.proxy.ssl_port": 9,
  "network.proxy.no_proxies_on": "127.0.0.1",
  "browser.aboutwelcome.enabled": false,
  "browser.shell.checkDefaultBrowser": false,
  "datareporting.policy.dataSubmissionEnabled": false,
  "datareporting.policy.bypassNotification": true,
  "browser.translations.automaticallyPopup": false,
  "full-screen-api.warning.timeout": 0,
};

/** Pages in Firefox, over the whole screen; the page says where its words stand. */
export async function firefoxScenes(owner: Owner, folder: string, most: number): Promise<Scene[]> {
  const scenes: Scene[] = [];
  for (const [index, scene] of SCENES.slice(0, most).entries()) {
    scenes.push(
      await firefoxScene(owner, join(folder, `firefox-${index}`), scene, new Wording(5500 + index)),
    );
  }
  return scenes;
}

const toldByPage = z.object({ scale: z.number(), words: z.unknown() });

async function firefoxScene(
  owner: Owner,
  profile: string,
  { name, body, css, scale }: FirefoxScene,
  wording: Wording,
): Promise<Scene> {
  const html = `<!doctype html><meta charset=utf-8><style>${STYLE}${CSS}body{${css}}</style><script>${TELL}</script>${body(wording)}`;
  let told: z.output<typeof toldByPage> | null = null;
  const server = createServer((request, response) => {
    if (request.method !== "POST") {
      response.setHeader("content-type", "text/html; charset=utf-8").end(request.url === "/" ? html : "");
      return;
    }
    text(request)
      .then((sent) => {
        told = toldByPage.parse(JSON.parse(sent));
        response.end();
      })
      .catch((error: unknown) => response.destroy(error instanceof Error ? error : undefined));
  }).listen(0, "127.0.0.1");
  owner.teardown(() => server.close());
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("a server without a port");
  mkdirSync(profile, { recursive: true });
  const settings = { ...SETTINGS, "layout.css.devPixelsPerPx": `${scale}` };
  const lines = Object.entries(settings).map(
    ([key, value]) => `user_pref(${JSON.stringify(key)}, ${JSON.stringify(value)});`,
  );
  writeFileSync(join(profile, "user.js"), lines.join("\n"));
  const display = await XDisplay.start(owner, { geometry: GEOMETRY, hasVnc: false });
  const firefox = new Program(
    owner,
    "firefox-esr",
    ["--no-remote", "--profile", profile, "--kiosk", `http://127.0.0.1:${address.port}/`],
    { env: { ...display.env, HOME: profile } },
  );
  const { scale: used, words } = await until(`the words of ${name}`, () => told, 120_000);
  const shot = await stillPicture(display);
  await firefox.stop();
  await display.server.stop();
  server.close();
  return {
    ...{ name: `Firefox ${name}`, kind: "firefox", knownFrom: 0 },
    file: await pngOf(shot),
    words: wordsTold(words, used),
  };
}
