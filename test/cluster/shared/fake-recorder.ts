import type { SharedRecordings } from "../../../src/cluster/shared/shared-recordings.ts";
import type { Clock } from "../../../src/platform/clock.ts";

type Recordings = Parameters<SharedRecordings["follow"]>[1];
type Told = Parameters<Parameters<Recordings["on"]>[0]>[0];
type Recording = Extract<Told, { type: "started" }>["recording"];

/** What is recorded at a node, as far as others are told of it. */
export class FakeRecorder implements Recordings {
  readonly #clock: Clock;
  readonly #listeners = new Set<(event: Told) => void>();
  readonly #all = new Map<string, Recording>();
  readonly #ends: Map<string, string>;

  /** `ends`: of those that an earlier process of the node made. */
  constructor(clock: Clock, ends: Readonly<Record<string, string>>) {
    this.#clock = clock;
    this.#ends = new Map(Object.entries(ends));
  }

  /** `before`: what it goes on from. */
  start(desktopId: string, id: string, before: ReturnType<SharedRecordings["interrupted"]> = null): void {
    const startedAt = this.#clock.date().toISOString();
    const { id: startedById, name: startedBy } = before?.owner ?? { id: "h", name: "Ann" };
    const recording = {
      ...{ id, desktopId, startedAt, startedBy, startedById, reason: before?.reason ?? "manual" },
      ...(before === null ? {} : { continues: { id: before.id } }),
    };
    this.#all.set(id, recording);
    this.#tell({ type: "started", recording });
  }

  keep(id: string, by: { readonly id: string; readonly name: string }): void {
    this.#tell({ type: "kept", recording: this.#get(id), by });
  }

  /** Gives when that was. */
  stop(id: string, isInterrupted: boolean): string {
    const end = this.#clock.date().toISOString();
    this.#ends.set(id, end);
    this.#tell({ type: "stopped", recording: this.#get(id), isInterrupted });
    return end;
  }

  startedAt(id: string): string {
    return this.#get(id).startedAt;
  }

  async endOf(id: string): Promise<string | null> {
    return this.#ends.get(id) ?? null;
  }

  on(listener: (event: Told) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #get(id: string): Recording {
    const found = this.#all.get(id);
    if (found === undefined) throw new Error(`no recording ${id}`);
    return found;
  }

  #tell(event: Told): void {
    for (const listener of this.#listeners) listener(event);
  }
}
