/** What was opened, to be closed in the opposite order: by whoever opened it all, or when opening fails half way. */
export class CloseStack {
  readonly #steps: (() => unknown)[] = [];

  add(close: () => unknown): void {
    this.#steps.push(close);
  }

  /** Closes all, each though another failed; then rejects with the first failure. */
  async run(): Promise<void> {
    const failures: unknown[] = [];
    for (let close = this.#steps.pop(); close !== undefined; close = this.#steps.pop()) {
      try {
        await close();
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  }
}
