import { defineConfig } from "vite";
import {
  decodeFilms,
  encodeByBrowser,
  inflateByOurs,
  leaveUncalled,
  logErrorsAlone,
  packAssets,
  preloadSimply,
  probeLittle,
  shortenNoVnc,
  slimNoVnc,
  storeClipboards,
} from "./scripts/client-plugins.ts";
import { slimIcons } from "./scripts/icon-path.ts";
import { shortenKeys } from "./scripts/novnc-keys.ts";

/** What all pages or many of them load: also what the viewer and the player share, and the page to sign in. */
const EVERYWHERE =
  /\.css$|preload-helper|\/(preact|@preact|lucide-static)\/|\/client\/(shell|controls|main|language\/language|masks\/mask-words|setup\/sign-in|approvals\/(approval-queue|notify\.)|viewer\/(crop|overlay-(layer|figure|place)|stage\.|stage-plan))|\/framebuffer\/rect|\/compositor\/look\//;

/** What the first page needs, and a viewer once its first picture is there: they come one after the other. */
const BESIDE_THE_PICTURE =
  /\/client\/(later-pages|approvals\/(?!approval-queue)|admin|rules|files|connections|setup\/setup|masks\/mask-(list|dialog)|viewer\/(viewer-(side|panel)|later\/viewer-parts|device\/sound-player|agent-marks|action-list|overlay-list|replay-bar|input\/extra-keys|clipboard-panel))/;

const PUSH_WORKER = "push-worker";

/** The web app: one page for all addresses, hashed assets that may be cached for ever. */
export default defineConfig({
  root: "src/web/client",
  // Relative, for the app may be below a path of its host: the server completes what index.html names.
  base: "./",
  publicDir: false,
  plugins: [
    slimIcons(),
    slimNoVnc(),
    storeClipboards(),
    shortenKeys(),
    leaveUncalled(),
    logErrorsAlone(),
    probeLittle(),
    decodeFilms(),
    shortenNoVnc(),
    inflateByOurs(),
    encodeByBrowser(),
    preloadSimply(),
    packAssets(),
  ],
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    outDir: "../../../dist/client",
    emptyOutDir: true,
    target: "es2023",
    // The content security policy allows no data: scripts or styles, and inlined pictures could not be cached.
    assetsInlineLimit: 0,
    // All styles pack into a third less than those of each page would; they come once, with the first page.
    cssCodeSplit: false,
    modulePreload: { polyfill: false },
    // What is alike, and what is loaded together, comes as one file: it packs better than many small ones.
    rolldownOptions: {
      input: {
        index: "src/web/client/index.html",
        early: "src/web/client/early/early.ts",
        [PUSH_WORKER]: "src/web/client/push/push-worker.ts",
      },
      output: {
        // A service worker is for the pages below its own address, which has to stay the same.
        entryFileNames: ({ name }) => (name === PUSH_WORKER ? "[name].js" : "assets/[name]-[hash].js"),
        codeSplitting: {
          groups: [
            // What every page loads, what many share, what the viewer shares with what comes after its first picture,
            // and the styles: what is left of one is an empty module, for which no page is to load another.
            { name: "core", test: EVERYWHERE, priority: 1 },
            { name: "beside", test: BESIDE_THE_PICTURE },
            // Both are what a viewer needs first, and shorter as one.
            { name: "rfb", test: /\/@novnc\/|\/client\/viewer\// },
            { name: "recordings", test: /\/client\/(recordings|player)\// },
          ],
        },
      },
    },
  },
});
