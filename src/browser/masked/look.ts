import { numberIn, objectIn } from "../page/answers.ts";
import type { Box } from "../page/element-box.ts";
import { offsetOf } from "../page/element-box.ts";
import type { Page } from "../page/page.ts";
import type { ElementPlace, Session } from "../page/refs.ts";
import { heldExpression, lookExpression, waitExpression } from "./in-page-masks.ts";

/** An element that is hidden, CSS pixels of the tab's viewport. */
export interface HiddenBox {
  /** Index of its selector. */
  readonly selector: number;
  readonly box: Box;
}

/** Where the elements of a page are that masks hide, as the page knew after all that was on the screen when it was asked. */
export interface PageLook {
  readonly isHidden: boolean;
  /** Of the top frame. Where the page is on its desktop is another one when this is another. */
  readonly window: string;
  readonly size: { readonly width: number; readonly height: number };
  /** Pixels of the browser's window a CSS pixel. */
  readonly scale: number;
  readonly boxes: readonly HiddenBox[];
  /**
   * The same in two looks: nothing that is hidden moved between them. null: something did, and what is on its way to the
   * screen may still be from before.
   */
  readonly state: string | null;
  /** There are elements that are hidden, in view or not. */
  readonly hasElements: boolean;
}

/** A frame, and our own world in it. */
interface FrameWorld {
  readonly session: Session;
  readonly world: number;
  /** The iframe element that it is in; null: it is the tab's own. */
  readonly owner: ElementPlace | null;
}

/** Frames of one page that are looked at. */
const MOST_FRAMES = 40;

/** Looks at one page again and again. */
export class PageLooks {
  readonly #page: Page;
  #frames: { readonly changes: number; readonly all: readonly FrameWorld[] } | null = null;
  /** Where frames stood at the last look. */
  #offsets = "";
  readonly #waiting = new Set<number>();

  constructor(page: Page) {
    this.#page = page;
  }

  /** Rejects with BrowserError. */
  async look(selectors: readonly string[]): Promise<PageLook> {
    const frames = await this.#framesNow();
    // Of frames that are gone, were loaded anew or moved what was painted may still be on its way.
    const token = `${this.#frames?.changes} ${this.#offsets}`;
    const expression = lookExpression(selectors, token);
    const told = await Promise.all(
      frames.map(async ({ session, world }) => await this.#evaluate(session, world, expression)),
    );
    const top = objectIn(told[0]);
    const [width = 0, height = 0] = numbersOf(top["view"]);
    const size = { width, height };
    const boxes: HiddenBox[] = [];
    const offsets: unknown[] = [];
    for (const [index, frame] of frames.entries()) {
      const { places, isZoomed, isStuck } = objectIn(told[index]);
      const found = Array.isArray(places) ? places.map(numbersOf) : [];
      if (found.length === 0) continue;
      const within = await this.#frameBox(frame, size);
      if (frame.owner !== null) offsets.push([frame.world, within]);
      const [viewWidth = 0, viewHeight = 0] = numbersOf(objectIn(told[index])["view"]);
      // A frame that is scaled or does not paint, or a page that is zoomed by fingers, is hidden as a whole.
      const isWhole = isZoomed === true || isStuck === true || isScaled(within, viewWidth, viewHeight);
      for (const [selector = 0, left = 0, up = 0, right = 0, bottom = 0] of found) {
        const box = isWhole ? { ...within, x: 0, y: 0 } : boxOf(left, up, right, bottom);
        boxes.push({ selector, box: { ...box, x: box.x + within.x, y: box.y + within.y } });
      }
    }
    const before = this.#offsets;
    this.#offsets = JSON.stringify(offsets);
    const isQuiet = before === this.#offsets && told.every((one) => objectIn(one)["isQuiet"] === true);
    const stirs = told.map((one, index) => [
      frames[index]?.world,
      numberIn(one, "stirs"),
      objectIn(one)["isStuck"],
    ]);
    return {
      isHidden: top["isHidden"] === true,
      window: String(top["window"]),
      size,
      scale: Number(top["scale"] ?? 0),
      boxes: boxes
        .map(({ selector, box }) => ({ selector, box: clip(box, size) }))
        .filter(({ box }) => box.width > 0 && box.height > 0),
      state: isQuiet ? JSON.stringify([token, selectors, stirs]) : null,
      hasElements: told.some((one) => numberIn(one, "count") > 0),
    };
  }

  /** `wake` is called once when another look pays. */
  watch(selectors: readonly string[], wake: (hasFailed: boolean) => void): void {
    const expression = waitExpression(selectors);
    for (const { session, world } of this.#frames?.all ?? []) {
      if (this.#waiting.has(world)) continue;
      this.#waiting.add(world);
      void this.#evaluate(session, world, expression)
        .then(
          () => false,
          () => true,
        )
        .then((hasFailed) => {
          this.#waiting.delete(world);
          wake(hasFailed);
        });
    }
  }

  async #evaluate(session: Session, contextId: number, expression: string): Promise<unknown> {
    const params = { expression, contextId, returnByValue: true, awaitPromise: true };
    const answer = await this.#page.send("Runtime.evaluate", params, session);
    return objectIn(answer, "result")["value"];
  }

  async #framesNow(): Promise<readonly FrameWorld[]> {
    await this.#page.attach();
    const { changes } = this.#page;
    if (this.#frames?.changes !== changes) this.#frames = { changes, all: await worldsOf(this.#page) };
    return this.#frames.all;
  }

  /** What of the tab's viewport shows a frame. */
  async #frameBox({ owner }: FrameWorld, size: PageLook["size"]): Promise<Box> {
    if (owner === null) return { x: 0, y: 0, ...size };
    const found = await this.#page.send("DOM.getBoxModel", { backendNodeId: owner.node }, owner.session);
    const quad = numbersOf(objectIn(found, "model")["content"]);
    const [xs, ys] = [quad.filter((_n, i) => i % 2 === 0), quad.filter((_n, i) => i % 2 === 1)];
    const { x, y } = await offsetOf(this.#page, owner.session);
    const box = boxOf(Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys));
    return { ...box, x: box.x + x, y: box.y + y };
  }
}

