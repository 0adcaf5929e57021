import { chromium } from "playwright-core";
import t from "tap";
import { containersBeyond } from "../../../src/browser/page/frame-tree.ts";
import { slimNodes, type TreeNode } from "../../../src/browser/wire/tree-nodes.ts";
import { loadTreePart } from "../../../src/extension/tree-part.ts";
import { requirePeers } from "../harness/peers.ts";

// What the extension loads of a large page in Debian's Chromium, beside the whole tree of the same page.

function repeat(count: number, one: (nth: number) => string): string {
  return Array.from({ length: count }, (_, index) => one(index + 1)).join("");
}

const PAGE = `<!doctype html><meta charset=utf-8><title>Large</title>
<style>li::before{content:"before"}ol::after{content:"after"}</style><h1>Orders</h1><div id=host></div>
<iframe srcdoc="<button>In a frame</button>"></iframe><input type=password value=canary-of-a-password>
<ol>${repeat(300, (n) => `<li><a href="#${n}">Link ${n}</a> text <input value=v${n}><span role=presentation>p</span></li>`)}</ol>
loose text<table><tbody>${repeat(2000, (n) => `<tr><td>${n}<td>Name of ${n}<td>open<td><button>Close ${n}</button></tr>`)}</table>
<p aria-owns=owned>owner<p id=owned>owned elsewhere<p hidden>hidden
<script>host.attachShadow({mode: 'open'}).innerHTML = Array.from({length: 200}, (_, n) => '<button>Shadow ' + n + '</button>').join('')</script>`;

/** In the order in which they are told, without what no line is made of. */
function inOrder(nodes: readonly TreeNode[]): TreeNode[] {
  const left = new Map(nodes.map((node) => [node.nodeId, node]));
  const open = [nodes[0]?.nodeId ?? ""];
  const found: TreeNode[] = [];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    const node = left.get(id);
    if (node === undefined) continue;
    left.delete(id);
    found.push(node);
    open.push(...[...(node.childIds ?? [])].reverse());
  }
  return found;
}

t.test("of a large page the beginning is loaded, as the whole has it", { timeout: 300_000 }, async (t) => {
  if (!requirePeers(t, ["chromium"])) return;
  const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
  t.teardown(() => browser.close());
  const page = await browser.newPage();
  page.setDefaultTimeout(0);
  await page.setContent(PAGE);
  const session = await page.context().newCDPSession(page);
  const whole = inOrder(slimNodes(await session.send("Accessibility.getFullAXTree")));
  t.ok(whole.length > 20_000, `${whole.length} nodes in the whole`);
  for (const most of [300, 4000, 1_000_000]) {
    const { result } = await session.send("Runtime.evaluate", {
      expression: `${containersBeyond(150)}(1000, ${most})`,
    });
    let told = 0;
    const call = async (method: string, params: object): Promise<unknown> => {
      if (
        method !== "Runtime.getProperties" &&
        method !== "Accessibility.getPartialAXTree" &&
        method !== "Accessibility.queryAXTree"
      )
        throw new Error(`${method} is asked for`);
      // biome-ignore lint/suspicious/noExplicitAny: each method has parameters of its own
      const answer: unknown = await session.send(method, params as any);
      const { nodes } = Object(answer);
      told += Array.isArray(nodes) ? nodes.length : 0;
      return answer;
    };
    const nodes: TreeNode[] = [];
    const asked = { containers: result.objectId ?? "", most, plain: new Map() };
    const left = (await loadTreePart(call, asked, (some) => nodes.push(...some)))?.left ?? null;
    const part = inOrder(nodes);
    t.same(part, whole.slice(0, part.length), "the same, in the same order");
    if (most > whole.length) {
      t.equal(left, 0);
      t.equal(part.length, whole.length);
    } else {
      t.ok(part.length >= most && part.length < most * 1.3 + 100, `${part.length} nodes for ${most}`);
      t.ok(told < most * 2 + 100, `Chromium told ${told}, with the boxes of texts`);
      t.ok((left ?? 0) > (most === 4000 ? 1500 : 0), `${left} are left`);
    }
    t.notMatch(JSON.stringify(nodes), /canary-of-a-password/);
  }
  const { result } = await session.send("Runtime.evaluate", {
    expression: `${containersBeyond(150)}(20000, 1000)`,
  });
  t.equal(result.value, null, "a page that may fit has no parts");
});
