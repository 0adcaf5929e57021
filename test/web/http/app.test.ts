import { once } from "node:events";
import { Agent, get, type IncomingMessage } from "node:http";
import { connect, type Socket } from "node:net";
import t from "tap";
import { errorSchema } from "../../../src/web/api/api.ts";
import { HTTP_LIMITS } from "../../../src/web/http/http-limits.ts";
import { CONTENT_SECURITY_POLICY } from "../../../src/web/http/security-headers.ts";
import { openHouse } from "../fake-house.ts";

t.test("every kind of answer carries the security headers", async (t) => {
  const { app, bearer } = await openHouse(t);
  const admin = bearer("admin");
  const answers = await Promise.all([
    app.inject({ url: "/health" }),
    app.inject({ url: "/signin" }),
    app.inject({ url: "/", headers: admin }),
    app.inject({ url: "/", headers: { accept: "text/html" } }),
    app.inject({ url: "/api/v1/desktops" }),
    app.inject({ url: "/api/v1/desktops", headers: admin }),
    app.inject({ url: "/api/v1/desktops/none", headers: admin }),
    app.inject({ url: "/api/v1/desktops/d1/screenshot.png", headers: admin }),
    app.inject({ method: "POST", url: "/mcp", headers: admin, payload: {} }),
    app.inject({ url: "/none" }),
    app.inject({ url: "/%zz" }),
    app.inject({ url: "/health", headers: { host: "evil.example" } }),
    app.inject({
      method: "POST",
      url: "/mcp",
      headers: { ...admin, "content-type": "text/plain" },
      payload: "x",
    }),
  ]);
  for (const [index, { headers }] of answers.entries()) {
    t.equal(headers["content-security-policy"], CONTENT_SECURITY_POLICY, `answer ${index}`);
    t.equal(headers["x-content-type-options"], "nosniff");
    t.equal(headers["referrer-policy"], "no-referrer");
    t.equal(headers["cross-origin-opener-policy"], "same-origin");
    t.equal(headers["cross-origin-resource-policy"], "same-origin");
    t.match(headers["permissions-policy"], "camera=()");
    t.equal(headers["cache-control"], "no-store");
    t.equal(headers["access-control-allow-origin"], undefined);
  }
});

t.test("assets are kept for ever, and nothing outside of the client's directory is served", async (t) => {
  const { app } = await openHouse(t);
  const asset = await app.inject({ url: "/assets/app-1a2b.js" });
  t.equal(asset.statusCode, 200);
  t.equal(asset.headers["cache-control"], "public, max-age=31536000, immutable");
  t.match(asset.headers["content-type"], "javascript");
  t.equal((await app.inject({ url: "/favicon.svg" })).statusCode, 200);
  for (const path of [
    "/assets/none.js",
    "/assets/../index.html",
    "/assets/..%2findex.html",
    "/assets/..%2f..%2fsecret.txt",
    "/assets/%2e%2e/%2e%2e/secret.txt",
    "/assets/..%5c..%5csecret.txt",
    "/assets/%00",
    "/assets/",
    "/assets//etc/passwd",
    "/index.html",
    "/../secret.txt",
  ]) {
    const answer = await app.inject({ url: path });
    t.ok(answer.statusCode === 404 || answer.statusCode === 400 || answer.statusCode === 403, path);
    t.notOk(answer.body.includes("outside"), path);
    t.equal(answer.headers["cache-control"], "no-store", path);
    t.ok(errorSchema.safeParse(answer.json()).success, path);
  }
});

t.test("an asset comes as the build packed it, in the best form that the browser takes", async (t) => {
  const { app } = await openHouse(t);
  for (const [accepted, encoding, body] of [
    ["gzip, deflate, br, zstd", "br", "packed by brotli"],
    ["gzip, deflate", "gzip", "packed by gzip"],
    ["identity", undefined, "export {};"],
    ["zstd", undefined, "export {};"],
  ] as const) {
    const { headers, body: got } = await app.inject({
      url: "/assets/app-1a2b.js",
      headers: { "accept-encoding": accepted },
    });
    t.equal(headers["content-encoding"], encoding, accepted);
    t.equal(got, body, accepted);
    t.match(headers["content-type"], "javascript", accepted);
    t.equal(headers.vary, "accept-encoding", accepted);
    t.equal(headers["cache-control"], "public, max-age=31536000, immutable", accepted);
  }
  const unpacked = await app.inject({ url: "/assets/app-1a2b.css", headers: { "accept-encoding": "br" } });
  t.equal(unpacked.headers["content-encoding"], undefined, "what is not packed comes as it is");
  t.equal(unpacked.body, "body{}");
});

