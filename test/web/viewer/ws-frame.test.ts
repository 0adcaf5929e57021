import { once } from "node:events";
import { createServer } from "node:http";
import t from "tap";
import { type RawData, WebSocket, WebSocketServer } from "ws";
import { webSocketTransport } from "../../../src/web/viewer/transport.ts";
import { binaryFrame, joinToFrame } from "../../../src/web/viewer/ws-frame.ts";

t.test("bytes are put into a frame once, whoever they are for", async (t) => {
  const bytes = new Uint8Array(70_000).fill(3);
  t.equal(binaryFrame(bytes), binaryFrame(bytes));
  t.not(binaryFrame(bytes), binaryFrame(bytes.slice()));
});

t.test(
  "parts that were joined become the same frame as other bytes, in the memory they are in",
  async (t) => {
    for (const lengths of [[0], [1, 124], [100, 26], [65_000, 535], [40_000, 40_000]]) {
      const parts = lengths.map((length, i) => new Uint8Array(length).fill(i + 1));
      const joined = joinToFrame(parts);
      t.ok(Buffer.concat(parts).equals(joined));
      const frame = binaryFrame(joined);
      t.equal(frame.buffer, joined.buffer);
      t.ok(frame.equals(binaryFrame(Buffer.concat(parts))));
      t.ok(Buffer.concat(parts).equals(joined), "the payload is as it was");
    }
  },
);

t.test("ws reads messages of every length between its own, and nothing is sent after the end", async (t) => {
  const http = createServer().listen(0, "127.0.0.1");
  const sockets = new WebSocketServer({ server: http, perMessageDeflate: false });
  t.teardown(() => {
    for (const socket of sockets.clients) socket.terminate();
    sockets.close();
    http.close();
  });
  await once(http, "listening");
  const address = http.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const far = new WebSocket(`ws://127.0.0.1:${port}`);
  const got: Buffer[] = [];
  far.on("message", (data: RawData) => got.push(Buffer.from(data instanceof Buffer ? data : [])));
  const [near, request] = await once(sockets, "connection");
  const transport = webSocketTransport(near, request.socket);
  let drained = 0;
  transport.listen({ receive: () => {}, drained: () => drained++, closed: () => {} });
  const sent: Buffer[] = [];
  for (const length of [1, 125, 126, 65_535, 65_536, 65_537, 200_000]) {
    const bytes = Buffer.alloc(length, length);
    sent.push(bytes);
    transport.send(bytes);
    near.ping("still there");
  }
  transport.close(1000, "over");
  transport.send(Buffer.from("too late"));
  const [code] = await once(far, "close");
  t.equal(code, 1000);
  t.ok(Buffer.concat(got).equals(Buffer.concat(sent)));
  t.ok(drained >= sent.length);
});
