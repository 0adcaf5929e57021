import { join } from "node:path";
import type { Test } from "tap";

/**
 * The environment in which Node refuses to load what holds a package: a module of the built server, by its source map, or
 * the package itself.
 */
export function withoutPackage(t: Test, name: string): { readonly NODE_OPTIONS: string } {
  const hook = `import { existsSync, readFileSync } from "node:fs";
    import { fileURLToPath } from "node:url";
    const inside = ${JSON.stringify(`node_modules/${name}/`)};
    export async function load(url, context, next) {
      const map = url.startsWith("file:") ? fileURLToPath(url) + ".map" : "";
      const holds = url.includes(inside) || (existsSync(map) && JSON.parse(readFileSync(map, "utf8")).sources.some((source) => source.includes(inside)));
      if (holds) throw new Error("the package is loaded");
      return next(url, context);
    }`;
  const dir = t.testdir({
    "block.mjs": `import { register } from "node:module";
      register("data:text/javascript," + encodeURIComponent(${JSON.stringify(hook)}));`,
  });
  return { NODE_OPTIONS: `--import=file://${join(dir, "block.mjs")}` };
}
