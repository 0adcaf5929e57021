import { BrowserError } from "../error.ts";
import { numberIn, objectIn, textIn } from "./answers.ts";
import { DESCRIBE, SELECT } from "./in-page.ts";
import type { Page } from "./page.ts";
import type { ElementPlace } from "./refs.ts";

/** An element as people are asked about it. Role, name and host come from the page. */
export interface Target {
  readonly place: ElementPlace;
  readonly ref: string;
  readonly role: string;
  readonly name: string;
  /** Of the frame that it is in. */
  readonly host: string;
  readonly isEditable: boolean;
  readonly isSelect: boolean;
}

export interface TargetQuery {
  readonly ref?: string | undefined;
  readonly selector?: string | undefined;
}

/** The element of a ref or selector; null where neither is given. Rejects with BrowserError. */
export async function findTarget(page: Page, { ref, selector }: TargetQuery): Promise<Target | null> {
  await page.attach();
  if (ref !== undefined) return describe(page, page.refs.placeOf(ref), ref);
  if (selector === undefined) return null;
  const place = await select(page, selector);
  return describe(page, place, page.refs.refOf(place));
}

/** What the element is now. Rejects with BrowserError not_visible where it is gone. */
async function describe(page: Page, place: ElementPlace, ref: string): Promise<Target> {
  const gone = (cause?: unknown): BrowserError =>
    new BrowserError("not_visible", `${ref} is not in the page any more`, { cause });
  const told = await page.callOn(place.session, place.node, DESCRIBE).catch((error: unknown) => {
    if (error instanceof BrowserError && error.code === "browser_refused") throw gone(error);
    throw error;
  });
  if (told === null || typeof told !== "object") throw gone();
  const { role, name, host, isEditable, isSelect } = objectIn(told);
  return {
    ...{ place, ref, role: String(role), name: String(name), host: String(host) },
    ...{ isEditable: isEditable === true, isSelect: isSelect === true },
  };
}

async function select(page: Page, selector: string): Promise<ElementPlace> {
  const contextId = await page.world(null, null);
  const expression = `(${SELECT})(${JSON.stringify(selector)})`;
  const found = await page.send("Runtime.evaluate", { expression, contextId });
  const { exceptionDetails } = objectIn(found);
  if (exceptionDetails !== undefined) {
    throw new BrowserError(
      "ref_unknown",
      "got a selector that the browser does not understand, expected CSS",
    );
  }
  const list = textIn(found, "result", "objectId");
  const nth = async (index: number): Promise<number | null> => {
    const declaration = `function(){ return this[${index}] ?? null }`;
    const one = await page.send("Runtime.callFunctionOn", {
      objectId: list,
      functionDeclaration: declaration,
    });
    const objectId = textIn(one, "result", "objectId");
    if (objectId === "") return null;
    return numberIn(await page.send("DOM.describeNode", { objectId }), "node", "backendNodeId");
  };
  const first = await nth(0);
  if (first === null)
    throw new BrowserError("ref_unknown", "no element of the page's top frame matches the selector");
  if ((await nth(1)) !== null) {
    throw new BrowserError(
      "selector_ambiguous",
      "the selector matches several elements, expected one: use a ref",
    );
  }
  return { session: null, node: first };
}

/** "button "Save" on shop.example". What comes from the page is quoted. */
export function targetWords(target: Target | null, site: string): string {
  if (target === null) return `on ${site}`;
  const named = target.name === "" ? "" : ` ${JSON.stringify(target.name)}`;
  const frame = target.host === site || target.host === "" ? "" : `, in a frame of ${target.host}`;
  return `${target.role}${named} on ${site}${frame}`;
}

/** The host of the tab's top frame, as the browser says it. */
export async function siteOf(page: Page): Promise<string> {
  const url = textIn(await page.send("Page.getFrameTree"), "frameTree", "frame", "url");
  if (!URL.canParse(url)) return "a blank page";
  const { host, protocol } = new URL(url);
  return host === "" ? `a ${protocol.slice(0, -1)} page` : host;
}
