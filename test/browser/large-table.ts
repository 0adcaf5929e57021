/** What Chromium's accessibility tree of a page with a table is, as its calls tell it, and which nodes were asked for. */
export class LargeTable {
  /** Nodes that were told, each time they were. */
  told = 0;
  readonly calls = new Map<string, number>();
  readonly #nodes = new Map<number, Record<string, unknown>>();
  readonly #gone = new Set<number>();

  readonly #first: number | undefined;

  /** `offset`: what the tree's numbers are more than those of the elements. `first`: how many subtrees the page itself counts as enough. */
  constructor(
    rows: number,
    { offset = 0, first }: { readonly offset?: number; readonly first?: number } = {},
  ) {
    this.#first = first;
    let last = 5;
    const add = (id: number, role: string, name: string, children: number[], isIgnored = false): number => {
      this.#nodes.set(id, {
        ...{ nodeId: String(id + offset), backendDOMNodeId: id, ignored: isIgnored },
        ...{ role: { value: role }, name: { value: name } },
        childIds: children.map((child) => String(child + (child > 0 ? offset : 0))),
      });
      return id;
    };
    const text = (name: string): number => {
      const box = -++last;
      add(box, "InlineTextBox", name, []);
      return add(++last, "StaticText", name, [box]);
    };
    const cell = (name: string, inner: number): number => add(++last, "cell", name, [inner]);
    const all = Array.from({ length: rows }, (_, row) => {
      const button = add(++last, "button", `Close ${row}`, [text(`Close ${row}`)]);
      const cells = [cell(`Row ${row}`, text(`Row ${row}`)), cell(`Close ${row}`, button)];
      return add(++last, "row", "", cells);
    });
    add(5, "rowgroup", "said of what is ignored", all, true);
    add(4, "table", "", [5]);
    add(3, "link", "After the table", []);
    add(2, "generic", "", [4, 3], true);
    add(1, "RootWebArea", "Rows", [2]);
  }

  remove(id: number): void {
    this.#gone.add(id);
  }

  /** The elements of the row of this number, itself the last. */
  rowId(row: number): number {
    const ids = this.#nodes.get(5)?.["childIds"];
    return Number(Array.isArray(ids) ? ids[row] : 0);
  }

  call = (method: string, params: object): Promise<unknown> =>
    Promise.resolve().then(() => {
      this.calls.set(method, (this.calls.get(method) ?? 0) + 1);
      const { objectId, backendNodeId } = Object(params);
      const id = backendNodeId ?? Number(String(objectId).slice("object ".length));
      switch (method) {
        case "Runtime.getProperties":
          return {
            result: [
              ...(String(objectId).startsWith("in ") ? [Number(objectId.slice(3))] : [1, 2, 4, 5]).map(
                (one, index) => ({
                  ...{ name: String(index), value: { objectId: `object ${one}` } },
                }),
              ),
              { name: "length", value: { value: 4 } },
              ...(this.#first === undefined ? [] : [{ name: "first", value: { value: this.#first } }]),
            ],
          };
        case "Accessibility.getFullAXTree":
          return { nodes: this.#subtree(1, false) };
        case "Accessibility.getPartialAXTree":
          return { nodes: this.#tell([this.#nodes.get(id)]) };
        case "Accessibility.queryAXTree":
          // As Chromium says it.
          if (this.#gone.has(id))
            throw new Error('{"code":-32000,"message":"Could not find node with given id"}');
          return { nodes: this.#subtree(id, true) };
        default:
          throw new Error(`nobody asks for ${method}`);
      }
    });

  #subtree(id: number, isForced: boolean): unknown[] {
    const nodes: unknown[] = [];
    const open = [id];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      const node = this.#nodes.get(next);
      if (node === undefined) continue;
      const isPlain = node["ignored"] === true && !isForced;
      nodes.push(isPlain ? { ...node, role: { value: "none" }, name: undefined } : node);
      const { childIds } = node;
      if (Array.isArray(childIds)) open.push(...childIds.map(Number).reverse());
    }
    return this.#tell(nodes);
  }

  #tell(nodes: unknown[]): unknown[] {
    this.told += nodes.length;
    return nodes;
  }
}
