import * as z from "zod";

/** `PUT /api/v1/push/subscription`: what a browser's PushSubscription says of itself. */
export const subscriptionBodySchema = z.strictObject({
  endpoint: z.url().max(2048),
  keys: z.strictObject({ p256dh: z.string().max(200), auth: z.string().max(100) }),
});
export type SubscriptionBody = z.input<typeof subscriptionBodySchema>;

/** `DELETE /api/v1/push/subscription` */
export const subscriptionEndSchema = z.strictObject({ endpoint: z.url().max(2048) });

/** `GET /api/v1/push` */
export const pushInfoSchema = z.object({
  /** The key that a subscription is bound to; null where nobody is told in a browser. */
  public_key: z.string().nullable(),
});
export type PushInfo = z.infer<typeof pushInfoSchema>;