t.test("an address that leads nowhere is a page to a browser, and an error to a program", async (t) => {
  const { app } = await openHouse(t);
  const person = await app.inject({ url: "/nowhere", headers: { accept: "text/html,*/*" } });
  t.equal(person.statusCode, 404);
  t.match(person.headers["content-type"], "text/html");
  const program = await app.inject({ url: "/nowhere" });
  t.equal(program.statusCode, 404);
  t.equal(errorSchema.parse(program.json()).error.code, "not_found");
});

t.test("a web app that is not built says so", async (t) => {
  const { app } = await openHouse(t, { clientDir: "/nonexistent/client" });
  const answer = await app.inject({ url: "/signin" });
  t.equal(answer.statusCode, 503);
  t.match(answer.json(), { error: { code: "not_built", hint: "run npm run build" } });
});

t.test("hostile bodies are refused in the one shape of errors", async (t) => {
  const { app, bearer, desktops, mcp } = await openHouse(t);
  const post = (payload: string, type = "application/json", url = "/api/v1/desktops") =>
    app.inject({ method: "POST", url, headers: { ...bearer("admin"), "content-type": type }, payload });
  const good = '"protocol":"vnc","host":"h"';
  const cases: readonly (readonly [payload: string, status: number, code: string])[] = [
    ["{", 400, "invalid_json"],
    ["nonsense", 400, "invalid_json"],
    ["", 400, "invalid_parameters"],
    ["null", 400, "invalid_parameters"],
    ["[]", 400, "invalid_parameters"],
    ["1e999", 400, "invalid_parameters"],
    ['"text"', 400, "invalid_parameters"],
    [`{${good},"__proto__":{"x":1}}`, 400, "invalid_json"],
    [`{${good},"constructor":{"prototype":{"x":1}}}`, 400, "invalid_json"],
    [`{${good},"surplus":1}`, 400, "invalid_parameters"],
    [`{${good},"port":"5900"}`, 400, "invalid_parameters"],
    [`{${good},"port":1e308}`, 400, "invalid_parameters"],
    [`{${good},"port":5900.5}`, 400, "invalid_parameters"],
    [`{${good},"port":-1}`, 400, "invalid_parameters"],
    ['{"protocol":"vnc","host":{"toString":"x"}}', 400, "invalid_parameters"],
    ['{"protocol":"ftp","host":"h"}', 400, "invalid_parameters"],
    [`{"protocol":"vnc","host":"${"h".repeat(300)}"}`, 400, "invalid_parameters"],
    [`${"[".repeat(100)}${"]".repeat(100)}`, 400, "invalid_json"],
    ["[".repeat(500_000), 400, "invalid_json"],
    [`{"a":${'{"a":'.repeat(100)}1${"}".repeat(101)}`, 400, "invalid_json"],
    [`[${"[],".repeat(300_000)}0]`, 400, "invalid_json"],
    [`{${Array.from({ length: 2000 }, (_, i) => `"name${i}":${i}`).join()}}`, 400, "invalid_json"],
    [`{${good},"surplus":[${'{"x":1,"y":2},'.repeat(7_900)}0]}`, 400, "invalid_parameters"],
    [`{${good},"name":"${"x".repeat(2 * 1024 * 1024)}"}`, 413, "body_too_large"],
  ];
  for (const [payload, status, code] of cases) {
    const answer = await post(payload);
    t.equal(answer.statusCode, status, payload.slice(0, 60));
    t.equal(errorSchema.parse(answer.json()).error.code, code, payload.slice(0, 60));
  }
  for (const type of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"]) {
    t.equal((await post("{}", type)).statusCode, 415, type);
  }
  t.strictSame(desktops.inputs, []);
  t.equal(Reflect.get({}, "x"), undefined);

  const broken = await post("{", "application/json", "/mcp");
  t.equal(broken.statusCode, 400);
  t.match(broken.json(), { jsonrpc: "2.0", id: null, error: { code: -32700 } });
  t.equal(mcp.length, 0);
});

