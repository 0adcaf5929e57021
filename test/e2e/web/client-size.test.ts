import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { WebSocket } from "playwright-core";
import t from "tap";
import * as z from "zod";
import { until } from "../../support/until.ts";
import { Appliance } from "../harness/appliance.ts";
import { openBrowser, signIn } from "../harness/browser.ts";
import { requirePeers } from "../harness/peers.ts";
import { onlyDesktop, viewerShot } from "../viewers/viewer-scenario.ts";

const CLIENT = fileURLToPath(new URL("../../../dist/client", import.meta.url));

/** All scripts and styles, as a browser is sent them, but for a language's texts. */
const WHOLE_APP_BYTES = 120_000;
/** What a viewer loads before its picture: its page, scripts and styles. */
const FIRST_PICTURE_BYTES = 75_000;
/** For what speaks no brotli, and for a proxy that packs anew. */
const WHOLE_APP_GZIP_BYTES = 136_000;

/** The texts of another language than English, for those who chose it. */
const LANGUAGE_BYTES = 24_000;
const LANGUAGE = /^german-/;

const ASSETS = "/assets/";

/** Bytes of a file of the build in one form; those that are too small to be packed have only their own. */
function sentBytes(path: string, form: ".br" | ".gz"): number {
  const file = join(CLIENT, path);
  return (statSync(`${file}${form}`, { throwIfNoEntry: false }) ?? statSync(file)).size;
}

function sum(sizes: readonly number[]): number {
  return sizes.reduce((all, size) => all + size, 0);
}

/** In the page, before its own scripts: what was loaded when the desktop's picture was there. */
const LIST_AT_PICTURE = `window.atPicture = new Promise((resolve) => {
  const look = () => {
    const canvas = document.querySelector(".viewer-screen canvas");
    const isThere = canvas?.width > 0 && canvas.getContext("2d").getImageData(0, 0, 1, 1).data[3] > 0;
    if (!isThere) return requestAnimationFrame(look);
    resolve(performance.getEntriesByType("resource").map(({ name }) => new URL(name).pathname));
  };
  look();
});`;

/** A FramebufferUpdateRequest for everything, changed or not: RFC 6143 section 7.5.3. */
function isWholeAsked(bytes: Buffer): boolean {
  return bytes[0] === 3 && bytes[1] === 0;
}

t.test(
  "the web app is small, and a viewer loads little before its picture",
  { timeout: 120_000 },
  async (t) => {
    if (!requirePeers(t, ["chromium"])) return;
    const appliance = await Appliance.start(t);
    const { context, page } = await signIn(await openBrowser(t), appliance);
    const id = await onlyDesktop(appliance);

    await t.test("all of it", async (t) => {
      const built = readdirSync(join(CLIENT, "assets")).filter((name) => /\.(js|css)$/.test(name));
      const assets = built.filter((name) => !LANGUAGE.test(name));
      const [texts = ""] = built.filter((name) => LANGUAGE.test(name));
      const textBytes = sentBytes(`${ASSETS}${texts}`, ".br");
      t.ok(texts !== "" && textBytes <= LANGUAGE_BYTES, `${textBytes} bytes of German`);
      t.ok(assets.length > 5, "it is built");
      const bytes = sum(assets.map((name) => sentBytes(`${ASSETS}${name}`, ".br")));
      t.ok(bytes <= WHOLE_APP_BYTES, `${bytes} bytes as brotli`);
      const gzipBytes = sum(assets.map((name) => sentBytes(`${ASSETS}${name}`, ".gz")));
      t.ok(gzipBytes <= WHOLE_APP_GZIP_BYTES, `${gzipBytes} bytes as gzip`);
    });

    await t.test("a viewer, up to its picture", async (t) => {
      // What the page after signing in still loads is not the viewer's.
      await page.goto("about:blank");
      const loaded: string[] = [];
      page.on("response", (response) => {
        const { pathname } = new URL(response.url());
        if (pathname.startsWith(ASSETS)) loaded.push(pathname);
      });
      const sockets: WebSocket[] = [];
      const sent: Buffer[] = [];
      page.on("websocket", (socket) => {
        sockets.push(socket);
        if (!socket.url().includes("/ws/desktops/")) return;
        socket.on("framesent", ({ payload }) => sent.push(Buffer.from(payload)));
      });
      await page.addInitScript(LIST_AT_PICTURE);
      const encodings = new Map<string, string | undefined>();
      page.on("response", (response) => {
        const { pathname } = new URL(response.url());
        encodings.set(pathname, response.headers()["content-encoding"]);
      });
      const named = (await (await appliance.fetch(`/desktops/${id}`)).text()).match(
        /(?<=href=").*\.js(?=")/g,
      );
      // What the page loads besides comes beside the picture on a busy machine, so it is held back: the picture needs none of it.
      let release = (): void => {};
      const isShown = new Promise<void>((resolve) => {
        release = resolve;
      });
      const isNamed = (path: string): boolean =>
        named?.includes(path) === true || /\/(early|core)-/.test(path);
      await page.route(
        ({ pathname }) => pathname.startsWith(ASSETS) && pathname.endsWith(".js") && !isNamed(pathname),
        async (route) => {
          await isShown;
          await route.continue();
        },
      );
      await page.goto(`${appliance.url}/desktops/${id}`);
      await until("a picture", () => viewerShot(page));
      const listed = await page.evaluate("window.atPicture");
      release();
      const scripts = z
        .array(z.string())
        .parse(listed)
        .filter((path) => /\.(js|css)$/.test(path));
      t.notOk(
        scripts.some((path) => path.includes("german")),
        "no other language's texts",
      );
      const novnc = scripts.find((path) => /\/rfb-/.test(path));
      t.ok(novnc, "noVNC is among it");
      t.ok(named?.includes(novnc ?? ""), "which the page itself asks for, before any script runs");
      t.same(
        scripts.filter((path) => /\.js$/.test(path) && !/\/(early|core)-/.test(path)).toSorted(),
        named?.toSorted(),
        "like all scripts that the picture needs beside the app's own",
      );
      const packed = scripts.filter((path) => readFileSync(join(CLIENT, path)).length > 1000);
      t.same(
        packed.filter((path) => encodings.get(path) !== "br"),
        [],
        "all of it came as brotli",
      );
      const bytes = sum(["index.html", ...scripts].map((path) => sentBytes(path, ".br")));
      t.ok(bytes <= FIRST_PICTURE_BYTES, `${bytes} bytes: ${scripts.join(" ")}`);
      t.comment(`${bytes} bytes before the picture, ${loaded.length - scripts.length} files after it`);

      const paths = sockets.map((socket) => new URL(socket.url()));
      const asked = paths.filter(({ pathname }) => pathname === `/ws/desktops/${id}`);
      t.equal(asked.length, 1, "the desktop has one connection of the page");
      t.match(asked[0]?.search, /say=/, "which asked for the picture as it was opened");
      t.equal(paths.filter(({ pathname }) => pathname === "/ws/events").length, 1, "the events have one");
      const again = sent.filter(
        (bytes) => bytes.subarray(0, 3).equals(Buffer.from("RFB")) || bytes[0] === 0 || isWholeAsked(bytes),
      );
      t.same(again, [], "and noVNC's handshake, pixel format and first request did not go again");
    });
    await context.close();
  },
);
