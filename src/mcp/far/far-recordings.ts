import * as z from "zod";
import type { NodeRecord } from "../../cluster/nodes/records.ts";
import { RefusedError } from "../../desktop/error.ts";
import { whoHas } from "../../desktop/far/who-has.ts";
import type { RecordingSummary } from "../../recording/format/summary.ts";
import { hitsSchema, summarySchema } from "../../recording/join/part-asks.ts";
import type { Found } from "../../recording/library/recording-types.ts";
import type { FoundMoment, OtherRecordings } from "../tool/recordings.ts";
import { understood } from "./far-answer.ts";

/** The resource by which a node tells another of recordings that are there, each part by itself: of all, or of the one whose id follows. */
export const PARTS = "parts://";
/** The one by which it tells what it finds in all that are there by the words that follow. */
export const FOUND = "found://";

const json = z.string().transform((text, context): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    context.addIssue("expected JSON");
    return z.NEVER;
  }
});
const told = z.object({ contents: z.tuple([z.object({ text: json })]) });
const parts = z.array(summarySchema);
const moment = hitsSchema.element.extend({
  kind: z.string(),
  recording: z.object({ id: z.string(), title: z.string(), startedAt: z.string() }),
});
const found = z.object({ hits: z.array(moment), isCut: z.boolean(), unread: z.int().min(0) });

/** Reads a resource of another node, as the principal that asks here. Rejects with RefusedError, also where it is not answered in time. */
type ReadResource = (node: NodeRecord, uri: string) => Promise<unknown>;

/** What the principal may see of other nodes' recordings; what one has is missing that does not answer. */
export class FarRecordings implements OtherRecordings {
  readonly #nodes: readonly NodeRecord[];
  readonly #read: ReadResource;

  constructor(nodes: readonly NodeRecord[], read: ReadResource) {
    this.#nodes = nodes;
    this.#read = read;
  }

  async parts(): Promise<readonly RecordingSummary[]> {
    return (await this.#ofAll((node) => partsAt(node, "", this.#read))).flat();
  }

  found(query: string): Promise<readonly Found<FoundMoment>[]> {
    return this.#ofAll(async (node) => textOf(found, await this.#read(node, `${FOUND}${query}`), node));
  }

  async #ofAll<Told>(ask: (node: NodeRecord) => Promise<Told>): Promise<readonly Told[]> {
    const answers = await Promise.all(
      this.#nodes.map((node) =>
        ask(node).catch((error: unknown) => {
          if (!(error instanceof RefusedError)) throw error;
          return null;
        }),
      ),
    );
    return answers.filter((told) => told !== null);
  }
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
  return textOf(parts, await read(node, `${PARTS}${id}`), node);
}

function textOf<Told>(schema: z.ZodType<Told>, answer: unknown, node: NodeRecord): Told {
  return understood(schema, understood(told, answer, node).contents[0].text, node);
}
