import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { FastifyInstance } from "fastify";
import { correction, generate } from "lean-qr";
import { toSvgSource } from "lean-qr/extras/svg";
import type { ConnectInfo } from "../../api/browsers-api.ts";
import { wantsHtml } from "../../http/access.ts";
import type { BrowsersFace } from "../../http/ports.ts";
import { type ReaderLanguage, readerLanguage } from "../../http/reader-language.ts";
import { type BrowserParts, makePairing } from "../browsers.ts";
import { baseUrl } from "../metadata.ts";
import { CONNECT_WORDS } from "./connect-words.ts";

interface ConnectParts {
  readonly ports: BrowserParts["ports"];
  readonly clientDir: string;
}

/**
 * `GET /connect`, for administrators: a new connection string for the browser extension and where agents connect; a page
 * with a QR code for people, JSON for programs. Each look makes a link of its own, good once, for every agent.
 */
export function connectRoute(
  app: FastifyInstance,
  { browsers }: BrowsersFace,
  { ports, clientDir }: ConnectParts,
): void {
  const styles = stylesOf(clientDir, app.basePath);
  const config = { access: "admin", isPage: true } as const;
  app.get("/connect", { config, exposeHeadRoute: false }, (request, reply) => {
    const server = baseUrl(request);
    const info: ConnectInfo = {
      ...makePairing(request, null, { browsers, ports }),
      server_url: server,
      mcp_url: `${server}/mcp`,
      sse_url: `${server}/sse`,
    };
    reply.header("cache-control", "no-store");
    return wantsHtml(request)
      ? reply
          .type("text/html; charset=utf-8")
          .send(page(info, { styles, basePath: app.basePath, language: readerLanguage(request) }))
      : reply.send(info);
  });
}

/** The built app's own style sheets, whose names say their content; none where it is not built. */
function stylesOf(clientDir: string, basePath: string): string {
  const path = join(clientDir, "index.html");
  const html = existsSync(path) ? readFileSync(path, "utf8") : "";
  const links = html.match(/<link rel="stylesheet"[^>]*>/g) ?? [];
  return links.join("\n").replaceAll('"./', `"${basePath}/`);
}

/** Black on white whatever the theme: cameras expect it so. No style attributes: the content policy forbids them. */
function qrCode(text: string): string {
  const code = generate(text, { minCorrectionLevel: correction.M });
  return toSvgSource(code, { on: "#000", off: "#fff", padX: 4, padY: 4, width: 280, height: 280 });
}

interface PageParts {
  readonly styles: string;
  readonly basePath: string;
  readonly language: ReaderLanguage;
}

function page(info: ConnectInfo, { styles, basePath, language }: PageParts): string {
  const { link, expires_at, mcp_url, sse_url } = info;
  const words = CONNECT_WORDS[language];
  const until = `<time datetime="${escaped(expires_at)}">${expires_at.slice(11, 16)} UTC</time>`;
  const mcp = `<code id="mcp-url">${escaped(mcp_url)}</code>`;
  const setup = `<a href="${basePath}/setup">${words.setup}</a>`;
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<title>${words.title} · Overlay Companion</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" type="image/svg+xml" href="${basePath}/favicon.svg">
${styles}
</head>
<body>
<main class="page">
<h1>${words.title}</h1>
<section aria-labelledby="connect-browser">
<h2 id="connect-browser">${words.browser}</h2>
<p>${words.paste(until)}</p>
<p><code id="connection-string">${escaped(link)}</code></p>
<figure role="img" aria-label="${words.code}">${qrCode(link)}</figure>
<p><a href="${basePath}/browser-extension.zip" download>${words.extension}</a></p>
</section>
<section aria-labelledby="connect-agent">
<h2 id="connect-agent">${words.agent}</h2>
<p>${words.mcp(mcp, `<code>${escaped(sse_url)}</code>`, setup)}</p>
</section>
</main>
</body>
</html>
`;
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
