import type { Found } from "../library/recording-types.ts";

/** What several nodes found, as one. A recording of which two tell, as both read its archive, is the first one's. */
export function foundTogether<Hit>(
  all: readonly Found<Hit>[],
  limit: number,
  recordingOf: (hit: Hit) => { readonly id: string; readonly startedAt: string },
): Found<Hit> {
  const byId = new Map<
    string,
    { readonly startedAt: string; readonly by: Found<Hit>; readonly hits: Hit[] }
  >();
  for (const found of all) {
    for (const hit of found.hits) {
      const { id, startedAt } = recordingOf(hit);
      const known = byId.get(id) ?? { startedAt, by: found, hits: [] };
      byId.set(id, known);
      if (known.by === found) known.hits.push(hit);
    }
  }
  const hits = [...byId.values()]
    .sort((a, b) => b.startedAt.localeCompare(a.startedAt))
    .flatMap((one) => one.hits);
  return {
    hits: hits.slice(0, limit),
    isCut: hits.length > limit || all.some(({ isCut }) => isCut),
    unread: all.reduce((sum, { unread }) => sum + unread, 0),
  };
}
