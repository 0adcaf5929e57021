import { once } from "node:events";
import { connect, type Socket } from "node:net";
import t from "tap";
import { openHouse } from "../fake-house.ts";

const LARGE = Buffer.from(JSON.stringify({ protocol: "vnc", host: "h", surplus: "x".repeat(300_000) }));

t.test("of one caller four large bodies are read at a time, small ones wait for none", async (t) => {
  const house = await openHouse(t);
  const host = await house.listen();
  const head = (role: "admin" | "operator", length: number): string =>
    [
      "POST /api/v1/desktops HTTP/1.1",
      `host: ${host}`,
      `authorization: ${house.bearer(role).authorization}`,
      "content-type: application/json",
      `content-length: ${length}`,
      "",
      "",
    ].join("\r\n");
  const opened: Socket[] = [];
  t.teardown(() => {
    for (const socket of opened) socket.destroy();
  });
  const open = async (): Promise<Socket> => {
    const socket = connect(Number(host.split(":")[1]), "127.0.0.1");
    opened.push(socket);
    await once(socket, "connect");
    return socket;
  };
  const ask = async (role: "admin" | "operator", body: Buffer): Promise<Socket> => {
    const socket = await open();
    socket.write(head(role, body.length));
    socket.write(body);
    return socket;
  };
  const answer = async (socket: Socket): Promise<string> => {
    const [bytes]: unknown[] = await once(socket, "data");
    return String(bytes).split("\r\n", 1)[0] ?? "";
  };
  const begun: Socket[] = [];
  for (let i = 0; i < 4; i++) {
    const socket = await open();
    socket.write(head("admin", LARGE.length));
    // All but its end: it is being read.
    socket.write(LARGE.subarray(0, LARGE.length - 1));
    begun.push(socket);
  }
  // Asked later on the same server: by then the four have their turns.
  t.match(await answer(await ask("admin", Buffer.from("{}"))), /^HTTP\/1.1 400/);
  const fifth = await ask("admin", LARGE);
  let isAnswered = false;
  const answered = answer(fifth).then((status) => {
    isAnswered = true;
    return status;
  });
  t.match(await answer(await ask("operator", LARGE)), /^HTTP\/1.1 40/, "another caller's is read");
  t.match(await answer(await ask("admin", Buffer.from("{}"))), /^HTTP\/1.1 400/);
  t.notOk(isAnswered, "it waits for one of the four");
  begun[2]?.destroy();
  t.match(await answered, /^HTTP\/1.1 400/);
  begun[0]?.write(LARGE.subarray(LARGE.length - 1));
  t.match(await answer(begun[0] ?? fifth), /^HTTP\/1.1 400/);
});
