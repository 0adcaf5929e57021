/** Something that is being done, and what may end it. */
interface Work {
  readonly abort: AbortController;
  readonly check: () => void;
}

/** The actions of one desktop that are being done now: what happens to the desktop ends them, whoever's they are. */
export class UnderWay {
  readonly #all = new Set<Work>();

  /**
   * `run` gets a signal that aborts with `signal`, and where its work is ended. `check` is called again when the rules
   * change; what it throws ends the work.
   */
  async run<Result>(
    signal: AbortSignal,
    check: () => void,
    run: (signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    const work = { abort: new AbortController(), check };
    this.#all.add(work);
    try {
      return await run(AbortSignal.any([signal, work.abort.signal]));
    } finally {
      this.#all.delete(work);
    }
  }

  end(reason: Error): void {
    for (const { abort } of this.#all) abort.abort(reason);
  }

  recheck(): void {
    for (const { abort, check } of this.#all) {
      try {
        check();
      } catch (reason) {
        abort.abort(reason);
      }
    }
  }
}
