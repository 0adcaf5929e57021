import { setImmediate as nextTurn } from "node:timers/promises";
import { Scene as Overlays } from "../../src/compositor/scene.ts";
import { Display } from "../../src/desktop/picture/display.ts";
import { fitSize } from "../../src/desktop/picture/fit.ts";
import { Framebuffer } from "../../src/framebuffer/framebuffer.ts";
import { publishDamage } from "../../src/framebuffer/publish.ts";
import { rect } from "../../src/framebuffer/rect.ts";
import { Region } from "../../src/framebuffer/region.ts";
import { findScroll } from "../../src/framebuffer/scroll/scroll.ts";
import { jpegTurbo } from "../../src/imaging/jpeg/jpeg-turbo.ts";
import { LivePicture } from "../../src/imaging/live-picture.ts";
import { PngStrips } from "../../src/imaging/png/png-strips.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { nodeDeflate } from "../../src/platform/node-zlib.ts";
import { DrawnDesktop } from "../../test/web/drawn-desktop.ts";
import { judged, type Line } from "../line.ts";
import { FastViewer, type FastViewerKind } from "./fast-viewer.ts";
import type { Scene } from "./scene.ts";

const RUNS = 25;
/** Of updates that are 16 times as large. */
const LARGE_RUNS = 5;
/** Pixels, within a millisecond. */
const PAINTED_A_TURN = 7680 * 32;
const LIMIT_MS = 5;

/** What a loop does that others share well: it works for so long and then lets them have a turn. */
const FAIR_MS = 3;
const FAIR_TURNS = 8;

/** P3: the longest that others wait for a turn while all of a full HD screen changes. */
export async function benchTurns(scene: Scene, isShort: boolean): Promise<Line[]> {
  const { frame, picture, name } = scene;
  const ports = { deflate: nodeDeflate, jpeg: jpegTurbo };
  const runs = isShort ? 1 : RUNS;
  const small = new LivePicture(frame, fitSize(frame, "claude"), ports);
  const native = await longestTurn(runs, () => new PngStrips(nodeDeflate).encode(picture));
  const fitted = await longestTurn(runs, () => {
    small.invalidate(Region.of(frame.rect));
    return small.png(picture);
  });
  const published = await longestTurn(runs, publishing(scene));
  const large = await longestTurn(isShort ? 1 : LARGE_RUNS, publishingLarge(scene));
  const continuous = await longestTurn(runs, showing(scene, "continuous"));
  const asking = await longestTurn(runs, showing(scene, "asking"));
  const counted = await longestTurn(runs, showing(scene, "counted"));
  const machine = await longestTurn(runs, fairLoop);
  const line = (what: string, ours: number): Line =>
    judged({
      id: "P3",
      metric: `${what}, longest turn, ${name}`,
      unit: "ms",
      ours,
      peer: `a loop that works ${FAIR_MS} ms a turn, now`,
      theirs: machine,
      goal: { within: LIMIT_MS },
    });
  return [
    line("PNG, everything changed", native),
    line("PNG as models see it, everything changed", fitted),
    line("all of the screen to a viewer with continuous updates", continuous),
    line("all of the screen to a viewer that asks, with LastRect", asking),
    line("all of the screen to a viewer that asks, without LastRect", counted),
    line("a scroll that is looked for and published", published),
    line("all of 7680x4320 changed and published", large),
  ];
}

/** An update that scrolls the whole screen as new pixels: what the desktop does before anybody hears of it. */
function publishing({ frame }: Scene): () => Promise<void> {
  const { width, height } = frame;
  const shown = new Framebuffer(width, height, { hasKernels: true });
  const decoded = new Framebuffer(width, height);
  const whole = Region.of(frame.rect);
  return async () => {
    shown.words.set(frame.words);
    decoded.words.set(frame.words);
    decoded.copy(0, 40, rect(0, 0, width, height - 40));
    await nextTurn();
    if (findScroll(shown, decoded, whole) === null) throw new Error("P3: the scroll was not found");
    publishDamage(decoded, shown, whole);
  };
}

/** A desktop of 7680x4320 of which everything changes: copies of the scene, each time by another way around. */
function publishingLarge({ frame }: Scene): () => Promise<void> {
  const events = { changed: () => {}, resized: () => {}, whole: () => {}, watched: () => {} };
  const display = new Display(new Overlays(systemClock), systemClock, events);
  const decoded = new Framebuffer(7680, 4320, { hasKernels: true, canRest: true });
  const whole = Region.of(decoded.rect);
  display.begin([]);
  display.update(decoded, whole, []);
  let run = 0;
  return async () => {
    decoded.paint(decoded.rect);
    const { words } = decoded;
    const shift = ++run * 997;
    for (let at = 0; at < words.length; ) {
      const from = (at + shift) % frame.words.length;
      const part = frame.words.subarray(from, from + Math.min(PAINTED_A_TURN, words.length - at));
      words.set(part, at);
      at += part.length;
      // What paints it is not what is measured.
      await nextTurn();
    }
    await display.update(decoded, whole, [])?.done;
    const shown = display.shownTo("agent").frame?.words[0];
    if (shown !== frame.words[shift % frame.words.length]) throw new Error("P3: the update is not shown");
  };
}

/** A viewer that is shown another picture, whole. */
function showing({ frame }: Scene, kind: FastViewerKind): () => Promise<void> {
  const desktop = new DrawnDesktop(frame.width, frame.height);
  const viewer = new FastViewer(desktop, kind);
  let run = 0;
  return async () => {
    desktop.frame.words.set(frame.words);
    // Nothing that it had been sent before serves again.
    desktop.frame.fill(rect(0, 0, frame.width, 1), ++run);
    await nextTurn();
    desktop.changed(Region.of(frame.rect));
    await viewer.whenSeen();
  };
}

async function fairLoop(): Promise<void> {
  for (let turn = 0; turn < FAIR_TURNS; turn++) {
    const endMs = performance.now() + FAIR_MS;
    while (performance.now() < endMs);
    await nextTurn();
  }
}

/** The median of the longest turns of the runs. */
async function longestTurn(runs: number, work: () => Promise<unknown>): Promise<number> {
  const longest: number[] = [];
  for (let run = 0; run < runs; run++) {
    let isOver = false;
    let last = moment();
    let most = 0;
    const turn = (): void => {
      const now = moment();
      // A thread works no longer than time passes, and no longer than its process: what it waited for a processor is
      // left out, what other threads did as well.
      most = Math.max(most, Math.min(now.wallMs - last.wallMs, now.cpuMs - last.cpuMs));
      last = now;
      if (!isOver) setImmediate(turn);
    };
    setImmediate(turn);
    await work();
    // The turn that ended the work counts as well.
    await nextTurn();
    isOver = true;
    longest.push(most);
  }
  longest.sort((a, b) => a - b);
  return longest[runs >> 1] ?? 0;
}

function moment(): { readonly wallMs: number; readonly cpuMs: number } {
  const { user, system } = process.cpuUsage();
  return { wallMs: performance.now(), cpuMs: (user + system) / 1000 };
}
