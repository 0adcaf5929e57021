import type { Reader } from "./resources/reader.ts";

/** MCP's own limit of one answer. */
const MOST = 100;

/** What a client wants to complete: an argument of a prompt, or a part of a resource's address. */
export interface CompletionWish {
  /** The prompt's name or the template's address. */
  readonly of: string;
  readonly argument: string;
  /** What was written so far. */
  readonly value: string;
}

/** Ids of the reader's own that begin with what was written; connections by their name too. */
export function complete({ of, argument, value }: CompletionWish, reader: Reader) {
  const wanted = value.toLowerCase();
  const isScreen = of.startsWith("screen://");
  const isScreenshot = of.startsWith("screenshots://");
  const found =
    argument === "connection_id" || (argument === "id" && isScreen)
      ? reader.desktops.all
          .filter(({ id, name }) => [id, name].some((text) => text.toLowerCase().startsWith(wanted)))
          .map(({ id }) => id)
      : argument === "screenshot_id" || (argument === "id" && isScreenshot)
        ? reader.desk.screenshots
            .recent(reader.principal.id)
            .filter(({ id, bytes }) => bytes !== null && id.startsWith(wanted))
            .map(({ id }) => id)
        : [];
  return { values: found.slice(0, MOST), total: found.length, hasMore: found.length > MOST };
}
