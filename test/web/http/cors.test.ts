import t from "tap";
import { openHouse } from "../fake-house.ts";

const PANEL = "https://panel.example.com";
const PREFLIGHT = {
  "access-control-request-method": "POST",
  "access-control-request-headers": "authorization, content-type, mcp-protocol-version",
};

t.test("a page of a configured origin calls with a token, after a preflight", async (t) => {
  const { app, bearer } = await openHouse(t, { corsOrigins: [PANEL] });
  for (const url of ["/mcp", "/api/v1/desktops", "/api/v1/desktops/d1/mode"]) {
    const asked = await app.inject({ method: "OPTIONS", url, headers: { origin: PANEL, ...PREFLIGHT } });
    t.equal(asked.statusCode, 204, url);
    t.match(asked.headers, {
      "access-control-allow-origin": PANEL,
      "access-control-allow-methods": /POST.*DELETE/,
      "access-control-allow-headers": PREFLIGHT["access-control-request-headers"],
      vary: "origin",
    });
    t.notOk("access-control-allow-credentials" in asked.headers);
  }
  const answer = await app.inject({
    url: "/api/v1/desktops",
    headers: { origin: PANEL, ...bearer("viewer") },
  });
  t.equal(answer.statusCode, 200);
  t.match(answer.headers, {
    "access-control-allow-origin": PANEL,
    "access-control-expose-headers": /etag.*mcp-session-id/,
  });
  const refused = await app.inject({ url: "/api/v1/desktops", headers: { origin: PANEL } });
  t.equal(refused.statusCode, 401);
  t.equal(refused.headers["access-control-allow-origin"], PANEL, "it may read why");
  const mcp = await app.inject({
    ...{ method: "POST", url: "/mcp", payload: { jsonrpc: "2.0", id: 1, method: "ping" } },
    headers: { origin: PANEL, ...bearer("agent") },
  });
  t.equal(mcp.statusCode, 200);
  t.equal(mcp.headers["access-control-allow-origin"], PANEL);
});

t.test("no cookie counts for it, whatever the browser says of where it comes from", async (t) => {
  const { app, token } = await openHouse(t, { corsOrigins: [PANEL] });
  const signedIn = await app.inject({
    ...{ method: "POST", url: "/api/v1/session", payload: { token: token.admin } },
  });
  const cookies = Object.fromEntries(signedIn.cookies.map(({ name, value }) => [name, value]));
  const status = async (headers: Record<string, string>) =>
    (await app.inject({ url: "/api/v1/desktops", cookies, headers })).statusCode;
  t.equal(await status({}), 200, "our own page");
  t.equal(await status({ origin: PANEL }), 403);
  t.equal(await status({ origin: PANEL, "sec-fetch-site": "cross-site", "sec-fetch-mode": "cors" }), 403);
  t.equal(await status({ origin: PANEL, "sec-fetch-site": "same-site", "sec-fetch-mode": "cors" }), 403);
});

t.test("others get nothing, to the letter", async (t) => {
  for (const corsOrigins of [[], [PANEL]]) {
    const { app, bearer } = await openHouse(t, { corsOrigins });
    for (const origin of [
      "https://panel.example.com.evil.net",
      "http://panel.example.com",
      "https://panel.example.com:8443",
      "https://PANEL.example.com",
      "https://panel.example.com/",
      "null",
      ...(corsOrigins.length === 0 ? [PANEL] : []),
    ]) {
      const headers = { origin, ...bearer("viewer") };
      const answer = await app.inject({ url: "/api/v1/desktops", headers });
      t.equal(answer.statusCode, 403, origin);
      t.notOk("access-control-allow-origin" in answer.headers);
      const asked = await app.inject({
        ...{ method: "OPTIONS", url: "/api/v1/desktops", headers: { origin, ...PREFLIGHT } },
      });
      t.notOk("access-control-allow-origin" in asked.headers);
      t.not(asked.statusCode, 204);
    }
  }
});
