import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import t from "tap";
import { PLATFORM } from "../../../../src/appliance/open-links.ts";
import { linkErrorOf } from "../../../../src/desktop/links/link-error.ts";
import { CipherStream } from "../../../../src/desktop/links/streams/cipher-stream.ts";
import { SessionCipher } from "../../../../src/protocols/rfb/security/session-cipher.ts";

/** Both ends of a TCP connection, closed with the test. */
async function pair(test: Pick<typeof t, "teardown">): Promise<readonly [Socket, Socket]> {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("expected a port");
  const near = connect(address.port, "127.0.0.1");
  const far = await new Promise<Socket>((resolve) => server.once("connection", resolve));
  test.teardown(() => {
    near.destroy();
    far.destroy();
    server.close();
  });
  return [near, far];
}

const { crypto } = PLATFORM;
const [a, b] = [randomBytes(16), randomBytes(16)];

t.test("what is written at one end is read at the other, and is not on the wire", async (t) => {
  const [near, far] = await pair(t);
  const left = new CipherStream(near, new SessionCipher(crypto, { send: a, receive: b }));
  const right = new CipherStream(far, new SessionCipher(crypto, { send: b, receive: a }));
  const wire: Buffer[] = [];
  far.on("data", (chunk: Buffer) => wire.push(chunk));
  const secret = Buffer.alloc(300_000, "the quick brown fox");
  const read: Buffer[] = [];
  let size = 0;
  const whole = new Promise<void>((resolve) => {
    right.on("data", (chunk: Buffer) => {
      read.push(chunk);
      size += chunk.length;
      if (size >= secret.length) resolve();
    });
  });
  left.write(secret);
  await whole;
  t.ok(Buffer.concat(read).equals(secret));
  t.notOk(Buffer.concat(wire).includes("quick brown"));
});

t.test("a changed message ends the stream with a protocol error", async (t) => {
  const [near, far] = await pair(t);
  const stream = new CipherStream(near, new SessionCipher(crypto, { send: a, receive: b }));
  const sealed = new SessionCipher(crypto, { send: b, receive: a }).seal(randomBytes(32));
  const failed = new Promise<unknown>((resolve) => stream.once("error", resolve));
  stream.resume();
  far.write(sealed.map((byte, at) => (at === 5 ? byte ^ 1 : byte)));
  t.match(linkErrorOf(await failed), { code: "protocol_error", message: /changed on its way/ });
  t.ok(near.destroyed);
});

t.test("the end below is the end", async (t) => {
  const [near, far] = await pair(t);
  const stream = new CipherStream(near, new SessionCipher(crypto, { send: a, receive: b }));
  const ended = once(stream, "end");
  stream.resume();
  far.end();
  await ended;
  t.pass("it came");
});
