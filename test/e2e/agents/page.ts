import { createServer, type ServerResponse } from "node:http";
import * as z from "zod";
import type { Owner } from "../../support/program.ts";
import { until } from "../../support/until.ts";

const eventSchema = z.object({ kind: z.string(), value: z.string(), dx: z.number(), dy: z.number() });

/** What happened on the page, as the browser saw it. */
export type PageEvent = z.infer<typeof eventSchema>;

/** Places on the page, in its own pixels. */
export const PLACES = {
  save: { x: 60, y: 25 },
  link: { x: 170, y: 25 },
  dead: { x: 520, y: 25 },
  name: { x: 100, y: 63 },
  area: { x: 100, y: 120 },
  word: { x: 262, y: 60 },
  source: { x: 40, y: 190 },
  target: { x: 170, y: 190 },
  canvas: { x: 240, y: 90 },
  choice: { x: 80, y: 243 },
  hover: { x: 230, y: 243 },
  open: { x: 350, y: 243 },
  close: { x: 150, y: 363 },
  slow: { x: 60, y: 285 },
  long: { x: 170, y: 285 },
  back: { x: 60, y: 25 },
  middle: { x: 300, y: 200 },
} as const;

/** What moves by itself where it is switched on: the animated box, the clock, the caret's field. */
export const MOVING = {
  box: { x: 460, y: 90, width: 24, height: 24 },
  clock: { x: 460, y: 130, width: 90, height: 20 },
  caret: { x: 10, y: 50, width: 206, height: 30 },
} as const;

const SLOW_MS = 1500;

/** A web server with a page of everything that people click on, which tells what was done to it. */
export class WebPage {
  readonly url: string;
  readonly #events: PageEvent[];
  readonly #listeners: Set<ServerResponse>;
  #orders = 0;

  private constructor(url: string, events: PageEvent[], listeners: Set<ServerResponse>) {
    this.url = url;
    this.#events = events;
    this.#listeners = listeners;
  }

  static async serve(owner: Owner): Promise<WebPage> {
    const events: PageEvent[] = [];
    const listeners = new Set<ServerResponse>();
    const server = createServer((req, res) => {
      const path = req.url ?? "/";
      if (path === "/event") {
        let body = "";
        req.on("data", (chunk) => {
          body += chunk;
        });
        req.on("end", () => {
          events.push(eventSchema.parse(JSON.parse(body)));
          res.end();
        });
        return;
      }
      if (path === "/orders") {
        res.writeHead(200, { "content-type": "text/event-stream" });
        res.write(": ready\n\n");
        listeners.add(res);
        req.once("close", () => listeners.delete(res));
        return;
      }
      const send = (html: string): void => {
        res.writeHead(200, { "content-type": "text/html; charset=utf-8", "cache-control": "no-store" });
        res.end(html);
      };
      if (path === "/slow") setTimeout(() => send(other("slow", "#cdf")), SLOW_MS);
      else if (path === "/long") send(long());
      else if (path === "/two") send(other("two", "#fdc"));
      else send(main());
    });
    await new Promise<void>((resolve) => {
      server.listen(0, "127.0.0.1", resolve);
    });
    owner.teardown(() => {
      server.closeAllConnections();
      server.close();
    });
    const address = server.address();
    if (address === null || typeof address === "string") throw new Error("a web server without a port");
    return new WebPage(`http://127.0.0.1:${address.port}/`, events, listeners);
  }

