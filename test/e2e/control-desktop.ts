import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { WebSocket } from "ws";
import * as z from "zod";
import type { Appliance } from "./appliance.ts";
import { type Owner, Program } from "./program.ts";
import { until } from "./until.ts";

const SCRIPT = fileURLToPath(new URL("control-target.ts", import.meta.url));
const stateSchema = z.object({
  generation: z.int(),
  viewers: z.int(),
  state: z.object({ kind: z.string() }),
});

/** How long frames are counted for one figure. */
const WINDOW_MS = 1000;

/** Starts the target that behaves; gives its port. */
export async function startControlTarget(owner: Owner): Promise<number> {
  const program = new Program(owner, process.execPath, ["--import=tsx", SCRIPT]);
  return await program.waitFor(
    "its port",
    ({ stdout }) => {
      const port = /^port (\d+)$/m.exec(stdout)?.[1];
      return port === undefined ? null : Number(port);
    },
    60_000,
  );
}

/** The desktop that has to go on while another one's target, or a viewer, is hostile. A viewer looks at it. */
export class ControlDesktop {
  readonly #appliance: Appliance;
  readonly #id: string;

  private constructor(appliance: Appliance, id: string) {
    this.#appliance = appliance;
    this.#id = id;
  }

  static async watch(owner: Owner, appliance: Appliance, id: string): Promise<ControlDesktop> {
    const viewer = new WebSocket(`${appliance.url.replace("http", "ws")}/ws/desktops/${id}`, "binary", {
      headers: { authorization: `Bearer ${appliance.adminToken}` },
    });
    owner.teardown(() => viewer.terminate());
    await once(viewer, "open");
    viewer.send(Buffer.concat([Buffer.from("RFB 003.008\n"), Uint8Array.of(1, 1)]));
    const control = new ControlDesktop(appliance, id);
    await until("the viewer's sign-in", async () => (await control.#state()).viewers > 0);
    return control;
  }

  /** Frames a second, over a second or as long as `until` takes, if that is longer. */
  async rate(until: Promise<unknown> = Promise.resolve()): Promise<number> {
    const first = (await this.#state()).generation;
    const startMs = performance.now();
    await Promise.all([pause(WINDOW_MS), until]);
    const last = (await this.#state()).generation;
    return ((last - first) * 1000) / (performance.now() - startMs);
  }

  async #state(): Promise<z.infer<typeof stateSchema>> {
    const response = await this.#appliance.fetch(`/api/v1/desktops/${this.#id}`);
    const told = stateSchema.parse(await response.json());
    if (told.state.kind !== "live")
      throw new Error(`the control desktop is ${told.state.kind}, expected live`);
    return told;
  }
}
