import * as z from "zod";
import { Appliance } from "../test/e2e/harness/appliance.ts";
import type { XDisplay } from "../test/e2e/harness/x-display.ts";
import type { Owner } from "../test/support/program.ts";
import { until } from "../test/support/until.ts";
import { Tap } from "./tap.ts";

const DESKTOPS = z.array(z.object({ state: z.object({ kind: z.string() }) }));

/** An appliance that shows one display so many times, each by a port of its own; resolves when all are live. */
export async function openIdleDesktops(owner: Owner, display: XDisplay, count: number): Promise<Appliance> {
  const connect: string[] = [];
  for (let i = 0; i < count; i++) {
    const { port } = await Tap.open(owner, display.vncPort);
    connect.push(`vnc://127.0.0.1:${port}`);
  }
  const appliance = await Appliance.start(owner, { connect });
  await until("all desktops", async () => {
    const answer = await appliance.fetch("/api/v1/desktops");
    const desktops = DESKTOPS.parse(await answer.json());
    return desktops.length === count && desktops.every(({ state }) => state.kind === "live");
  });
  return appliance;
}