t.test("brackets inside texts do not count as depth", async (t) => {
  const { app, bearer, mcp } = await openHouse(t);
  const body = { text: `${"[{".repeat(500)}\\"`, list: Array.from({ length: 500 }, () => [{}]) };
  const answer = await app.inject({ method: "POST", url: "/mcp", headers: bearer("agent"), payload: body });
  t.equal(answer.statusCode, 200);
  t.strictSame(mcp[0]?.body, body);
});

t.test("MCP gets the parsed body and the principal, at /mcp and at /", async (t) => {
  const { app, bearer, mcp } = await openHouse(t);
  const headers = bearer("agent");
  const payload = { jsonrpc: "2.0", id: 1, method: "ping" };
  await app.inject({ method: "POST", url: "/mcp?toolsets=read", headers, payload });
  await app.inject({ method: "POST", url: "/", headers, payload });
  await app.inject({ url: "/mcp", headers });
  await app.inject({ url: "/", headers: { ...headers, accept: "text/event-stream" } });
  await app.inject({ method: "DELETE", url: "/", headers });
  await app.inject({ method: "DELETE", url: "/mcp", headers });
  t.match(mcp, [
    { body: payload, url: "/mcp?toolsets=read", principal: { role: "agent", name: "the agent" } },
    { body: payload, url: "/" },
    { body: undefined },
    { body: undefined },
    { body: undefined },
    { body: undefined },
  ]);
  const viewer = await app.inject({
    url: "/",
    headers: { ...bearer("viewer"), accept: "text/event-stream" },
  });
  t.equal(viewer.statusCode, 403);
  t.equal(mcp.length, 6);
});

t.test("an MCP face that throws answers a JSON-RPC error without its reasons", async (t) => {
  const house = await openHouse(t, {
    mcp: { handle: () => Promise.reject(new Error("inner reasons")), sessionsOf: () => 0 },
  });
  const answer = await house.app.inject({
    method: "POST",
    url: "/mcp",
    headers: house.bearer("agent"),
    payload: {},
  });
  t.equal(answer.statusCode, 500);
  t.match(answer.json(), { jsonrpc: "2.0", error: { code: -32603, message: "internal error" } });
  t.match(house.log(), /MCP request failed/);
});

t.test("unknown addresses and methods are 404 in the one shape", async (t) => {
  const { app, bearer } = await openHouse(t);
  for (const [method, url] of [
    ["GET", "/nothing"],
    ["PUT", "/api/v1/desktops"],
    ["PATCH", "/mcp"],
    ["OPTIONS", "/api/v1/desktops"],
    ["GET", "/api/v1/desktops/d1/screenshot.gif"],
  ] as const) {
    const answer = await app.inject({ method, url, headers: bearer("admin") });
    t.equal(answer.statusCode, 404, `${method} ${url}`);
    t.equal(errorSchema.parse(answer.json()).error.code, "not_found");
  }
});

