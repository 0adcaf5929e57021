import t from "tap";
import * as z from "zod";
import { permissionsOf } from "../../src/auth/principal.ts";
import { newTicketSchema } from "../../src/web/api/tickets-api.ts";
import { type House, openHouse, SocketPeer } from "./fake-house.ts";

const meSchema = z.object({ permissions: z.array(z.string()) });
const URL_OF_D1 = "/api/v1/desktops/d1/tickets";

/** Who holds the link presses the button. */
async function redeem({ app }: House, url: string) {
  const token = new URLSearchParams(new URL(url).hash.slice(1)).get("token") ?? "";
  const answer = await app.inject({ method: "POST", url: "/api/v1/session", payload: { token } });
  const cookies = Object.fromEntries(answer.cookies.map(({ name, value }) => [name, value]));
  return { status: answer.statusCode, cookies, maxAge: answer.cookies[0]?.maxAge };
}

async function invite(house: House, payload: object = {}, headers = house.bearer("operator")) {
  const answer = await house.app.inject({ method: "POST", url: URL_OF_D1, headers, payload });
  return { status: answer.statusCode, body: answer.body, headers: answer.headers };
}

t.test("a link opens one desktop, once and within a minute, and holds no token", async (t) => {
  const house = await openHouse(t);
  house.desktops.open("d2");
  const { app, audited, clock } = house;
  const made = await invite(house, { name: "Eve" });
  t.equal(made.status, 201);
  t.equal(made.headers["cache-control"], "no-store");
  const ticket = newTicketSchema.strict().parse(JSON.parse(made.body));
  t.match(ticket.url, /^http:\/\/localhost:80\/signin\?next=%2Fdesktops%2Fd1&guest=1#token=[\w-]{22}$/);
  t.equal(Date.parse(ticket.expires_at) - clock.date().getTime(), 60_000);
  t.match(
    audited.find(({ type }) => type === "ticket.issued"),
    {
      ...{ actor: { name: "the operator" }, action: "viewer", counts: { minutes: 60, view_only: 1 } },
      resource: { kind: "guest", id: ticket.guest_id },
    },
  );
  const { status, cookies, maxAge } = await redeem(house, ticket.url);
  t.equal(status, 204);
  t.equal(maxAge, 3600, "the session is as long as the visit");
  const person = async (as: object) => (await app.inject({ url: "/api/v1/me", ...as })).json().person;
  t.type(await person({ cookies }), "string");
  t.equal(
    await person({ cookies }),
    await person({ headers: house.bearer("operator") }),
    "counts as its host",
  );
  t.match(
    audited.find(({ type }) => type === "auth.login"),
    { actor: { id: ticket.guest_id, name: "Eve (guest of the operator)", role: "viewer" } },
  );
  t.match((await app.inject({ url: "/api/v1/desktops", cookies })).json(), [{ id: "d1" }]);
  t.equal((await app.inject({ url: "/api/v1/desktops/d2", cookies })).statusCode, 404);
  t.equal((await redeem(house, ticket.url)).status, 401, "once");
  const secret = new URL(ticket.url).hash.slice("#token=".length);
  t.notMatch(house.log() + JSON.stringify(audited), secret);
  for (const url of ["/api/v1/desktops", "/mcp"]) {
    const headers = { authorization: `Bearer ${secret}` };
    t.equal((await app.inject({ url, headers })).statusCode, 401, `no token: ${url}`);
  }

  const late = newTicketSchema.parse(JSON.parse((await invite(house)).body));
  clock.advance(60_000);
  t.equal((await redeem(house, late.url)).status, 401, "too late");
});

t.test("a guest's role and hands are what the host gave, and never more", async (t) => {
  const house = await openHouse(t, { rateTiers: { isOn: false } });
  for (const [payload, can, cannot] of [
    [{}, ["view"], ["input", "approve", "control"]],
    [{ view_only: false }, ["view"], ["input"]],
    [{ role: "approver" }, ["view", "approve"], ["input", "modes"]],
    [
      { role: "operator" },
      ["view", "control", "modes"],
      ["input", "mcp", "invite", "connections", "metrics"],
    ],
    [{ role: "operator", view_only: false }, ["view", "input"], ["mcp", "invite", "connections", "admin"]],
  ] as const) {
    const { body } = await invite(house, payload);
    const { cookies } = await redeem(house, newTicketSchema.parse(JSON.parse(body)).url);
    const me = meSchema.parse((await house.app.inject({ url: "/api/v1/me", cookies })).json());
    for (const permission of can) t.ok(me.permissions.includes(permission), `${body} ${permission}`);
    for (const permission of cannot) t.notOk(me.permissions.includes(permission), permission);
  }
  for (const [payload, field] of [
    [{ role: "admin" }, "role"],
    [{ role: "agent" }, "role"],
    [{ minutes: 0 }, "minutes"],
    [{ minutes: 721 }, "minutes"],
    [{ desktop: "d2" }, "desktop"],
  ] as const) {
    const { status, body } = await invite(house, payload);
    t.equal(status, 400, JSON.stringify(payload));
    t.match(body, field);
  }
  for (const role of ["approver", "viewer", "agent"] as const)
    t.equal((await invite(house, {}, house.bearer(role))).status, 403, role);
  const guest = { hostId: "x", endsAtMs: 0, isViewOnly: false };
  const invited = permissionsOf({ id: "g", name: "g", role: "operator", desktops: ["d1"], guest });
  t.strictSame(invited, ["view", "input", "overlay", "approve", "control", "modes", "masks"]);
});

t.test("a host who reaches certain desktops invites to those alone", async (t) => {
  const house = await openHouse(t);
  house.desktops.open("d2");
  const { token } = await house.tokens.create("bound", "operator", { desktops: ["d2"] });
  const headers = { authorization: `Bearer ${token}` };
  t.equal((await invite(house, {}, headers)).status, 404);
  const url = "/api/v1/desktops/d2/tickets";
  t.equal(
    (await house.app.inject({ method: "POST", url, headers })).statusCode,
    201,
    "an empty body will do",
  );
});

t.test("a visit ends with its time, and with its host, live sockets included", async (t) => {
  for (const end of ["time", "host"] as const) {
    const house = await openHouse(t);
    const { token, info } = await house.tokens.create("host", "operator");
    const made = await invite(house, { minutes: 1 }, { authorization: `Bearer ${token}` });
    const { cookies } = await redeem(house, newTicketSchema.parse(JSON.parse(made.body)).url);
    const host = await house.listen();
    // In one step the socket's own clock would end it too.
    if (end === "time") house.clock.advance(59_500);
    const port = new URL(`http://${host}`).port;
    const [value = ""] = Object.values(cookies);
    const peer = new SocketPeer(t, `ws://${host}/ws/events`, { cookie: `oc_session_${port}=${value}` });
    await peer.opened;
    await peer.next();
    if (end === "host") await house.tokens.revoke(info.id);
    house.clock.advance(1000);
    t.equal(await peer.closed, 1008, end);
  }
});
