import type { Reader } from "../resources/reader.ts";

/** MCP's own limit of one answer. */
const MOST = 100;

/** What a client wants to complete: an argument of a prompt, or a part of a resource's address. */
export interface CompletionOptions {
  /** The prompt's name or the template's address. */
  readonly of: string;
  readonly argument: string;
  /** What was written so far. */
  readonly value: string;
}

/** Ids of the reader's own that begin with what was written; connections and recordings by their name too. */
export async function complete(request: CompletionOptions, reader: Reader) {
  const wanted = request.value.toLowerCase();
  const found = (await namedOf(request, reader))
    .filter(({ id, name }) => [id, name].some((text) => text.toLowerCase().startsWith(wanted)))
    .map(({ id }) => id);
  return { values: found.slice(0, MOST), total: found.length, hasMore: found.length > MOST };
}

interface Named {
  readonly id: string;
  readonly name: string;
}

/** Everything that an argument may name; nothing where it names no thing that has an id. */
async function namedOf({ of, argument }: CompletionOptions, reader: Reader): Promise<readonly Named[]> {
  const [scheme] = of.split("://");
  const kind = argument === "id" ? scheme : argument;
  switch (kind) {
    case "screen":
    case "connection":
    case "connection_id":
      return reader.desktops.all;
    case "screenshots":
    case "screenshot_id":
      return reader.mcpState.screenshots
        .recent(reader.principal.id)
        .filter(({ bytes }) => bytes !== null)
        .map(({ id }) => ({ id, name: id }));
    case "recordings":
      return ((await reader.recordings?.list()) ?? []).map(({ id, title }) => ({ id, name: title }));
    default:
      return [];
  }
}
