/** What a node has of a desktop. */
type Hold =
  | { readonly state: "held"; readonly fence: bigint }
  /** Given up: nothing is sent any more under this fence or an older one. */
  | { readonly state: "left"; readonly fence: bigint };

/** The part of a lease that decides. */
interface SureLease {
  readonly remainingMs: number;
}

/**
 * Which desktops a node may send input to. The fence is the revision of the assignment: it only grows from one holder to the
 * next, and goes along with all that is sent, recorded and audited. INVARIANT: without a lease that is surely held there is no fence, so
 * that nothing is sent, whatever the table says.
 */
export class Holder {
  readonly #holds = new Map<string, Hold>();
  readonly #lease: SureLease;

  constructor(lease: SureLease) {
    this.#lease = lease;
  }

  /** The table says that this node has it. */
  assign(desktop: string, fence: bigint): void {
    const hold = this.#holds.get(desktop);
    if (hold !== undefined && fence <= hold.fence) return;
    this.#holds.set(desktop, { state: "held", fence });
  }

  /** It is given up, or the table says that somebody else has it: at once, and for good under this fence. */
  leave(desktop: string): void {
    const hold = this.#holds.get(desktop);
    if (hold !== undefined) this.#holds.set(desktop, { state: "left", fence: hold.fence });
  }

  /** Under which fence input may be sent now; null: none may. Ask for every input, in the turn that sends it. */
  inputFence(desktop: string): bigint | null {
    const hold = this.#holds.get(desktop);
    return hold?.state === "held" && this.#lease.remainingMs > 0 ? hold.fence : null;
  }

  /** The fence of one that it has, whether it may send or not. */
  heldFence(desktop: string): bigint | null {
    const hold = this.#holds.get(desktop);
    return hold?.state === "held" ? hold.fence : null;
  }

  /** Those it has, whether it may send or not. */
  get held(): readonly string[] {
    return [...this.#holds].flatMap(([desktop, { state }]) => (state === "held" ? [desktop] : []));
  }
}
