import t from "tap";
import { basePath, OWN_WORDS } from "../../../src/config/base-path.ts";
import { OWN_TOKEN, openHouse } from "../fake-house.ts";
import { ROUTES } from "./route-table.ts";

t.test("a base is a path, and hides no address of the app's own", async (t) => {
  for (const [got, read] of [
    ["", ""],
    ["/", ""],
    ["/oc", "/oc"],
    ["/oc/", "/oc"],
    ["/tools/desk-1.2", "/tools/desk-1.2"],
  ] as const) {
    t.equal(basePath.parse(got), read);
  }
  for (const wrong of [
    "oc",
    "//oc",
    "/oc//x",
    "/../oc",
    "/o c",
    "/oc?x",
    "/oc#x",
    '/"oc',
    "/api",
    "/ws/x",
    "/%6fc",
  ]) {
    t.equal(basePath.safeParse(wrong).success, false, wrong);
  }
  const words = new Set(
    ROUTES.map(([, url]) => url.split("/")[1] ?? "").filter((word) => /^[\w.-]+$/.test(word)),
  );
  t.same(
    [...words].filter((word) => !OWN_WORDS.has(word)),
    [],
    "every first word of a route is refused",
  );
});

t.test("with and without its base an address is the same, and what leaves is below it", async (t) => {
  const { app } = await openHouse(t, { basePath: "/oc" });
  const page = { accept: "text/html", "sec-fetch-site": "none", host: "localhost" };
  for (const before of ["", "/oc"]) {
    const away = await app.inject({ url: `${before}/setup?x=1`, headers: page });
    t.equal(away.statusCode, 303);
    t.equal(away.headers.location, `/oc/signin?${new URLSearchParams({ next: "/setup?x=1" })}`);
    const entered = await app.inject({ url: `${before}/?token=${OWN_TOKEN}`, headers: page });
    t.equal(entered.headers.location, "/oc/");
    t.match(entered.cookies, [{ path: "/oc" }]);
    const refused = await app.inject({
      url: `${before}/mcp`,
      method: "POST",
      payload: {},
      headers: { host: "localhost" },
    });
    t.match(
      refused.headers["www-authenticate"],
      'resource_metadata="http://localhost/oc/.well-known/oauth-protected-resource"',
    );
    const { resource } = (
      await app.inject({
        url: `${before}/.well-known/oauth-protected-resource/mcp`,
        headers: { host: "localhost" },
      })
    ).json();
    t.equal(resource, "http://localhost/oc/mcp");
    t.equal((await app.inject({ url: `${before}/assets/app-1a2b.js` })).statusCode, 200);
  }
  t.equal((await app.inject({ url: "/oc", headers: page })).headers.location, "/oc/signin");
  t.equal((await app.inject({ url: "/ocx/health" })).statusCode, 404);
  t.equal((await app.inject({ url: "/oc/oc/health" })).statusCode, 404, "the base is taken away once");
});

t.test("over TLS the name of the cookie is one that browsers take for a path", async (t) => {
  const { app } = await openHouse(t, { basePath: "/oc", trustProxy: true });
  const answer = await app.inject({
    url: `/oc/?token=${OWN_TOKEN}`,
    headers: {
      accept: "text/html",
      "sec-fetch-site": "none",
      host: "localhost",
      "x-forwarded-proto": "https",
    },
  });
  t.match(answer.cookies, [{ name: /^__Secure-oc_session_/, path: "/oc", secure: true }]);
});
