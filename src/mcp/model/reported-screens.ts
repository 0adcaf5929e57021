import { coverOf } from "../../framebuffer/cover.ts";
import { type Rect, rectOfSize, type Size } from "../../framebuffer/rect.ts";
import { Region } from "../../framebuffer/region.ts";

/** What must be known of a desktop; McpDesktop is one. */
export interface ChangingScreen {
  readonly size: Size;
  readonly generation: number;
  /** What changed after a generation and until another, by default the present one; null where that is not known. */
  changedSince(generation: number, until?: number): Region | null;
}

/** What an agent that has seen a generation does not know of it. */
export interface Unreported {
  /** From here on every change is to be told … */
  readonly generation: number;
  /** … and the agent was not told how this looked then. */
  readonly region: Region;
}

/** Generations remembered of one agent on one desktop; it asks from one that it got lately. */
const MAX_GENERATIONS = 32;
/** Beyond so many rectangles more than is needed is told again. */
const MAX_RECTS = 32;
/** Agents remembered on one desktop; the one that was told nothing for longest gets a whole picture next. */
const MAX_AGENTS = 64;

/**
 * What one agent was told of one desktop. A generation counts the changes of the whole desktop, and an answer may show
 * a part of it: so each generation that was given out is remembered with what the answers until then left out.
 */
class ReportedScreen {
  /** By generation, ascending. */
  #known: Unreported[] = [];

  /** Of the newest generation that this agent had until then; null where it had none. */
  untold(screen: ChangingScreen, since: number): Unreported | null {
    if (since > screen.generation) return null;
    return this.#known.findLast(({ generation }) => generation <= since) ?? null;
  }

  /** An answer shows this region as it was in that generation. */
  shown(screen: ChangingScreen, region: Region, generation: number): void {
    const before = this.untold(screen, generation);
    const untold = before === null ? everything(screen) : missing(screen, before, generation);
    this.#keep({ generation, region: untold.subtract(region) });
    // Answers overtake one another: what was told before of a later generation is short of less now.
    this.#known = this.#known.map((later) => {
      if (later.generation <= generation) return later;
      const changed = screen.changedSince(generation, later.generation) ?? everything(screen);
      return { ...later, region: later.region.subtract(region.subtract(changed)) };
    });
  }

  /** An answer names all that differs between two generations, wherever it is. */
  compared(screen: ChangingScreen, from: number, to: number): void {
    const known = this.untold(screen, to);
    if (known === null) return;
    // What was shown in the middle is not what was compared with.
    const region = missing(screen, known, known.generation > from ? to : from);
    this.#keep({ generation: to, region });
  }

  #keep(one: Unreported): void {
    const { rects } = one.region;
    const bounded =
      rects.length <= MAX_RECTS ? one : { ...one, region: Region.from(coverOf(rects, MAX_RECTS)) };
    const earlier = this.#known.filter(({ generation }) => generation < one.generation);
    const later = this.#known.filter(({ generation }) => generation > one.generation);
    this.#known = [...earlier, bounded, ...later].slice(-MAX_GENERATIONS);
  }
}

/** What every agent was told of every desktop, each for itself. */
export class ReportedScreens {
  readonly #screens = new WeakMap<ChangingScreen, Map<string, ReportedScreen>>();

  /** See ReportedScreen. */
  untold(principalId: string, screen: ChangingScreen, since: number): Unreported | null {
    return this.#screens.get(screen)?.get(principalId)?.untold(screen, since) ?? null;
  }

  shown(principalId: string, screen: ChangingScreen, rects: readonly Rect[], generation: number): void {
    this.#of(principalId, screen).shown(screen, Region.from(rects), generation);
  }

  compared(principalId: string, screen: ChangingScreen, from: number, to: number): void {
    this.#of(principalId, screen).compared(screen, from, to);
  }

  #of(principalId: string, screen: ChangingScreen): ReportedScreen {
    const agents = this.#screens.get(screen) ?? new Map<string, ReportedScreen>();
    this.#screens.set(screen, agents);
    const told = agents.get(principalId) ?? new ReportedScreen();
    agents.delete(principalId);
    agents.set(principalId, told);
    for (const oldest of agents.keys()) {
      if (agents.size <= MAX_AGENTS) break;
      agents.delete(oldest);
    }
    return told;
  }
}

function everything({ size }: ChangingScreen): Region {
  return Region.of(rectOfSize(size));
}

/** What an agent is short of in a later generation. */
function missing(screen: ChangingScreen, known: Unreported, generation: number): Region {
  const changed = screen.changedSince(known.generation, generation);
  return changed === null ? everything(screen) : known.region.union(changed);
}
