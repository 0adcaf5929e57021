import { Worker } from "node:worker_threads";

/** The heap of one link's thread. Pictures lie outside of it and have limits of their own. */
export const THREAD_HEAP_MB = 192;

/** A text desktop leaves hardly any garbage, and each half of this is memory that every thread holds. */
const YOUNG_HEAP_MB = 8;

const LIMITS = { maxOldGenerationSizeMb: THREAD_HEAP_MB, maxYoungGenerationSizeMb: YOUNG_HEAP_MB };

/** Opens a thread whose entry has this name in the folder of `beside`, a module's URL. It sees no environment. */
export function openThread(name: string, beside: string): Worker {
  const options = { env: {}, execArgv: [], resourceLimits: LIMITS };
  if (!beside.endsWith(".ts")) return new Worker(new URL(`./${name}.js`, beside), options);
  // From source: threads do not inherit what lets the main one read TypeScript (tsx 4.23, Node 20.20).
  const tsx = JSON.stringify(import.meta.resolve("tsx/esm/api"));
  const entry = JSON.stringify(new URL(`./${name}.ts`, beside).href);
  const start = `import(${tsx}).then(({ register }) => { register(); return import(${entry}); });`;
  return new Worker(start, { ...options, eval: true });
}
