const MOST_KEPT = 100;

/** Why a node has a desktop no more: its lease ended, it was told to hand over all, or it let go of this one. */
type Why = "gone" | "drained" | "let_go";

/** A desktop that went from one node to another. */
export interface FleetMove {
  readonly desktop: string;
  readonly from: string;
  readonly to: string;
  readonly why: Why;
  /** When this node saw it there. */
  readonly at: Date;
}

/** Who has what at one time; `node` null: nobody. */
interface Held {
  readonly nodes: readonly { readonly name: string; readonly isDrained: boolean }[];
  readonly desktops: readonly { readonly id: string; readonly node: string | null }[];
}

/** What moved between nodes, as one of them sees it while it runs: the last hundred, newest first. */
export class FleetMoves {
  readonly #had = new Map<string, { readonly node: string; why: Why | null }>();
  #list: readonly FleetMove[] = [];

  get list(): readonly FleetMove[] {
    return this.#list;
  }

  /** Compares who has what with the last time. */
  look({ nodes, desktops }: Held, at: Date): void {
    const byName = new Map(nodes.map((node) => [node.name, node]));
    const moved: FleetMove[] = [];
    for (const { id, node } of desktops) {
      const had = this.#had.get(id);
      if (had === undefined || had.node === node) {
        if (node !== null) this.#had.set(id, { node, why: null });
        continue;
      }
      const before = byName.get(had.node);
      had.why ??= before === undefined ? "gone" : before.isDrained ? "drained" : "let_go";
      if (node === null) continue;
      moved.push({ desktop: id, from: had.node, to: node, why: had.why, at });
      this.#had.set(id, { node, why: null });
    }
    if (this.#had.size > desktops.length) {
      const known = new Set(desktops.map(({ id }) => id));
      for (const id of this.#had.keys()) if (!known.has(id)) this.#had.delete(id);
    }
    if (moved.length > 0) this.#list = [...moved.reverse(), ...this.#list].slice(0, MOST_KEPT);
  }
}
