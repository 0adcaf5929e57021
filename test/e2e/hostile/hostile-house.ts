import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Test } from "tap";
import * as z from "zod";
import { until } from "../../support/until.ts";
import { Appliance } from "../harness/appliance.ts";
import { ControlDesktop, startControlTarget } from "./control-desktop.ts";

export const MIB = 1 << 20;
/** What a hostile peer sends, if it is let to. */
export const FLOOD_BYTES = 300 * MIB;
/** What the process may grow by meanwhile. */
const MOST_GROWTH_BYTES = 64 * MIB;
/** Of the control desktop's frames without the hostile peer. */
export const LEAST_SHARE = 0.9;
/** Pairs of a window without and a window with the hostile peer. An odd number: the one in the middle counts. */
const ROUNDS = 3;
/** For an attack that is as long as many windows, which one burst cannot spoil. */
export const ONE_LONG_ROUND = 1;
const SAMPLE_MS = 20;

const listSchema = z.array(z.object({ id: z.string(), state: z.object({ kind: z.string() }) }));

const desktopSchema = z.object({
  id: z.string(),
  name: z.string(),
  state: z.object({ kind: z.string(), code: z.string().nullable(), text: z.string() }),
});
export type DesktopInfo = z.infer<typeof desktopSchema>;

/** What an attack cost: bytes of memory, and the part of another desktop's frames that was left, round by round. */
export interface Cost {
  readonly growthBytes: number;
  /** As counted. */
  readonly shares: readonly number[];
  /** The part of each attack in which the appliance wanted a processor and the kernel gave it to others. */
  readonly waits: readonly number[];
  /** The one in the middle, where no more frames count as lost than the appliance could have saved. */
  readonly share: number;
}

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
    const target = await startControlTarget(t);
    const connect = [`vnc://127.0.0.1:${target.port}`];
    const appliance = await Appliance.start(t, { connect, ...options });
    const desktop = await until("the control desktop", async () => {
      const [first] = listSchema.parse(await (await appliance.fetch("/api/v1/desktops")).json());
      return first?.state.kind === "live" ? first : null;
    });
    return new HostileHouse(appliance, await ControlDesktop.watch(t, appliance, desktop.id, target));
  }

  /**
   * Runs `attack` in every second of twice `rounds` windows, and judges what it did to the process.
   *
   * Why the share of frames can be trusted: the display draws by its own clock, in a process of its own, and a frame
   * is lost only where the appliance had not asked for it in time; a machine that is slow for everybody draws fewer
   * frames and loses none. As much of the frames as the kernel let the appliance wait of the time for a processor is
   * forgiven (/proc/PID/schedstat): others took that, the peer's own flood among them, which comes from this machine
   * here. What else they cost is in the window just before as well, by which the share is divided. A burst spoils one
   * pair of windows and not the one in the middle; a house that lets everybody wait for a hostile peer does so in
   * each, and for no processor of others (there is a test in which it does).
   *
   * Memory counts from before the first run to the most of any: what one run left behind is not forgiven by the next.
   */
  async measure(t: Test, attack: () => Promise<unknown>, rounds = ROUNDS): Promise<void> {
    const { growthBytes, shares, waits, share } = await this.cost(attack, rounds);
    this.appliance.assertAlive();
    const mebibytes = Math.round(growthBytes / MIB);
    const figures = `${mebibytes} MiB more, ${percents(shares)} % of the frames, ${percents(waits)} % of the time waiting`;
    t.comment(figures);
    t.ok(growthBytes <= MOST_GROWTH_BYTES, `it costs little memory: ${figures}`);
    t.ok(share >= LEAST_SHARE, `the other desktop goes on: ${figures}`);
  }

  /** What `measure` judges. */
  async cost(attack: () => Promise<unknown>, rounds = ROUNDS): Promise<Cost> {
    const { appliance } = this;
    const before = appliance.residentBytes;
    let most = before;
    const shares: number[] = [];
    const waits: number[] = [];
    const fair: number[] = [];
    const sampling = setInterval(() => {
      if (appliance.program.isRunning) most = Math.max(most, appliance.residentBytes);
    }, SAMPLE_MS);
    try {
      for (let round = 0; round < rounds; round++) {
        const alone = await this.#share();
        const attacked = await this.#share(attack);
        shares.push(attacked.kept / alone.kept);
        fair.push(Math.min(1, attacked.kept + attacked.wait) / Math.min(1, alone.kept + alone.wait));
        waits.push(attacked.wait);
      }
    } finally {
      clearInterval(sampling);
    }
    const share = [...fair].sort((a, b) => a - b)[rounds >> 1] ?? 0;
    return { growthBytes: most - before, shares, waits, share };
  }

  /** The part of the frames that came through, and of the time that the appliance waited for a processor. */
  async #share(work?: () => Promise<unknown>): Promise<{ readonly kept: number; readonly wait: number }> {
    const startMs = performance.now();
    const waitedMs = this.#waitedMs;
    const kept = await this.#control.share(work);
    return { kept, wait: (this.#waitedMs - waitedMs) / (performance.now() - startMs) };
  }

  /** How long its main thread has waited for a processor, so far. The second number is nanoseconds on a run queue. */
  get #waitedMs(): number {
    const [, nanoseconds] = readFileSync(`/proc/${this.appliance.program.pid}/schedstat`, "utf8").split(" ");
    return Number(nanoseconds) / 1e6;
  }

  /** A desktop whose target is a hostile one on this machine. */
  async add(protocol: "vnc" | "rdp", port: number, more: object = {}): Promise<DesktopInfo> {
    const body = { name: `port ${port}`, protocol, host: "127.0.0.1", port, ...more };
    return desktopSchema.parse(await (await this.appliance.fetch("/api/v1/desktops", body)).json());
  }

  async infoOf(id: string): Promise<DesktopInfo> {
    return desktopSchema.parse(await (await this.appliance.fetch(`/api/v1/desktops/${id}`)).json());
  }

  lossOf(id: string, mostMs?: number): Promise<DesktopInfo> {
    return until(
      "the loss of the target",
      async () => {
        const info = await this.infoOf(id);
        return info.state.kind === "failed" || info.state.kind === "reconnecting" ? info : null;
      },
      mostMs,
    );
  }

  async remove(id: string): Promise<void> {
    await this.appliance.fetch(`/api/v1/desktops/${id}`, undefined, {
      method: "DELETE",
      headers: { authorization: `Bearer ${this.appliance.adminToken}` },
    });
  }

  /** Everything the process has written, for people and for auditors. */
  written(): string {
    const { program, dataDir } = this.appliance;
    return `${program.stdout}${program.stderr}${readFileSync(join(dataDir, "audit.ndjson"), "utf8")}`;
  }
}

function percents(parts: readonly number[]): string {
  return parts.map((part) => Math.round(part * 100)).join(", ");
}
