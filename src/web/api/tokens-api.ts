import * as z from "zod";
import { LONGEST_DESKTOP_ID, LONGEST_OWNER, MOST_DESKTOPS, ROLES, TOOLSETS } from "../../auth/principal.ts";

/** A token as `GET /api/v1/tokens` lists it; its secret is not kept. */
export const tokenInfoSchema = z.object({
  id: z.string(),
  name: z.string(),
  role: z.enum(ROLES),
  /** The ids of the desktops that it is for; null: all of them. */
  desktops: z.array(z.string()).nullable(),
  /** The sets of tools that it has over MCP; null: those of the configuration. */
  toolsets: z.array(z.string()).nullable(),
  /** The id of the person whose it is, who does not approve what it asks under `approvals.four_eyes`; null: nobody was named. */
  owner: z.string().nullable(),
  /** The person at its own client may approve what it asks. */
  may_elicit: z.boolean(),
  created_at: z.iso.datetime(),
  /** null: it never does. */
  expires_at: z.iso.datetime().nullable(),
  /** To the minute; null for never. */
  last_used_at: z.iso.datetime().nullable(),
});
export type TokenDetails = z.infer<typeof tokenInfoSchema>;

/** `POST /api/v1/tokens` */
export const tokenBodySchema = z.strictObject({
  name: z.string().min(1).max(100),
  role: z.enum(ROLES),
  desktops: z
    .array(z.string().min(1).max(LONGEST_DESKTOP_ID))
    .min(1)
    .max(MOST_DESKTOPS)
    .nullable()
    .default(null),
  /** The sets of tools that it has over MCP, listed and called; null: those of the configuration. */
  toolsets: z.array(z.enum(TOOLSETS)).min(1).max(TOOLSETS.length).nullable().default(null),
  /** Left out or null: whoever asks for it. */
  owner: z.string().min(1).max(LONGEST_OWNER).nullable().default(null),
  expires_at: z.iso.datetime().nullable().default(null),
});

/** Its answer, the only one that shows the token. */
export const newTokenSchema = tokenInfoSchema.extend({ token: z.string() });
export type NewToken = z.infer<typeof newTokenSchema>;
export type TokenBody = z.input<typeof tokenBodySchema>;
