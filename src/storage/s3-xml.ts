const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

/** What stands in each element of a name, as it is written: the answers of S3 are flat, and name nothing twice on one way. */
export function elementsOf(xml: string, name: string): string[] {
  return [...xml.matchAll(new RegExp(`<${name}(?:\\s[^>]*)?>([\\s\\S]*?)</${name}>`, "g"))].map(
    ([, inner = ""]) => inner,
  );
}

/** The text of the first element of a name; "" where there is none. */
export function textOf(xml: string, name: string): string {
  const [inner = ""] = elementsOf(xml, name);
  return inner.replace(/&(?:#x([0-9a-f]+)|#(\d+)|(\w+));/gi, (whole, hex, decimal, word) => {
    if (hex !== undefined) return String.fromCodePoint(Number.parseInt(hex, 16));
    if (decimal !== undefined) return String.fromCodePoint(Number(decimal));
    return ENTITIES[word] ?? whole;
  });
}
