import { mkdirSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "vite";

/** Beside the packages that the bundle imports. */
const FOLDER = fileURLToPath(new URL("../node_modules/.cache/bench/", import.meta.url));

/**
 * A script of this folder as one module, put together as the server is: where CPU is counted. tsx gives each function
 * its name when it is made, also those that are made for every frame, up to a quarter of what fifty viewers take.
 */
export async function bundle(script: string): Promise<string> {
  mkdirSync(FOLDER, { recursive: true });
  const entry = basename(script, ".ts");
  await build({
    configFile: false,
    publicDir: false,
    logLevel: "error",
    build: {
      ssr: true,
      outDir: FOLDER,
      emptyOutDir: false,
      target: "node20",
      minify: false,
      rolldownOptions: {
        input: { [entry]: fileURLToPath(new URL(script, import.meta.url)) },
        output: { entryFileNames: "[name].mjs", codeSplitting: false },
      },
    },
  });
  return join(FOLDER, `${entry}.mjs`);
}
