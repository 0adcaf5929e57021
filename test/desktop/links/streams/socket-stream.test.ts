import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import t from "tap";
import { SocketStream } from "../../../../src/desktop/links/streams/socket-stream.ts";
import { until } from "../../../support/until.ts";

type Test = Pick<typeof t, "teardown">;

/** A stream to a server here, and the server's end of it. */
async function openPair(test: Test): Promise<{ stream: SocketStream; peer: Socket }> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("a TCP server without a port");
  const stream = new SocketStream(async () => connect(address.port, "127.0.0.1"));
  const [[peer]] = await Promise.all([once(server, "connection"), once(stream, "connect")]);
  test.teardown(() => {
    stream.destroy();
    peer.destroy();
    server.close();
  });
  return { stream, peer };
}

t.test("a socket that is lent gives what was not read, and then what comes", async (t) => {
  const { stream, peer } = await openPair(t);
  stream.read(0);
  peer.write("early ");
  await until("the first bytes", () => stream.readableLength === 6 || null);
  const socket = stream.lend();
  if (socket === null) throw new Error("a stream that is up without a socket");
  let heard = "";
  socket.on("data", (chunk: Buffer) => {
    heard += chunk.toString();
  });
  socket.resume();
  peer.write("and late");
  await until("all bytes", () => heard === "early and late" || null);
  t.equal(stream.readableLength, 0, "the stream has none of it");
  socket.write("answer");
  t.equal(String((await once(peer, "data"))[0]), "answer");
});

t.test("a stream ends with the socket that it lent, and that one with the stream", async (t) => {
  const one = await openPair(t);
  const lent = one.stream.lend();
  one.stream.destroy();
  await until("the end of the socket", () => lent?.destroyed === true || null);
  const other = await openPair(t);
  const closed = once(other.stream, "close");
  other.stream.lend()?.resume();
  other.peer.destroy();
  await closed;
  t.ok(other.stream.destroyed);
});

t.test("nothing is lent before a socket is up", async (t) => {
  const stream = new SocketStream(() => new Promise(() => undefined));
  t.equal(stream.lend(), null);
  stream.destroy();
});
