// Our decoders beside libvncclient-decode.c: the same arguments, the same recorded traffic, the same output.
import { writeFileSync } from "node:fs";
import { connect } from "node:net";
import { PLATFORM } from "../src/appliance/open-links.ts";
import { RfbClient } from "../src/protocols/rfb/client/rfb-client.ts";

const [port, updates, rounds, picture = ""] = process.argv.slice(2);

for (let round = 0; round < Number(rounds); round++) {
  const isLast = round === Number(rounds) - 1;
  const { user, system } = await decodeOnce(Number(port), Number(updates), isLast ? picture : null);
  process.stdout.write(`${user} ${system}\n`);
}

/** CPU of the whole process, in microseconds: the collector's and the compiler's threads count as ours. */
function decodeOnce(
  fromPort: number,
  wanted: number,
  file: string | null,
): Promise<{ readonly user: number; readonly system: number }> {
  return new Promise((resolve, reject) => {
    const socket = connect(fromPort, "127.0.0.1");
    let before = process.cpuUsage();
    let seen = 0;
    const client = new RfbClient(
      { password: null },
      PLATFORM,
      (bytes) => socket.write(Buffer.from(bytes)),
      (event) => {
        if (event.type === "ready") before = process.cpuUsage();
        if (event.type !== "update") return;
        seen++;
        if (seen < wanted) {
          client.requestUpdate(true);
          return;
        }
        const used = process.cpuUsage(before);
        if (file !== null) writeFileSync(file, client.framebuffer.bytes);
        socket.destroy();
        client.close();
        resolve(used);
      },
    );
    socket.on("data", (chunk) => client.receive(chunk, performance.now()));
    socket.once("error", reject);
  });
}
