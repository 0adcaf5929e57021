import { isBuiltin } from "node:module";
import { dirname, join, posix, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { importsOf, listSources, membersOf } from "./imports.ts";

/** The house of docs/ARCHITECTURE.md from the ground up: a floor's rooms may import the floors before it in this list. */
export const FLOORS = [
  { name: "GROUND", rooms: ["framebuffer", "protocols"], areRoomsOpen: true },
  /** Node for its own sake: clock, files, threads, zlib, log; and S3-compatible storage. */
  { name: "PLATFORM", rooms: ["platform", "storage"], areRoomsOpen: true },
  { name: "PICTURE", rooms: ["compositor", "imaging"], areRoomsOpen: true },
  { name: "HEART", rooms: ["desktop"], areRoomsOpen: true },
  {
    name: "SERVICES",
    rooms: [
      "recording",
      "audit",
      "auth",
      "browser",
      "demo",
      "vision",
      "analysis",
      "monitoring",
      "push",
      "cluster",
    ],
    areRoomsOpen: false,
  },
  { name: "FACES", rooms: ["mcp", "web", "extension"], areRoomsOpen: false },
  { name: "CONFIG", rooms: ["config"], areRoomsOpen: true },
  /** What composes all; main.ts lies directly in src/. */
  { name: "ROOF", rooms: ["appliance", "cli", ""], areRoomsOpen: true },
] as const;

/** Rectangles, pixels, pictures, cursors: words that every protocol needs, so this room knows none of them. */
const WORDS = "framebuffer/";

/** Browser code inside the web room. */
const CLIENT = "web/client/";
/** The browser extension. */
const EXTENSION = "extension/";

/** OpenTelemetry's packages, loaded by `monitoring/load-telemetry.ts` where a collector is configured. */
const TELEMETRY = "monitoring/otlp/";

/**
 * Code for browsers and what it sees, nothing of which needs Node: the web app GROUND, how overlays look, what desktops say in
 * other languages and the shapes of the REST API, the extension what it and the server say to each other.
 */
const LEAVES: Readonly<Record<string, readonly string[]>> = {
  [CLIENT]: ["framebuffer/", "protocols/", "compositor/look/", "desktop/words/", "web/api/", CLIENT],
  [EXTENSION]: ["browser/wire/", EXTENSION],
};

/**
 * Where each third-party package may be imported in src/: a file, or a folder that ends in a slash. One place to
 * look at when a package changes or goes.
 */
export const PACKAGE_HOMES: Readonly<Record<string, readonly string[]>> = {
  "@fastify/cookie": ["web/"],
  "@fastify/static": ["web/"],
  "@fastify/websocket": ["web/"],
  "@cornerstonejs/codec-libjpeg-turbo-8bit": ["imaging/jpeg/jpeg-accurate.ts"],
  "@julusian/jpeg-turbo": ["imaging/jpeg/jpeg-turbo.ts"],
  "@modelcontextprotocol/node": ["mcp/server/server.ts", "mcp/server/sse.ts"],
  "@modelcontextprotocol/server": [
    "mcp/server/server.ts",
    "mcp/server/arrivals.ts",
    "mcp/server/sse.ts",
    "mcp/server/sse-transport.ts",
    "mcp/server/stdio-transport.ts",
    "mcp/server/elicitation.ts",
    "mcp/server/serve-resources.ts",
    "mcp/server/listen-bus.ts",
    "mcp/server/lasting-servers.ts",
    "mcp/server/legacy-sessions.ts",
    "mcp/server/stdio-listening.ts",
    "mcp/server/envelope.ts",
  ],
  "@napi-rs/canvas": ["compositor/", "demo/"],
  "@novnc/novnc": [CLIENT],
  "@opentelemetry/api": [TELEMETRY],
  "@opentelemetry/otlp-transformer": [TELEMETRY],
  "@opentelemetry/resources": [TELEMETRY],
  "@opentelemetry/sdk-metrics": [TELEMETRY],
  "@opentelemetry/sdk-trace": [TELEMETRY],
  "@preact/signals": [CLIENT, EXTENSION],
  aws4fetch: ["storage/s3-sign.ts"],
  fastify: ["web/"],
  jose: ["auth/oidc/access-tokens.ts", "auth/oidc/provider-keys.ts", "auth/oidc/signed-token.ts"],
  "lean-qr": ["web/routes/connect/connect.ts"],
  "lucide-static": [CLIENT],
  "openid-client": ["auth/oidc/openid-provider.ts"],
  pako: ["platform/pako-inflate.ts"],
  pino: ["platform/log.ts"],
  pixelmatch: ["imaging/compare-pictures.ts"],
  preact: [CLIENT, EXTENSION],
  "prom-client": ["monitoring/metrics.ts"],
  sharp: ["imaging/webp/", "imaging/png/png-decode.ts"],
  "tesseract.js-core": ["vision/engine.ts"],
  ws: ["desktop/links/browser/debugging-port.ts", "desktop/links/streams/web-socket-stream.ts", "web/"],
  yaml: ["config/load-config.ts"],
  zod: [
    "analysis/",
    "appliance/",
    "audit/",
    "auth/",
    "browser/",
    "cluster/",
    "compositor/",
    "config/",
    "desktop/",
    "mcp/",
    "platform/json-file.ts",
    "recording/library/recording-notes.ts",
    "recording/join/",
    "push/",
    "web/",
  ],
};

/**
 * Where a desktop's pixels may be named before it is decided who is shown them: `framebuffer`, what a link decodes,
 * `unmasked`, what masks are laid over, and `shownTo`, which decides. All else takes them from `desktop.view(audience)`, so that what an audience must not see
 * is kept from it in one place.
 */
export const PIXEL_HOMES: Readonly<Record<string, readonly string[]>> = {
  framebuffer: [
    "protocols/",
    "demo/",
    "desktop/links/",
    "desktop/desktop.ts",
    "desktop/far/far-picture.ts",
    "recording/read/player-link.ts",
    // Its size alone.
    "desktop/connections/connection-test.ts",
  ],
  unmasked: [
    "desktop/desktop.ts",
    "desktop/masks/desktop-masks.ts",
    "desktop/masks/redaction.ts",
    "desktop/masks/echo-cover.ts",
  ],
  shownTo: ["desktop/"],
};

/** What holds or makes a desktop's pixels, for the desktop's own rooms alone. */
const PIXEL_MODULES = [
  "display",
  "shown",
  "masked-frame",
  "layers",
  "snapshots",
  "live-pictures",
  "desktop-view",
].map((name) => `desktop/picture/${name}.ts`);

/** One import, or one name of pixels, that the rule forbids. `file` is relative to the source folder, with forward slashes. */
export interface Violation {
  readonly file: string;
  readonly line: number;
  /** "imports ./a.ts". */
  readonly does: string;
  readonly reason: string;
}

/** All that the rule forbids in the TypeScript files below `root`, in file order. */
export function findViolations(root: string, homes = PACKAGE_HOMES): Violation[] {
  return listSources(root).flatMap((file) => [
    ...importsOf(join(root, file)).flatMap(({ specifier, line }) => {
      const reason = judge(file, specifier, homes);
      return reason === null ? [] : [{ file, line, does: `imports ${specifier}`, reason }];
    }),
    ...pixelsNamedBy(root, file),
  ]);
}

function pixelsNamedBy(root: string, file: string): Violation[] {
  return Object.entries(PIXEL_HOMES).flatMap(([name, homes]) =>
    isWithin(file, homes)
      ? []
      : membersOf(join(root, file), name).map((line) => ({
          ...{ file, line, does: `reads ${name}` },
          reason: "pixels of a desktop are seen through its view(audience)",
        })),
  );
}

/** Why `file` may not import `specifier`; null where it may. */
export function judge(file: string, specifier: string, homes = PACKAGE_HOMES): string | null {
  if (!specifier.startsWith(".")) return judgePackage(file, specifier, homes);
  const target = posix.normalize(posix.join(posix.dirname(file), specifier));
  if (target.startsWith("../")) return "it lies outside src/";
  return judgeRoom(file, target);
}

function judgePackage(file: string, specifier: string, homes: typeof PACKAGE_HOMES): string | null {
  const isOnGround = floorOf(file)?.name === "GROUND";
  if (isBuiltin(specifier)) {
    if (isOnGround) return "GROUND uses no Node: declare a port in protocols/platform.ts";
    return leafOf(file) === undefined ? null : "browser code uses no Node";
  }
  const name = specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");
  if (isOnGround) return `GROUND uses no packages, and this is ${name}`;
  const places = homes[name];
  if (places === undefined) return `the package ${name} has no home: add one to PACKAGE_HOMES`;
  return isWithin(file, places) ? null : `the package ${name} lives behind ${places.join(", ")}`;
}

function judgeRoom(file: string, target: string): string | null {
  const from = floorOf(file);
  const to = floorOf(target);
  if (from === undefined) return `${roomOf(file)} is no room of the house`;
  if (to === undefined) return `${roomOf(target)} is no room of the house`;
  const seen = LEAVES[leafOf(file) ?? ""];
  if (seen !== undefined) return isWithin(target, seen) ? null : `browser code sees only ${seen.join(", ")}`;
  if (PIXEL_MODULES.includes(target) && !file.startsWith("desktop/"))
    return `${target} is the desktop's own: pixels are seen through its view(audience)`;
  if (leafOf(target) !== undefined) return "server code does not import browser code";
  if (file.startsWith(WORDS) && !target.startsWith(WORDS)) return `${WORDS} imports nothing but itself`;
  if (FLOORS.indexOf(to) > FLOORS.indexOf(from)) return `upward, from ${from.name} to ${to.name}`;
  if (from === to && !from.areRoomsOpen && roomOf(file) !== roomOf(target)) {
    return `sideways, from ${roomOf(file)}/ to ${roomOf(target)}/ on ${from.name}`;
  }
  return null;
}

function isWithin(file: string, places: readonly string[]): boolean {
  return places.some((place) => (place.endsWith("/") ? file.startsWith(place) : file === place));
}

function leafOf(file: string): string | undefined {
  return Object.keys(LEAVES).find((leaf) => file.startsWith(leaf));
}

function roomOf(file: string): string {
  return file.includes("/") ? file.slice(0, file.indexOf("/")) : "";
}

function floorOf(file: string): (typeof FLOORS)[number] | undefined {
  const room = roomOf(file);
  return FLOORS.find(({ rooms }) => rooms.some((name) => name === room));
}

if (process.argv[1] !== undefined && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const root = resolve(dirname(fileURLToPath(import.meta.url)), "../src");
  const violations = findViolations(root);
  for (const { file, line, does, reason } of violations) {
    process.stderr.write(`${relative(".", join(root, file))}:${line} ${does}: ${reason}\n`);
  }
  if (violations.length > 0) process.exitCode = 1;
  else process.stdout.write("every import goes down, and pixels are seen through views\n");
}
