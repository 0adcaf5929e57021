import * as z from "zod";
import type { Appliance } from "../test/e2e/harness/appliance.ts";
import type { Agent } from "../test/e2e/harness/mcp-client.ts";
import type { Owner } from "../test/support/program.ts";
import { judged, type Line } from "./line.ts";
import type { TurnFile } from "./turn-file.ts";
import { WebViewer } from "./web-viewer.ts";

const WATCHED_MS = 8000;
const ROUNDS = 3;
const DESKTOPS = z.tuple([z.object({ id: z.string() })]);

/** What a viewer gets of a desktop that moves, and how long the loop's longest turn is. */
interface Beside {
  readonly pictureMs: number;
  readonly turnMs: number;
}

/**
 * What reading takes from others: a viewer of the desktop, and the event loop, while an agent reads what is new again and
 * again, beside the same without it. Medians of rounds in turn.
 */
export async function benchBesideText(
  owner: Owner,
  appliance: Appliance,
  agent: Agent,
  turns: TurnFile,
  isShort: boolean,
): Promise<Line[]> {
  const [{ id }] = DESKTOPS.parse(await (await appliance.fetch("/api/v1/desktops")).json());
  const viewer = await WebViewer.open(`${appliance.url.replace("http", "ws")}/ws/desktops/${id}`, {
    authorization: `Bearer ${appliance.adminToken}`,
  });
  owner.teardown(() => viewer.close());
  const forMs = isShort ? 500 : WATCHED_MS;
  const measure = async (): Promise<Beside> => {
    await turns.longest(appliance);
    const before = viewer.updates;
    const beganMs = performance.now();
    await new Promise((resolve) => setTimeout(resolve, forMs));
    const pictureMs = (performance.now() - beganMs) / Math.max(1, viewer.updates - before);
    return { pictureMs, turnMs: (await turns.longest(appliance)).ms };
  };
  const reading: Beside[] = [];
  const without: Beside[] = [];
  for (let round = 0; round < (isShort ? 1 : ROUNDS); round++) {
    without.push(await measure());
    const ending = new AbortController();
    const reads = readAgainAndAgain(agent, ending.signal);
    reading.push(await measure());
    ending.abort();
    await reads;
  }
  const row = { id: "LIVETEXT", unit: "ms", peer: "nobody reads" } as const;
  const pair = (of: (one: Beside) => number) => ({
    ours: median(reading.map(of)),
    theirs: median(without.map(of)),
  });
  return [
    judged({
      ...{ ...row, metric: "from picture to picture of a viewer, while an agent reads what is new" },
      ...{ ...pair(({ pictureMs }) => pictureMs), goal: { atMost: 1.1 } },
    }),
    judged({
      ...{ ...row, metric: "longest turn of the loop, while an agent reads what is new" },
      ...{ ...pair(({ turnMs }) => turnMs), goal: { plus: 5 } },
    }),
  ];
}

async function readAgainAndAgain(agent: Agent, signal: AbortSignal): Promise<void> {
  const region = { x: 0, y: 560, width: 900, height: 300 };
  let since: unknown = null;
  while (!signal.aborted) {
    const asked = typeof since === "number" ? { region, since } : { region };
    since = (await agent.call("read_text", asked))["generation"];
  }
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;
}
