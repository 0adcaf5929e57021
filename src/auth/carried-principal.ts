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

/** What a later version tells beside this is left out, but for what it says that nobody may leave out. */
const CARRIED = z.object({
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
  door: z.unknown().exactOptional(),
  /** Names of fields without which the principal would be another, with more rights: who does not know one refuses the caller. */
  mustKnow: z.array(z.enum(["desktops", "guest", "toolsets"])).exactOptional(),
});

/** A principal as one node tells another of it. */
export function carriedPrincipal(
  { guest, via: _via, ...principal }: Principal,
  clock: Pick<Clock, "nowMs">,
): unknown {
  if (guest === undefined) return principal;
  const { hostId, endsAtMs, isViewOnly } = guest;
  return { ...principal, guest: { hostId, endsInMs: endsAtMs - clock.nowMs(), isViewOnly } };
}

/** The principal on whose behalf the node `via` calls; null for what is none. */
export function principalCarried(
  caller: unknown,
  via: string,
  clock: Pick<Clock, "nowMs">,
): Principal | null {
  const { data } = CARRIED.safeParse(caller);
  if (data === undefined) return null;
  const { guest, door, mustKnow: _, ...known } = data;
  const principal: Principal = { ...known, via, ...(door === "vnc" ? { door } : {}) };
  if (guest === undefined) return principal;
  const { hostId, endsInMs, isViewOnly } = guest;
  return { ...principal, guest: { hostId, endsAtMs: clock.nowMs() + endsInMs, isViewOnly } };
}
