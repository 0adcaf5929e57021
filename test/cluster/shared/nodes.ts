import { PLATFORM } from "../../../src/appliance/open-links.ts";
import { SecretBox } from "../../../src/auth/secret-box.ts";
import { StoreError } from "../../../src/cluster/error.ts";
import { Fleet } from "../../../src/cluster/fleet/fleet.ts";
import { LEASE_TIMING } from "../../../src/cluster/lease/lease.ts";
import { SharedMasks } from "../../../src/cluster/shared/shared-masks.ts";
import { SharedRecordings } from "../../../src/cluster/shared/shared-recordings.ts";
import { SharedRequests } from "../../../src/cluster/shared/shared-requests.ts";
import { SharedSettings } from "../../../src/cluster/shared/shared-settings.ts";
import { MemoryStore } from "../../../src/cluster/store/memory-store.ts";
import type { ClusterStore } from "../../../src/cluster/store/store.ts";
import type { Actor } from "../../../src/desktop/control/action.ts";
import { Desktops } from "../../../src/desktop/desktops.ts";
import { FakeLink } from "../../desktop/fake-link.ts";
import { FakeClock } from "../../fake-clock.ts";
import { FakeRecorder } from "./fake-recorder.ts";

export const ANN: Actor = { kind: "human", id: "h", name: "Ann", authority: "rules" };
const KEY = "k".repeat(32);

/** A store that a node can be cut off from, and whose watches may tell nothing. */
export class Line {
  isCut = false;
  /** Watches of prefixes that hold this tell nothing; null: all tell. */
  deafTo: string | null = null;
  /** What watches have to tell waits here; null: it is told at once. */
  held: (() => void)[] | null = null;
  readonly store: ClusterStore;

  constructor(store: ClusterStore) {
    const reach = (): ClusterStore => {
      if (this.isCut) throw new StoreError("unavailable", "cut");
      return store;
    };
    this.store = {
      commit: async (changes) => reach().commit(changes),
      get: async (key) => reach().get(key),
      list: async (prefix) => reach().list(prefix),
      watch: (prefix, after, listener) =>
        store.watch(prefix, after, {
          ...listener,
          onProgress: (revision) => listener.onProgress(revision),
          onCompacted: () => listener.onCompacted(),
          onFailed: (error) => listener.onFailed(error),
          onChanges: (...told) => {
            const isDeaf = this.isCut || (this.deafTo !== null && prefix.includes(this.deafTo));
            if (isDeaf) return;
            if (this.held === null) listener.onChanges(...told);
            else this.held.push(() => listener.onChanges(...told));
          },
        }),
      close: async () => undefined,
    };
  }
}

/** Nodes of one fleet, with what they share of desktops. */
export async function openNodes(onBug: (error: unknown) => void, key = KEY) {
  const clock = new FakeClock();
  const store = await MemoryStore.open(clock, null);
  let ids = 0;
  /** `ends`: of what an earlier process of that node recorded. */
  const node = (name: string, sealedBy = key, ends: Readonly<Record<string, string>> = {}) => {
    const line = new Line(store);
    const sealer = SecretBox.by(sealedBy);
    const common = { store: line.store, clock, sealer, onFailed: onBug };
    const bindingOf = (id: string) => fleet.bindingOf(id);
    const masks = new SharedMasks({ ...common, bindingOf });
    const faults: unknown[] = [];
    const settings = new SharedSettings({ ...common, bindingOf, onFault: (error) => faults.push(error) });
    const requests = new SharedRequests({ ...common, bindingOf, onFault: (error) => faults.push(error) });
    const onFault = (error: unknown) => faults.push(error);
    const ask = () => Promise.reject(new Error("no node answers"));
    const recordings = new SharedRecordings({ ...common, name, bindingOf, ask, onFault });
    const recorder = new FakeRecorder(clock, ends);
    const kept = [masks, settings, requests, recordings];
    const fleet: Fleet = new Fleet({
      ...{ ...common, timing: LEASE_TIMING, name, zones: ["z"], capacity: 10 },
      ...{ cores: 4, memoryMib: 4000, newId: () => `${name}-${++ids}` },
      leaseClock: { monotonicMs: () => clock.nowMs(), bootMs: () => clock.nowMs() },
      prepare: async (id) => {
        await Promise.all(kept.map((one) => one.refresh(id)));
      },
      onRemoved: (id) => void Promise.all(kept.map((one) => one.forget(id))).catch(onBug),
      onAdded: () => undefined,
      onMoved: () => undefined,
    });
    const desktops: Desktops = new Desktops(
      { mode: "assist", approvalExpiryMs: 45_000, approvalArmingMs: 0 },
      {
        ...PLATFORM,
        ...{ clock, random: () => 0.5, store: fleet, fleet, ownListeners: () => [] },
        ...{ onBug, masks, keepMasks: masks, rules: settings, requests },
        openLink: (connection) => fleet.fenced(connection, new FakeLink()),
      },
    );
    for (const one of kept) void one.open();
    settings.follow(desktops);
    requests.follow(desktops);
    recordings.follow(desktops, recorder);
    fleet.start(desktops, `http://${name}.test`);
    return { line, fleet, desktops, masks, settings, requests, recordings, recorder, faults };
  };
  /** What a call came to once time passed. */
  const outcome = async (call: Promise<unknown>, ms = 3000): Promise<unknown> => {
    const settled = call.then(
      (value) => value ?? "done",
      (error: unknown) => error,
    );
    await clock.live(ms, 20);
    return await settled;
  };
  /** A desktop that the first node has, and another would take. */
  const added = async (first: ReturnType<typeof node>, nth = 1) => {
    const input = { protocol: "vnc", host: "127.0.0.1", port: 5900 + nth, name: `desk ${nth}` } as const;
    await outcome(first.desktops.add(input, ANN));
    const [desktop] = first.desktops.all;
    if (desktop === undefined) throw new Error("the first node has no desktop");
    return desktop;
  };
  return { clock, store, node, outcome, added };
}