t.test("the protected resource's metadata names us and our two addresses", async (t) => {
  const { app } = await openHouse(t);
  const url = "/.well-known/oauth-protected-resource";
  t.match((await app.inject({ url })).json(), { resource: "http://localhost:80/" });
  t.match((await app.inject({ url: `${url}/mcp` })).json(), {
    resource: "http://localhost:80/mcp",
    bearer_methods_supported: ["header"],
  });
  const wrong = await app.inject({ url: "/mcp", headers: { authorization: "Bearer wrong" } });
  t.match(wrong.headers["www-authenticate"], /^Bearer error="invalid_token", resource_metadata="http/);
});

t.test("an answer that lasts ends within a second when its token is revoked, and others go on", async (t) => {
  const ended = new Set<string>();
  const house = await openHouse(t, {
    mcp: {
      async handle(_request, response, _body, { name }) {
        response.writeHead(200, { "content-type": "text/event-stream" });
        response.write(": hello\n\n");
        await once(response, "close");
        ended.add(name);
      },
      sessionsOf: () => 0,
    },
  });
  const host = await house.listen();
  const { token, info } = await house.tokens.create("short-lived", "agent");
  const open = async (url: string, authorization: string) => {
    const { body } = await fetch(`http://${host}${url}`, {
      headers: { authorization, accept: "text/event-stream" },
    });
    const reader = body?.getReader();
    await reader?.read();
    return reader;
  };
  const streams = [
    await open("/mcp", `Bearer ${token}`),
    await open("/", `Bearer ${token}`),
    await open("/sse", `Bearer ${token}`),
    await open("/mcp", house.bearer("agent").authorization),
  ];
  house.clock.advance(1000);
  t.equal(ended.size, 0, "as long as it holds");
  await house.tokens.revoke(info.id);
  house.clock.advance(1000);
  for (const stream of streams.slice(0, 3)) await t.rejects(Promise.resolve(stream?.read()).then(() => {}));
  t.strictSame([...ended], ["short-lived"]);
  await streams[3]?.cancel();
});

t.test("an answer over MCP that nobody reads is given up like any other", async (t) => {
  const house = await openHouse(t, {
    mcp: {
      async handle(_request, response) {
        response.writeHead(200, { "content-type": "application/json" });
        response.end(Buffer.alloc(64 * 1024 * 1024, 0x20));
      },
      sessionsOf: () => 0,
    },
  });
  const host = await house.listen();
  const accepted = once(house.app.server, "connection");
  const client = connect(Number(host.split(":")[1]), "127.0.0.1");
  t.teardown(() => client.destroy());
  client.pause();
  const body = "{}";
  client.write(
    `POST /mcp HTTP/1.1\r\nhost: ${host}\r\nauthorization: ${house.bearer("agent").authorization}\r\n` +
      `content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  );
  const [socket]: Socket[] = await accepted;
  while ((socket?.writableLength ?? 0) === 0) await new Promise((resolve) => setImmediate(resolve));
  t.equal(socket?.timeout, HTTP_LIMITS.silenceTimeoutMs);
});

t.test("an idle connection is kept for longer than proxies keep theirs", async (t) => {
  const house = await openHouse(t);
  const agent = new Agent({ keepAlive: true });
  t.teardown(() => agent.destroy());
  const [answer]: IncomingMessage[] = await once(
    get(`http://${await house.listen()}/health`, { agent }),
    "response",
  );
  answer?.resume();
  const [, seconds] = /^timeout=(\d+)/.exec(String(answer?.headers["keep-alive"])) ?? [];
  t.ok(Number(seconds) > 60, `${seconds} s`);
});

t.test("what is no HTTP is refused in the one shape, with the headers of every answer", async (t) => {
  const house = await openHouse(t);
  const host = await house.listen();
  const ask = async (head: string): Promise<string> => {
    const client = connect(Number(host.split(":")[1]), "127.0.0.1");
    t.teardown(() => client.destroy());
    client.on("error", () => {});
    client.write(head);
    let text = "";
    client.on("data", (chunk) => {
      text += String(chunk);
    });
    await once(client, "close");
    return text;
  };
  const line = `GET /health HTTP/1.1\r\nhost: ${host}\r\n`;
  for (const [head, status] of [
    ["nonsense\r\n\r\n", 400],
    [`${line}x: ${"y".repeat(20_000)}\r\n\r\n`, 431],
    [`${line}content-length: 1\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`, 400],
    [`${line}content-length: 1\r\ncontent-length: 2\r\n\r\nab`, 400],
    [`${line}x : y\r\n\r\n`, 400],
  ] as const) {
    const answer = await ask(head);
    t.match(answer, new RegExp(`^HTTP/1\\.1 ${status} `), head.slice(0, 20));
    t.match(answer, /\r\nx-content-type-options: nosniff\r\n/i);
    t.match(answer, /\r\ncontent-security-policy: default-src 'none'/i);
    t.match(answer, /\r\ncache-control: no-store\r\n/i);
    errorSchema.parse(JSON.parse(answer.slice(answer.indexOf("\r\n\r\n") + 4)));
  }
});

t.test("an upgrade to an address that is none is answered and hung up on", async (t) => {
  const house = await openHouse(t);
  const host = await house.listen();
  const client = connect(Number(host.split(":")[1]), "127.0.0.1");
  t.teardown(() => client.destroy());
  client.write(
    `GET /%zz HTTP/1.1\r\nhost: ${host}\r\nconnection: upgrade\r\nupgrade: websocket\r\n` +
      "sec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n",
  );
  const [answer] = await once(client, "data");
  t.match(String(answer), /^HTTP\/1\.1 400 /);
  await once(client, "close");
  t.pass("closed");
});
