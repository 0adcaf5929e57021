import t from "tap";
import { Refs } from "../../src/browser/page/refs.ts";
import { type FrameTree, linesOf, subtreeOf, textOfLines } from "../../src/browser/page/tree-lines.ts";
import { slimNodes, type TreeNode } from "../../src/browser/wire/tree-nodes.ts";

const text = (value: unknown) => ({ value });

const PAGE: readonly TreeNode[] = slimNodes({
  nodes: [
    {
      nodeId: "1",
      role: text("RootWebArea"),
      name: text("Shop"),
      childIds: ["2", "3", "4", "5", "9"],
      backendDOMNodeId: 1,
    },
    {
      nodeId: "2",
      role: text("heading"),
      name: text("Orders"),
      backendDOMNodeId: 2,
      childIds: ["6"],
      properties: [{ name: "level", value: text(1) }],
    },
    { nodeId: "6", role: text("StaticText"), name: text("Orders"), backendDOMNodeId: 6 },
    { nodeId: "3", ignored: true, role: text("none"), childIds: ["7"], backendDOMNodeId: 3 },
    {
      ...{ nodeId: "7", role: text("textbox"), name: text("Name"), value: text("Ada"), backendDOMNodeId: 7 },
      properties: [
        { name: "focused", value: text(true) },
        { name: "required", value: text(false) },
        { name: "invalid", value: text("false") },
        { name: "url", value: text("https://secret.example") },
      ],
    },
    { nodeId: "4", role: text("StaticText"), name: text(" Two \n words "), backendDOMNodeId: 4 },
    { nodeId: "5", role: text("Iframe"), name: text("Pay"), backendDOMNodeId: 5, childIds: ["1"] },
    { nodeId: "9", role: text("generic"), backendDOMNodeId: 9, childIds: ["9", "10"] },
  ],
});
const FRAME: FrameTree = {
  session: "S",
  nodes: [
    { nodeId: "1", role: "RootWebArea", childIds: ["2"] },
    { nodeId: "2", role: "button", name: "Pay now", backendDOMNodeId: 2 },
  ],
};

async function lines(refs = new Refs()) {
  return await linesOf(
    { session: null, nodes: PAGE },
    { refOf: (place) => refs.refOf(place), frameIn: ({ node }) => (node === 5 ? FRAME : undefined) },
  );
}

t.test("a tree is told as lines, frames within what shows them, each node once", async (t) => {
  const told = await lines();
  t.equal(
    textOfLines(told, 1000).text,
    [
      '- heading "Orders" [level=1] [ref=e1]',
      '- textbox "Name" [focused] [ref=e2]: "Ada"',
      "- text: Two words",
      '- Iframe "Pay" [ref=e3]',
      '  - button "Pay now" [ref=e4]',
    ].join("\n"),
  );
  t.notMatch(JSON.stringify(PAGE), /secret/, "what is not read stays in the browser");
});

t.test("nothing is said twice, and what is all of an element stands on its line", async (t) => {
  const node = (nodeId: string, role: string, name: string, ...childIds: string[]): TreeNode => ({
    ...{ nodeId, role, childIds, backendDOMNodeId: Number(nodeId) },
    ...(name === "" ? {} : { name }),
  });
  const nodes: readonly TreeNode[] = [
    node("1", "RootWebArea", "Shop", "2", "20", "30"),
    node("2", "row", "1 Close 1", "3", "5"),
    node("3", "cell", "1", "4"),
    node("4", "StaticText", "1"),
    node("5", "cell", "Close 1", "6"),
    node("6", "button", "Close 1", "7"),
    node("7", "StaticText", "Close 1"),
    { ...node("20", "listitem", "", "21", "23", "25"), states: { level: 1 } },
    node("21", "ListMarker", "", "22"),
    node("22", "StaticText", "•"),
    node("23", "button", "Archive", "24"),
    node("24", "StaticText", "x"),
    node("25", "time", "", "26"),
    node("26", "StaticText", "1 May"),
    { ...node("30", "textbox", "Field", "31"), value: "value 1" },
    { ...node("31", "generic", "", "32"), states: { editable: "plaintext" } },
    node("32", "StaticText", "value 1"),
  ];
  const refs = new Refs();
  const told = await linesOf(
    { session: null, nodes },
    { refOf: (place) => refs.refOf(place), frameIn: () => undefined },
  );
  t.equal(
    textOfLines(told, 1000).text,
    [
      "- row",
      '  - cell "1" [ref=e1]',
      "  - cell [ref=e2]",
      '    - button "Close 1" [ref=e3]',
      "- listitem [ref=e4]",
      '  - button "Archive" [ref=e5]: x',
      "  - time: 1 May",
      '- textbox "Field" [ref=e6]: "value 1"',
    ].join("\n"),
  );
  t.match(told[2], { role: "cell", name: "Close 1" }, "who asks for a name finds it");
});

