import { readFileSync } from "node:fs";
import t from "tap";
import { TOOL_ACTION_CLASSES } from "../../../scripts/docs-policy.ts";
import { TOOLS } from "../../../src/mcp/tools/list.ts";
import { requirePeers } from "../harness/peers.ts";
import { startTarget, TARGETS } from "../targets/target.ts";
import { OTHER_CELLS, openStage, playCells } from "./policy-cells-scenario.ts";
import { ACTING_CELLS } from "./tool-cells.ts";

t.test("every tool that acts has its cells", async (t) => {
  t.same(ACTING_CELLS.map(({ tool }) => tool).sort(), Object.keys(TOOL_ACTION_CLASSES).sort());
  const others = TOOLS.map(({ name }) => name).filter((name) => TOOL_ACTION_CLASSES[name] === undefined);
  t.same(OTHER_CELLS.map(({ tool }) => tool).sort(), others.sort(), "and so has every other tool");
  const rows = readFileSync(new URL("../../../docs/policy.md", import.meta.url), "utf8").matchAll(
    /^\| `(\w+)` \|/gm,
  );
  t.same(
    [...rows].map(([, name = ""]) => name).sort(),
    [...ACTING_CELLS, ...OTHER_CELLS].map(({ tool }) => tool).sort(),
    "and every row of docs/policy.md",
  );
});

for (const kind of TARGETS) {
  t.test(
    `${kind}: each tool in each mode does what the policy table says`,
    { timeout: 240_000 },
    async (t) => {
      const peers = ["Xtigervnc", "x11vnc", "openbox", "xdotool", "xwd", "xev", "xclip"] as const;
      if (!requirePeers(t, peers)) return;
      const { display, url, password } = await startTarget(t, kind, t.testdir(), { geometry: "800x600" });
      const another = { protocol: "vnc", host: "127.0.0.1", port: display.vncPort };
      const encoding = kind === "x11vnc" ? "latin1" : "utf8";
      const open = () => display.openWindowManager();
      await playCells(t, await openStage(t, { display, url, secret: password, another, encoding, open }));
    },
  );
}
