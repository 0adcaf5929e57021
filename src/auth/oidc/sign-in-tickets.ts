import { createHash } from "node:crypto";
import * as z from "zod";
import type { Clock } from "../../platform/clock.ts";
import { AuthError } from "../error.ts";
import type { SecretBox } from "../secret-box.ts";
import type { BegunSignIn } from "./openid-provider.ts";

/** Signing in at the provider may take so long: passwords are looked up, phones fetched. */
export const SIGN_IN_MS = 10 * 60_000;
/** Beyond it the ticket that came back first is forgotten; its code is still good once alone at the provider. */
const MOST_USED = 10_000;
/** Browsers keep no cookie of more than 4096 bytes, its name among them. */
const LONGEST_TICKET = 4000;

const ticketSchema = z.strictObject({
  redirect_uri: z.string(),
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  next: z.string(),
  until: z.iso.datetime(),
});

/** A sign-in whose browser came back. */
interface ReturnedSignIn {
  readonly begun: Omit<BegunSignIn, "url">;
  /** Where the person wanted to go. */
  readonly next: string;
}

/** Sign-ins of all nodes of a fleet that opened a session. */
export interface SharedSignIns {
  /** At any node, until now. Throws RefusedError not_held where that cannot be known. */
  isUsed(id: string): Promise<boolean>;
  /** True for one caller alone, at whatever node. Throws RefusedError not_held where that cannot be known. */
  use(id: string): Promise<boolean>;
}

interface SignInTicketsPorts {
  readonly clock: Clock;
  /** The same at all nodes of a fleet. */
  readonly sealer: Pick<SecretBox, "open" | "seal">;
  /** null: this server is alone. */
  readonly shared: SharedSignIns | null;
}

/**
 * What is to be known of a sign-in when its browser comes back, sealed, in a cookie of that browser: nothing is kept of those that
 * nobody goes through with, and any node of a fleet goes on with one. INVARIANT: a ticket opens one session at most.
 */
export class SignInTickets {
  readonly #purpose: string;
  readonly #ports: SignInTicketsPorts;
  /** Those that came back here, oldest first. By their state: a sealed text can be written in several ways. */
  readonly #used = new Map<string, number>();

  /** `provider`: whose sign-ins; a ticket is good for no other. */
  constructor(provider: string, ports: SignInTicketsPorts) {
    this.#purpose = `sign-in/${provider}`;
    this.#ports = ports;
  }

  /** Throws AuthError provider_refused for what no cookie holds. */
  issue({ redirectUri, state, nonce, verifier }: BegunSignIn, next: string): string {
    const { clock, sealer } = this.#ports;
    const until = new Date(clock.date().getTime() + SIGN_IN_MS).toISOString();
    const stored: z.infer<typeof ticketSchema> = {
      ...{ redirect_uri: redirectUri, state, nonce, verifier, next, until },
    };
    const ticket = sealer.seal(JSON.stringify(stored), this.#purpose);
    if (ticket.length <= LONGEST_TICKET) return ticket;
    throw new AuthError(
      "provider_refused",
      `got ${ticket.length} bytes to remember of the sign-in, expected at most ${LONGEST_TICKET}: begin at a shorter address`,
    );
  }

  /**
   * null for one that is none of ours, came back before or is too old. Counts as its return, whatever comes of it. Throws
   * RefusedError not_held.
   */
  async take(ticket: string): Promise<ReturnedSignIn | null> {
    const stored = this.#opened(ticket);
    if (stored === null) return null;
    const { clock, shared } = this.#ports;
    const { redirect_uri: redirectUri, state, nonce, verifier, next } = stored;
    const nowMs = clock.date().getTime();
    const untilMs = Date.parse(stored.until);
    const id = idOf(state);
    if (untilMs <= nowMs || this.#used.has(id)) return null;
    for (const [oldest, overMs] of this.#used) {
      if (overMs > nowMs && this.#used.size < MOST_USED) break;
      this.#used.delete(oldest);
    }
    this.#used.set(id, untilMs);
    // A provider that is shown a code twice may take back what it gave for it the first time (RFC 6749 section 4.1.2).
    if ((await shared?.isUsed(id)) === true) return null;
    return { begun: { redirectUri, state, nonce, verifier }, next };
  }

  /** Whether it may open a session, which one that was taken may once, in all of a fleet. Throws RefusedError not_held. */
  async use({ begun }: ReturnedSignIn): Promise<boolean> {
    return (await this.#ports.shared?.use(idOf(begun.state))) ?? true;
  }

  #opened(ticket: string): z.infer<typeof ticketSchema> | null {
    if (ticket.length > LONGEST_TICKET) return null;
    try {
      return ticketSchema.parse(JSON.parse(this.#ports.sealer.open(ticket, this.#purpose)));
    } catch (error) {
      if (error instanceof AuthError || error instanceof SyntaxError || error instanceof z.ZodError)
        return null;
      throw error;
    }
  }
}

function idOf(state: string): string {
  return createHash("sha256").update(state).digest("hex");
}
