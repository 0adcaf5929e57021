import * as z from "zod";
import { type Actor, shownName } from "../../desktop/control/action.ts";
import { rect } from "./overlay-api.ts";

/** Who acts, as people are shown them. */
export const actorSchema = z.object({
  kind: z.string(),
  /** Of an agent that of its program, where that said one: the same everywhere. */
  name: z.string(),
  /** Of an agent's token, where `name` is another; absent: it is the same. */
  token: z.string().exactOptional(),
});

export function actorInfo(actor: Pick<Actor, "kind" | "name" | "client">): z.infer<typeof actorSchema> {
  const name = shownName(actor);
  return { kind: actor.kind, name, ...(name === actor.name ? {} : { token: actor.name }) };
}

const point = z.object({ x: z.int(), y: z.int() });

/** Of an action: `GET …/actions/:actionId/before.png` and `after.png` show `crop`; `point`: where a button was pressed in it. */
const actionPicturesSchema = z.object({ crop: rect, point: point.nullable() });

export const actionSchema = z.object({
  id: z.string(),
  desktop_id: z.string(),
  at: z.string(),
  actor: actorSchema,
  kind: z.string(),
  summary: z.string(),
  intent: z.string().nullable(),
  outcome: z.enum(["done", "refused", "failed"]),
  code: z.string().nullable(),
  was_confirmed: z.boolean(),
  changed: z.boolean().nullable(),
  settle_ms: z.number().nullable(),
  duration_ms: z.number(),
  pictures: actionPicturesSchema.nullable(),
});

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

/** Of `/ws/events`, to one person. asked: `from` asks for the input that they hold; kept: `from` keeps what they asked for. */
export const inputAskSchema = z.object({
  type: z.literal("input_ask"),
  desktop_id: z.string(),
  what: z.enum(["asked", "kept"]),
  from: z.object({ id: z.string(), name: z.string() }),
  until: z.string(),
});
export type InputAsk = z.infer<typeof inputAskSchema>;

/** `POST /api/v1/desktops/:id/answer-input` */
export const inputAnswerSchema = z.strictObject({
  /** The id of who asked. */
  to: z.string().max(200),
  give: z.boolean(),
});

/** An MCP client that connected, and when it last called. */
export const clientSchema = z.object({ name: z.string(), seen_at: z.string() });
export type ClientInfo = z.infer<typeof clientSchema>;
