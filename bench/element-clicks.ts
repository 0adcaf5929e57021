import { decodePicture } from "../src/compositor/picture-file.ts";
import type { Rect } from "../src/framebuffer/rect.ts";
import type { McpPorts } from "../src/mcp/tool/ports.ts";
import type { ScreenElement } from "../src/vision/elements/element.ts";
import { Elements } from "../src/vision/elements/elements.ts";
import { Engine } from "../src/vision/engine.ts";
import { CellReader } from "../src/vision/glyphs/cell-reader.ts";
import { readLines } from "../src/vision/read-line.ts";
import { LineCache } from "../src/vision/text/line-cache.ts";
import { type LineReader, TextIndex } from "../src/vision/text/text-index.ts";
import { callsTo } from "../test/mcp/call.ts";
import { fakeHouse } from "../test/mcp/fake-house.ts";
import { judged, type Line } from "./line.ts";
import { CONTROL_KINDS, type ControlScene, type TrueControl } from "./text/controls.ts";
import { Wording } from "./text/wording.ts";

const ID = "ELEMENTS";
const SEED = 91;
const TERMS = { except: [], firstNumber: 1, prefix: "e" } as const;
const never = new AbortController().signal;

/** What click_element did with controls that were drawn at random, on screens that changed since they were told. */
interface Draws {
  /** Clicked inside of the control that was meant, wherever it is by then. */
  inside: number;
  /** Clicked something else. */
  elsewhere: number;
  /** Refused: it is not on the screen any more. */
  gone: number;
  /** Refused, though it is there: how often, by what had changed. */
  readonly refused: Map<string, number>;
}

/**
 * How well controls are found, by kind, and clicked: each draw is a control as get_elements told it, a change of the screen, and
 * click_element. Throws where half of the clicks are elsewhere.
 */
export async function benchElementClicks(scenes: readonly ControlScene[], count: number): Promise<Line[]> {
  const [engine, cells] = [await Engine.open(), await CellReader.open()];
  await engine.use(["deu", "eng"]);
  const read: LineReader = (lines) => readLines(engine, cells, lines);
  const wording = new Wording(SEED);
  const draws: Draws = { inside: 0, elsewhere: 0, gone: 0, refused: new Map() };
  const kinds = new Map(CONTROL_KINDS.map((kind) => [kind, { there: 0, seen: 0, told: 0, right: 0 }]));
  for (const scene of scenes) {
    const screen = await Screen.open(scene, read);
    const elements = await screen.look();
    for (const [kind, sums] of kinds) {
      const there = scene.controls.filter((control) => control.kind === kind);
      const told = elements.filter((element) => element.kind === kind);
      const missed = there.filter(({ rect }) => !told.some((element) => holdsMiddle(rect, element.rect)));
      const wrong = told.filter((element) => !there.some(({ rect }) => holdsMiddle(rect, element.rect)));
      sums.there += there.length;
      sums.seen += there.length - missed.length;
      sums.told += told.length;
      sums.right += told.length - wrong.length;
      for (const { label } of missed) say(scene, `no ${kind}: ${label}`);
      for (const { label, rect } of wrong)
        say(scene, `${kind} that is none: ${label} ${JSON.stringify(rect)}`);
    }
    for (let drawn = 0; drawn < Math.ceil(count / scenes.length); drawn++) await screen.draw(wording, draws);
  }
  const clicks = draws.inside + draws.elsewhere;
  if (draws.inside < clicks / 2) throw new Error(`of ${clicks} clicks ${draws.inside} were inside`);
  const inVain = [...draws.refused].map(([what, count]) => `${count} ${what}`).join(", ");
  const refused = `${draws.gone} gone; still there: ${inVain || "none"}`;
  const share = (metric: string, ours: number, within: number): Line =>
    judged({
      ...{ id: ID, metric, unit: "%", ours, peer: "the goal", theirs: within, goal: { within } },
    });
  return [
    share(
      `clicks of ${clicks} on elements that are not inside (refused: ${refused})`,
      (100 * draws.elsewhere) / Math.max(1, clicks),
      0.5,
    ),
    ...[...kinds].flatMap(([kind, { there, seen, told, right }]) => [
      share(`${kind}: of ${there} not found`, 100 * (1 - seen / Math.max(1, there)), 5),
      share(`${kind}: of ${told} that are none`, 100 * (1 - right / Math.max(1, told)), 5),
    ]),
  ];
}

const say = ({ name }: ControlScene, what: string): void => void process.stderr.write(`${name}: ${what}\n`);

/** A desktop that shows a scene, and changes. */
class Screen {
  readonly #scene: ControlScene;
  readonly #size: { readonly width: number; readonly height: number };
  readonly #pixels: Uint32Array;
  readonly #index: TextIndex;
  readonly #read: LineReader;
  readonly #elements = new Elements();
  #generation = 0;

  private constructor(
    scene: ControlScene,
    width: number,
    height: number,
    pixels: Uint32Array,
    read: LineReader,
  ) {
    this.#scene = scene;
    this.#size = { width, height };
    this.#pixels = pixels;
    this.#index = new TextIndex(this.#size, new LineCache());
    this.#read = read;
  }

  static async open(scene: ControlScene, read: LineReader): Promise<Screen> {
    const { width, height, rgba } = await decodePicture(scene.file);
    const pixels = new Uint32Array(width * height);
    new Uint8Array(pixels.buffer).set(rgba);
    const screen = new Screen(scene, width, height, pixels, read);
    screen.#show(pixels);
    return screen;
  }

