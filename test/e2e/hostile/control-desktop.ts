import { once } from "node:events";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { WebSocket } from "ws";
import * as z from "zod";
import { type Owner, Program } from "../../support/program.ts";
import { until } from "../../support/until.ts";
import type { Appliance } from "../harness/appliance.ts";

const SCRIPT = fileURLToPath(new URL("control-target.ts", import.meta.url));
const stateSchema = z.object({ viewers: z.int(), state: z.object({ kind: z.string() }) });

/** How long frames are counted for one figure, at least. */
const WINDOW_MS = 700;

export interface ControlTarget {
  readonly port: number;
  /** Where it tells what it has drawn and sent. */
  readonly figuresPort: number;
}

interface Figures {
  readonly drawn: number;
  readonly sent: number;
  readonly connections: number;
}

/** Starts the target that behaves. */
export async function startControlTarget(owner: Owner): Promise<ControlTarget> {
  const program = new Program(owner, process.execPath, ["--import=tsx", SCRIPT]);
  return await program.waitFor(
    "its ports",
    ({ stdout }) => {
      const [, port, figuresPort] = /^ports (\d+) (\d+)$/m.exec(stdout) ?? [];
      return port === undefined ? null : { port: Number(port), figuresPort: Number(figuresPort) };
    },
    60_000,
  );
}

/** The desktop that has to go on while another one's target, or a viewer, is hostile. A viewer looks at it. */
export class ControlDesktop {
  readonly #appliance: Appliance;
  readonly #id: string;
  readonly #target: ControlTarget;

  private constructor(appliance: Appliance, id: string, target: ControlTarget) {
    this.#appliance = appliance;
    this.#id = id;
    this.#target = target;
  }

  static async watch(
    owner: Owner,
    appliance: Appliance,
    id: string,
    target: ControlTarget,
  ): Promise<ControlDesktop> {
    const viewer = new WebSocket(`${appliance.url.replace("http", "ws")}/ws/desktops/${id}`, "binary", {
      headers: { authorization: `Bearer ${appliance.adminToken}` },
    });
    owner.teardown(() => viewer.terminate());
    await once(viewer, "open");
    viewer.send(Buffer.concat([Buffer.from("RFB 003.008\n"), Uint8Array.of(1, 1)]));
    const control = new ControlDesktop(appliance, id, target);
    await until("the viewer's sign-in", async () => (await control.#state()).viewers > 0);
    return control;
  }

  /**
   * The part of the frames its display draws that come through, 0 to 1, over WINDOW_MS or as long as `work` takes, if
   * that is longer. Throws where the connection did not last.
   */
  async share(work: () => Promise<unknown> = async () => undefined): Promise<number> {
    const before = await this.#figures();
    await Promise.all([pause(WINDOW_MS), work()]);
    const after = await this.#figures();
    const { state } = await this.#state();
    if (state.kind !== "live" || after.connections !== 1) {
      throw new Error(`the control desktop is ${state.kind} after ${after.connections} connections`);
    }
    return (after.sent - before.sent) / (after.drawn - before.drawn);
  }

  async #figures(): Promise<Figures> {
    const line = await text(connect(this.#target.figuresPort, "127.0.0.1"));
    const [drawn, sent, connections] = z
      .tuple([z.int(), z.int(), z.int()])
      .parse(line.trim().split(" ").map(Number));
    return { drawn, sent, connections };
  }

  async #state(): Promise<z.infer<typeof stateSchema>> {
    const response = await this.#appliance.fetch(`/api/v1/desktops/${this.#id}`);
    return stateSchema.parse(await response.json());
  }
}