  /** Runs a line of JavaScript on the page that is shown, once, and waits until it says that it has. */
  async order(script: string): Promise<void> {
    const id = `${++this.#orders}`;
    const line = `data: ${JSON.stringify({ id, script })}\n\n`;
    const from = this.#events.length;
    const give = (): void => {
      for (const listener of this.#listeners) listener.write(line);
    };
    give();
    // The page that is left may take it with it: the next one gets it then.
    const again = setInterval(give, 500);
    await until(`an order done: ${script}`, () => this.since(from, "ordered").includes(id), 30_000).finally(
      () => clearInterval(again),
    );
  }

  get count(): number {
    return this.#events.length;
  }

  /** The values of the events of a kind after the first `from`. */
  since(from: number, kind: string): readonly string[] {
    return this.#events
      .slice(from)
      .filter((event) => event.kind === kind)
      .map(({ value }) => value);
  }

  /** Where the page begins on the display, as the last event of the mouse told. */
  get origin(): { readonly x: number; readonly y: number } | null {
    const told = this.#events.findLast(({ kind }) => kind === "mouse");
    return told === undefined ? null : { x: told.dx, y: told.dy };
  }

  /** Waits until an event of the kind has this value. */
  async expect(from: number, kind: string, value: string): Promise<void> {
    const isThere = (): boolean => this.since(from, kind).includes(value);
    await until(`${kind} ${value}`, isThere, 30_000).catch((cause: unknown) => {
      const got = JSON.stringify(this.since(from, kind).slice(-5));
      throw new Error(`the page told ${kind} ${got}, expected ${JSON.stringify(value)}`, { cause });
    });
  }
}

const SCRIPT = `
let told = Promise.resolve();
const tell = (kind, value = "", dx = 0, dy = 0) => {
  const body = JSON.stringify({ kind, value: String(value), dx, dy });
  told = told.then(() => fetch("/event", { method: "POST", keepalive: true, body })).catch(() => {});
};
new EventSource("/orders").onmessage = ({ data }) => {
  const { id, script } = JSON.parse(data);
  // Kept beyond this page: an order to leave it is not done again by the next one.
  if (sessionStorage.getItem(id) === null) {
    sessionStorage.setItem(id, "done");
    (0, eval)(script);
  }
  requestAnimationFrame(() => tell("ordered", id));
};
addEventListener("mousemove", (e) => {
  const x = e.screenX - e.clientX, y = e.screenY - e.clientY;
  if (window.originX !== x || window.originY !== y) { window.originX = x; window.originY = y; tell("mouse", "", x, y); }
});
addEventListener("load", () => requestAnimationFrame(() => tell("loaded", location.pathname)));
`;

function html(title: string, style: string, body: string, script = ""): string {
  return `<!doctype html><meta charset=utf-8><title>${title}</title>
<style>* { caret-color: transparent; box-sizing: border-box } body { margin: 0; background: #fff; font: 16px monospace; overflow-anchor: none }
.at { position: absolute } ${style}</style>${body}<script>${SCRIPT}${script}</script>`;
}

function box(id: string, x: number, y: number, width: number, height: number, more = ""): string {
  return `#${id} { left: ${x}px; top: ${y}px; width: ${width}px; height: ${height}px; ${more} }`;
}

function main(): string {
  const style = [
    box("save", 10, 10, 100, 30),
    box("link", 130, 15, 80, 20),
    box("dead", 460, 10, 120, 30, "background: #eee"),
    box("out", 230, 10, 220, 30, "border: 1px solid #888; white-space: nowrap; overflow: hidden"),
    box("name", 10, 50, 200, 26),
    box("area", 10, 90, 200, 60, "resize: none"),
    box("para", 230, 50, 340, 20, "white-space: nowrap"),
    box("source", 10, 170, 60, 40, "background: #9c9"),
    box("target", 120, 170, 100, 40, "background: #ccc"),
    box("canvas", 240, 90, 200, 120, "border: 1px solid #000"),
    box("choice", 10, 230, 150, 26),
    box("hover", 180, 230, 100, 26, "background: #ddf"),
    "#hover:hover { background: #f88 }",
    box("open", 300, 230, 100, 26),
    "#dialog { position: fixed; margin: 0; left: 60px; top: 300px; width: 300px; height: 150px; transition: none } #dialog::backdrop { background: transparent }",
    box("close", 40, 50, 100, 26),
    box("slow", 10, 275, 100, 20),
    box("long", 130, 275, 100, 20),
    box("moving", 460, 90, 24, 24, "background: #44f"),
    box("clock", 460, 130, 90, 20, "overflow: hidden"),
  ].join("\n");
  const body = `<button class=at id=save>Save</button><a class=at id=link href=/two>Page two</a>
<div class=at id=dead>nothing</div><div class=at id=out>-</div><input class=at id=name autocomplete=off spellcheck=false>
<textarea class=at id=area spellcheck=false></textarea><div class=at id=para>alpha bravo charlie delta</div>
<div class=at id=source draggable=true>drag</div><div class=at id=target>drop</div><canvas class=at id=canvas width=198 height=118></canvas>
<select class=at id=choice><option>one<option>two<option>three</select><div class=at id=hover>hover</div>
<button class=at id=open>Open</button><a class=at id=slow href=/slow>Slow</a><a class=at id=long href=/long>Long</a>
<div class=at id=moving></div><div class=at id=clock>00:00:00</div>
<dialog id=dialog>A question<button class=at id=close>Close</button></dialog>`;
  const script = `
const by = (id) => document.getElementById(id);
let saves = 0;
by("save").onclick = () => { by("out").textContent = "saved " + ++saves; tell("saved", saves); };
by("name").oninput = () => tell("name", by("name").value);
by("area").oninput = () => tell("area", by("area").value);
document.addEventListener("mouseup", () => setTimeout(() => tell("selected", getSelection().toString().trim()), 50));
by("source").ondragstart = (e) => e.dataTransfer.setData("text/plain", "card");
by("target").ondragover = (e) => e.preventDefault();
by("target").ondrop = (e) => { e.preventDefault(); by("target").textContent = "got it"; tell("dropped", e.dataTransfer.getData("text/plain")); };
let points = 0, last = null; const pen = by("canvas").getContext("2d"); pen.lineWidth = 3;
by("canvas").onpointerdown = (e) => { points = 1; last = [e.offsetX, e.offsetY]; by("canvas").setPointerCapture(e.pointerId); };
by("canvas").onpointermove = (e) => { if (!last) return; points++; pen.beginPath(); pen.moveTo(...last); last = [e.offsetX, e.offsetY]; pen.lineTo(...last); pen.stroke(); };
by("canvas").onpointerup = (e) => { last = null; tell("drawn", Math.round(e.offsetX) + "," + Math.round(e.offsetY)); };
by("choice").onchange = () => tell("chosen", by("choice").value);
by("hover").onmouseenter = () => tell("hovered", "in");
by("open").onclick = () => { by("dialog").showModal(); tell("dialog", "open"); };
by("close").onclick = () => { by("dialog").close(); tell("dialog", "closed"); };
addEventListener("keydown", (e) => { if (e.ctrlKey && e.shiftKey && e.key.toLowerCase() === "y") { e.preventDefault(); by("out").textContent = "chord"; tell("chord", "y"); } });
addEventListener("contextmenu", (e) => { e.preventDefault(); by("out").textContent = "menu"; tell("menu", "open"); });
let timers = [];
const still = () => { timers.forEach(clearInterval); timers = []; by("moving").style.background = "#44f"; by("clock").textContent = "00:00:00"; };
const animate = () => { let on = false; timers.push(setInterval(() => { on = !on; by("moving").style.background = on ? "#f44" : "#44f"; }, 250)); };
const tick = () => { let n = 0; timers.push(setInterval(() => { by("clock").textContent = "00:00:" + String(++n % 60).padStart(2, "0"); }, 1000)); };
const later = (ms) => setTimeout(() => { by("out").textContent = "later"; tell("later", "done"); }, ms);
`;
  return html("Agents", style, body, script);
}

function other(name: string, colour: string): string {
  const lines = Array.from(
    { length: 20 },
    (_, i) => `<p style="margin:60px 20px -50px">${name}, line ${i}</p>`,
  );
  return html(
    "Agents",
    `body { background: ${colour} } ${box("back", 10, 10, 100, 30)}`,
    `<a class=at id=back href=/>Back</a>${lines.join("")}`,
  );
}

function long(): string {
  const lines = Array.from(
    { length: 160 },
    (_, i) => `<p style="margin:8px 20px">${i}: ${(i * 7919) % 10_007} ${"x".repeat(i % 37)}</p>`,
  );
  return html(
    "Agents",
    "",
    lines.join(""),
    'addEventListener("scroll", () => tell("scrolled", Math.round(scrollY)));',
  );
}
