import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { defineConfig } from "vite";

/** The entries of threads; those of browsers have a build of their own. */
const THREAD = /^(?!web\/client\/|extension\/).*-worker\.ts$/;

const threads = readdirSync("src", { recursive: true, encoding: "utf8" })
  .map((path) => path.replaceAll("\\", "/"))
  .filter((path) => THREAD.test(path));

/** What npm installs beside the program: packages that load native code or WebAssembly from files of their own. */
const { dependencies } = JSON.parse(readFileSync("package.json", "utf8"));

/**
 * The server with the packages it needs, as a few modules in one folder: a start reads and compiles some ten files instead
 * of a thousand. What is imported when it is needed stays a module of its own. Names and lines are kept by source maps, which
 * hold no sources: Node reads them at the start.
 */
export default defineConfig({
  publicDir: false,
  ssr: { noExternal: true, external: Object.keys(dependencies), target: "node" },
  build: {
    ssr: true,
    outDir: "dist",
    emptyOutDir: false,
    target: "node20",
    minify: false,
    sourcemap: true,
    // Their texts, for what no longer lies in a package of its own.
    license: { fileName: "bundled-licences.md" },
    rolldownOptions: {
      // `openThread` looks for a thread's entry beside the module that opens it.
      input: Object.fromEntries(
        ["main.ts", ...threads].map((path) => [basename(path, ".ts"), join("src", path)]),
      ),
      output: {
        entryFileNames: "[name].js",
        chunkFileNames: "[name]-[hash].js",
        sourcemapExcludeSources: true,
      },
    },
  },
});
