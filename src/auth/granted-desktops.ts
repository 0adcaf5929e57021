import { noDesktops } from "../desktop/error.ts";
import type { Principal } from "./principal.ts";

/** Whether a principal may know of a desktop. */
export function reaches({ desktops }: Pick<Principal, "desktops">, desktopId: string): boolean {
  return desktops === undefined || desktops.includes(desktopId);
}

/** The same, to be asked of thousands. */
export function reachOf({ desktops }: Pick<Principal, "desktops">): (desktopId: string) => boolean {
  if (desktops === undefined) return () => true;
  const granted = new Set(desktops);
  return (desktopId) => granted.has(desktopId);
}

/** What a registry of desktops is asked by every face. */
interface Registry<Desktop> {
  readonly all: readonly Desktop[];
  get(id: string): Desktop;
  active(principalId: string): Desktop;
}

/** No desktop has this id. */
const NOBODYS = "";

/**
 * The desktops as one principal may know them. INVARIANT: one outside its grant is answered as one that is not there.
 * Each face has its own, with what else it asks, and hands no other registry to its routes and tools.
 */
export class GrantedDesktops<
  Desktop extends { readonly id: string },
  Source extends Registry<Desktop> = Registry<Desktop>,
> {
  protected readonly source: Source;
  protected readonly principal: Principal;

  constructor(source: Source, principal: Principal) {
    this.source = source;
    this.principal = principal;
  }

  get all(): readonly Desktop[] {
    return this.source.all.filter(({ id }) => reaches(this.principal, id));
  }

  get(id: string): Desktop {
    return this.source.get(reaches(this.principal, id) ? id : NOBODYS);
  }

  /** The principal's choice, else the first that it has. Throws RefusedError not_found where there is none. */
  active(principalId: string): Desktop {
    const chosen = this.source.active(principalId);
    if (reaches(this.principal, chosen.id)) return chosen;
    const [first] = this.all;
    if (first === undefined) throw noDesktops();
    return first;
  }
}
