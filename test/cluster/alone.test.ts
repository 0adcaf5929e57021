import { readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import t from "tap";
import ts from "typescript";

const SRC = fileURLToPath(new URL("../../src", import.meta.url));

/** What a module loads as it is loaded: its imports and exports of values, not those of types or within calls. */
function loadedBy(path: string): readonly string[] {
  const source = ts.createSourceFile(path, readFileSync(path, "utf8"), ts.ScriptTarget.Latest);
  return source.statements.flatMap((statement) => {
    const isImport = ts.isImportDeclaration(statement);
    if (!isImport && !ts.isExportDeclaration(statement)) return [];
    if (isImport ? statement.importClause?.isTypeOnly === true : statement.isTypeOnly) return [];
    const named = statement.moduleSpecifier;
    if (named === undefined || !ts.isStringLiteral(named) || !named.text.startsWith(".")) return [];
    return [join(dirname(path), named.text)];
  });
}

/** All that is loaded from these on, by their paths in src. */
function graphOf(...roots: readonly string[]): ReadonlySet<string> {
  const seen = new Set<string>();
  const left = roots.map((root) => join(SRC, root));
  for (let path = left.pop(); path !== undefined; path = left.pop()) {
    if (seen.has(path) || !/\.ts$/.test(path)) continue;
    seen.add(path);
    left.push(...loadedBy(path));
  }
  return new Set([...seen].map((path) => relative(SRC, path)));
}

const ofFleet = (graph: ReadonlySet<string>): readonly string[] =>
  [...graph].filter((path) => /^(cluster|appliance\/fleet)\//.test(path) && path !== "cluster/error.ts");

t.test("a server that is alone loads nothing of a fleet", async (t) => {
  const graph = graphOf("main.ts", "cli/program.ts", "appliance/serve.ts");
  t.ok(graph.size > 500, `${graph.size} modules of the server`);
  t.same(ofFleet(graph), []);
});

t.test("what a fleet needs is found by the same walk", async (t) => {
  t.match(
    ofFleet(graphOf("appliance/fleet/open-fleet.ts")).toSorted().join(),
    /etcd-store\.ts.*fleet-node\.ts/,
  );
});
