import type { Principal } from "../../auth/principal.ts";
import type { McpDesktops } from "../tool/ports.ts";

/**
 * Counts each principal's open sessions: HTTP sessions of the 2025 protocol, and standard streams. When the last one
 * ends, nobody comes back to let go of what it left pressed, so that is done at once. Clients of 2026-07-28 over HTTP
 * have no session; what they leave pressed is let go by time.
 */
export class PrincipalSessions {
  readonly #desktops: McpDesktops;
  readonly #open = new Map<string, number>();

  constructor(desktops: McpDesktops) {
    this.#desktops = desktops;
  }

  /** Of one principal; null: of all. */
  count(principalId: string | null): number {
    if (principalId !== null) return this.#open.get(principalId) ?? 0;
    return [...this.#open.values()].reduce((sum, open) => sum + open, 0);
  }

  /** Call the returned function when it is over; more than once is once. */
  begin(principal: Principal): () => void {
    const { id } = principal;
    this.#open.set(id, (this.#open.get(id) ?? 0) + 1);
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      const left = (this.#open.get(id) ?? 1) - 1;
      if (left > 0) {
        this.#open.set(id, left);
        return;
      }
      this.#open.delete(id);
      this.#letGo(principal);
    };
  }

  #letGo({ id, name }: Principal): void {
    for (const desktop of this.#desktops.all) {
      if (!desktop.isPressedBy(id)) continue;
      desktop
        .perform({ kind: "release" }, { kind: "agent", id, name }, { effectTimeoutMs: 0 })
        // A person who took over, or a stop, has let go of it already.
        .catch(() => undefined);
    }
  }
}
