/**
 * An action from its call to its end. Whatever calls it off aborts this one signal: its caller, a stop, a person who takes the input,
 * a lost target, new rules.
 */
export class RunningAction {
  readonly isHuman: boolean;
  readonly #abort = new AbortController();
  #check: (() => void) | null = null;

  constructor(isHuman: boolean) {
    this.isHuman = isHuman;
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** Whether its turn has come: what happens to the desktop ends it from then on, whoever's it is. */
  get isUnderWay(): boolean {
    return this.#check !== null;
  }

  /** Its turn has come. `check` is called again when the rules change; what it throws ends the action. */
  begin(check: () => void = () => undefined): void {
    this.#check = check;
  }

  abort(reason: unknown): void {
    this.#abort.abort(reason);
  }

  recheck(): void {
    try {
      this.#check?.();
    } catch (reason) {
      this.abort(reason);
    }
  }
}

/** The actions of one desktop that are asked about, wait for their turn or are being done. */
export class RunningActions {
  readonly #all = new Set<RunningAction>();

  /**
   * Runs an action that its caller may call off. Of the caller's signal nothing is kept afterwards: AbortSignal.any would
   * leave some 60 bytes in a signal that lives long (Node 20.20, 2026-11-21).
   */
  async run<Result>(
    isHuman: boolean,
    caller: AbortSignal | undefined,
    run: (action: RunningAction) => Promise<Result>,
  ): Promise<Result> {
    const action = new RunningAction(isHuman);
    const onAbort = (): void => action.abort(caller?.reason);
    if (caller?.aborted === true) onAbort();
    else caller?.addEventListener("abort", onAbort, { once: true });
    this.#all.add(action);
    try {
      return await run(action);
    } finally {
      this.#all.delete(action);
      caller?.removeEventListener("abort", onAbort);
    }
  }

  /** Ends those that are under way, and where `isWhole` everything that agents asked for. */
  end(reason: Error, isWhole: boolean): void {
    for (const action of this.#all) {
      if (action.isUnderWay || (isWhole && !action.isHuman)) action.abort(reason);
    }
  }

  recheck(): void {
    for (const action of this.#all) action.recheck();
  }
}
