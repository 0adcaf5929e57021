import { randomUUID } from "node:crypto";
import { type Clock, delay } from "../platform/clock.ts";
import { StoreError } from "./error.ts";
import type { EtcdStore } from "./etcd/etcd-store.ts";
import { LEASE_TIMING, Lease } from "./lease/lease.ts";
import { systemLeaseClock } from "./lease/lease-clock.ts";
import { PROGRESS_WITHIN_MS } from "./store/store.ts";

/** The rights that are asked for below this. */
const PREFIX = "/overlay-companion/check/";
const WRITERS = 8;
const SWAPS = 20;
const RENEWALS = 3;

interface StoreFinding {
  readonly part: string;
  readonly isWell: boolean;
  readonly detail: string;
}

/** Tries on a store what a fleet does with it, below keys of its own, which are gone afterwards. */
export async function checkStore(store: EtcdStore, clock: Clock): Promise<readonly StoreFinding[]> {
  const prefix = `${PREFIX}${randomUUID()}/`;
  const parts = [
    ["members", () => checkMembers(store)],
    ["compare and swap", () => checkSwaps(store, prefix, clock)],
    ["watch", () => checkWatch(store, prefix, clock)],
    ["lease", () => checkLease(store, prefix, clock)],
  ] as const;
  const findings: StoreFinding[] = [];
  for (const [part, check] of parts) {
    try {
      findings.push({ part, ...(await check()) });
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      findings.push({ part, isWell: false, detail: `${error.code}: ${error.message}` });
    }
  }
  await removeAll(store, prefix);
  return findings;
}

type Found = Omit<StoreFinding, "part">;

async function checkMembers(store: EtcdStore): Promise<Found> {
  const { members, endpoints } = await store.status();
  const lines = endpoints.map(({ url, version, isLeader, problem }) =>
    problem === null ? `${url} ${version}${isLeader ? ", leads" : ""}` : `${url} ${problem}`,
  );
  const answering = endpoints.filter(({ problem }) => problem === null).length;
  const isWell = members >= 3 && answering === endpoints.length && endpoints.length >= members;
  const expected = isWell
    ? ""
    : "; expected three members or more, each named in --endpoints, and an answer of each";
  return { isWell, detail: `${members} members; ${lines.join("; ")}${expected}` };
}

async function checkSwaps(store: EtcdStore, prefix: string, clock: Clock): Promise<Found> {
  const key = `${prefix}swap`;
  const created = await Promise.all(
    Array.from({ length: WRITERS }, (_, nth) => store.commit([{ kind: "create", key, value: `${nth}` }])),
  );
  const winners = created.filter(({ isDone }) => isDone);
  let [revision] = winners.map((won) => won.revision);
  if (winners.length !== 1 || revision === undefined) {
    return { isWell: false, detail: `${winners.length} of ${WRITERS} who created one key won, expected 1` };
  }
  const first = revision;
  const tookMs: number[] = [];
  for (let nth = 0; nth < SWAPS; nth++) {
    const startMs = clock.nowMs();
    const outcome = await store.commit([{ kind: "update", key, value: `swap ${nth}`, revision }]);
    tookMs.push(clock.nowMs() - startMs);
    if (!outcome.isDone)
      return { isWell: false, detail: `update ${nth} by the newest revision was not done` };
    revision = outcome.revision;
  }
  const stale = await store.commit([{ kind: "update", key, value: "stale", revision: first }]);
  if (stale.isDone) return { isWell: false, detail: "an update by an old revision was done" };
  return {
    isWell: true,
    detail: `one of ${WRITERS} won, old revisions lose; an update takes ${spread(tookMs)}`,
  };
}

async function checkWatch(store: EtcdStore, prefix: string, clock: Clock): Promise<Found> {
  const key = `${prefix}watch`;
  const { revision } = await store.list(prefix);
  let told = (): void => {};
  let failure: StoreError | null = null;
  let heardMs: number | null = null;
  let isAlive = false;
  const watch = store.watch(prefix, revision, {
    onChanges: () => {
      heardMs ??= clock.nowMs();
      told();
    },
    onProgress: () => {
      isAlive = true;
      told();
    },
    onCompacted: () => told(),
    onFailed: (error) => {
      failure = error;
      told();
    },
  });
  const limit = new AbortController();
  const tooLate = delay(clock, PROGRESS_WITHIN_MS, limit.signal);
  tooLate.catch(() => undefined);
  try {
    const startMs = clock.nowMs();
    await store.commit([{ kind: "create", key, value: "seen" }]);
    const both = new Promise<void>((resolve) => {
      told = () => {
        if (failure !== null || (heardMs !== null && isAlive)) resolve();
      };
      told();
    });
    await Promise.race([both, tooLate]);
    if (failure !== null) throw failure;
    if (heardMs === null) return { isWell: false, detail: "told nothing of a change" };
    const detail = `told of a change ${Math.round(heardMs - startMs)} ms after it was sent`;
    return {
      isWell: isAlive,
      detail: isAlive ? `${detail}, and that it is alive` : `${detail}, but not that it is alive`,
    };
  } finally {
    limit.abort();
    watch.close();
  }
}

async function checkLease(store: EtcdStore, prefix: string, clock: Clock): Promise<Found> {
  const [timing, id] = [LEASE_TIMING, randomUUID()];
  const key = `${prefix}lease`;
  const recordOf = (nth: number): string => `${id} ${nth}`;
  const lease = new Lease({ store, clock, leaseClock: systemLeaseClock, key, timing, recordOf });
  await lease.take();
  for (let nth = 0; nth < RENEWALS; nth++) {
    await delay(clock, timing.renewMs);
    if (!(await lease.renew())) return { isWell: false, detail: "a renewal was not acknowledged" };
  }
  const leftMs = Math.round(lease.remainingMs);
  // As another node does with one that is silent.
  const ended = await store.commit([{ kind: "delete", key, revision: lease.revision }]);
  if (!ended.isDone || (await lease.renew()) || lease.remainingMs > 0) {
    return { isWell: false, detail: "a lease that others ended was renewed" };
  }
  return {
    isWell: true,
    detail: `renewed ${RENEWALS} times, then sure for ${leftMs} ms, and over when others ended it`,
  };
}

/** What cannot be removed stays: the findings say why. */
async function removeAll(store: EtcdStore, prefix: string): Promise<void> {
  try {
    const { entries } = await store.list(prefix);
    for (const { key, revision } of entries) await store.commit([{ kind: "delete", key, revision }]);
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
  }
}

function spread(tookMs: readonly number[]): string {
  const sorted = [...tookMs].sort((a, b) => a - b);
  const at = (part: number): string => (sorted[Math.floor(part * (sorted.length - 1))] ?? 0).toFixed(1);
  return `${at(0.5)} ms, at most ${at(1)} ms`;
}
