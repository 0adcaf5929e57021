import { Client as LegacyClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as LegacyTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ResourceUpdatedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import t, { type Test } from "tap";
import { rect } from "../../../src/framebuffer/rect.ts";
import { requirePeers } from "../../e2e/harness/peers.ts";
import { until } from "../../support/until.ts";
import { AGENT } from "../fake-house.ts";
import { INFO, modern, openThree } from "./mcp-nodes.ts";

const SCREEN = "screen://far";

/** What a client of 2025 was told, and itself. */
async function legacy(t: Test, url: URL) {
  const client = new LegacyClient(INFO);
  const requestInit = { headers: { authorization: `Bearer ${AGENT.id}` } };
  await client.connect(new LegacyTransport(url, { requestInit }));
  t.teardown(() => client.close());
  const heard: string[] = [];
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => {
    heard.push(params.uri);
  });
  return { client, heard };
}

if (requirePeers(t, ["openssl"])) {
  t.test("a screen of another node is told of to clients of both eras, until they end it", async (t) => {
    const { near, a } = await openThree(t);
    const desktop = a.take();
    const [old, young] = [await legacy(t, near.url), await modern(t, near.url)];
    await old.client.subscribeResource({ uri: SCREEN });
    const subscription = await young.client.listen({ resourceSubscriptions: [SCREEN] });
    await until("both are heard of", () => a.streams() === 2);
    t.same([...old.heard, ...young.heard], [], "nothing changed yet");
    desktop.paint(rect(0, 0, 10, 10));
    await until("both are told", () => old.heard.length > 0 && young.heard.length > 0);
    t.same([old.heard[0], young.heard[0]], [SCREEN, SCREEN]);
    t.same([...a.carried], ["subscriptions/listen"], "by the protocol that clients speak");
    await old.client.unsubscribeResource({ uri: SCREEN });
    await until("one is over", () => a.streams() === 1);
    await subscription.close();
    await until("and the other", () => a.streams() === 0);
  });

  t.test("it is told of by the next node when it moves, once by itself, and by this one", async (t) => {
    const { near, a, b } = await openThree(t);
    a.take();
    const { client, heard } = await legacy(t, near.url);
    await client.subscribeResource({ uri: SCREEN });
    await a.release();
    const next = b.take();
    await until("told, since something may have been missed", () => heard.length === 1);
    t.equal(b.streams(), 1);
    await until("the last one is asked no more", () => a.streams() === 0);
    next.paint(rect(0, 0, 10, 10));
    await until("told by the next", () => heard.length === 2);
    await b.release();
    const own = near.take();
    await until("told as this one has it", () => heard.length === 3);
    own.paint(rect(0, 0, 10, 10));
    await until("told by this one", () => heard.length === 4);
    await near.release();
    const back = a.take();
    await until("told as it is gone again", () => heard.length === 5);
    back.paint(rect(0, 0, 10, 10));
    await until("told by where it went", () => heard.length === 6);
    await client.close();
  });

  t.test("a node that is asked before it has the desktop tells once it does", async (t) => {
    const { nodes, near, a } = await openThree(t);
    nodes.give("far", "a");
    const { client, heard } = await legacy(t, near.url);
    await client.subscribeResource({ uri: SCREEN });
    const desktop = a.take();
    await until("told when it is there", () => heard.length === 1);
    desktop.paint(rect(0, 0, 10, 10));
    await until("and of what changes", () => heard.length === 2);
  });

  t.test("a request on a desktop of another node is told of", async (t) => {
    const { near, a } = await openThree(t);
    const desktop = a.take();
    const { client, heard } = await legacy(t, near.url);
    const args = { kind: "code", reason: "enter the code", connection_id: "far" };
    await client.callTool({ name: "request_human", arguments: args });
    const [request] = desktop.requests.of(AGENT.id);
    const uri = `requests://${request?.id}`;
    await client.subscribeResource({ uri });
    desktop.requests.take(request?.id ?? "", false, { kind: "human", id: "ben", name: "Ben" });
    await until("told", () => heard.length === 1);
    t.same(heard, [uri]);
  });

  t.test("the owner judges who may know, by whom the call is for", async (t) => {
    const { near, a } = await openThree(t, {
      judge: (principal) => ({ ...principal, desktops: ["other"] }),
    });
    const desktop = a.take();
    const { client, heard } = await modern(t, near.url);
    const subscription = await client.listen({ resourceSubscriptions: [SCREEN] });
    await until("it is asked", () => a.streams() === 1);
    desktop.paint(rect(0, 0, 10, 10));
    // What follows on the same stream would have come behind it.
    await client.callTool({ name: "list_connections", arguments: {} });
    t.same(heard, []);
    await subscription.close();
  });

  t.test("one principal has no more than its share", async (t) => {
    const { nodes, near } = await openThree(t);
    const { client } = await legacy(t, near.url);
    const ids = Array.from({ length: 101 }, (_, nth) => `d${nth}`);
    for (const id of ids) nodes.give(id, "a");
    const refusals: string[] = [];
    for (const id of ids) {
      await client.subscribeResource({ uri: `screen://${id}` }).catch((error: unknown) => {
        refusals.push(String(error));
      });
    }
    t.equal(refusals.length, 1);
    t.match(refusals[0], /too_many.*than 100 of one principal/);
    await client.unsubscribeResource({ uri: "screen://d0" });
    await until("there is room again", () =>
      client.subscribeResource({ uri: "screen://d100" }).then(
        () => true,
        () => false,
      ),
    );
  });
}
