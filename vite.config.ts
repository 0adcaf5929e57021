import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { defineConfig, type Plugin } from "vite";

/** Icons travel as the shapes inside their SVG element: what all have in common is said once in the app. */
function slimIcons(): Plugin {
  return {
    name: "slim-icons",
    enforce: "pre",
    transform: {
      filter: { id: /lucide-static.*\.svg\?raw$/ },
      handler(code) {
        const shapes = code.replace(/\\n/g, " ").replace(/^.*<svg[^>]*>\s*|\s*<\/svg>.*$/gs, "");
        return { code: `export default "${shapes.replace(/ {2,}/g, " ")}"`, map: null };
      },
    },
  };
}

/**
 * noVNC without what our own server never asks of it: the page is signed in before it opens its WebSocket, which
 * offers the security type None alone, and of the encodings in noVNC's list the server takes the first that it encodes,
 * which is Tight (Wishes.setEncodings). With the keysyms below 12 KB of the viewer's 56, packed.
 */
function slimNoVnc(): Plugin {
  const names = "ra2|crypto/crypto|decoders/(?:h264|hextile|jpeg|rre|tightpng|zlib|zrle)";
  return {
    name: "slim-novnc",
    enforce: "pre",
    load: {
      filter: { id: new RegExp(`/@novnc/novnc/core/(${names})\\.js$`) },
      handler: () => ({ code: "export default class {}", map: null }),
    },
  };
}

/** noVNC names all keysyms of X, and itself uses four in ten: the names of the others would travel for nothing. */
function slimKeysyms(): Plugin {
  return {
    name: "slim-keysyms",
    enforce: "pre",
    transform: {
      filter: { id: /\/@novnc\/novnc\/core\/input\/keysym\.js$/ },
      handler(code, id) {
        const core = join(dirname(id), "..");
        const sources = readdirSync(core, { recursive: true, encoding: "utf8" })
          .filter((path) => path.endsWith(".js"))
          .map((path) => readFileSync(join(core, path), "utf8"));
        const used = new Set(sources.flatMap((source) => source.match(/(?<=\bKeyTable\.)\w+/g) ?? []));
        const kept = code
          .match(/^ {4}\w+:\s*0x[0-9a-f]+/gim)
          ?.filter((line) => used.has(line.trim().split(":")[0] ?? ""));
        if (kept === undefined || kept.length === 0)
          throw new Error("noVNC's list of keysyms has another form");
        return { code: `export default {${kept.join(",")}}`, map: null };
      },
    },
  };
}

/** The web app: one page for all addresses, hashed assets that may be cached for ever. */
export default defineConfig({
  root: "src/web/client",
  base: "/",
  publicDir: false,
  plugins: [slimIcons(), slimNoVnc(), slimKeysyms()],
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    outDir: "../../../dist/client",
    emptyOutDir: true,
    // noVNC probes the decoders with a top-level await.
    target: "es2023",
    // The content security policy allows no data: scripts or styles, and inlined pictures could not be cached.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // What most pages share comes as one file: it packs better than many small ones.
    rolldownOptions: {
      output: {
        codeSplitting: { groups: [{ name: "core", test: /\.(ts|tsx|mjs|js|svg\?raw)$/, minShareCount: 4 }] },
      },
    },
  },
});
