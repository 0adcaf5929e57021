import { connect } from "node:net";
import t from "tap";
import { HostGuard } from "../../../src/web/http/host-guard.ts";
import { openHouse, upgradeStatus } from "../fake-house.ts";

interface Ask {
  readonly host?: string;
  readonly origin?: string;
  readonly protocol?: string;
  readonly forwarded?: string;
  readonly local?: string;
  readonly hosts?: number;
}

function verdict(guard: HostGuard, ask: Ask): string {
  const hostHeader = "host" in ask ? ask.host : "localhost:3000";
  try {
    guard.check({
      protocol: ask.protocol ?? "http",
      hostHeader,
      hostHeaders: ask.hosts ?? 1,
      forwardedHost: ask.forwarded ?? hostHeader ?? "",
      origin: ask.origin,
      localAddress: ask.local ?? "127.0.0.1",
    });
    return "ok";
  } catch (error) {
    return error instanceof Error && "code" in error ? String(error.code) : "bug";
  }
}

t.test("our own names are ours, on any port", async (t) => {
  const guard = new HostGuard("0.0.0.0", ["desk.example", "Lab.Example:8443"]);
  const asks: readonly Ask[] = [
    { host: "localhost" },
    { host: "localhost:3000" },
    { host: "LOCALHOST:3000" },
    { host: "127.0.0.1:3000" },
    { host: "127.9.9.9:3000" },
    { host: "[::1]:3000" },
    { host: "desk.example" },
    { host: "desk.example:8080" },
    { host: "DESK.example" },
    { host: "lab.example:8443" },
    { host: "192.168.1.5:3000", local: "192.168.1.5" },
    { host: "192.168.1.5:3000", local: "::ffff:192.168.1.5" },
    { host: "localhost:3000", origin: "http://localhost:3000" },
    { host: "localhost:80", origin: "http://localhost" },
    { host: "desk.example", origin: "https://desk.example" },
    { host: "localhost:3000", origin: "http://desk.example" },
    { host: "desk.example", protocol: "https", origin: "https://desk.example" },
    { host: "localhost", forwarded: "desk.example", origin: "https://desk.example" },
  ];
  for (const ask of asks) t.equal(verdict(guard, ask), "ok", JSON.stringify(ask));
  t.equal(verdict(new HostGuard("box.lan", []), { host: "box.lan:3000" }), "ok");
});

t.test("other hosts are refused, however they are spelt", async (t) => {
  const guard = new HostGuard("0.0.0.0", ["lab.example:8443"]);
  const hosts = [
    undefined,
    "",
    "evil.example",
    "evil.example:3000",
    "localhost.evil.example",
    "localhost@evil.example",
    "evil.example/localhost",
    "evil.example#localhost",
    "localhost:3000, evil.example",
    "localhost:99999",
    "localhost:x",
    "0.0.0.0:3000",
    "[::]:3000",
    "192.168.1.5",
    "lab.example",
    "lab.example:8444",
    "127.0.0.1.evil.example",
    "local host",
    "localhost\\evil.example",
  ];
  for (const host of hosts) t.equal(verdict(guard, { host: host ?? "" }), "bad_host", `${host}`);
  t.equal(verdict(guard, { host: "localhost", forwarded: "evil.example" }), "bad_host");
  t.equal(verdict(guard, { host: "evil.example", forwarded: "localhost" }), "bad_host");
});

t.test("other origins are refused, also those that look like ours", async (t) => {
  const guard = new HostGuard("127.0.0.1", []);
  const origins = [
    "null",
    "",
    "https://evil.example",
    "http://evil.example:3000",
    "http://localhost",
    "http://localhost:3001",
    "http://127.0.0.1:3000",
    "http://localhost.evil.example:3000",
    "http://localhost:3000.evil.example",
    "http://localhost:3000@evil.example",
    "http://user@localhost:3000",
    "http://localhost:3000/",
    "http://localhost:3000/path",
    "file://localhost:3000",
    "ws://localhost:3000",
    "chrome-extension://localhost:3000",
    "http://localhost:3000 http://evil.example",
    "javascript:alert(1)",
  ];
  for (const origin of origins) t.equal(verdict(guard, { origin }), "bad_origin", origin);
  t.equal(verdict(guard, { protocol: "https", origin: "http://localhost:3000" }), "bad_origin", "downgrade");
});

