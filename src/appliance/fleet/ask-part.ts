import { carriedPrincipal } from "../../auth/carried-principal.ts";
import { nodePrincipal } from "../../auth/node-principal.ts";
import type { Fleet } from "../../cluster/fleet/fleet.ts";
import type { AskedPart } from "../../cluster/shared/shared-recordings.ts";
import { RefusedError } from "../../desktop/error.ts";
import type { Clock } from "../../platform/clock.ts";
import { readAnswer } from "../../platform/read-answer.ts";

/** What is asked is small beside its answer: so long a node may look for it, and so much it may give at once. */
const ANSWER_WITHIN_MS = 30_000;
const MOST_ANSWER_BYTES = 256 * 1024 * 1024;

/** Asks the node that has a recording about it, as this node. Rejects with RefusedError node_unreachable, not_found, not_supported. */
export async function askPart(
  fleet: Pick<Fleet, "name" | "calls">,
  clock: Clock,
  { id, node, desktopId }: AskedPart,
  ask: unknown,
): Promise<Buffer> {
  const calls = fleet.calls ?? null;
  const record = calls?.others.find(({ name }) => name === node);
  if (calls === null || record === undefined)
    throw new RefusedError("node_unreachable", "that node is not there");
  const limit = new AbortController();
  const cancel = clock.after(ANSWER_WITHIN_MS, () => limit.abort());
  try {
    const { response } = await calls.call(record, {
      method: "POST",
      path: `/api/v1/fleet/recordings/${encodeURIComponent(id)}`,
      headers: { "content-type": "application/json" },
      caller: carriedPrincipal(nodePrincipal(fleet.name, { role: "operator" }, desktopId), clock),
      body: JSON.stringify(ask),
      signal: limit.signal,
    });
    const body = await readAnswer(response, MOST_ANSWER_BYTES);
    if (response.statusCode === 200) return body;
    if (response.statusCode === 404) throw new RefusedError("not_found", "it is not there any more");
    throw new RefusedError("not_supported", `that node does not give it (${response.statusCode})`);
  } catch (cause) {
    if (cause instanceof RefusedError && cause.code === "not_found") throw cause;
    if (cause instanceof RefusedError && cause.code === "not_supported") throw cause;
    throw new RefusedError("node_unreachable", "that node does not answer", { cause });
  } finally {
    cancel();
  }
}
