import * as z from "zod";
import type { NodeRecord } from "../../cluster/nodes/records.ts";
import { RefusedError } from "../../desktop/error.ts";
import { whoHas } from "../../desktop/far/who-has.ts";
import type { RecordingSummary } from "../../recording/format/summary.ts";
import { summarySchema } from "../../recording/join/part-asks.ts";
import { understood } from "./far-answer.ts";

/** The resource by which a node tells another of recordings that are there, each part by itself: of all, or of the one whose id follows. */
export const PARTS = "parts://";

const json = z.string().transform((text, context): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    context.addIssue("expected JSON");
    return z.NEVER;
  }
});
const told = z.object({ contents: z.tuple([z.object({ text: json.pipe(z.array(summarySchema)) })]) });

/** Reads a resource of another node, as the principal that asks here. Rejects with RefusedError, also where it is not answered in time. */
type ReadResource = (node: NodeRecord, uri: string) => Promise<unknown>;

/** Those of other nodes that the principal may see; what one has is missing that does not answer. */
export async function farRecordings(
  nodes: readonly NodeRecord[],
  read: ReadResource,
): Promise<readonly RecordingSummary[]> {
  const parts = await Promise.all(
    nodes.map((node) =>
      partsAt(node, "", read).catch((error: unknown) => {
        if (!(error instanceof RefusedError)) throw error;
        return [];
      }),
    ),
  );
  return parts.flat();
}

/** The other node that has a part, and the principal may know; null: none. Rejects with RefusedError node_unreachable, as whoHas. */
export function recordedAt(
  id: string,
  nodes: readonly NodeRecord[],
  read: ReadResource,
): Promise<NodeRecord | null> {
  return whoHas(nodes, async (node) => (await partsAt(node, id, read)).some((part) => part.id === id));
}

async function partsAt(
  node: NodeRecord,
  id: string,
  read: ReadResource,
): Promise<readonly RecordingSummary[]> {
  return understood(told, await read(node, `${PARTS}${id}`), node).contents[0].text;
}
