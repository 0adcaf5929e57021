import t, { type Test } from "tap";
import { Generations } from "../../src/browser/page/generations.ts";
import { type Snapshot, takeSnapshot } from "../../src/browser/page/snapshot.ts";
import { subtreeOf, type TreeLine, textOfLines } from "../../src/browser/page/tree-lines.ts";
import { slimNodes, type TreeNode } from "../../src/browser/wire/tree-nodes.ts";
import { loadTreePart, treePartOf } from "../../src/extension/tree-part.ts";
import { attaches, type Call, openTab } from "./fake-tab.ts";
import { LargeTable } from "./large-table.ts";

const ROWS = 2000;

async function load(table: LargeTable, most: number, plain: ReadonlyMap<string, number> = new Map()) {
  const nodes: TreeNode[] = [];
  const asked = { containers: "array", most, plain };
  const unasked = await loadTreePart(table.call, asked, (some) => nodes.push(...some));
  return { nodes, left: unasked?.left ?? null, plain: unasked?.plain };
}

t.test("of a table only its beginning is loaded, in the order of the page", async (t) => {
  const table = new LargeTable(ROWS);
  const { nodes, left } = await load(table, 1000);
  t.ok(nodes.length >= 1000 && nodes.length < 1200, `${nodes.length} nodes`);
  t.ok(table.told < 1700, `${table.told} nodes were asked for, with the boxes of texts`);
  const rows = nodes.filter(({ role }) => role === "row").length;
  t.equal(left, ROWS - rows + 1, "each row and the link after them are left");
  const whole = new LargeTable(ROWS);
  const all = slimNodes(await whole.call("Accessibility.getFullAXTree", {}));
  t.equal(whole.told, 8 * ROWS + 5);
  t.same(nodes, all.slice(0, nodes.length), "the same as the beginning of the whole");
});

t.test(
  "what is about enough is asked for within one frame of the browser, and the rest in the next",
  async (t) => {
    for (const first of [undefined, 100, 170, 5000]) {
      const table = new LargeTable(ROWS, first === undefined ? {} : { first });
      let frames = 0;
      let frame: Promise<void> | null = null;
      // As Chromium does: what is asked for is answered when the next frame is drawn, all of it at once.
      const call = async (method: string, params: object): Promise<unknown> => {
        if (method === "Accessibility.queryAXTree") {
          frame ??= new Promise((resolve) => {
            setTimeout(() => {
              frames++;
              frame = null;
              resolve();
            });
          });
          await frame;
        }
        return await table.call(method, params);
      };
      const nodes: TreeNode[] = [];
      const sizes: number[] = [];
      const asked = { containers: "array", most: 1000, plain: new Map() };
      const unasked = await loadTreePart(call, asked, (some) => {
        nodes.push(...some);
        sizes.push(some.length);
      });
      t.ok(frames <= (first === undefined || first === 100 ? 2 : 1), `${frames} frames for first ${first}`);
      t.ok(nodes.length >= 1000 && nodes.length < (first === 5000 ? 4000 : 1200), `${nodes.length} nodes`);
      t.ok((unasked?.left ?? 0) > ROWS - 520, `${unasked?.left} are left`);
      t.ok(sizes.length <= nodes.length / 200 + frames, `${sizes.length} messages`);
    }
  },
);

t.test("what is known already is not asked for, and stands where it stood", async (t) => {
  const table = new LargeTable(ROWS);
  const known = new Map(
    [0, 1, 3, ...Array.from({ length: 500 }, (_, n) => n + 10)].map((row) => [String(table.rowId(row)), 6]),
  );
  const { nodes, left, plain } = await load(table, 1000, known);
  t.ok(table.told < 100, `${table.told} nodes were asked for`);
  const rows = nodes.filter(({ role }) => role === "row").map(({ nodeId }) => nodeId);
  t.same(
    rows,
    [2, 4, 5, 6, 7, 8, 9].map((row) => String(table.rowId(row))),
    "only those between them",
  );
  t.same(
    plain,
    [...known.keys()].slice(0, plain?.length),
    "in the order of the page, no more than asked for",
  );
  t.ok((plain?.length ?? 0) > 150 && (plain?.length ?? 0) < 170);
  t.equal(left, ROWS - rows.length - (plain?.length ?? 0) + 1);
});

t.test("all of a table is the whole of it", async (t) => {
  const { nodes, left } = await load(new LargeTable(40), 60_000);
  t.equal(left, 0);
  t.same(nodes, slimNodes(await new LargeTable(40).call("Accessibility.getFullAXTree", {})));
});

