import { once } from "node:events";
import { IncomingMessage, ServerResponse } from "node:http";
import { connect, Socket } from "node:net";
import { setImmediate as turn } from "node:timers/promises";
import t from "tap";
import { loopTurns } from "../../../src/platform/loop-turns.ts";
import { inTurns, makeServer } from "../../../src/web/http/http-limits.ts";

function requests(count: number): IncomingMessage[] {
  return Array.from({ length: count }, (_, i) => {
    const request = new IncomingMessage(new Socket());
    request.url = `/${i}`;
    return request;
  });
}

function answerOf(request: IncomingMessage): ServerResponse {
  const response = new ServerResponse(request);
  response.assignSocket(new Socket());
  return response;
}

t.test("of many requests at once some begin in each turn of the loop, in their order", async (t) => {
  const begun: string[] = [];
  const handler = inTurns((request) => void begun.push(request.url ?? ""), 8);
  const all = requests(20);
  for (const request of all) handler(request, answerOf(request));
  const counts = [begun.length];
  for (let i = 0; i < 4; i++) {
    await turn();
    counts.push(begun.length);
  }
  t.same(counts, [8, 16, 20, 20, 20]);
  t.same(
    begun,
    all.map(({ url }) => url),
  );
});

t.test("a request that comes while others wait goes behind them; a lone one begins at once", async (t) => {
  const begun: string[] = [];
  const handler = inTurns((request) => void begun.push(request.url ?? ""), 2);
  const [a, b, c, d, e] = requests(5);
  const ask = (request: IncomingMessage | undefined): void => {
    if (request !== undefined) handler(request, answerOf(request));
  };
  ask(a);
  t.same(begun, ["/0"]);
  for (const request of [b, c, d]) ask(request);
  t.same(begun, ["/0", "/1"]);
  await turn();
  ask(e);
  t.same(begun, ["/0", "/1", "/2", "/3"]);
  await turn();
  t.same(begun, ["/0", "/1", "/2", "/3", "/4"]);
  await turn();
  ask(a);
  t.same(begun.length, 6);
});

const STOP = "/api/v1/desktops/d1/stop";

function stops(count: number): IncomingMessage[] {
  return requests(count).map((request) => Object.assign(request, { url: STOP, method: "POST" }));
}

t.test("a stop is begun before all that wait", (t) => {
  const begun: string[] = [];
  const handler = inTurns((request) => void begun.push(request.url ?? ""), 1);
  const [a, b, c, d] = requests(4);
  const [stop] = stops(1);
  if (c !== undefined) c.url = STOP;
  if (d !== undefined) Object.assign(d, { url: `${STOP}/more`, method: "POST" });
  for (const request of [a, b, c, d, stop]) {
    if (request !== undefined) handler(request, answerOf(request));
  }
  t.same(begun, ["/0", STOP], "the one that was posted");
  t.end();
});

t.test("of many stops some begin in each turn, before what waited longer", async (t) => {
  const begun: string[] = [];
  const handler = inTurns((request) => void begun.push(request.url ?? ""), 1, 2);
  for (const request of [...requests(3), ...stops(5)]) handler(request, answerOf(request));
  t.same(begun, ["/0", STOP, STOP]);
  await turn();
  t.same(begun.slice(3), [STOP, STOP, "/1"]);
  await turn();
  t.same(begun.slice(6), [STOP, "/2"]);
});

t.test("of a connection one request is answered at a time", async (t) => {
  const begun: string[] = [];
  const answers: ServerResponse[] = [];
  const server = makeServer(null, (request, response) => {
    begun.push(request.url ?? "");
    answers.push(response);
    server.emit("begun");
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const open = async (...paths: string[]): Promise<Socket> => {
    const socket = connect(port, "127.0.0.1");
    const all = paths.map((path) => `POST ${path} HTTP/1.1\r\nhost: h\r\ncontent-length: 0\r\n\r\n`);
    const next = once(server, "begun");
    socket.write(all.join(""));
    await next;
    return socket;
  };
  const first = await open("/a", STOP, "/b");
  const other = await open("/c");
  t.same(begun, ["/a", "/c"]);
  let next = once(server, "begun");
  answers[0]?.end();
  await next;
  t.same(begun, ["/a", "/c", STOP]);
  first.destroy();
  next = once(answers[2] ?? server, "close");
  await next;
  await open("/d");
  t.same(begun, ["/a", "/c", STOP, "/d"], "what the closed one sent ahead never begins");
  other.destroy();
});

t.test("requests wait while connections arrive", async (t) => {
  const begun: string[] = [];
  const handler = inTurns((request) => void begun.push(request.url ?? ""), 1);
  for (const request of requests(3)) handler(request, answerOf(request));
  const counts: number[] = [];
  for (let i = 0; i < 70; i++) {
    loopTurns.arrived();
    await turn();
    counts.push(begun.length);
  }
  t.same([counts[10], counts[40], counts[69]], [1, 2, 3]);
});
