import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import * as z from "zod";
import type { Appliance } from "../test/e2e/harness/appliance.ts";
import { until } from "../test/support/until.ts";
import { judged, type Line } from "./line.ts";

const METER = fileURLToPath(new URL("./turn-meter.mjs", import.meta.url));
const turnSchema = z.object({ ms: z.number(), collectorMs: z.number() });
const seenSchema = z.object({ longest: z.array(turnSchema), turns: z.number() });

/** One turn of a server's event loop: the CPU of its thread, and how much of it the garbage collector had. */
export type Turn = z.infer<typeof turnSchema>;

/** The turns of a server that was started with `env`. */
export class TurnFile {
  readonly #file: string;

  constructor(folder: string) {
    this.#file = join(folder, "turns.json");
  }

  /** For the server's process. */
  get env(): Readonly<Record<string, string>> {
    return { NODE_OPTIONS: `--import ${METER}`, OC_TURN_FILE: this.#file };
  }

  /** The longest turn since this was asked last. */
  async longest({ program: { pid } }: Appliance): Promise<Turn> {
    if (pid === undefined) throw new Error("the server has no process");
    rmSync(this.#file, { force: true });
    process.kill(pid, "SIGUSR2");
    await until("the turns", () => textOf(this.#file).endsWith("\n"), 30_000);
    const [first] = seenSchema.parse(JSON.parse(textOf(this.#file))).longest;
    if (first === undefined) throw new Error("the server's loop had no turn");
    return first;
  }
}

/** The row of a longest turn. */
export function turnLine(name: string, { ms, collectorMs }: Turn): Line {
  return judged({
    id: "TURNS",
    metric: `longest turn: ${name}`,
    unit: "ms",
    ours: ms,
    peer: "of it the garbage collector",
    theirs: collectorMs,
    goal: { within: 20 },
  });
}

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
