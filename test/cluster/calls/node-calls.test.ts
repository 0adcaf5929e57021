import { createServer, type IncomingMessage, type Server } from "node:http";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import t, { type Test } from "tap";
import { requirePeers } from "../../e2e/harness/peers.ts";
import { CallingNodes } from "./calling-nodes.ts";

const CALLER = { id: "ann", role: "operator" };

/** Answers what was asked of it, and on whose behalf; closed with the test. */
function echo(t: Test, of: (request: IncomingMessage) => unknown): Server {
  const server = createServer(async (request, response) => {
    if (request.url === "/silent") return;
    const body = await text(request);
    const { method, url } = request;
    response.end(JSON.stringify({ method, url, body, call: of(request) }));
  });
  t.teardown(() => server.close());
  return server;
}

if (requirePeers(t, ["openssl"])) {
  t.test("a call comes as it was sent, with who carries it and on whose behalf", async (t) => {
    const nodes = await CallingNodes.open(t);
    const [a, b] = [await nodes.node("a"), await nodes.node("b")];
    const record = await b.listen(echo(t, (request) => b.calls.of(request)));
    await a.listen(echo(t, () => null));
    t.same(
      a.calls.others.map(({ name }) => name),
      ["b"],
      "nobody calls itself",
    );
    const { response, socket } = await a.calls.call(record, {
      ...{ method: "POST", path: "/some?x=1", caller: CALLER, body: Readable.from(["four"]) },
    });
    t.equal(socket, null);
    t.same(JSON.parse(await text(response)), {
      ...{ method: "POST", url: "/some?x=1", body: "four" },
      call: { node: "a", caller: CALLER },
    });
  });

  t.test("who has no certificate of its name, or is in no table, calls nobody", async (t) => {
    const nodes = await CallingNodes.open(t);
    const b = await nodes.node("b");
    const record = await b.listen(echo(t, () => null));
    const call = { method: "GET", path: "/", caller: CALLER };
    const stranger = await nodes.node("stranger");
    await t.rejects(stranger.calls.call(record, call), { code: "node_unreachable", message: /table/ });
    const other = await nodes.node("a", "c");
    await other.listen(echo(t, () => null));
    await t.rejects(other.calls.call(record, call), { code: "node_unreachable", message: /certificate/ });
    t.equal(b.refused.length, 2);
    const a = await nodes.node("a");
    await a.listen(echo(t, () => null));
    await t.rejects(
      a.calls.call({ ...record, name: "c" }, call),
      { code: "node_unreachable", message: /not for c/ },
      "nor does it believe one that has another's place",
    );
    t.equal((await a.calls.call({ ...record, id: "b-again" }, call)).response.statusCode, 200);
  });

  t.test("what is under way ends with its node, and with its caller", async (t) => {
    const nodes = await CallingNodes.open(t);
    const [a, b] = [await nodes.node("a"), await nodes.node("b")];
    const record = await b.listen(echo(t, () => null));
    await a.listen(echo(t, () => null));
    const silent = { method: "GET", path: "/silent", caller: CALLER };
    const gone = new AbortController();
    const left = a.calls.call(record, { ...silent, signal: gone.signal });
    gone.abort();
    await t.rejects(left, { code: "cancelled" });
    const waiting = Array.from({ length: 5 }, () => a.calls.call(record, silent).catch((error) => error));
    nodes.lose("b");
    const ends = await Promise.all(waiting);
    t.ok(ends.every(({ code }) => code === "node_unreachable"));
    t.match(ends[0], { heldBy: { node: "b" } });
  });

  t.test("a node that ended answers nobody, and one that takes no calls is not asked", async (t) => {
    const nodes = await CallingNodes.open(t);
    const [a, b] = [await nodes.node("a"), await nodes.node("b")];
    const record = await b.listen(echo(t, () => null));
    await a.listen(echo(t, () => null));
    b.calls.close();
    const call = { method: "GET", path: "/", caller: CALLER };
    await t.rejects(a.calls.call(record, call), { code: "node_unreachable" });
    await t.rejects(a.calls.call({ ...record, id: "other", calls: null }, call), {
      code: "node_unreachable",
    });
  });
}
