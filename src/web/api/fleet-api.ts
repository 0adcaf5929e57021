import * as z from "zod";

/** `GET /api/v1/fleet` */
export const fleetQuerySchema = z.object({
  /** The name of the one node to be told of, with the desktops that it has. */
  node: z.string().min(1).max(128).exactOptional(),
  /** `next` of the part before. */
  after: z.string().max(200).exactOptional(),
  /** Desktops at most. */
  limit: z.coerce.number().int().min(1).max(1000).default(200),
});

/** Its answer, as the node that is asked knows it. */
export const fleetSchema = z.object({
  /** Of the node that is asked; null: this server is alone. */
  node: z.string().nullable(),
  /** For so long its lease is surely held; 0: it sends no input. */
  lease_ms: z.int(),
  nodes: z.array(
    z.object({
      name: z.string(),
      address: z.string(),
      /** Where other nodes call it, HOST:PORT; null: nowhere, and what it has is answered by it alone. */
      calls: z.string().nullable(),
      zones: z.array(z.string()),
      /** How many desktops it has, and how many it takes at most. */
      desktops: z.int(),
      capacity: z.int(),
      is_draining: z.boolean(),
    }),
  ),
  /** A part of them: first those that no node has, then by their ids. */
  desktops: z.array(
    z.object({
      id: z.string(),
      /** null where this node cannot read it: it has another `cluster.key`. */
      name: z.string().nullable(),
      zone: z.string(),
      /** The node that has it; null: none. */
      node: z.string().nullable(),
    }),
  ),
  /** `after` of the next part; null: there is none. */
  next: z.string().nullable(),
  /** What moved from one node to another, as the node that is asked saw it since it runs; the last hundred, newest first. */
  moves: z.array(
    z.object({
      desktop_id: z.string(),
      /** Of the desktop, as above. */
      name: z.string().nullable(),
      from: z.string(),
      to: z.string(),
      /** gone: that node's lease ended; drained: it was told to hand over all; let_go: it gave this one away, or did not reach it. */
      why: z.enum(["gone", "drained", "let_go"]),
      at: z.iso.datetime(),
    }),
  ),
});
export type FleetInfo = z.infer<typeof fleetSchema>;

/** `POST /api/v1/fleet/nodes/:id/drain`; false: it takes desktops again. */
export const drainBodySchema = z.strictObject({ is_draining: z.boolean().default(true) });

/** `GET /api/v1/fleet/open/:id`: of the node that is asked alone. */
export const openSchema = z.object({ is_open: z.boolean() });
export type OpenInfo = z.infer<typeof openSchema>;
