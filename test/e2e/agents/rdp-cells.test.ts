import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t from "tap";
import { startRdpFake } from "../hostile/rdp-fake.ts";
import { makeCertificate, requireRdpTarget, startRdpTarget } from "../targets/rdp-target.ts";
import { openStage, playCells } from "./policy-cells-scenario.ts";

// The cells of policy-cells.test.ts, every tool in every mode, on an RDP desktop.

t.test(
  "xrdp-xorg: each tool in each mode does what the policy table says",
  { timeout: 600_000 },
  async (t) => {
    if (!requireRdpTarget(t, "xrdp-xorg", ["xev", "xclip", "xsetroot"])) return;
    const target = await startRdpTarget(t, "xrdp-xorg");
    const { display, url, password } = target;
    if (display === null) throw new Error("a target without a display");
    const folder = mkdtempSync(join(tmpdir(), "oc-rdp-"));
    t.teardown(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));
    // A second link to the same account would take the session over.
    const { port } = await startRdpFake(t, makeCertificate(folder), async (host) => {
      await host.reach("live");
      await host.listen();
    });
    const another = { protocol: "rdp", host: "127.0.0.1", port, username: "ada", password: "secret" };
    const open = () => display.isUp();
    const stage = {
      display,
      url: `${url}?size=800x600`,
      secret: password,
      another,
      encoding: "utf8",
      open,
    } as const;
    await playCells(t, await openStage(t, stage));
  },
);
