import * as z from "zod";
import type { Actor } from "../../desktop/control/action.ts";
import { rect } from "./overlay-api.ts";

/** Who acts, as people are shown them. */
export const actorSchema = z.object({
  kind: z.string(),
  /** Of an agent that of its program, where that said one: the same everywhere. */
  name: z.string(),
  /** Of an agent's token, where `name` is another; absent: it is the same. */
  token: z.string().exactOptional(),
});

/** One name for one agent, wherever it is shown. */
export function shownName({ name, client }: Pick<Actor, "name" | "client">): string {
  return client ?? name;
}

export function actorInfo(actor: Pick<Actor, "kind" | "name" | "client">): z.infer<typeof actorSchema> {
  const name = shownName(actor);
  return { kind: actor.kind, name, ...(name === actor.name ? {} : { token: actor.name }) };
}

const point = z.object({ x: z.int(), y: z.int() });

/** What an agent does right now, of `/ws/events`: never which key or text. Desktop pixels. */
export const agentSeenSchema = z.object({
  type: z.literal("agent"),
  desktop_id: z.string(),
  name: z.string(),
  /** Where its pointer is; null: it did not move. */
  point: point.nullable(),
  /** Where it pressed a button, oldest first. */
  clicks: z.array(point),
  /** Keys that it pressed one after the other, so far; 0: it does not type. */
  keys: z.int(),
  /** What it was shown of the desktop; null: nothing, or all of it. */
  area: rect.nullable(),
});

export type AgentSeen = z.infer<typeof agentSeenSchema>;
