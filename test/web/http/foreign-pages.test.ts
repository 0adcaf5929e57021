import { connect } from "node:net";
import t, { type Test } from "tap";
import { openHouse } from "../fake-house.ts";
import { ROUTES, toMethod } from "./route-table.ts";

// What pages of other sites, and names that were rebound to this machine, may send: none of it gets past any route.

type Headers = Readonly<Record<string, string>>;

/** Names that lead here and are not ours: of a resolver that was rebound, of addresses, and spelt like ours. */
const HOSTS: readonly string[] = [
  ...[
    "evil.example",
    "evil.example:3000",
    "EVIL.example.",
    "localhost.evil.example",
    "127.0.0.1.evil.example",
  ],
  ...["localhost@evil.example", "evil.example@localhost", "evil.example/localhost", "evil.example#localhost"],
  ...[
    "evil.example?localhost",
    "localhost\\evil.example",
    "localhost, evil.example",
    "evil.example localhost",
  ],
  ...["localhost:99999", "localhost:x", "localhost:80:80", "0.0.0.0", "0.0.0.0:3000", "[::]", "[::]:3000"],
  ...["192.168.1.5", "10.0.0.1:3000", "169.254.169.254", "[fe80::1]", "[2001:db8::1]:3000", "3232235781"],
  ...["xn--lcalhost-54a", "localhost.localdomain", "127.0.0.1.nip.io", "7f000001.rbndr.example"],
];
/** As `localhost` on port 80 is dialled. */
const ORIGINS: readonly string[] = [
  ...[
    "null",
    "https://evil.example",
    "http://evil.example",
    "http://evil.example:80",
    "http://localhost:3001",
  ],
  ...[
    "https://localhost:8443",
    "http://127.0.0.1:3000",
    "http://[::1]:3000",
    "http://localhost.evil.example",
  ],
  ...["http://localhost.", "http://localhost:80@evil.example", "http://user@localhost", "http://localhost/"],
  ...["http://localhost/path", "http://localhost?x", "http://localhost#x", "file://", "file://localhost"],
  ...[
    "data:",
    "blob:http://localhost/1",
    "ws://localhost",
    "javascript:alert(1)",
    "moz-extension://localhost",
  ],
  ...["chrome-extension://localhost", "http://localhost http://evil.example", "HTTP://EVIL.EXAMPLE"],
  ...["http://xn--lcalhost-54a", "http://0.0.0.0", "about:blank", "capacitor://localhost"],
];
/** What browsers say of a request that a page of another site made with the cookie of a session. */
const SITES: readonly Headers[] = ["cross-site", "same-site", "something-new"].flatMap((site) =>
  ["no-cors", "cors", "navigate", "websocket"].map((mode) => ({
    "sec-fetch-site": site,
    "sec-fetch-mode": mode,
  })),
);

const FOREIGN: readonly Headers[] = [
  ...HOSTS.map((host) => ({ host })),
  ...ORIGINS.map((origin) => ({ host: "localhost", origin })),
  // Both lie the same way, as a page on a rebound name does.
  ...["evil.example", "192.168.1.5:3000"].map((host) => ({ host, origin: `http://${host}` })),
];

function addressOf(url: string): string {
  return url.replace(/:(\w+)/g, (_, name) => (name === "id" ? "d1" : "none")).replace("*", "app-1a2b.js");
}