t.test("every kind of route refuses a foreign Host and a foreign Origin before anything else", async (t) => {
  const { app, bearer, mcp, audited, desktops } = await openHouse(t);
  const foreign = [{ host: "evil.example" }, { origin: "https://evil.example" }, { origin: "null" }];
  for (const headers of foreign) {
    for (const url of [
      "/health",
      "/signin",
      "/",
      "/mcp",
      "/api/v1/desktops",
      "/assets/app-1a2b.js",
      "/none",
    ]) {
      const answer = await app.inject({ url, headers: { ...headers, ...bearer("admin") } });
      t.equal(answer.statusCode, 403, `${url} ${JSON.stringify(headers)}`);
      t.match(answer.json(), { error: { code: /^bad_(host|origin)$/ } });
    }
    const stop = await app.inject({
      method: "POST",
      url: "/api/v1/desktops/d1/stop",
      headers: { ...headers, ...bearer("admin") },
    });
    t.equal(stop.statusCode, 403);
  }
  t.strictSame([mcp.length, desktops.get("d1").calls.length], [0, 0]);
  t.match(
    audited,
    ["bad_host", "bad_origin"].map((errorCode) => ({ type: "authz.denied", errorCode })),
    "told once of each, however many there are",
  );
  t.equal(audited.length, 2);
});

t.test("a WebSocket from a foreign page is refused before the upgrade", async (t) => {
  const house = await openHouse(t);
  const host = await house.listen();
  const admin = house.bearer("admin");
  for (const path of ["/ws/events", "/ws/overlays", "/ws/desktops/d1", "/websockify"]) {
    const url = `ws://${host}${path}`;
    t.equal(await upgradeStatus(url, { ...admin, origin: "https://evil.example" }), 403);
    t.equal(await upgradeStatus(url, { ...admin, origin: "null" }), 403);
    t.equal(await upgradeStatus(url, { ...admin, host: "evil.example" }), 403);
    t.equal(await upgradeStatus(url, { ...admin, origin: `http://${host}` }), 101);
  }
});

t.test("a cookie counts only for what our own pages ask", async (t) => {
  const { app, token, desktops } = await openHouse(t);
  const signIn = await app.inject({
    method: "POST",
    url: "/api/v1/session",
    payload: { token: token.admin },
  });
  const cookie = `${signIn.cookies[0]?.name}=${signIn.cookies[0]?.value}`;
  const stop = (headers: Record<string, string>) =>
    app.inject({ method: "POST", url: "/api/v1/desktops/d1/stop", headers: { cookie, ...headers } });
  for (const site of ["cross-site", "same-site", "something-new"]) {
    t.equal((await stop({ "sec-fetch-site": site })).statusCode, 403, site);
    t.equal((await stop({ "sec-fetch-site": site, "sec-fetch-mode": "navigate" })).statusCode, 403, site);
    const read = await app.inject({
      url: "/api/v1/desktops",
      headers: { cookie, "sec-fetch-site": site, "sec-fetch-mode": "no-cors" },
    });
    t.equal(read.statusCode, 403, "no picture of ours in another site's page");
  }
  t.equal((await stop({ origin: "http://localhost:8080" })).statusCode, 403);
  t.strictSame(desktops.get("d1").calls, []);
  t.equal((await stop({ "sec-fetch-site": "same-origin", origin: "http://localhost" })).statusCode, 200);
  t.equal((await stop({})).statusCode, 200, "a program that keeps cookies");
  const form = await app.inject({
    method: "POST",
    url: "/api/v1/desktops/d1/mode",
    headers: { cookie, "content-type": "application/x-www-form-urlencoded" },
    payload: "mode=autopilot",
  });
  t.equal(form.statusCode, 415, "no form of another site makes JSON");
});

t.test("a request with two Host headers is refused, whichever comes first", async (t) => {
  t.equal(verdict(new HostGuard("127.0.0.1", []), { hosts: 2 }), "bad_host");
  const house = await openHouse(t);
  const [host = "", port = ""] = (await house.listen()).split(":");
  const status = await new Promise<string>((resolve, reject) => {
    const socket = connect(Number(port), host, () =>
      socket.write(
        `GET /health HTTP/1.1\r\nHost: localhost\r\nhost: evil.example\r\nConnection: close\r\n\r\n`,
      ),
    );
    t.teardown(() => socket.destroy());
    let text = "";
    socket.on("data", (chunk) => {
      text += chunk.toString("latin1");
    });
    socket.once("end", () => resolve(text.split("\r\n")[0] ?? "")).once("error", reject);
  });
  t.match(status, /^HTTP\/1\.1 40[03] /);
});
