import { readFileSync } from "node:fs";
import { createServer } from "node:net";

const LEAST = 20_000;
/** From here on Linux gives ports to whoever asks for any: a connection of another test may take one at any time. */
const BELOW = Number(readFileSync("/proc/sys/net/ipv4/ip_local_port_range", "utf8").split(/\s/)[0]);

/** A port that nobody listens on now, and that nobody gets by chance; a server that cannot take port 0 gets it. */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < 100; tries++) {
    const port = LEAST + Math.floor(Math.random() * (BELOW - LEAST));
    if (await isFree(port)) return port;
  }
  throw new Error(`no free port was found from ${LEAST} to ${BELOW - 1}`);
}

function isFree(port: number): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve, reject) => {
    server.once("listening", () => server.close(() => resolve(true)));
    server.once("error", (error: NodeJS.ErrnoException) =>
      error.code === "EADDRINUSE" ? resolve(false) : reject(error),
    );
    server.listen(port, "127.0.0.1");
  });
}
