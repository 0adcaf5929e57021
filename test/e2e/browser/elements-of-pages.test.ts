import t from "tap";
import * as z from "zod";
import { until } from "../../support/until.ts";
import { requirePeers } from "../harness/peers.ts";
import type { Shot } from "../harness/xwd.ts";
import { openSharedBrowser } from "./shared-browser.ts";

// The desktop's own tools answer from the page where a shared tab is seen, against what the display itself shows.

const PATIENCE_MS = 600_000;

const told = z.object({
  elements: z.array(
    z.object({
      ...{ id: z.string(), kind: z.string(), label: z.string().nullable(), source: z.string() },
      box: z.object({ x: z.number(), y: z.number(), width: z.number(), height: z.number() }),
      ...{ tab_id: z.string().optional(), ref: z.string().optional(), role: z.string().optional() },
    }),
  ),
  unseen: z.array(z.object({ role: z.string(), label: z.string().nullable(), why: z.string() })),
  unseen_tabs: z.array(z.object({ tab_id: z.string(), why: z.string() })),
});

function colourAt({ width, rgba }: Shot, x: number, y: number): string {
  return [...rgba.subarray((y * width + x) * 4, (y * width + x) * 4 + 3)].join();
}

t.test(
  "elements of a shared tab are told and marked where a desktop shows them",
  {
    timeout: PATIENCE_MS,
  },
  async (t) => {
    if (!requirePeers(t, ["chromium", "Xtigervnc", "openbox", "xdotool"])) return;
    const { site, display, agent } = await openSharedBrowser(t, "820,700");
    const { tab_id } = await agent.call("browser_create_tab", { url: `${site.url}/` });
    const tab = String(tab_id);
    // What the buttons are is painted in colours that nothing else has.
    const paint =
      "for (const [id, colour] of [['save','#13a7c9'],['al','#a713c9']]) document.getElementById(id).style.background = colour; null";
    await agent.call("browser_execute_js", { tab_id, code: paint });
    const look = async (args: Record<string, unknown> = {}) =>
      told.parse(await agent.call("get_elements", args));
    const save = await until("the button to be told by its page", async () => {
      const { elements } = await look({ label: "save", role: "button" });
      return elements.find(({ source }) => source === "dom") ?? null;
    });
    t.match(save, { kind: "button", label: "Save", tab_id: tab, role: "button", id: `${tab}:${save.ref}` });
    const shot = await display.shot();
    const { x, y, width, height } = save.box;
    t.equal(colourAt(shot, x + 4, y + (height >> 1)), "19,167,201", "its box is where the display shows it");
    t.equal(colourAt(shot, x + width - 5, y + (height >> 1)), "19,167,201");
    t.not(colourAt(shot, x - 3, y + (height >> 1)), "19,167,201", "and no more");

    // What is at a point.
    const at = await look({ region: { x: x + 5, y: y + 5, width: 1, height: 1 } });
    t.match(
      at.elements.find(({ source }) => source === "dom"),
      { label: "Save" },
    );
    t.same(
      at.elements.filter(({ source }) => source === "pixels"),
      [],
      "an element is told once",
    );

    // What cannot be seen says so.
    const all = await look();
    const why = (label: string) => all.unseen.find((each) => each.label === label)?.why;
    t.equal(why("Covered"), "covered in the page");
    t.equal(why("Far away"), "out of view");
    const names = all.elements.flatMap(({ source, label }) => (source === "dom" ? [label] : []));
    for (const name of ["Name", "Country", "Open shadow", "Closed shadow"]) t.ok(names.includes(name), name);
    t.ok(
      names.includes("Pay now") || why("Pay now") === "out of view",
      "what is in frames of other sites, too",
    );
    t.match((await look({ role: "textbox", label: "name" })).elements, [{ kind: "field", label: "Name" }]);

    // The click that it is told for.
    await t.rejects(agent.call("click_element", { element_id: save.id }), { message: /browser_click/ });
    await agent.call("browser_click", { tab_id: save.tab_id, ref: save.ref });

    // Marks: a frame in a colour of its own around the element.
    const marked = await agent.shot({ marks: true });
    const plain = await agent.shot();
    const differs = (px: number, py: number) => colourAt(marked, px, py) !== colourAt(plain, px, py);
    const edges = Array.from({ length: 9 }, (_, off) => differs(x - 4 + off, y + (height >> 1)));
    t.ok(edges.includes(true), "the element is framed in the picture");

    // A window over the button, another tab before it, and a window over all of it.
    await display.openTerminal("over", `40x5+${x - 30}+${y - 30}`, "sleep 600");
    const covered = await until("the button to be covered by a window", async () => {
      const seen = await look();
      return seen.unseen.find(({ label }) => label === "Save") ?? null;
    });
    t.equal(covered.why, "covered or masked on the desktop");
    t.ok(
      (await look()).elements.some(({ source, label }) => source === "dom" && label === "Remove me"),
      "what lies beside the window is still told",
    );
    await agent.call("browser_create_tab", { url: `${site.url}/two` });
    const hidden = "in the background, minimized or covered";
    t.equal((await look()).unseen_tabs.find((each) => each.tab_id === tab)?.why, hidden);
  },
);