  async look(): Promise<readonly ScreenElement[]> {
    return (await this.#elements.now(this.#looked(), { area: null, ...TERMS })).elements;
  }

  /** Draws a control that was told, changes the screen, clicks, and shows the scene again. */
  async draw(wording: Wording, draws: Draws): Promise<void> {
    const told = await this.look();
    const known = this.#scene.controls.flatMap((control) => {
      const found = told.filter(({ kind, rect }) => kind === control.kind && holdsMiddle(control.rect, rect));
      return found.length === 1 && found[0] !== undefined ? [{ control, id: found[0].id }] : [];
    });
    const { control, id } = wording.pick(known);
    const { pixels, now, what } = this.#changed(control, wording);
    this.#show(pixels);
    const element: NonNullable<McpPorts["texts"]>["element"] = (_desktop, wanted) =>
      this.#elements.find(this.#looked(), { id: wanted, ...TERMS });
    const texts = {
      ...{ now: refuse, since: refuse, find: refuse, elements: refuse },
      element,
    };
    const { structured, error } = await callsTo(fakeHouse({ texts }))("click_element", { element_id: id });
    const { x, y }: { x?: number; y?: number } = Object(structured["actual_position"]);
    const code: unknown = Object(error).code;
    if (code === "element_gone" || code === "element_changed") {
      if (now === null) draws.gone++;
      else {
        draws.refused.set(what, (draws.refused.get(what) ?? 0) + 1);
        say(this.#scene, `${what}: ${control.kind} ${control.label} was refused: ${String(code)}`);
      }
    } else if (x === undefined || y === undefined) throw new Error(`click_element failed: ${String(code)}`);
    else if (now !== null && holds(now, x, y)) draws.inside++;
    else {
      draws.elsewhere++;
      say(this.#scene, `${what}: ${control.kind} ${control.label} was clicked at ${x},${y}`);
    }
    this.#show(this.#pixels);
  }

  /** The scene as it was, moved, or with something else where the control was; `now`: where that is by then. */
  #changed(
    { rect, kind }: TrueControl,
    wording: Wording,
  ): { pixels: Uint32Array; now: Rect | null; what: string } {
    const { width, height } = this.#size;
    const pixels = this.#pixels.slice();
    const paper = pixels[width + 1] ?? 0;
    const place = outer(rect);
    switch (wording.int(0, 4)) {
      case 0:
        return { pixels, now: rect, what: "nothing changed" };
      case 1: {
        const down = wording.int(5, 60);
        pixels.copyWithin(down * width, 0, (height - down) * width);
        pixels.fill(paper, 0, down * width);
        const now = { ...rect, y: rect.y + down };
        return { pixels, now: now.y + now.height <= height ? now : null, what: "moved" };
      }
      case 2:
        this.#fill(pixels, place, paper);
        return { pixels, now: null, what: "gone" };
      case 3: {
        // Another of its kind, as in a list that was sorted anew: what was meant stands where that was.
        const others = this.#scene.controls.filter((other) => other.kind === kind && other.rect !== rect);
        const other = outer(wording.pick(others).rect);
        this.#fill(pixels, other, paper);
        this.#fill(pixels, place, paper);
        this.#copy(pixels, other, place);
        this.#copy(pixels, place, other);
        const moved = { ...rect, x: other.x + rect.x - place.x, y: other.y + rect.y - place.y };
        // A field is told by its label, which stays: beside another one it may be refused, or followed by what is in it.
        const kindOfMove = kind === "field" ? "changed places, without its label" : "changed places";
        return { pixels, now: moved, what: kindOfMove };
      }
      default: {
        // A window of one colour over its half.
        const half = {
          ...place,
          x: place.x + (place.width >> 1),
          width: width - place.x - (place.width >> 1),
        };
        this.#fill(pixels, { ...half, y: Math.max(0, place.y - 30), height: place.height + 60 }, 0xff503828);
        // What is left of it may be pressed.
        return { pixels, now: { ...rect, width: half.x - rect.x }, what: "half covered" };
      }
    }
  }

  #fill(pixels: Uint32Array, { x, y, width, height }: Rect, colour: number): void {
    for (let row = Math.max(0, y); row < Math.min(this.#size.height, y + height); row++) {
      const from = row * this.#size.width;
      pixels.fill(colour, from + Math.max(0, x), from + Math.min(this.#size.width, x + width));
    }
  }

  /** The scene's pixels of one place to another, as far as they fit. */
  #copy(pixels: Uint32Array, from: Rect, to: Rect): void {
    for (let row = 0; row < from.height && to.y + row < this.#size.height; row++) {
      const at = (from.y + row) * this.#size.width + from.x;
      const end = at + Math.min(from.width, this.#size.width - to.x);
      pixels.set(this.#pixels.subarray(at, end), (to.y + row) * this.#size.width + to.x);
    }
  }

  #show(pixels: Uint32Array): void {
    const bytes = new Uint8Array(pixels.buffer, pixels.byteOffset, pixels.byteLength);
    this.#index.paint({ x: 0, y: 0, ...this.#size }, bytes);
    this.#index.settle(++this.#generation);
  }

  #looked(): Parameters<Elements["now"]>[0] {
    return { still: this.#index.still(), read: this.#read, signal: never };
  }
}

const refuse = (): Promise<never> => Promise.reject(new Error("nothing but elements here"));

/** Whole pixels around a control and its frame. */
function outer({ x, y, width, height }: Rect): Rect {
  const [left, top] = [Math.max(0, Math.floor(x) - 2), Math.max(0, Math.floor(y) - 2)];
  return { x: left, y: top, width: Math.ceil(x + width) + 2 - left, height: Math.ceil(y + height) + 2 - top };
}

function holds({ x, y, width, height }: Rect, atX: number, atY: number): boolean {
  return atX >= x && atX < x + width && atY >= y && atY < y + height;
}

const holdsMiddle = (outerRect: Rect, { x, y, width, height }: Rect): boolean =>
  holds(outerRect, x + width / 2, y + height / 2);