t.test("what goes away meanwhile is not there, and a page that does ends the load", async (t) => {
  const table = new LargeTable(40);
  table.remove(table.rowId(1));
  const { nodes, left } = await load(table, 60_000);
  t.equal(left, 0);
  t.equal(nodes.filter(({ role }) => role === "row").length, 39);
  const gone = new LargeTable(40);
  const call = (method: string, params: object): Promise<unknown> =>
    method === "Accessibility.queryAXTree"
      ? Promise.reject(new Error("Inspected target navigated or closed"))
      : gone.call(method, params);
  await t.rejects(
    loadTreePart(call, { containers: "array", most: 100, plain: new Map() }, () => {}),
    /navigated/,
  );
});

t.test("a browser that numbers its tree otherwise is asked for the whole", async (t) => {
  t.match(await load(new LargeTable(40, { offset: 3 }), 100), { nodes: [], left: null });
  t.equal(treePartOf(undefined), null);
  t.equal(treePartOf({ containers: 5, most: 1 }), null);
  const asked = { containers: "a", most: 1 };
  t.same(treePartOf({ ...asked, more: 2 }), { ...asked, plain: new Map() }, "a server of before");
  t.same(treePartOf({ ...asked, plain: [["5", 2], 7] }), { ...asked, plain: new Map([["5", 2]]) });
});

/** `isOld`: an extension of before, which knows of no parts. `hidden`: elements that masks hide, and what they say. */
interface TableTab {
  readonly isOld?: boolean;
  readonly hidden?: readonly { readonly node: number; readonly words: string }[];
}

/** A tab with the table, whose extension loads parts. */
async function openTable(t: Test, table: LargeTable, { isOld = false, hidden = [] }: TableTab = {}) {
  const answer = (call: Call): unknown => {
    const { id, method, params, part } = call;
    if (method === "Page.createIsolatedWorld") return { executionContextId: 1 };
    if (method === "Runtime.evaluate")
      return { result: { objectId: String(params["expression"]).includes(".held()") ? "held" : "array" } };
    if (method === "DOM.resolveNode") return { object: { objectId: `resolved ${params["backendNodeId"]}` } };
    if (method === "DOM.describeNode" && params["backendNodeId"] !== undefined)
      return { node: { frameId: "top", nodeName: "TR" } };
    if (method === "Runtime.callFunctionOn") {
      const [, inElement] = /^resolved (\d+)$/.exec(String(params["objectId"])) ?? [];
      if (inElement !== undefined) return { result: { objectId: `in ${inElement}` } };
      const [, index] = /elements\[(\d+)\]/.exec(String(params["functionDeclaration"])) ?? [];
      if (index !== undefined) return { result: { objectId: `element ${index}` } };
      return { result: { value: { count: hidden.length, words: hidden.map(({ words }) => words) } } };
    }
    if (method === "DOM.describeNode") {
      const index = Number(String(params["objectId"]).slice("element ".length));
      return { node: { backendNodeId: hidden[index]?.node } };
    }
    if (method === "Runtime.releaseObjectGroup") return {};
    if (method !== "Accessibility.getFullAXTree") return attaches(call);
    const post = (nodes: readonly TreeNode[]): void => {
      for (let at = 0; at < nodes.length; at += 200)
        tab.extension.say({ id, nodes: nodes.slice(at, at + 200) });
    };
    const wanted = isOld ? null : treePartOf(part);
    const load = async (): Promise<object> => {
      if (wanted !== null) return { ...(await loadTreePart(table.call, wanted, post)) };
      post(slimNodes(await table.call(method, params)));
      return {};
    };
    void load().then((result) => tab.extension.say({ id, success: true, result }));
    return undefined;
  };
  const tab = await openTab(t, answer, hidden.length === 0 ? [] : [".secret"]);
  return tab.page();
}

const CHARS = 5000;
const textOf = ({ lines }: Snapshot): string => textOfLines(lines, CHARS).text;

t.test(
  "what is shown of a large page is the same as of the whole, and what is left is counted",
  async (t) => {
    const table = new LargeTable(ROWS);
    const page = await openTable(t, table);
    const part = await takeSnapshot(page, { chars: CHARS });
    t.ok(table.told < 1500, `${table.told} nodes were asked for`);
    t.ok(part.left > ROWS - 200);
    const whole = await takeSnapshot(page);
    t.equal(whole.left, 0);
    t.equal(textOf(part), textOf(whole), "with the same refs");
    t.equal(textOf(part).length > CHARS - 100, true, "all that fits");
    const old = await takeSnapshot(await openTable(t, new LargeTable(ROWS), { isOld: true }), {
      chars: CHARS,
    });
    t.equal(old.left, 0, "an extension of before gives all");
    t.equal(textOf(old), textOf(part));
  },
);

