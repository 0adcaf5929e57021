import type { X509Certificate } from "node:crypto";
import * as z from "zod";

/** Who calls, of a request from node to node: base64url of JSON. */
export const CALL_HEADER = "x-overlay-companion-call";
/** On an answer: the call was refused before anything of it was looked at. */
export const REFUSED_HEADER = "x-overlay-companion-refused";
/** What is asked to see whether a node still answers. */
export const ALIVE_PATH = "/calls/alive";

/** A principal may be for 200 desktops, whose ids have up to 200 characters. */
export const MOST_HEADER_BYTES = 128 * 1024;

/** TLS of both sides of a call, PEM. */
export interface CallsTls {
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

const CALL = z.object({
  /** The node that carries it. */
  node: z.string().min(1).max(128),
  /** On whose behalf, as whoever answers understands it. */
  caller: z.unknown(),
});
export type Call = z.infer<typeof CALL>;

export function writeCall(call: Call): string {
  return Buffer.from(JSON.stringify(call)).toString("base64url");
}

/** null for what no node wrote. */
export function readCall(header: string | string[] | undefined): Call | null {
  if (typeof header !== "string") return null;
  try {
    return CALL.safeParse(JSON.parse(Buffer.from(header, "base64url").toString("utf8"))).data ?? null;
  } catch {
    return null;
  }
}

/** Whether a certificate is for a node of that name: one of its DNS names, or its CN, to the letter. */
export function isFor(certificate: X509Certificate, node: string): boolean {
  const options = { subject: "always", wildcards: false, partialWildcards: false } as const;
  return certificate.checkHost(node, options) === node;
}
