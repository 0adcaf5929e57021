// Preloaded (`node --import`) where Node 20 runs the conformance suite: the suite imports fs.globSync, which Node 22
// brought, for a command of its own that is never used here.
import { register } from "node:module";

const fs = "export * from 'node:fs'; export const globSync = () => { throw new Error('needs Node 22'); };";
const hooks = `export async function resolve(specifier, context, next) {
  const isSuite = specifier === "fs" && context.parentURL?.includes("/@modelcontextprotocol/conformance/");
  if (!isSuite) return next(specifier, context);
  return { url: ${JSON.stringify(`data:text/javascript,${encodeURIComponent(fs)}`)}, shortCircuit: true };
}`;
register(`data:text/javascript,${encodeURIComponent(hooks)}`);
