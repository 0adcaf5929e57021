import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { setImmediate as turn } from "node:timers/promises";
import t from "tap";
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
