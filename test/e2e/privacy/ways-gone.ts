/** Ways out of the server that a test has gone, by what it asked for. */
export class WaysGone {
  readonly #asked = new Set<string>();

  /** "tool zoom", "resource screen://ID", "prompt NAME", "stream NAME" or "file NAME". */
  add(way: string): void {
    this.#asked.add(way);
  }

  /** A GET, or as `method` says, of a path or address. */
  addPath(address: string, method = "GET"): void {
    this.#asked.add(`${method} ${new URL(address, "http://server").pathname}`);
  }

  /** Which of these, as docs/ways-out.md has them, nobody has gone. */
  missing(ways: readonly string[]): readonly string[] {
    return ways.filter((way) => {
      const pattern = new RegExp(
        `^${way.replace(/[.*+?^$()|[\]\\]/g, "\\$&").replace(/:[a-zA-Z]+|\{\w+\}/g, "[^/]+")}$`,
      );
      return ![...this.#asked].some((asked) => pattern.test(asked));
    });
  }
}
