import { defineConfig } from "vite";

/** The browser extension: each page and the worker as one file under a name that the manifest knows. */
export default defineConfig({
  root: "src/extension",
  base: "./",
  publicDir: false,
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    outDir: "../../dist/extension",
    emptyOutDir: true,
    target: "chrome125",
    // The content security policy of the manifest allows no data: addresses.
    assetsInlineLimit: 0,
    modulePreload: false,
    rolldownOptions: {
      input: {
        worker: "src/extension/worker.ts",
        popup: "src/extension/popup.html",
        welcome: "src/extension/welcome.html",
      },
      output: {
        entryFileNames: "[name].js",
        chunkFileNames: "[name].js",
        assetFileNames: "[name][extname]",
      },
    },
  },
});
