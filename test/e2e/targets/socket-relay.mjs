// Brings a TCP port of this network namespace out as a unix socket: node socket-relay.mjs PORT PATH.
import { connect, createServer } from "node:net";

const [port, path] = process.argv.slice(2);

createServer((outer) => {
  const inner = connect(Number(port), "127.0.0.1");
  const end = () => {
    outer.destroy();
    inner.destroy();
  };
  for (const side of [outer, inner]) side.on("error", end).on("close", end);
  outer.pipe(inner).pipe(outer);
}).listen(path);
