import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Test } from "tap";
import * as z from "zod";
import { Appliance } from "./appliance.ts";
import { ControlDesktop, startControlTarget } from "./control-desktop.ts";
import { until } from "./until.ts";

export const MIB = 1 << 20;
/** What a hostile peer sends, if it is let to. */
export const FLOOD_BYTES = 300 * MIB;
/** What the process may grow by meanwhile. */
const MOST_GROWTH_BYTES = 64 * MIB;
/** Of the control desktop's frames without the hostile peer. */
const LEAST_SHARE = 0.9;
/** The machine is others' too: a share that is too small must be so again and again. */
const TRIES = 8;
const SAMPLE_MS = 20;

const listSchema = z.array(z.object({ id: z.string(), state: z.object({ kind: z.string() }) }));

/** An appliance with one desktop that behaves, and the figures that hostile peers are judged by. */
export class HostileHouse {
  readonly appliance: Appliance;
  readonly #control: ControlDesktop;

  private constructor(appliance: Appliance, control: ControlDesktop) {
    this.appliance = appliance;
    this.#control = control;
  }

  static async open(
    t: Test,
    options: { hasVnc?: boolean; env?: Readonly<Record<string, string>> } = {},
  ): Promise<HostileHouse> {
    const port = await startControlTarget(t);
    const appliance = await Appliance.start(t, { connect: [`vnc://127.0.0.1:${port}`], ...options });
    const desktop = await until("the control desktop", async () => {
      const [first] = listSchema.parse(await (await appliance.fetch("/api/v1/desktops")).json());
      return first?.state.kind === "live" ? first : null;
    });
    return new HostileHouse(appliance, await ControlDesktop.watch(t, appliance, desktop.id));
  }

  /**
   * Runs `attack`, and again where others take processor time from the frames, and judges what it did to the process.
   * Memory counts from before the first run to the most of any: what one run left behind is not forgiven by the next.
   */
  async measure(t: Test, attack: () => Promise<unknown>): Promise<void> {
    const { appliance } = this;
    let share = 0;
    const before = appliance.residentBytes;
    let most = before;
    for (let tries = 0; tries < TRIES && share < LEAST_SHARE; tries++) {
      const alone = await this.#control.rate();
      const sampling = setInterval(() => {
        most = Math.max(most, appliance.residentBytes);
      }, SAMPLE_MS);
      try {
        share = Math.max(share, (await this.#control.rate(attack())) / alone);
      } finally {
        clearInterval(sampling);
      }
    }
    appliance.assertAlive();
    const growth = most - before;
    const figures = `${Math.round(growth / MIB)} MiB more, ${Math.round(share * 100)} % of the frames`;
    t.ok(growth <= MOST_GROWTH_BYTES, `it costs little memory: ${figures}`);
    t.ok(share >= LEAST_SHARE, `the other desktop goes on: ${figures}`);
  }

  /** Everything the process has written, for people and for auditors. */
  written(): string {
    const { program, dataDir } = this.appliance;
    return `${program.stdout}${program.stderr}${readFileSync(join(dataDir, "audit.ndjson"), "utf8")}`;
  }
}
