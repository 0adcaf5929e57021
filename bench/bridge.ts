import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { connect } from "node:net";
import { dirname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { WebSocketServer } from "ws";
import type { Owner } from "../test/support/program.ts";

const NOVNC = dirname(dirname(fileURLToPath(import.meta.resolve("@novnc/novnc"))));

const PAGE = `<!doctype html><title>raw noVNC</title><div class="viewer-screen" style="width:1300px;height:800px"></div>
  <script type="module">
    import RFB from "/core/rfb.js";
    const rfb = new RFB(document.querySelector(".viewer-screen"), "ws://" + location.host + "/");
    rfb.addEventListener("connect", () => { document.title = "connected"; rfb.focus(); });
  </script>`;

/** noVNC unmodified, served as it is, and a WebSocket that passes bytes on to a VNC server. Gives the page's URL. */
export async function openBridge(owner: Owner, vncPort: number): Promise<string> {
  const http = createServer((request, response) => {
    const path = normalize(request.url ?? "/");
    if (path === "/") {
      response.setHeader("content-type", "text/html").end(PAGE);
      return;
    }
    readFile(join(NOVNC, path)).then(
      (bytes) => response.setHeader("content-type", "text/javascript").end(bytes),
      () => response.writeHead(404).end(),
    );
  });
  const sockets = new WebSocketServer({ server: http, perMessageDeflate: false });
  sockets.on("connection", (near) => {
    const far = connect(vncPort, "127.0.0.1").setNoDelay(true);
    far.on("data", (chunk) => near.send(chunk, { binary: true }));
    near.on("message", (data: Buffer) => far.write(data));
    near.on("close", () => far.destroy());
    near.on("error", () => far.destroy());
    far.on("error", () => near.terminate());
    far.on("close", () => near.close());
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  owner.teardown(() => {
    for (const socket of sockets.clients) socket.terminate();
    http.close();
  });
  const address = http.address();
  if (address === null || typeof address === "string") throw new Error("a TCP server without a port");
  return `http://127.0.0.1:${address.port}/`;
}