/** What elements that are hidden say, and which nodes of a tree they are. */
export interface HiddenContent {
  /** "session:node" */
  readonly nodes: ReadonlySet<string>;
  /** The longest first. */
  readonly words: readonly string[];
}

const MOST_NODES = 500;

/** Of all frames. Rejects with BrowserError. */
export async function hiddenContent(page: Page, selectors: readonly string[]): Promise<HiddenContent> {
  const nodes = new Set<string>();
  const words = new Set<string>();
  if (selectors.length === 0) return { nodes, words: [] };
  const expression = heldExpression(selectors);
  for (const { session, world } of await worldsOf(page)) {
    const params = { expression, contextId: world };
    const held = objectIn(await page.send("Runtime.evaluate", params, session), "result")["objectId"];
    const call = async (
      functionDeclaration: string,
      returnByValue: boolean,
    ): Promise<Record<string, unknown>> =>
      objectIn(
        await page.send(
          "Runtime.callFunctionOn",
          { objectId: held, functionDeclaration, returnByValue },
          session,
        ),
        "result",
      );
    const told = objectIn(
      (await call("function(){ return {count: this.elements.length, words: this.words} }", true))["value"],
    );
    if (Array.isArray(told["words"])) for (const word of told["words"]) words.add(String(word));
    const count = Math.min(MOST_NODES, Math.max(0, numberIn(told, "count")));
    await Promise.all(
      Array.from({ length: count }, async (_one, index) => {
        const { objectId } = await call(`function(){ return this.elements[${index}] }`, false);
        const node = await page.send("DOM.describeNode", { objectId }, session);
        nodes.add(`${session ?? ""}:${numberIn(node, "node", "backendNodeId")}`);
      }),
    );
  }
  return { nodes, words: [...words].sort((a, b) => b.length - a.length) };
}

async function worldsOf(page: Page): Promise<readonly FrameWorld[]> {
  const all = await Promise.all(
    [null, ...page.frameSessions].map(async (session) => {
      try {
        const ids = await page.framesOf(session);
        return await Promise.all(
          ids.map(async (frameId, index) => ({
            session,
            world: await page.world(session, frameId),
            owner: index === 0 ? await page.ownerOf(session) : await ownerIn(page, session, frameId),
          })),
        );
      } catch (error) {
        // A frame that went away meanwhile is no longer a part of the page; without its top there is none.
        if (session === null) throw error;
        return [];
      }
    }),
  );
  return all.flat().slice(0, MOST_FRAMES);
}

async function ownerIn(page: Page, session: Session, frameId: string): Promise<ElementPlace> {
  const owner = await page.send("DOM.getFrameOwner", { frameId }, session);
  return { session, node: numberIn(owner, "backendNodeId") };
}

function numbersOf(list: unknown): readonly number[] {
  return Array.isArray(list) ? list.map(Number) : [];
}

function boxOf(left: number, top: number, right: number, bottom: number): Box {
  return { x: left, y: top, width: right - left, height: bottom - top };
}

function isScaled({ width, height }: Box, viewWidth: number, viewHeight: number): boolean {
  return Math.abs(width - viewWidth) > 1 || Math.abs(height - viewHeight) > 1;
}

function clip(box: Box, size: PageLook["size"]): Box {
  const x = Math.max(0, box.x);
  const y = Math.max(0, box.y);
  const right = Math.min(size.width, box.x + box.width);
  const bottom = Math.min(size.height, box.y + box.height);
  return { x, y, width: Math.max(0, right - x), height: Math.max(0, bottom - y) };
}
