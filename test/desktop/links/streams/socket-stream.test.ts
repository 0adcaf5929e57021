import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { connect as connectTls, TLSSocket } from "node:tls";
import t from "tap";
import { newKey, selfSigned } from "../../../../src/appliance/self-signed.ts";
import { SocketStream } from "../../../../src/desktop/links/streams/socket-stream.ts";
import { until } from "../../../support/until.ts";

type Test = Pick<typeof t, "teardown">;

/** A stream to a server here, and the server's end of it. */
async function openPair(test: Test, isInPlace = false): Promise<{ stream: SocketStream; peer: Socket }> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("a TCP server without a port");
  const to = { port: address.port, host: "127.0.0.1" };
  const stream = new SocketStream(async (_, onread) => connect(isInPlace ? { ...to, onread } : to));
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

/** Of the bytes that a server sends one after the other, with all their values. */
const PATTERN = Buffer.from(Array.from({ length: 1_000_003 }, (_, i) => (i * 7) % 251));

t.test("what is read in place comes whole and in order, however often reading is paused", async (t) => {
  const { stream, peer } = await openPair(t, true);
  const got: Buffer[] = [];
  let memory: ArrayBufferLike | null = null;
  stream.readInPlace((chunk) => {
    t.equal(memory ?? chunk.buffer, chunk.buffer, "all of it in the same memory");
    memory = chunk.buffer;
    got.push(Buffer.from(chunk));
    stream.pause();
    t.ok(stream.isPaused());
    setImmediate(() => stream.resume());
  });
  peer.write(PATTERN);
  await until("all bytes", () => got.reduce((sum, { length }) => sum + length, 0) === PATTERN.length || null);
  t.ok(Buffer.concat(got).equals(PATTERN));
  const ended = once(stream, "end");
  peer.end();
  await ended;
});

t.test("who reads by events keeps what it got, also of what came while nobody read", async (t) => {
  const { stream, peer } = await openPair(t, true);
  const inPlace: Buffer[] = [];
  const stop = stream.readInPlace((chunk) => inPlace.push(Buffer.from(chunk)));
  peer.write("in place");
  await until("the first bytes", () => inPlace.length > 0 || null);
  stop();
  stream.pause();
  const got: Buffer[] = [];
  peer.write(PATTERN);
  await until("some that wait", () => stream.readableLength > 0 || null);
  stream.on("data", (chunk: Buffer) => got.push(chunk));
  stream.resume();
  await until("all bytes", () => got.reduce((sum, { length }) => sum + length, 0) === PATTERN.length || null);
  t.ok(Buffer.concat(got).equals(PATTERN));
  t.equal(Buffer.concat(inPlace).toString(), "in place");
});

t.test("a paused stream takes no more than its limit from who sends on", async (t) => {
  const { stream, peer } = await openPair(t, true);
  const got: Buffer[] = [];
  stream.readInPlace((chunk) => {
    got.push(Buffer.from(chunk));
    stream.pause();
  });
  const isTaken = (): boolean => peer.writableLength === 0;
  for (let i = 0; i < 20; i++) peer.write(PATTERN);
  await until("the first bytes", () => got.length > 0 || null);
  t.equal(got.length, 1);
  t.notOk(isTaken(), "the rest waits where it came from");
  stream.resume();
});

t.test("a socket that is read into memory of all is lent to TLS", async (t) => {
  const key = newKey();
  const cert = selfSigned(key, ["127.0.0.1"], new Date());
  const { stream, peer } = await openPair(t, true);
  const got: Buffer[] = [];
  const stop = stream.readInPlace((chunk) => got.push(Buffer.from(chunk)));
  peer.write("in the clear");
  await until("the first bytes", () => got.length > 0 || null);
  stop();
  const far = new TLSSocket(peer, { isServer: true, key, cert });
  const socket = stream.lend();
  if (socket === null) throw new Error("a stream that is up without a socket");
  const tls = connectTls({ socket, rejectUnauthorized: false });
  far.write(PATTERN);
  const sealed: Buffer[] = [];
  tls.on("data", (chunk: Buffer) => sealed.push(chunk));
  await until(
    "all bytes",
    () => sealed.reduce((sum, { length }) => sum + length, 0) === PATTERN.length || null,
  );
  t.ok(Buffer.concat(sealed).equals(PATTERN));
  t.equal(Buffer.concat(got).toString(), "in the clear");
});