t.test("no route takes a foreign Host or Origin, with an administrator's token", async (t) => {
  t.ok(new Set(FOREIGN.map((headers) => JSON.stringify(headers))).size >= 40, `${FOREIGN.length} variants`);
  const { app, bearer, mcp, rfb, desktops } = await openHouse(t, { rateTiers: { isOn: false } });
  let accepted = 0;
  for (const [method, url] of ROUTES) {
    for (const headers of FOREIGN) {
      // The one Origin of the extension's socket is refused everywhere else, and each of these there.
      const answer = await app.inject({
        ...{ method: toMethod(method), url: addressOf(url), ...(method === "GET" ? {} : { payload: "{}" }) },
        headers: { "content-type": "application/json", ...bearer("admin"), ...headers },
      });
      const isRefused = answer.statusCode === 403 || answer.statusCode === 400;
      if (isRefused && /bad_(host|origin)/.test(answer.body)) continue;
      accepted += 1;
      t.fail(
        `${method} ${url} with ${JSON.stringify(headers)}: ${answer.statusCode} ${answer.body.slice(0, 100)}`,
      );
    }
  }
  t.equal(accepted, 0, `of ${ROUTES.length * FOREIGN.length}`);
  t.strictSame([mcp.length, rfb.length, desktops.get("d1").calls], [0, 0, []], "and nothing was done");
});

t.test("no route that changes or shows anything takes the cookie from another site's page", async (t) => {
  const { app, token, mcp, rfb, desktops } = await openHouse(t, { rateTiers: { isOn: false } });
  const signedIn = await app.inject({
    method: "POST",
    url: "/api/v1/session",
    payload: { token: token.admin },
  });
  const cookie = `${signedIn.cookies[0]?.name}=${signedIn.cookies[0]?.value}`;
  let tried = 0;
  for (const [method, url, access] of ROUTES) {
    if (access === "open") continue;
    for (const headers of SITES) {
      // A link that is clicked elsewhere shows a page of ours, and nothing else.
      if (method === "GET" && headers["sec-fetch-mode"] === "navigate") continue;
      const answer = await app.inject({
        ...{ method: toMethod(method), url: addressOf(url), headers: { cookie, ...headers } },
      });
      tried += 1;
      // MCP takes no cookie at all.
      const isRefused = /cross_site/.test(answer.body) || answer.statusCode === 401;
      t.ok(isRefused, `${method} ${url} ${JSON.stringify(headers)}: ${answer.statusCode}`);
    }
  }
  t.ok(tried >= 40 * SITES.length);
  t.strictSame([mcp.length, rfb.length, desktops.get("d1").calls], [0, 0, []]);
});

/** The status line of an upgrade, bytes as they are said: no client of ours would send most of these. */
function statusOf(t: Test, host: string, path: string, headers: Headers): Promise<string> {
  return new Promise((resolve, reject) => {
    const [name = "", port = ""] = host.split(":");
    const lines = Object.entries({
      ...{ host, connection: "Upgrade", upgrade: "websocket", "sec-websocket-version": "13" },
      ...{ "sec-websocket-key": "AAAAAAAAAAAAAAAAAAAAAA==", "sec-websocket-protocol": "binary" },
      ...headers,
    }).map(([key, value]) => `${key}: ${value}\r\n`);
    const socket = connect(Number(port), name, () =>
      socket.write(`GET ${path} HTTP/1.1\r\n${lines.join("")}\r\n`),
    );
    t.teardown(() => socket.destroy());
    let text = "";
    socket.on("data", (chunk) => {
      text += chunk.toString("latin1");
      if (!text.includes("\r\n")) return;
      socket.destroy();
      resolve(text.split("\r\n")[0] ?? "");
    });
    socket.once("error", reject).once("close", () => resolve(text));
  });
}

t.test("no socket is opened by a foreign Host or Origin", async (t) => {
  const house = await openHouse(t, { rateTiers: { isOn: false } });
  const host = await house.listen();
  const sockets = ROUTES.filter(([, , , kind]) => kind === "socket");
  t.equal(sockets.length, 6);
  for (const [, url] of sockets) {
    for (const headers of FOREIGN) {
      // `localhost` of the origins is the port that is truly dialled.
      const said = headers["host"] === "localhost" ? { ...headers, host } : headers;
      const status = await statusOf(t, host, addressOf(url), { ...house.bearer("admin"), ...said });
      t.match(status, /^HTTP\/1\.1 4\d\d /, `${url} ${JSON.stringify(said)}`);
    }
  }
  t.equal(house.rfb.length, 0);
});
