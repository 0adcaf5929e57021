import { chromium } from "playwright-core";
import t from "tap";
import { servePages, TEN } from "../../../bench/snapshot-pages.ts";
import { containersBeyond } from "../../../src/browser/page/frame-tree.ts";
import { loadPlainParts, standWell } from "../../../src/browser/page/plain-parts.ts";
import { linesOf } from "../../../src/browser/page/tree-lines.ts";
import { slimNodes, type TreeNode } from "../../../src/browser/wire/tree-nodes.ts";
import { loadTreePart } from "../../../src/extension/tree-part.ts";
import { requirePeers } from "../harness/peers.ts";
import { ODD_PAGES } from "./odd-pages.ts";

// What the page itself tells of its plain elements, beside Chromium's own accessibility tree of all of it.

/** Elements that hold more are looked into, so that plain ones are found in small pages as well. */
const LARGE = [2, 5, 12];
const ALL = 1_000_000;

t.test("what a page tells of its plain elements is what Chromium does", { timeout: 300_000 }, async (t) => {
  if (!requirePeers(t, ["chromium"])) return;
  const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
  t.teardown(() => browser.close());
  const page = await browser.newPage();
  page.setDefaultTimeout(0);
  const session = await page.context().newCDPSession(page);
  // biome-ignore lint/suspicious/noExplicitAny: each method has parameters of its own
  const send = async (method: any, params: object): Promise<unknown> => session.send(method, params as any);
  const printed = async (nodes: readonly TreeNode[]): Promise<string[]> => {
    const lines = await linesOf(
      { session: null, nodes },
      { refOf: ({ node }) => `e${node}`, frameIn: () => undefined },
    );
    return lines.map(({ depth, text }) => `${"  ".repeat(depth)}${text}`);
  };
  let plain = 0;
  let asked = 0;
  const compare = async (name: string): Promise<void> => {
    const whole = await printed(slimNodes(await session.send("Accessibility.getFullAXTree")));
    for (const large of LARGE) {
      const expression = `${containersBeyond(large)}(0, ${ALL})`;
      const containers = (await session.send("Runtime.evaluate", { expression })).result.objectId ?? "";
      const parts = await loadPlainParts(send, containers);
      const known = new Map([...parts].map(([id, { length }]) => [id, length]));
      const nodes: TreeNode[] = [];
      const part = { containers, most: ALL, plain: known };
      const unasked = await loadTreePart(send, part, (some) => nodes.push(...some));
      // Chromium numbers the mark of an item otherwise: such a page is loaded whole, and so is one whose tables are none.
      if (unasked === null || !standWell(nodes, parts)) continue;
      asked += nodes.length;
      plain += unasked.plain.length;
      nodes.push(...unasked.plain.flatMap((id) => parts.get(id) ?? []));
      t.same(await printed(nodes), whole, `${name}, elements of more than ${large} looked into`);
    }
  };
  const url = await servePages(t);
  for (const name of TEN) {
    await page.goto(`${url}/${name}`);
    await compare(name);
  }
  for (const [name, content] of Object.entries(ODD_PAGES)) {
    await page.setContent(`<!doctype html>${content}`);
    // What is not drawn for it is out of sight is known once the page was.
    await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
    await compare(name);
  }
  t.ok(plain > 200 && asked > 1000, `${plain} parts were told by pages, ${asked} nodes by Chromium`);
});
