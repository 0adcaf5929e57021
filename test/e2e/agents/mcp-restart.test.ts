import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import t from "tap";
import * as z from "zod";
import { Program } from "../../support/program.ts";
import { until } from "../../support/until.ts";
import { Appliance } from "../harness/appliance.ts";
import { outcome } from "./approval-scenario.ts";
import { RacedTarget } from "./raced-target.ts";

const MAIN = fileURLToPath(new URL("../../../dist/main.js", import.meta.url));
const listSchema = z.array(z.looseObject({ id: z.string(), mode: z.string() }));

t.test(
  "the rules of a desktop hold after a restart, and a file of them that is broken is said",
  async (t) => {
    const target = await RacedTarget.start(t);
    const dataDir = mkdtempSync(join(tmpdir(), "oc-restart-"));
    // Before the appliances' own: what is registered first runs last.
    t.teardown(() => rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 }));
    const start = (mode: string): Promise<Appliance> =>
      Appliance.start(t, { connect: [target.url], mode, args: ["--data-dir", dataDir] });
    const desktopOf = async (appliance: Appliance) => {
      const [desktop] = listSchema.parse(await (await appliance.fetch("/api/v1/desktops")).json());
      if (desktop === undefined) throw new Error("no desktop");
      return desktop;
    };
    const clicks = async (appliance: Appliance): Promise<string[]> => {
      const token = readFileSync(join(dataDir, "agent-token"), "utf8").trim();
      const agent = await appliance.agent({ token });
      await until("a picture", () => agent.shot());
      return [
        await outcome(agent, "click_at", { x: 5, y: 5 }),
        await outcome(agent, "click_at", { x: 150, y: 5 }),
        await outcome(agent, "press_keys", { keys: "F2" }),
      ];
    };

    const first = await start("assist");
    const { id } = await desktopOf(first);
    const rules = {
      pointer: "allow",
      keys: "deny",
      areas: [{ x: 100, y: 0, width: 100, height: 100, verdict: "deny" }],
    };
    const body = JSON.stringify({ rules });
    const headers = { authorization: `Bearer ${first.adminToken}`, "content-type": "application/json" };
    const saved = await first.fetch(`/api/v1/desktops/${id}/rules`, undefined, {
      method: "PUT",
      headers,
      body,
    });
    t.equal(saved.status, 200);
    const expected = ["done", "permission_denied", "permission_denied"];
    t.same(await clicks(first), expected);
    await first.program.stop();

    const second = await start("autopilot");
    t.match(await desktopOf(second), { id, mode: "custom" }, "the same desktop, by the same id");
    t.same(await clicks(second), expected);
    await second.program.stop();

    const third = await start("passive");
    t.equal((await desktopOf(third)).mode, "passive", "a server that is started passive stays so");
    await third.program.stop();

    writeFileSync(join(dataDir, "rules.json"), '{"version": 1, "desktops": {"x": {"pointer": "perhaps"}}}');
    const broken = new Program(t, process.execPath, [MAIN, "--port", "0", "--data-dir", dataDir]);
    await until("its end", () => !broken.isRunning, 60_000);
    t.not(broken.exitCode, 0);
    t.match(broken.stderr, /rules\.json is not a file of rules[\s\S]*pointer/);
  },
);
