interface Part {
  readonly id: string;
  readonly continues?: { readonly id: string } | null;
}

/** What is listed by its parts, together: each from the first that is listed to the last, which nothing listed goes on from. */
export function partGroups<One extends Part>(listed: readonly One[]): (readonly [One, ...One[]])[] {
  const byId = new Map(listed.map((one) => [one.id, one]));
  const continued = new Set(listed.map(({ continues }) => continues?.id));
  return [...byId.values()]
    .filter(({ id }) => !continued.has(id))
    .map((last) => {
      let parts: [One, ...One[]] = [last];
      for (let before = byId.get(last.continues?.id ?? ""); before !== undefined; ) {
        if (parts.includes(before)) break;
        parts = [before, ...parts];
        before = byId.get(before.continues?.id ?? "");
      }
      return parts;
    });
}
