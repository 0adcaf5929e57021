import type { Assignment, NodeOffer } from "./records.ts";

export interface PlacedNode {
  readonly id: string;
  readonly offer: NodeOffer;
}

/** A desktop that should be elsewhere than it is. */
export interface Move {
  readonly desktop: string;
  /** null: nobody has it, or who had it is gone. Otherwise that node hands it over itself. */
  readonly from: string | null;
  /** null: no node can take it. */
  readonly to: string | null;
}

interface Use {
  readonly offer: NodeOffer;
  readonly id: string;
  cores: number;
  memoryMib: number;
  links: number;
}

type Wish = Pick<Assignment, "desktop" | "zone" | "cores" | "memoryMib" | "owner">;

/**
 * Who should have which desktop: those that nobody has, that a node has which is gone, draining, or reaches their zone no more, go to
 * the node that is then the least loaded, the largest first. All others stay: a move ends what is under way, so evenness alone
 * is no reason. The same state gives the same moves, in whatever order it is told.
 */
export function place(nodes: readonly PlacedNode[], desktops: readonly Wish[]): readonly Move[] {
  const uses = nodes
    .map(({ id, offer }): Use => ({ id, offer, cores: 0, memoryMib: 0, links: 0 }))
    .sort((a, b) => (a.id < b.id ? -1 : 1));
  const byId = new Map(uses.map((use) => [use.id, use]));
  const homeless: Wish[] = [];
  for (const desktop of desktops) {
    const use = desktop.owner === null ? undefined : byId.get(desktop.owner);
    if (use === undefined || !reaches(use.offer, desktop)) homeless.push(desktop);
    // Until it is handed over it is a load where it is.
    if (use !== undefined) take(use, desktop);
  }
  homeless.sort((a, b) => b.cores - a.cores || b.memoryMib - a.memoryMib || (a.desktop < b.desktop ? -1 : 1));
  return homeless.flatMap((desktop): Move[] => {
    const from = desktop.owner !== null && byId.has(desktop.owner) ? desktop.owner : null;
    let best: Use | null = null;
    let least = 1;
    // A plain loop: of ten nodes that are lost a thousand desktops look at ninety others each.
    for (const use of uses) {
      if (use.id === from || !reaches(use.offer, desktop)) continue;
      const load = loadWith(use, desktop);
      if (load < least || (load === 1 && best === null)) [best, least] = [use, load];
    }
    // Where nobody can take it, who has it keeps it as long as it lives.
    if (best === null) return from === null ? [{ desktop: desktop.desktop, from, to: null }] : [];
    take(best, desktop);
    return [{ desktop: desktop.desktop, from, to: best.id }];
  });
}

function reaches(offer: NodeOffer, { zone }: Wish): boolean {
  return !offer.isDraining && offer.zones.includes(zone);
}

/** The part of what is scarcest there that would be in use; over 1: it has no room. */
function loadWith({ offer, cores, memoryMib, links }: Use, desktop: Wish): number {
  return Math.max(
    part(cores + desktop.cores, offer.cores),
    part(memoryMib + desktop.memoryMib, offer.memoryMib),
    part(links + 1, offer.links),
  );
}

function part(used: number, of: number): number {
  if (used === 0) return 0;
  return of === 0 ? Number.POSITIVE_INFINITY : used / of;
}

function take(use: Use, { cores, memoryMib }: Wish): void {
  use.cores += cores;
  use.memoryMib += memoryMib;
  use.links++;
}
