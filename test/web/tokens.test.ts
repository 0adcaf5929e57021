import t from "tap";
import * as z from "zod";
import { errorSchema } from "../../src/web/api/api.ts";
import { newTokenSchema, tokenInfoSchema } from "../../src/web/api/tokens-api.ts";
import { openHouse } from "./fake-house.ts";

t.test(
  "administrators make tokens that expire, list them without their secret, and take them back",
  async (t) => {
    const { app, bearer, clock } = await openHouse(t);
    const headers = bearer("admin");
    const expires_at = new Date(clock.date().getTime() + 60_000).toISOString();
    const made = await app.inject({
      method: "POST",
      url: "/api/v1/tokens",
      headers,
      payload: { name: "Wall screen", role: "viewer", expires_at },
    });
    t.equal(made.statusCode, 201);
    t.equal(made.headers["cache-control"], "no-store");
    const { token, id } = newTokenSchema.strict().parse(made.json());
    const use = async () =>
      (await app.inject({ url: "/api/v1/desktops", headers: { authorization: `Bearer ${token}` } }))
        .statusCode;
    t.equal(await use(), 200);
    const list = async () => {
      const answer = await app.inject({ url: "/api/v1/tokens", headers });
      t.notMatch(answer.body, token.slice(-43));
      return z.array(tokenInfoSchema.strict()).parse(answer.json());
    };
    t.match(
      (await list()).find((info) => info.id === id),
      {
        ...{ name: "Wall screen", role: "viewer", expires_at },
        last_used_at: /^2026-11-21T00:0\d:00.000Z$/,
      },
    );
    clock.advance(60_000);
    t.equal(await use(), 401, "it has expired");
    const url = `/api/v1/tokens/${id}`;
    t.equal((await app.inject({ method: "DELETE", url, headers })).statusCode, 204);
    t.equal(
      (await list()).find((info) => info.id === id),
      undefined,
    );
    const again = await app.inject({ method: "DELETE", url, headers });
    t.equal(again.statusCode, 404);
  },
);

t.test("a token is of who makes it, unless they name another; the person behind it is told", async (t) => {
  const { app, bearer } = await openHouse(t);
  const headers = bearer("admin");
  const make = async (payload: object, by = headers) =>
    newTokenSchema
      .strict()
      .parse((await app.inject({ method: "POST", url: "/api/v1/tokens", headers: by, payload })).json());
  const personOf = async (authorization: string): Promise<unknown> =>
    (await app.inject({ url: "/api/v1/me", headers: { authorization } })).json().person;
  const admin = await personOf(headers.authorization);
  t.type(admin, "string");
  const own = await make({ name: "mine", role: "agent" });
  t.equal(own.owner, admin);
  t.equal(await personOf(`Bearer ${own.token}`), admin);
  const hers = await make({ name: "hers", role: "admin", owner: "oidc:alice" });
  t.equal(hers.owner, "oidc:alice");
  const made = await make({ name: "made by her", role: "agent" }, { authorization: `Bearer ${hers.token}` });
  t.equal(made.owner, "oidc:alice", "a person is behind all that they make");
  for (const owner of ["", "x".repeat(301), 1]) {
    const payload = { name: "bad", role: "agent", owner };
    const answer = await app.inject({ method: "POST", url: "/api/v1/tokens", headers, payload });
    t.equal(answer.statusCode, 400);
  }
});

t.test("a token may be for certain sets of tools", async (t) => {
  const { app, bearer, tokens } = await openHouse(t);
  const headers = bearer("admin");
  const make = (toolsets: unknown) =>
    app.inject({
      ...{ method: "POST", url: "/api/v1/tokens", headers },
      payload: { name: "narrow", role: "agent", toolsets },
    });
  const made = newTokenSchema.strict().parse((await make(["read", "overlay", "read"])).json());
  t.strictSame(made.toolsets, ["read", "overlay"]);
  t.strictSame(tokens.verify(made.token)?.toolsets, ["read", "overlay"], "which MCP goes by");
  t.equal((await make(null)).json().toolsets, null);
  for (const bad of [[], ["all"], "read", ["read", "read", "read", "read", "read", "read"]])
    t.equal((await make(bad)).statusCode, 400, JSON.stringify(bad));
});

t.test("a token may be for certain desktops, which lists say and the audit counts", async (t) => {
  const { app, bearer, desktops } = await openHouse(t);
  desktops.open("d2");
  const headers = bearer("admin");
  const made = await app.inject({
    ...{ method: "POST", url: "/api/v1/tokens", headers },
    payload: { name: "Guest", role: "operator", desktops: ["d2", "d2"] },
  });
  const { token, id, desktops: granted } = newTokenSchema.strict().parse(made.json());
  t.strictSame(granted, ["d2"]);
  const list = z
    .array(tokenInfoSchema.strict())
    .parse((await app.inject({ url: "/api/v1/tokens", headers })).json());
  t.strictSame(list.find((info) => info.id === id)?.desktops, ["d2"]);
  t.ok(list.every((info) => info.id === id || info.desktops === null));
  const seen = await app.inject({
    url: "/api/v1/desktops",
    headers: { authorization: `Bearer ${token}` },
  });
  t.match(seen.json(), [{ id: "d2" }]);
  const signedIn = await app.inject({
    ...{ method: "POST", url: "/api/v1/session", payload: { token } },
  });
  const cookies = Object.fromEntries(signedIn.cookies.map(({ name, value }) => [name, value]));
  const status = async (desktop: string) =>
    (await app.inject({ url: `/api/v1/desktops/${desktop}`, cookies })).statusCode;
  t.equal(await status("d2"), 200, "a browser's session is for the same desktops");
  t.equal(await status("d1"), 404);
});

t.test("nobody else makes one, and none that is over already or of a role that is not there", async (t) => {
  const { app, bearer, tokens } = await openHouse(t);
  const before = tokens.list().length;
  const post = (role: "admin" | "operator", payload: object) =>
    app.inject({ method: "POST", url: "/api/v1/tokens", headers: bearer(role), payload });
  t.equal((await post("operator", { name: "mine", role: "admin" })).statusCode, 403);
  for (const [payload, field] of [
    [{ name: "old", role: "viewer", expires_at: "2020-01-01T00:00:00Z" }, "expires_at"],
    [{ name: "old", role: "viewer", expires_at: "soon" }, "expires_at"],
    [{ name: "king", role: "king" }, "role"],
    [{ name: "", role: "viewer" }, "name"],
    [{ name: "all", role: "admin", desktops: ["d1"] }, "desktops"],
    [{ name: "none", role: "viewer", desktops: [] }, "desktops"],
  ] as const) {
    const answer = await post("admin", payload);
    t.equal(answer.statusCode, 400, JSON.stringify(payload));
    t.match(errorSchema.parse(answer.json()).error.message, field);
  }
  t.equal(tokens.list().length, before);
});
