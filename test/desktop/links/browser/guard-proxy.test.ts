import { createServer, request, type Server } from "node:http";
import t, { type Test } from "tap";
import type { TargetReach } from "../../../../src/desktop/connections/target-guard.ts";
import { targetRule } from "../../../../src/desktop/connections/target-rules.ts";
import { GuardProxy } from "../../../../src/desktop/links/browser/guard-proxy.ts";
import { SPELLINGS } from "../../../support/loopback-spellings.ts";

const OPEN: TargetReach = { only: [], deny: [], own: [] };

const portOf = (server: Server): number => {
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
};

async function site(t: Test): Promise<{ port: number; asked: string[] }> {
  const asked: string[] = [];
  const server = createServer((request, answer) => {
    asked.push(`${request.method} ${request.url} ${request.headers["proxy-connection"] ?? ""}`);
    answer.end("page");
  });
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
  return { port: portOf(server), asked };
}

async function open(t: Test, reach: TargetReach, reachesPrivate: boolean): Promise<GuardProxy> {
  const proxy = await GuardProxy.open(reach, reachesPrivate);
  t.teardown(() => proxy.close());
  return proxy;
}

/** As a browser asks a proxy: the status, and what came. */
function ask(proxy: GuardProxy, method: string, path: string): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const asked = request({
      ...{ host: "127.0.0.1", port: proxy.port, method, path, agent: false },
      headers: { "proxy-connection": "keep-alive" },
    });
    asked.once("error", reject);
    asked.once("connect", (answer, socket) => {
      if (answer.statusCode !== 200) {
        socket.destroy();
        resolve({ status: answer.statusCode ?? 0, text: "" });
        return;
      }
      let text = "";
      socket.on("data", (chunk: Buffer) => {
        text += chunk.toString("latin1");
      });
      socket.once("close", () => resolve({ status: 200, text }));
      socket.write("GET /inside HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n");
    });
    asked.once("response", (answer) => {
      let text = "";
      answer.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
      });
      answer.once("end", () => resolve({ status: answer.statusCode ?? 0, text }));
    });
    asked.end();
  });
}

t.test("loopback in every spelling is reached only where that is meant", async (t) => {
  const { port, asked } = await site(t);
  const shut = await open(t, OPEN, false);
  for (const spelling of SPELLINGS) {
    const host = spelling.includes(":") && !spelling.startsWith("[") ? `[${spelling}]` : spelling;
    if (/[^\x21-\x7e]/.test(host)) continue; // no request line holds it
    const plain = await ask(shut, "GET", `http://${host}:${port}/`);
    const tunnel = await ask(shut, "CONNECT", `${host}:${port}`);
    t.ok(plain.status >= 400 && tunnel.status >= 400, `${host}: ${plain.status}, ${tunnel.status}`);
  }
  t.same(asked, []);
  const wide = await open(t, OPEN, true);
  t.same(await ask(wide, "GET", `http://localhost:${port}/a?b`), { status: 200, text: "page" });
  t.match(await ask(wide, "CONNECT", `127.0.0.1:${port}`), { status: 200, text: /page/ });
  t.same(asked, ["GET /a?b ", "GET /inside "]);
});

t.test("what no target may be is reached in no way", async (t) => {
  const { port, asked } = await site(t);
  const rule = targetRule(`127.0.0.0/8:${port}`);
  if (rule === null) throw new Error("expected a rule");
  for (const reach of [
    { ...OPEN, deny: [rule] },
    { ...OPEN, own: [{ port }] },
  ]) {
    const proxy = await open(t, reach, true);
    t.equal((await ask(proxy, "GET", `http://127.0.0.1:${port}/`)).status, 403);
    t.equal((await ask(proxy, "CONNECT", `127.0.0.1:${port}`)).status, 403);
    t.equal((await ask(proxy, "GET", "http://169.254.169.254/latest/meta-data/")).status, 403);
    t.equal((await ask(proxy, "CONNECT", `127.0.0.1:${proxy.port}`)).status, 403, "itself");
    t.equal((await ask(proxy, "GET", "/")).status, 502, "it is no server of its own");
  }
  t.same(asked, []);
});
