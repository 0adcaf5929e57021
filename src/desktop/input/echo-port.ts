/** Covers what secrets leave on the screen as they are typed. */
export interface EchoPort {
  /** The first key of one is pressed next. */
  begin(): void;
  /**
   * The target took the last one: resolves when what it shows of them is known. `reactionMs`: how long its programs took
   * lately to show what an action did.
   */
  settled(reactionMs: number, signal: AbortSignal | undefined): Promise<void>;
  /** No more of them come, whatever became of the others. */
  end(): void;
}