t.test("what masks hide is hidden in a part as in the whole", async (t) => {
  const table = new LargeTable(ROWS);
  const node = table.rowId(1);
  const page = await openTable(t, table, {
    hidden: [
      { node, words: "Row 1 " },
      { node: 4711, words: "Close 3" },
    ],
  });
  const part = await takeSnapshot(page, { chars: CHARS });
  t.ok(part.left > ROWS - 200);
  const told = textOf(part);
  t.match(told, /row \[hidden\] \[ref=e\d+\]\n/, "that it is there is told");
  t.notMatch(told, /"Row 1"|"Close 1"/, "nothing in it is");
  t.notMatch(told, /Close 3/, "nor what others say of it");
  t.match(told, /"Row 2"/);
  t.equal(told, textOf(await takeSnapshot(page)));
});

t.test("where little is shown of what is loaded, more is", async (t) => {
  const table = new LargeTable(ROWS);
  const page = await openTable(t, table);
  const isShown = ({ role }: TreeLine): boolean => role === "button";
  const { lines } = await takeSnapshot(page, { chars: CHARS, isShown });
  t.ok(textOfLines(lines.filter(isShown), CHARS).text.length > CHARS - 100);
  t.ok(table.told < 10_000, `${table.told} nodes were asked for`);
  const all = new LargeTable(60);
  const few = await takeSnapshot(await openTable(t, all), { chars: CHARS, isShown: () => false });
  t.equal(few.left, 0, "nothing that is shown ends with the page");
});

t.test("a generation is of what was shown", (t) => {
  const line = (text: string): TreeLine[] => [
    {
      ...{ depth: 0, text, ref: null, role: "text", name: text },
      hasValue: false,
      isFramed: false,
      isActedOn: false,
    },
  ];
  const generations = new Generations();
  t.equal(generations.show(5000, line("a")), 1);
  t.equal(generations.count(null, line("a and more")), 2, "the whole is another view");
  t.equal(generations.show(5000, line("a")), 1, "what is shown is what it was");
  t.equal(generations.count(null, line("a and other")), 3);
  t.equal(generations.show(5000, line("a")), 1, "what changed is not in it");
  t.equal(generations.show(5000, line("b")), 4);
  t.equal(generations.show(null, line("a and other")), 5, "who saw a part sees another page in the whole");
  t.equal(generations.now, 5);
  for (let chars = 1; chars < 20; chars++) generations.show(chars, line("b"));
  t.equal(generations.show(5000, line("b")), 25);
  t.end();
});

t.test("of an element only what is in it is loaded, as the whole has it", async (t) => {
  const table = new LargeTable(ROWS);
  const page = await openTable(t, table);
  const whole = await takeSnapshot(page);
  const refs = whole.lines.filter(({ role }) => role === "button").map(({ ref }) => ref ?? "");
  const root = refs[1500] ?? "";
  table.told = 0;
  const part = await takeSnapshot(page, { chars: CHARS, root });
  t.same(part.lines, subtreeOf(whole.lines, root));
  t.match(textOf(part), /^- button "Close 1500" \[ref=e\d+\]$/);
  t.equal(part.left, 0);
  t.ok(table.told < 10, `${table.told} nodes were asked for`);
  const again = await takeSnapshot(page, { chars: CHARS, root });
  t.equal(again.since, part.since, "nothing changed in it");
  const old = await openTable(t, new LargeTable(ROWS), { isOld: true });
  await takeSnapshot(old);
  t.equal(textOf(await takeSnapshot(old, { chars: CHARS, root })), textOf(part), "an extension of before");
  await t.rejects(takeSnapshot(page, { chars: CHARS, root: "e999999" }), { code: "ref_unknown" });
});

t.test("what is hidden around an element hides it from who asks for that element alone", async (t) => {
  const table = new LargeTable(40);
  const hidden = [{ node: 4711, words: "said by none" }];
  const page = await openTable(t, table, { hidden });
  const [button] = (await takeSnapshot(page)).lines.filter(({ role }) => role === "button");
  const root = button?.ref ?? "";
  t.match(textOf(await takeSnapshot(page, { chars: CHARS, root })), /Close 0/);
  hidden.push({ node: table.rowId(0), words: "nor by any" });
  await t.rejects(takeSnapshot(page, { chars: CHARS, root }), { code: "ref_unknown" });
});
