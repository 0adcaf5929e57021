import * as z from "zod";

/** `POST /api/v1/desktops/:id/tickets` */
export const ticketBodySchema = z.strictObject({
  role: z.enum(["viewer", "approver", "operator"]).default("viewer"),
  /** Without input, whatever the role. */
  view_only: z.boolean().default(true),
  /** From now on; then the guest's session ends. */
  minutes: z.int().min(1).max(720).default(60),
  /** What the guest is called. */
  name: z.string().min(1).max(60).default("Guest"),
});

/** Its answer, the only one that shows the link. */
export const newTicketSchema = z.object({
  /** For a browser: good once. */
  url: z.string(),
  /** What the guest is in the audit log. */
  guest_id: z.string(),
  /** The link is void then, used or not. */
  expires_at: z.iso.datetime(),
});
export type NewTicket = z.infer<typeof newTicketSchema>;
export type TicketBody = z.input<typeof ticketBodySchema>;
