import type { Test } from "tap";
import * as z from "zod";
import { until } from "../../support/until.ts";
import { Appliance } from "../harness/appliance.ts";
import type { Agent } from "../harness/mcp-client.ts";
import type { SceneTarget } from "../targets/scene-target.ts";

const itemSchema = z.looseObject({ id: z.string(), state: z.unknown() });

/** A list of the REST interface. */
export async function rest(appliance: Appliance, path: string): Promise<z.infer<typeof itemSchema>[]> {
  const response = await appliance.fetch(path);
  return z.array(itemSchema).parse(await response.json());
}

/** What a call came to: "done", or the code that it was refused with. */
export function outcome(agent: Agent, name: string, args: Record<string, unknown>): Promise<string> {
  return agent.call(name, { effect_timeout_ms: 0, ...args }).then(
    () => "done",
    (error: { code?: string; message?: string }) => error.code ?? error.message ?? "bug",
  );
}

/** What changes between the yes and the click is not clicked. */
export async function playChangeBeforeClick(t: Test, target: SceneTarget): Promise<void> {
  const appliance = await Appliance.start(t, {
    connect: [target.url],
    mode: "assist",
    env: { OC_APPROVAL_ARMING_MS: "0" },
  });
  const agent = await appliance.agent({ token: appliance.agentToken });
  await until("a picture", () => agent.shot());
  const display = await target.display();
  let stale = 0;
  let done = 0;
  for (let i = 0; i < 10; i++) {
    const isChanged = i % 2 === 0;
    const work = outcome(agent, "click_at", { x: 200, y: 200 });
    let id = "";
    await until("a question", async () => {
      id = (await rest(appliance, "/api/v1/approvals"))[0]?.id ?? "";
      return id !== "";
    });
    // The new picture may be on its way still when the yes comes: the barrier before the click has to wait for it.
    if (isChanged) await display.command("xsetroot", "-solid", i % 4 === 0 ? "red" : "green");
    await appliance.fetch(`/api/v1/approvals/${id}`, { decision: "approve" });
    const code = await work;
    if (code === "stale_screen") stale++;
    if (code === "done") done++;
    t.equal(code, isChanged ? "stale_screen" : "done");
  }
  t.equal(stale, 5);
  t.equal(done, 5);
}
