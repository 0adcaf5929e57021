import * as z from "zod";
import type { Clock } from "../platform/clock.ts";
import {
  LONGEST_DESKTOP_ID,
  LONGEST_OWNER,
  MOST_DESKTOPS,
  type Principal,
  ROLES,
  TOOLSETS,
} from "./principal.ts";

const text = z.string().max(1024);

const CARRIED = z.strictObject({
  id: text.min(1),
  name: text,
  role: z.enum(ROLES),
  mayElicit: z.boolean().exactOptional(),
  toolsets: z.array(z.enum(TOOLSETS)).exactOptional(),
  desktops: z.array(z.string().max(LONGEST_DESKTOP_ID)).max(MOST_DESKTOPS).exactOptional(),
  owner: z.string().max(LONGEST_OWNER).exactOptional(),
  /** `endsInMs`: clocks of two nodes have nothing in common. */
  guest: z.strictObject({ hostId: text, endsInMs: z.number(), isViewOnly: z.boolean() }).exactOptional(),
  ip: text.exactOptional(),
  door: z.literal("vnc").exactOptional(),
});

/** A principal as one node tells another of it. */
export function carriedPrincipal({ guest, via: _via, ...principal }: Principal, clock: Clock): unknown {
  if (guest === undefined) return principal;
  const { hostId, endsAtMs, isViewOnly } = guest;
  return { ...principal, guest: { hostId, endsInMs: endsAtMs - clock.nowMs(), isViewOnly } };
}

/** The principal on whose behalf the node `via` calls; null for what is none. */
export function principalCarried(caller: unknown, via: string, clock: Clock): Principal | null {
  const { data } = CARRIED.safeParse(caller);
  if (data === undefined) return null;
  const { guest, ...principal } = data;
  if (guest === undefined) return { ...principal, via };
  const { hostId, endsInMs, isViewOnly } = guest;
  return { ...principal, via, guest: { hostId, endsAtMs: clock.nowMs() + endsInMs, isViewOnly } };
}
