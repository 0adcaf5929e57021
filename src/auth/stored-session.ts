import { createHash } from "node:crypto";
import * as z from "zod";
import type { Clock } from "../platform/clock.ts";
import { type Principal, ROLES } from "./principal.ts";

/** The principal of `OC_TOKEN`, which has no entry among the tokens. */
export const OWN_TOKEN_ID = "oc_token";

/** What is kept of an open session. Times by the clock's nowMs. */
export interface KeptSession {
  /** SHA-256 of its identifier, hex: the identifier is in the cookie alone. */
  readonly key: string;
  readonly principal: Principal;
  readonly expiresAtMs: number;
  readonly usedAtMs: number;
  /** JSON of whoever opened it, by which it is judged after a restart; null: who it is says all. */
  readonly proof: unknown;
}

/** A session as it is written down, beside when it was used. */
export const storedSessionSchema = z.strictObject({
  expires_at: z.iso.datetime(),
  principal: z.strictObject({
    id: z.string().min(1),
    name: z.string(),
    role: z.enum(ROLES),
    mayElicit: z.boolean().exactOptional(),
    toolsets: z.array(z.string()).exactOptional(),
    desktops: z.array(z.string()).exactOptional(),
    owner: z.string().exactOptional(),
    guest: z
      .strictObject({ hostId: z.string(), ends_at: z.iso.datetime(), isViewOnly: z.boolean() })
      .exactOptional(),
  }),
  /** SHA-256 of OC_TOKEN, of sessions that end with it. */
  own_token: z.string().exactOptional(),
  proof: z.unknown(),
});
export type StoredSession = z.infer<typeof storedSessionSchema>;

/** By what sessions are read. */
export interface SessionReader {
  readonly clock: Clock;
  /** `OC_TOKEN`: who signed in by another one is signed out. */
  readonly ownToken: string | null;
}

export function writeSession(
  { principal, expiresAtMs, proof }: KeptSession,
  { clock, ownToken }: SessionReader,
): StoredSession {
  // Where a call came from is not who it is.
  const { guest, ip: _ip, via: _via, ...rest } = principal;
  const { desktops, toolsets, ...who } = rest;
  return {
    expires_at: dateAt(expiresAtMs, clock),
    principal: {
      ...who,
      ...(desktops === undefined ? {} : { desktops: [...desktops] }),
      ...(toolsets === undefined ? {} : { toolsets: [...toolsets] }),
      ...(guest === undefined
        ? {}
        : {
            guest: {
              hostId: guest.hostId,
              ends_at: dateAt(guest.endsAtMs, clock),
              isViewOnly: guest.isViewOnly,
            },
          }),
    },
    ...(isOfOwnToken(principal) ? { own_token: hashOf(ownToken) } : {}),
    proof,
  };
}

/** null for one that counts no more: it was of another `OC_TOKEN`. */
export function readSession(
  { key, usedAt, stored }: { readonly key: string; readonly usedAt: string; readonly stored: StoredSession },
  { clock, ownToken }: SessionReader,
): KeptSession | null {
  const { guest, ...rest } = stored.principal;
  const principal: Principal = {
    ...rest,
    ...(guest === undefined
      ? {}
      : {
          guest: {
            hostId: guest.hostId,
            endsAtMs: nowMsAt(guest.ends_at, clock),
            isViewOnly: guest.isViewOnly,
          },
        }),
  };
  if (isOfOwnToken(principal) && stored.own_token !== hashOf(ownToken)) return null;
  return {
    ...{ key, principal, proof: stored.proof ?? null, expiresAtMs: nowMsAt(stored.expires_at, clock) },
    // A clock that was set back makes nobody's last use one to come.
    usedAtMs: Math.min(nowMsAt(usedAt, clock), clock.nowMs()),
  };
}

export function dateAt(atMs: number, clock: Clock): string {
  return new Date(clock.date().getTime() + Math.round(atMs - clock.nowMs())).toISOString();
}

function nowMsAt(date: string, clock: Clock): number {
  return clock.nowMs() + Date.parse(date) - clock.date().getTime();
}

function isOfOwnToken({ id, guest }: Principal): boolean {
  return (guest?.hostId ?? id) === OWN_TOKEN_ID;
}

function hashOf(ownToken: string | null): string {
  return ownToken === null ? "none" : createHash("sha256").update(ownToken).digest("hex");
}
