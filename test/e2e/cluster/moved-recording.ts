import * as z from "zod";
import { recordingSchema } from "../../../src/web/api/recordings-api.ts";
import { until } from "../../support/until.ts";
import type { FleetNodes } from "../harness/fleet-nodes.ts";
import type { XDisplay } from "../harness/x-display.ts";

export const RECORDINGS = "/api/v1/recordings";
export const SLOW_MS = 60_000;

/** Recordings of a fleet, as a node tells of them over REST. */
export class FleetRecordings {
  readonly #fleet: FleetNodes;

  constructor(fleet: FleetNodes) {
    this.#fleet = fleet;
  }

  async infoAt(node: string, id: string): Promise<z.output<typeof recordingSchema>> {
    return recordingSchema.parse(await (await this.#fleet.node(node).fetch(`${RECORDINGS}/${id}`)).json());
  }

  async listAt(node: string): Promise<z.output<typeof recordingSchema>[]> {
    const answer = await this.#fleet.node(node).fetch(RECORDINGS);
    return z.array(recordingSchema).parse(await answer.json());
  }

  /** Resolves when one has 1500 ms. */
  async lasts(node: string, id: string): Promise<void> {
    await until("1500 ms of it", async () => (await this.infoAt(node, id)).duration_ms > 1500, SLOW_MS);
  }

  /**
   * Has a node hand over its desktop while it is recorded. Resolves with the recording that goes on at the next one, `old` being none of
   * it, and what its screen shows once it is red for 2500 ms.
   */
  async move(
    screen: XDisplay,
    { from, to, old }: { readonly from: string; readonly to: string; readonly old: readonly string[] },
  ) {
    await this.#fleet.node(from).fetch(`/api/v1/fleet/nodes/${from}/drain`, {});
    const second = await until(
      "it goes on at the next node",
      async () => (await this.listAt(to)).find((one) => !old.includes(one.id)) ?? null,
      SLOW_MS,
    );
    await screen.command("xsetroot", "-solid", "#a02030");
    const red = await screen.shot();
    await until(
      "2500 ms more",
      async () => {
        const { parts } = await this.infoAt(from, second.id);
        return (parts[1]?.to_ms ?? 0) - (parts[1]?.from_ms ?? 0) > 2500;
      },
      SLOW_MS,
    );
    return { second, red };
  }
}
