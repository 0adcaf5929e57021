import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import type * as z from "zod";
import { type Clock, delay } from "../../platform/clock.ts";
import { StoreError } from "../error.ts";
import { endDeadLeases } from "../nodes/dead-leases.ts";
import { nodeKey } from "../nodes/node-name.ts";
import type { ClusterStore } from "../store/store.ts";
import { CHARGE, type Charge, LEASE_WORD, MOST_LEASES } from "./charge.ts";

/** Its connection to etcd is there, and signed in, when it is needed. */
const WARM_EVERY_MS = 5000;
const LOOK_EVERY_MS = 2;

interface SuperviseOptions {
  /** Ends when the process that writes it does. */
  readonly input: Readable;
  readonly clock: Clock;
  /** Of who this process is a child of now. */
  parentPid(): number;
  open(charge: Charge): SupervisedStore;
}

type SupervisedStore = Pick<ClusterStore, "get" | "commit" | "close">;

/** What became of a server that died. */
interface Given {
  readonly charge: Charge;
  /** Leases that it had; null: not all could be given back. */
  readonly ended: number | null;
  readonly tookMs: number;
}

/**
 * The supervisor of a fleet's node, a child of its server: where that dies, by whatever, it gives back the server's leases, so that
 * others have its desktops without waiting. INVARIANT: only once the kernel has given this process another parent, which it does when no
 * thread of the server is left; that the pipe ended is only when to look. null: it can tell of no death.
 */
export async function supervise(options: SuperviseOptions): Promise<Given | null> {
  const { input, clock, parentPid, open } = options;
  let charge: Charge | null = null;
  let store: SupervisedStore | null = null;
  const leases: string[] = [];
  const over = new AbortController();
  try {
    for await (const line of createInterface({ input })) {
      if (charge === null) {
        charge = read(CHARGE, line);
        // Of a server that is no longer there, or that is not its parent, it can tell nothing.
        if (charge === null || parentPid() !== charge.pid) return null;
        store = open(charge);
        continue;
      }
      const word = read(LEASE_WORD, line);
      if (word === null || store === null) continue;
      leases.push(word.lease);
      if (leases.length > MOST_LEASES) leases.shift();
      if (leases.length === 1) void keepWarm(store, nodeKey(charge.prefix, word.lease), clock, over.signal);
    }
    if (charge === null || store === null) return null;
    if (!(await isGone(charge, clock, parentPid))) return null;
    const beganMs = clock.nowMs();
    const { prefix, timing } = charge;
    const ended = await endDeadLeases({ store, clock, prefix, timing }, leases);
    return { charge, ended, tookMs: Math.round(clock.nowMs() - beganMs) };
  } finally {
    over.abort();
    await store?.close();
  }
}

async function keepWarm(
  store: SupervisedStore,
  key: string,
  clock: Clock,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    try {
      await store.get(key);
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
    }
    await delay(clock, WARM_EVERY_MS, signal).catch(() => undefined);
  }
}

/** The pipe ends shortly before the process does; false: it lives, and closed the pipe. */
async function isGone({ pid, timing }: Charge, clock: Clock, parentPid: () => number): Promise<boolean> {
  const untilMs = clock.nowMs() + timing.leaseMs;
  while (parentPid() === pid) {
    if (clock.nowMs() >= untilMs) return false;
    await delay(clock, LOOK_EVERY_MS);
  }
  return true;
}

/** null for half a line, which is the last that a process wrote. */
function read<T>(schema: z.ZodType<T>, line: string): T | null {
  try {
    return schema.safeParse(JSON.parse(line)).data ?? null;
  } catch {
    return null;
  }
}
