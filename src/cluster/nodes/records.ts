import * as z from "zod";
import type { Entry } from "../store/store.ts";

const id = z.string().regex(/^[A-Za-z0-9._-]{1,128}$/);
const amount = z.number().min(0).max(1e9);

/** What a node can take. */
const OFFER = z.object({
  cores: amount,
  memoryMib: amount,
  /** Desktops at most. */
  links: amount,
  /** Networks whose targets it can reach. */
  zones: z.array(id).max(64),
  /** It hands over all that it has and takes nothing. */
  isDraining: z.boolean(),
});

const NODE = z.object({
  /** Of one run of a node: never used again. */
  id,
  nth: z.number(),
  /** As its operator calls it; stays over its runs. */
  name: id,
  /** Where it is reached. */
  address: z.string().max(2048),
  /** Where other nodes call it, HOST:PORT; null: nowhere. */
  calls: z.string().max(300).nullable().default(null),
  leaseMs: z.number().min(100).max(600_000),
  /** It leaves out what it does not know of who calls; absent: one of a version that refuses such calls. */
  isLenient: z.literal(true).exactOptional(),
  offer: OFFER,
});

const ASSIGNMENT = z.object({
  desktop: id,
  /** The network its target is in. */
  zone: id,
  /** What it is expected to use. */
  cores: amount,
  memoryMib: amount,
  /** A node's id; null: nobody has it. */
  owner: id.nullable(),
  /** Who wrote it, and its how manyeth: no two are the same. */
  by: z.string().max(256),
});

export type NodeOffer = z.infer<typeof OFFER>;
export type NodeRecord = z.infer<typeof NODE>;
export type Assignment = z.infer<typeof ASSIGNMENT>;

/** What a node was told, by its name: drained, it hands over all that it has and takes nothing. */
const DRAIN = z.object({
  isDrained: z.boolean(),
  /** Who wrote it, and when. */
  by: z.string().max(600),
});

/** null for what no node of this version wrote: it is left alone. */
export function nodeOf({ value }: Entry): NodeRecord | null {
  return read(NODE, value);
}

export function assignmentOf({ value }: Entry): Assignment | null {
  return read(ASSIGNMENT, value);
}

export function drainOf({ value }: Entry): z.infer<typeof DRAIN> | null {
  return read(DRAIN, value);
}

function read<T>(schema: z.ZodType<T>, text: string): T | null {
  try {
    return schema.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
}
