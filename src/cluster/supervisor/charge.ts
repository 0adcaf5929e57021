import * as z from "zod";

const pem = z.string().max(1 << 20);

/** What a supervisor is told first. It comes by a pipe alone, for there are secrets in it. */
export const CHARGE = z.object({
  /** The server, which it is a child of. */
  pid: z.int().positive(),
  endpoints: z.array(z.string()).min(1),
  tls: z.object({ ca: pem, cert: pem.nullable(), key: pem.nullable() }),
  login: z.object({ name: z.string(), password: z.string() }).nullable(),
  /** What all keys of the fleet begin with. */
  prefix: z.string(),
  timing: z.object({ leaseMs: z.number(), marginMs: z.number() }),
  logLevel: z.enum(["debug", "info", "warn", "error", "silent"]),
});

export type Charge = z.infer<typeof CHARGE>;

/** What it is told before each lease is taken. */
export const LEASE_WORD = z.object({ lease: z.string().max(128) });

/** Leases of a process that may be there still; older ones have ended by themselves. */
export const MOST_LEASES = 8;
