import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { setImmediate as turn } from "node:timers/promises";
import t from "tap";
import { connectionArrived } from "../../../src/imaging/loop-turns.ts";
import { inTurns } from "../../../src/web/http/http-limits.ts";

function requests(count: number): IncomingMessage[] {
  return Array.from({ length: count }, (_, i) => {
    const request = new IncomingMessage(new Socket());
    request.url = `/${i}`;
    return request;
  });
}

t.test("of many requests at once some begin in each turn of the loop, in their order", async (t) => {
  const begun: string[] = [];
  const handler = inTurns((request) => void begun.push(request.url ?? ""), 8);
  const all = requests(20);
  for (const request of all) handler(request, new ServerResponse(request));
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
    if (request !== undefined) handler(request, new ServerResponse(request));
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

t.test("a stop is begun before all that wait", (t) => {
  const begun: string[] = [];
  const handler = inTurns((request) => void begun.push(request.url ?? ""), 1);
  const [a, b, c, d] = requests(4);
  if (c !== undefined) c.url = "/api/v1/desktops/d1/stop";
  if (d !== undefined) d.url = "/api/v1/desktops/d1/stop/more";
  for (const request of [a, b, c, d]) {
    if (request !== undefined) handler(request, new ServerResponse(request));
  }
  t.same(begun, ["/0", "/api/v1/desktops/d1/stop"]);
  t.end();
});

t.test("requests wait while connections arrive", async (t) => {
  const begun: string[] = [];
  const handler = inTurns((request) => void begun.push(request.url ?? ""), 1);
  for (const request of requests(3)) handler(request, new ServerResponse(request));
  const counts: number[] = [];
  for (let i = 0; i < 70; i++) {
    connectionArrived();
    await turn();
    counts.push(begun.length);
  }
  t.same([counts[10], counts[40], counts[69]], [1, 2, 3]);
});
