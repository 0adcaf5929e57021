import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { RefusedError } from "../../desktop/error.ts";
import type { AccessGuard } from "../http/access.ts";
import { wantsHtml } from "../http/access.ts";
import { WebError } from "../http/error.ts";
import type { RoutePorts } from "../http/ports.ts";
import { handToMcp } from "./mcp.ts";
import type { SignIn } from "./session.ts";

/** The addresses that the web app answers for itself; all get the same HTML. */
const PAGES = [
  "/desktops/:id",
  "/desktops/:id/rules",
  "/recordings",
  "/recordings/:id",
  "/approvals",
  "/setup",
  "/access",
  "/secrets",
  "/fleet",
  "/audit",
] as const;

/** Those for who is not signed in. */
const OPEN_PAGES = ["/signin", "/answer"] as const;

export interface PageParts {
  readonly gate: AccessGuard;
  readonly signIn: SignIn;
}

/** The web app: its pages, its assets, and `/`, which is also the door for `/?token=` and for MCP streams. */
export function pageRoutes(app: FastifyInstance, ports: RoutePorts, parts: PageParts): void {
  const page = new IndexPage(ports.clientDir, app.basePath);
  app.get("/", { config: { access: "entry" } }, async (request, reply) => {
    const secret = secretOf(request.query);
    if (secret !== null) return parts.signIn.byAddress(request, reply, secret);
    const isKnown = await parts.gate.identify(request, isEventStream(request));
    if (!isKnown && wantsHtml(request)) return reply.redirect("/signin", 303);
    parts.gate.requireCredential(request, reply);
    if (isEventStream(request)) {
      parts.gate.requirePermission(request, "mcp");
      return handToMcp(ports, request, reply);
    }
    return page.send(reply);
  });
  for (const url of PAGES) {
    app.get(url, { config: { access: "page" } }, (_request, reply) => page.send(reply, url));
  }
  app.setNotFoundHandler((request, reply) => {
    // Whoever mistyped an address in a browser is told by a page, from which there is a way back.
    if (request.method === "GET" && wantsHtml(request)) return page.send(reply.code(404));
    throw new RefusedError("not_found", `there is no ${request.method} route at this address`);
  });
  for (const url of OPEN_PAGES) {
    app.get(url, { config: { access: "open" } }, (_request, reply) => page.send(reply));
  }
  assetRoutes(app, ports.clientDir);
}

/** Vite names each asset by its content, so a browser may keep it for ever; the sign-in page needs them too. */
function assetRoutes(app: FastifyInstance, clientDir: string): void {
  app.get<{ Params: { "*": string } }>("/assets/*", { config: { access: "open" } }, (request, reply) => {
    const path = join("/", request.params["*"]);
    // The build put each asset's brotli and gzip beside it: a cache between must not hand on the wrong one.
    reply.header("vary", "accept-encoding");
    return reply.sendFile(`assets${path}`, { maxAge: "1y", immutable: true, dotfiles: "deny" });
  });
  // What the build put beside index.html: the icon, the manifest.
  const beside = existsSync(clientDir) ? readdirSync(clientDir, { withFileTypes: true }) : [];
  for (const { name } of beside.filter((entry) => entry.isFile() && /^[\w-]+\.[\w.]+$/.test(entry.name))) {
    if (name === "index.html") continue;
    app.get(`/${name}`, { config: { access: "open" } }, (_request, reply) =>
      reply.sendFile(name, { maxAge: "1h" }),
    );
  }
}

/** Of the build's files those of the viewer, by their names: vite.config.ts. */
const VIEWER_CHUNK = /^(rfb|viewer-page)-[\w-]+\.js$/;
const EARLY_SCRIPT = /^early-[\w-]+\.js$/;

/** index.html, read once: a server that runs serves the build that it was started with. */
class IndexPage {
  readonly #html: Buffer | null;
  /** The same for a viewer: its first picture is asked for at once, and its code comes beside the app's and not when that runs. */
  readonly #viewerHtml: Buffer | null;

  /** The build names what it loads beside itself; every page is this file, so that would be elsewhere for each. */
  constructor(clientDir: string, basePath: string) {
    const path = join(clientDir, "index.html");
    const assets = join(clientDir, "assets");
    const built = existsSync(path) ? readFileSync(path, "utf8").replaceAll('"./', `"${basePath}/`) : null;
    const names = existsSync(assets) ? readdirSync(assets) : [];
    const early = names
      .filter((name) => EARLY_SCRIPT.test(name))
      .map((name) => `<script src="${basePath}/assets/${name}"></script>\n    `);
    const links = names
      .filter((name) => VIEWER_CHUNK.test(name))
      .map((name) => `  <link rel="modulepreload" href="${basePath}/assets/${name}" />\n  `);
    this.#html = built === null ? null : Buffer.from(built);
    const viewer = built
      ?.replace("<meta", `${early.join("")}<meta`)
      .replace("</head>", `${links.join("")}</head>`);
    this.#viewerHtml = viewer === undefined ? null : Buffer.from(viewer);
  }

  send(reply: FastifyReply, url?: (typeof PAGES)[number]): FastifyReply {
    const html = url === "/desktops/:id" ? this.#viewerHtml : this.#html;
    if (html === null) throw new WebError("not_built", "the web app is not built");
    return reply.type("text/html; charset=utf-8").send(html);
  }
}

function isEventStream(request: FastifyRequest): boolean {
  return (request.headers.accept ?? "").includes("text/event-stream");
}

/** The value of `?token=`, null where there is none; given twice it is nobody's. */
function secretOf(query: unknown): string | null {
  if (typeof query !== "object" || query === null || !("token" in query)) return null;
  return typeof query.token === "string" ? query.token : "";
}
