import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import t from "tap";
import { tcpTransport } from "../../../src/web/viewer/transport.ts";

t.test("a viewer is read fast until it floods, then held up, and nothing of it is lost", async (t) => {
  const server = createServer().listen(0, "127.0.0.1");
  t.teardown(() => server.close());
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const far = connect(port, "127.0.0.1");
  const [near]: Socket[] = await once(server, "connection");
  if (near === undefined) throw new Error("no connection");
  t.teardown(() => {
    far.destroy();
    near.destroy();
  });
  let received = 0;
  let wake = (): void => undefined;
  tcpTransport(near).listen({
    receive: (chunk) => {
      received += chunk.length;
      wake();
    },
    drained: () => undefined,
    closed: () => undefined,
  });
  const until = async (bytes: number): Promise<void> => {
    while (received < bytes) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  };
  const total = 700 * 1024;
  far.write(Buffer.alloc(total));
  await until(512 * 1024);
  t.ok(near.isPaused(), "more than a burst waits in its socket");
  await until(total);
  t.equal(received, total);
});