t.test("a ref stays an element's, and is never another's", async (t) => {
  const refs = new Refs();
  const first = await lines(refs);
  t.same(await lines(refs), first);
  const place = refs.placeOf("e4");
  t.same(place, { session: "S", node: 2 });
  refs.clear();
  t.throws(() => refs.placeOf("e4"), { code: "ref_unknown" });
  t.equal((await lines(refs))[0]?.ref, "e5", "numbers are not given again");
  const many = new Refs();
  for (let node = 0; node <= 50_000; node++) many.refOf({ session: null, node });
  t.throws(() => many.placeOf("e1"), { code: "ref_unknown" }, "the oldest is forgotten");
  t.equal(many.placeOf("e50001").node, 50_000);
});

t.test("a part of a tree, and as much of it as fits", async (t) => {
  const told = await lines();
  t.equal(
    textOfLines(subtreeOf(told, "e3") ?? [], 1000).text,
    '- Iframe "Pay" [ref=e3]\n  - button "Pay now" [ref=e4]',
  );
  t.equal(subtreeOf(told, "e9"), null);
  const cut = textOfLines(told, 60);
  t.equal(cut.text, '- heading "Orders" [level=1] [ref=e1]');
  t.equal(cut.left, 4);
});

t.test("answers that are no trees give none, and deep ones do not overflow", async (t) => {
  for (const answer of [null, undefined, 5, "x", {}, { nodes: 5 }, { nodes: [null, 5, {}] }]) {
    t.ok(Array.isArray(slimNodes(answer)));
  }
  const deep: TreeNode[] = Array.from({ length: 30_000 }, (_, index) => ({
    ...{ nodeId: String(index), role: "group", name: `g${index}`, backendDOMNodeId: index },
    childIds: [String(index + 1)],
  }));
  const ports = { refOf: () => "e1", frameIn: () => undefined };
  t.equal((await linesOf({ session: null, nodes: deep }, ports)).length, 30_000);
  const endless: FrameTree = { session: null, nodes: [{ nodeId: "1", role: "Iframe", backendDOMNodeId: 1 }] };
  t.ok((await linesOf(endless, { ...ports, frameIn: () => endless })).length < 100, "a frame in itself ends");
});

t.test("what masks hide has a ref and no words, and no other line says them", async (t) => {
  const nodes: readonly TreeNode[] = [
    { nodeId: "1", role: "RootWebArea", name: "Bank", childIds: ["2", "3", "6"] },
    {
      nodeId: "2",
      role: "textbox",
      name: "Password",
      value: "hunter22",
      backendDOMNodeId: 2,
      childIds: ["7"],
    },
    { nodeId: "3", ignored: true, role: "none", childIds: ["4"], backendDOMNodeId: 3 },
    { nodeId: "4", role: "button", name: "Balance 4711", backendDOMNodeId: 4, childIds: ["5"] },
    { nodeId: "5", role: "StaticText", name: "Balance 4711", backendDOMNodeId: 5 },
    { nodeId: "6", role: "link", name: "See Balance 4711 now", value: "Balance 4711", backendDOMNodeId: 6 },
    { nodeId: "7", role: "StaticText", name: "hunter22", backendDOMNodeId: 8 },
  ];
  const refs = new Refs();
  const told = await linesOf(
    { session: null, nodes },
    {
      refOf: (place) => refs.refOf(place),
      frameIn: () => undefined,
      isHidden: ({ node }) => node === 2 || node === 3,
      scrub: (said) => said.split("Balance 4711").join("[hidden]"),
    },
  );
  t.equal(
    textOfLines(told, 1000).text,
    [
      '- textbox "Password" [hidden] [ref=e1]',
      "- generic [hidden] [ref=e2]",
      '- link "See [hidden] now" [ref=e3]: "[hidden]"',
    ].join("\n"),
  );
});
