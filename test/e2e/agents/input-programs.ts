import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium, type Page } from "playwright-core";
import type { Owner } from "../../support/program.ts";
import { until } from "../../support/until.ts";
import type { XPrograms } from "../harness/x-programs.ts";

// Real programs on a target's display that tell what they made of the input: a browser's page, and what openbox does.

/** Events as the page counted them, in order: "dblclick", "drop", … */
const PAGE = `<!doctype html><meta charset="utf-8"><title>inputs</title>
<style>
 body { margin: 0; font: 16px monospace; user-select: none }
 #click { position: absolute; left: 20px; top: 20px; width: 200px; height: 80px; background: #cde }
 #text { position: absolute; left: 20px; top: 120px; width: 500px; height: 30px; user-select: text; font: 20px monospace; border: 1px solid }
 #from { position: absolute; left: 20px; top: 180px; width: 100px; height: 60px; background: #fc9 }
 #to { position: absolute; left: 400px; top: 180px; width: 150px; height: 80px; background: #9cf }
 #canvas { position: absolute; left: 20px; top: 280px; width: 560px; height: 160px; background: #eee; touch-action: none }
 #slider { position: absolute; left: 20px; top: 460px; width: 400px }
</style>
<div id="click"></div><input id="text" value="alpha beta gamma delta">
<div id="from" draggable="true">drag</div><div id="to">drop</div>
<canvas id="canvas"></canvas><input id="slider" type="range" min="0" max="100" value="10">
<script>
 const $ = (id) => document.getElementById(id);
 window.seen = { clicks: [], drops: 0, effects: [], line: [], moves: [], keys: [], raw: [] };
 for (const name of ["mousedown", "mouseup", "mouseleave", "blur", "focus", "dragstart", "dragover", "drop", "click", "contextmenu"])
   addEventListener(name, (e) => seen.raw.push(name + (e.detail ?? "") + "@" + Math.round(e.timeStamp) + ":" + (e.target.id ?? "") + (e.clientX ?? "") + "," + (e.clientY ?? "")), true);
 for (const name of ["click", "dblclick"]) $("click").addEventListener(name, (e) => seen.clicks.push(name + e.detail));
 $("from").addEventListener("dragstart", (e) => e.dataTransfer.setData("text/plain", "thing"));
 $("from").addEventListener("dragend", (e) => seen.effects.push(e.dataTransfer.dropEffect));
 $("to").addEventListener("dragover", (e) => e.preventDefault());
 $("to").addEventListener("drop", (e) => { e.preventDefault(); if (e.dataTransfer.getData("text/plain") === "thing") seen.drops++; });
 const at = ({ clientX: x, clientY: y }) => { const { left, top } = $("canvas").getBoundingClientRect(); seen.line.push(x - left + "," + (y - top)); };
 $("canvas").addEventListener("pointerdown", (e) => { seen.line = []; seen.moves = []; at(e); });
 // A browser that is late gives several moves in one event: what draws lines takes all of them.
 $("canvas").addEventListener("pointermove", (e) => { if (e.buttons & 1) e.getCoalescedEvents().forEach(at); });
 $("canvas").addEventListener("mousemove", (e) => { if (e.buttons & 1) seen.moves.push(e.offsetX + "," + e.offsetY); });
 $("canvas").addEventListener("pointerup", at);
 addEventListener("keydown", (e) => seen.keys.push(e.key));
</script>`;

export interface BrowserOnDisplay {
  readonly page: Page;
  /** The middle of an element, or a place in it, in pixels of the display. */
  place(id: string, dx?: number, dy?: number): Promise<{ x: number; y: number }>;
}

interface Seen {
  readonly clicks: readonly string[];
  readonly drops: number;
  readonly effects: readonly string[];
  /** All that the browser was told of a stroke on the canvas. */
  readonly line: readonly string[];
  /** What a page hears that takes the last place of each event alone. */
  readonly moves: readonly string[];
  readonly keys: readonly string[];
  readonly raw: readonly string[];
}

/** A visible Chromium window on the display, at 0,0; nothing is done to it but from the outside. The page's title is "inputs". */
export async function openChromium(owner: Owner, display: XPrograms, html = PAGE): Promise<BrowserOnDisplay> {
  const server = createServer((_, reply) => reply.setHeader("content-type", "text/html").end(html));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  owner.teardown(() => server.close());
  const address = server.address();
  const port = address !== null && typeof address === "object" ? address.port : 0;
  const profile = mkdtempSync(join(tmpdir(), "oc-chromium-"));
  owner.teardown(() => rmSync(profile, { recursive: true, force: true, maxRetries: 5 }));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: "/usr/bin/chromium",
    headless: false,
    viewport: null,
    env: { ...process.env, ...display.env },
    args: [
      ...["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-sync", "--disable-component-update"],
      ...["--disable-background-networking", "--window-position=0,0", "--window-size=800,700"],
      `--app=http://127.0.0.1:${port}/`,
    ],
  });
  owner.teardown(() => context.close());
  const page = await until(
    "the page",
    () => context.pages().find((one) => one.url().includes(`${port}`)) ?? null,
    60_000,
  );
  await page.waitForLoadState("load");
  const windowId =
    (await until(
      "chromium's window",
      async () => {
        const found = await display.command("xdotool", "search", "--onlyvisible", "--name", "^inputs");
        return found.trim() === "" ? null : found.trim().split("\n").at(-1);
      },
      60_000,
    )) ?? "";
  await display.command("xdotool", "windowactivate", "--sync", windowId);
  // What the window manager and the browser's own frame put around the page.
  const inside = await until("the page's place", async () => {
    const { x, y } = await display.placeOf(windowId);
    const frame = await page.evaluate<{ width: number; height: number }>(
      "({ width: outerWidth - innerWidth, height: outerHeight - innerHeight })",
    );
    return frame.height >= 0 && frame.width >= 0
      ? { x: x + frame.width / 2, y: y + frame.height - frame.width / 2 }
      : null;
  });
  return {
    page,
    async place(id, dx, dy) {
      const box = await page.evaluate<{ x: number; y: number; width: number; height: number }>(
        `(({ x, y, width, height }) => ({ x, y, width, height }))(document.getElementById(${JSON.stringify(id)}).getBoundingClientRect())`,
      );
      return {
        x: Math.round(inside.x + box.x + (dx ?? box.width / 2)),
        y: Math.round(inside.y + box.y + (dy ?? box.height / 2)),
      };
    },
  };
}

export function seenBy(page: Page): Promise<Seen> {
  return page.evaluate<Seen>("window.seen");
}

/** Empties what was counted, and puts text and slider back. */
export async function forget(page: Page): Promise<void> {
  await page.evaluate(`
    Object.assign(window.seen, { clicks: [], drops: 0, effects: [], line: [], moves: [], keys: [], raw: [] });
    document.getElementById("slider").value = 10;
  `);
}
