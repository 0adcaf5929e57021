import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as LegacyClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as LegacyTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ResourceUpdatedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import t from "tap";
import type { Actor } from "../../src/desktop/control/action.ts";
import { callsTo } from "./call.ts";
import { fakeHouse, OTHER, serveHouse } from "./fake-house.ts";

const ANN: Actor = { kind: "human", id: "ann", name: "Ann" };
const ASKED = { reason: "log in to the bank", kind: "login", private: true } as const;
const DONE = { state: "done", answer: "it is in" } as const;

t.test("a request is answered at once with its id, and a second one names the first", async (t) => {
  const house = fakeHouse();
  const call = callsTo(house);
  const { structured, text } = await call("request_human", ASKED);
  const id = String(structured["request_id"]);
  t.match(house.desktops.get("one").requests.of("agent-1"), [
    { id, reason: "log in to the bank", wantsPrivate: true, actor: { kind: "agent" } },
  ]);
  t.match(text, `requests://${id}`);
  t.match((await call("request_human", ASKED)).error, { code: "too_many", message: new RegExp(id) });
  t.notOk((await call("request_human", { ...ASKED, connection_id: "two" })).isError, "another desktop");
  t.notOk((await call("request_human", ASKED, { principal: OTHER })).isError, "another agent");
  for (const bad of [{}, { ...ASKED, kind: "money" }, { ...ASKED, reason: "x".repeat(501) }]) {
    t.match((await call("request_human", bad)).error, { code: "invalid_parameters" });
  }
});

t.test("its end and the answer come by poll_events, to who asked alone", async (t) => {
  const house = fakeHouse();
  const call = callsTo(house);
  const listen = async (principal?: typeof OTHER): Promise<() => Promise<unknown>> => {
    const options = principal === undefined ? {} : { principal };
    const { structured } = await call("subscribe_events", { events: ["request_ended"] }, options);
    const { subscription_id } = structured;
    t.teardown(() => call("unsubscribe_events", { subscription_id }, options));
    return async () => (await call("poll_events", { subscription_id }, options)).structured["events"];
  };
  const [own, other] = [await listen(), await listen(OTHER)];
  const { structured } = await call("request_human", ASKED);
  const id = String(structured["request_id"]);
  const { requests } = house.desktops.get("one");
  requests.take(id, true, ANN);
  t.same(await own(), [], "that somebody is at it is no end");
  requests.end(id, DONE, ANN);
  t.match(await own(), [{ type: "request_ended", request_id: id, state: "done", answer: "it is in" }]);
  t.same(await other(), []);
});

t.test("a request is a resource of who asked, told of when it changes, in both eras", async (t) => {
  const { url, desktops, close } = await serveHouse();
  t.teardown(close);
  const requestInit = { headers: { authorization: "Bearer agent-1" } };
  const others = { headers: { authorization: "Bearer agent-2" } };
  const info = { name: "test", version: "1" };
  const mode = { versionNegotiation: { mode: { pin: "2026-07-28" } } } as const;
  const modern = new Client(info, mode);
  await modern.connect(new StreamableHTTPClientTransport(url, { requestInit }));
  t.teardown(() => modern.close());
  const legacy = new LegacyClient(info);
  await legacy.connect(new LegacyTransport(url, { requestInit }));
  t.teardown(() => legacy.close());
  const stranger = new Client(info, mode);
  await stranger.connect(new StreamableHTTPClientTransport(url, { requestInit: others }));
  t.teardown(() => stranger.close());

  const { structuredContent } = await modern.callTool({ name: "request_human", arguments: ASKED });
  const id = String(Object(structuredContent).request_id);
  const uri = `requests://${id}`;
  t.match((await modern.readResource({ uri })).contents, [{ text: /"state": "open"/ }]);
  await t.rejects(stranger.readResource({ uri }), "another's is not there");
  const told = [
    new Promise<string>((resolve) => {
      modern.setNotificationHandler("notifications/resources/updated", ({ params }) => resolve(params.uri));
    }),
    new Promise<string>((resolve) => {
      legacy.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => resolve(params.uri));
    }),
  ];
  const heard: string[] = [];
  stranger.setNotificationHandler("notifications/resources/updated", ({ params }) => {
    heard.push(params.uri);
  });
  const streams = [
    await modern.listen({ resourceSubscriptions: [uri] }),
    await stranger.listen({ resourceSubscriptions: [uri] }),
  ];
  await legacy.subscribeResource({ uri });
  await t.rejects(legacy.subscribeResource({ uri: "requests://another" }), { code: -32_602 });
  desktops.get("one").requests.end(id, DONE, ANN);
  t.same(await Promise.all(told), [uri, uri]);
  t.match((await modern.readResource({ uri })).contents, [{ text: /"answer": "it is in"/ }]);
  t.same(heard, [], "a stranger hears nothing of it");
  for (const stream of streams) await stream.close();
});
