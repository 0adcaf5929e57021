import { RefusedError } from "../error.ts";

/** More principals than a team has credentials. */
const MAX_PRINCIPALS = 1000;

/** One value for each principal, which no other principal sees or changes. */
export class PrincipalState<Value> {
  readonly #values = new Map<string, Value>();

  get(principalId: string): Value | undefined {
    return this.#values.get(principalId);
  }

  /** Throws RefusedError too_many: forgetting somebody else's choice could give them more freedom than they chose. */
  set(principalId: string, value: Value): void {
    if (!this.#values.has(principalId) && this.#values.size >= MAX_PRINCIPALS) {
      throw new RefusedError(
        "too_many",
        `${MAX_PRINCIPALS} principals have chosen already, the most allowed`,
      );
    }
    this.#values.set(principalId, value);
  }

  /** Forgets the values that `isGone` names. */
  prune(isGone: (value: Value) => boolean): void {
    for (const [id, value] of this.#values) if (isGone(value)) this.#values.delete(id);
  }

  clear(): void {
    this.#values.clear();
  }
}
