import t from "tap";
import { pushInfoSchema } from "../../src/web/api/push-api.ts";
import { openHouse } from "./fake-house.ts";

const PAYLOAD = { endpoint: "https://push.example/SECRET", keys: { p256dh: "p", auth: "a" } };
const SUBSCRIPTION = "/api/v1/push/subscription";

t.test("who may answer has their browser told, and it is audited without its address", async (t) => {
  const had: unknown[] = [];
  const house = await openHouse(t, {
    push: {
      publicKey: "the-key",
      subscribe: async (endpoint, keys, { id }) => void had.push([endpoint, keys, id.length > 0]),
      unsubscribe: async (endpoint) => void had.push(endpoint),
    },
  });
  const headers = house.bearer("approver");
  const info = (await house.app.inject({ url: "/api/v1/push", headers })).json();
  t.same(pushInfoSchema.strict().parse(info), { public_key: "the-key" });
  const put = { method: "PUT", url: SUBSCRIPTION, headers, payload: PAYLOAD } as const;
  t.equal((await house.app.inject(put)).statusCode, 204);
  const end = {
    method: "DELETE",
    url: SUBSCRIPTION,
    headers,
    payload: { endpoint: PAYLOAD.endpoint },
  } as const;
  t.equal((await house.app.inject(end)).statusCode, 204);
  t.same(had, [[PAYLOAD.endpoint, PAYLOAD.keys, true], PAYLOAD.endpoint]);
  t.same(
    house.audited.map(({ type }) => type).filter((type) => type.startsWith("push.")),
    ["push.subscribed", "push.unsubscribed"],
  );
  t.notMatch(JSON.stringify(house.audited) + house.log(), /SECRET/);
  t.equal((await house.app.inject({ ...put, headers: house.bearer("viewer") })).statusCode, 403);
  t.equal((await house.app.inject({ ...put, headers: house.bearer("agent") })).statusCode, 403);
  t.equal((await house.app.inject({ ...put, payload: { endpoint: "x" } })).statusCode, 400);
});

t.test("a guest is not told while they are elsewhere", async (t) => {
  const house = await openHouse(t, {
    push: {
      publicKey: "k",
      subscribe: () => Promise.reject(new Error("asked")),
      unsubscribe: async () => {},
    },
  });
  const invited = await house.app.inject({
    ...{ method: "POST", url: "/api/v1/desktops/d1/tickets", headers: house.bearer("operator") },
    payload: { role: "approver" },
  });
  const token = new URL(invited.json().url).hash.slice("#token=".length);
  const signedIn = await house.app.inject({ method: "POST", url: "/api/v1/session", payload: { token } });
  const cookies = Object.fromEntries(signedIn.cookies.map(({ name, value }) => [name, value]));
  const answer = await house.app.inject({ method: "PUT", url: SUBSCRIPTION, cookies, payload: PAYLOAD });
  t.match(answer.json(), { error: { code: "permission_denied" } });
});

t.test("where nothing is configured there is no key, and who subscribes is told why", async (t) => {
  const house = await openHouse(t);
  const headers = house.bearer("operator");
  t.same((await house.app.inject({ url: "/api/v1/push", headers })).json(), { public_key: null });
  const answer = await house.app.inject({ method: "PUT", url: SUBSCRIPTION, headers, payload: PAYLOAD });
  t.match(answer.json(), { error: { code: "not_supported", message: /push\.web\.subject/ } });
});
