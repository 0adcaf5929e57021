import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Rect } from "../src/framebuffer/rect.ts";
import { XDisplay } from "../test/e2e/harness/x-display.ts";
import type { Owner } from "../test/support/program.ts";
import { until } from "../test/support/until.ts";
import { openChromium, pageHtml } from "./scene.ts";

export const SCREEN = { width: 1280, height: 720 } as const;

/** What moves on a display of its own. */
export interface Moving {
  readonly display: XDisplay;
  /** A part of the screen in which each new picture differs from the one before. */
  readonly watched: Rect;
  /** The program that moves it, with all its children. */
  readonly pid: number;
  /** Where a clock may be drawn, which nothing covers: in the film where there is one. */
  readonly clockAt: { readonly x: number; readonly y: number };
}

type Moved = Pick<Moving, "pid" | "watched"> & Partial<Moving>;

interface MovingScene {
  readonly name: string;
  open(display: XDisplay, folder: string): Promise<Moved>;
}

/** What is encoded as H.264 where an encoder is installed. */
export const FILM = "a film of 640x360";

export const MOVING_SCENES: readonly MovingScene[] = [
  { name: "text that scrolls, random words", open: (...on) => openLines(...on, true) },
  { name: "text that scrolls, lines alike", open: (...on) => openLines(...on, false) },
  { name: "a dragged window", open: openDragged },
  { name: "a page that scrolls", open: openPage },
  { name: FILM, open: openFilm },
];

export async function openMoving(owner: Owner, folder: string, { open }: MovingScene): Promise<Moving> {
  const display = await XDisplay.start(owner, { geometry: `${SCREEN.width}x${SCREEN.height}` });
  await display.openWindowManager();
  return { display, clockAt: { x: 8, y: SCREEN.height - 40 }, ...(await open(display, folder)) };
}

/** About sixty lines a second; each with its number, so that no two are the same. */
const LINES = `
  const areRandom = process.argv[2] === "true";
  const words = "quick brown fox jumps over lazy dogs while seventeen wizards make toxic brew for queens".split(" ");
  let [count, random] = [0, 1];
  setInterval(() => {
    const line = [String(count++).padStart(8, "0")];
    for (let i = 0; i < 13; i++) {
      random = (Math.imul(random, 1103515245) + 12345) & 0x7fffffff;
      line.push(words[(areRandom ? random >> 16 : i) % words.length]);
    }
    console.log(line.join(" ").slice(0, 88));
  }, 16);`;

async function openLines(display: XDisplay, folder: string, areRandom: boolean): Promise<Moved> {
  const pidFile = join(folder, "lines.pid");
  const script = join(folder, "lines.js");
  writeFileSync(script, LINES);
  const run = `echo $$ > '${pidFile}'; exec '${process.execPath}' '${script}' ${areRandom}`;
  const window = await display.openTerminal("lines", "90x38+200+20", run);
  const pid = await until("the pid of what writes lines", () => Number(readOr(pidFile)) || null);
  const { x, y, height } = await display.placeOf(window);
  // The last digits of the numbers.
  return { pid, watched: { x: x + 32, y: y + 4, width: 40, height: height - 8 } };
}

/** Writes steps as a clock has them, sixty a second: what is late catches up, as a mouse is not slowed by who looks on. */
const STEPS = `
  const [, , window] = process.argv;
  const startedAtMs = performance.now();
  let count = 0;
  const step = () => {
    const due = Math.floor((performance.now() - startedAtMs) / 16);
    if (due > count) {
      count = due;
      const way = ((count % 240) / 240) * 2 * Math.PI;
      const [x, y] = [300 + 250 * Math.cos(way), 140 + 120 * Math.sin(way)];
      process.stdout.write("windowmove " + window + " " + Math.round(x) + " " + Math.round(y) + " windowraise " + window + "\\n");
    }
    setTimeout(step, startedAtMs + (count + 1) * 16 - performance.now());
  };
  step();`;

/** A mouse tells of itself about sixty times a second; so does this, of a window of text. */
async function openDragged(display: XDisplay, folder: string): Promise<Moved> {
  const text = "seq -w 1 3000 | tr '\\n' ' '; exec cat";
  const window = await display.openTerminal("dragged", "80x24+100+100", text);
  const { width, height } = await display.placeOf(window);
  const script = join(folder, "steps.js");
  writeFileSync(script, STEPS);
  // What raises it is there to be sent at once: xdotool 3.20160805 keeps moves alone until it ends.
  const { pid } = display.program("sh", "-c", `'${process.execPath}' '${script}' ${window} | xdotool -`);
  if (pid === undefined) throw new Error("no process moves the window: xdotool was not started");
  // A place that the window never leaves, higher than a line of its text: between two lines rows are blank, and a move of
  // few pixels would not be seen.
  const watched = { x: 560, y: Math.round(260 + height / 4), width: 50 + width - 570, height: 24 };
  return { pid, watched };
}

async function openPage(display: XDisplay, folder: string): Promise<Moved> {
  const file = join(folder, "page.html");
  writeFileSync(file, await pageHtml());
  const { pid } = openChromium(display, folder, pathToFileURL(file).href);
  if (pid === undefined) throw new Error("no page scrolls: chromium was not started");
  const { x, y, height } = await display.placeOf(await display.windowOf("bench page"));
  const bottom = Math.min(y + height, SCREEN.height);
  return { pid, watched: { x: x + 240, y, width: 16, height: bottom - y } };
}

async function openFilm(display: XDisplay): Promise<Moved> {
  const window = ["-noborder", "-left", "300", "-top", "160", "-window_title", "film"];
  const source = "testsrc2=size=640x360:rate=25,noise=alls=20:allf=t";
  const { pid } = display.program("ffplay", "-loglevel", "error", ...window, "-f", "lavfi", source);
  if (pid === undefined) throw new Error("no film runs: ffplay was not started");
  const place = await display.placeOf(await display.windowOf("film"));
  const clockAt = { x: place.x + 160, y: place.y + 320 };
  return { pid, watched: { ...place, y: place.y + 180, height: 2 }, clockAt };
}

/** Stops a program with all its children, or lets them go on; a child may end meanwhile. */
export function hold(pid: number, isHeld: boolean): void {
  try {
    process.kill(pid, isHeld ? "SIGSTOP" : "SIGCONT");
  } catch {
    return;
  }
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    const children = readOr(`/proc/${pid}/task/${thread}/children`).trim();
    for (const child of children === "" ? [] : children.split(" ")) hold(Number(child), isHeld);
  }
}

function readOr(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
