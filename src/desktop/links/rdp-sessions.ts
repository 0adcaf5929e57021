/**
 * RDP hosts give one session to one account, so whoever signs in takes it from whoever had it. A link that lost its
 * session to another link of this process, such as a connection test, may have it back; one that lost it to somebody
 * else may not.
 */
export class RdpSessions {
  readonly #newest = new Map<string, symbol>();

  /** A link signs in; `place` is the account at the host. Tells later whether another link of ours has since. */
  claim(place: string): { wasTakenByUs(): boolean } {
    const mine = Symbol(place);
    this.#newest.set(place, mine);
    return { wasTakenByUs: () => this.#newest.get(place) !== mine };
  }
}
