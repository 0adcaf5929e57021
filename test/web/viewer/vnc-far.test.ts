import { once } from "node:events";
import { connect, type Socket } from "node:net";
import t, { type Test } from "tap";
import type { Principal } from "../../../src/auth/principal.ts";
import { RefusedError } from "../../../src/desktop/error.ts";
import { vncAuthResponse } from "../../../src/protocols/rfb/security/vnc-auth.ts";
import type { FarChoice } from "../../../src/web/viewer/vnc/vnc-listener.ts";
import { say } from "../../protocols/rfb/server/viewer.ts";
import { until } from "../../support/until.ts";
import { DrawnDesktop } from "../drawn-desktop.ts";
import { openVncDoor, rfbPorts } from "../viewer-ports.ts";

const VERSION = Buffer.from("RFB 003.008\n");
/** Version, two bytes of security, challenge, result: what is heard before anything of a desktop. */
const GREETING_BYTES = 12 + 2 + 16 + 4;
const SERVER_INIT_BYTES = 24 + "Drawn".length;

/** A port that shows another server's desktop, which lets in who is told to. */
async function farDoor(owner: Test) {
  const desktop = new DrawnDesktop(64, 48);
  const joined: { principal: Principal; ended: () => void }[] = [];
  let left = 0;
  let answer: { resolve(): void; reject(error: Error): void } | null = null;
  const far: FarChoice = {
    id: "far",
    join: async (principal, ended) => {
      joined.push({ principal, ended });
      await new Promise<void>((resolve, reject) => {
        answer = { resolve, reject };
      });
      return { desktop, leave: () => void left++ };
    },
  };
  const options = { security: ["vnc-auth"], password: "sesame" } as const;
  const door = await openVncDoor(owner, far, options);
  const viewer = connect(door.port, "127.0.0.1");
  owner.teardown(() => viewer.destroy());
  viewer.on("error", () => undefined);
  let heard = Buffer.alloc(0);
  viewer.on("data", (chunk) => {
    heard = Buffer.concat([heard, chunk]);
  });
  const hears = (bytes: number): Promise<true> => until(`${bytes} bytes`, () => heard.length >= bytes);
  return {
    ...{ ...door, desktop, joined, viewer, hears },
    heard: () => heard,
    left: () => left,
    letIn: () => answer?.resolve(),
    refuse: (error: Error) => answer?.reject(error),
    signIn: async (password: string): Promise<void> => {
      await hears(12);
      viewer.write(Buffer.concat([VERSION, Uint8Array.of(2)]));
      await hears(12 + 2 + 16);
      const challenge = heard.subarray(12 + 2, 12 + 2 + 16);
      viewer.write(vncAuthResponse(rfbPorts.crypto, password, challenge));
      await hears(GREETING_BYTES);
    },
  };
}

function isOver(socket: Socket): Promise<unknown> {
  return socket.closed ? Promise.resolve() : once(socket, "close");
}

t.test("who signs in is let in by the other server, and is told nothing of its desktop before", async (t) => {
  const door = await farDoor(t);
  await door.signIn("sesame");
  t.same(door.joined, [], "not before it is known who wants it");
  door.viewer.write(Uint8Array.of(1));
  await until("the other server is asked", () => door.joined.length === 1);
  t.match(door.joined[0]?.principal, { role: "operator", ip: "127.0.0.1", door: "vnc" });
  // What a viewer says meanwhile waits.
  door.viewer.write(say.request(false, 0, 0, 64, 48));
  await until("it came", () => door.viewer.bytesWritten > 0 && door.listener.unknownSockets === 1);
  t.equal(door.heard().length, GREETING_BYTES);
  door.letIn();
  await door.hears(GREETING_BYTES + SERVER_INIT_BYTES + 4 + 12 + 64 * 48 * 4);
  const init = door.heard().subarray(GREETING_BYTES);
  t.same([init.readUInt16BE(0), init.readUInt16BE(2)], [64, 48]);
  t.equal(init.toString("latin1", 24, SERVER_INIT_BYTES), "Drawn");
  t.equal(door.desktop.viewers, 1);
  t.equal(door.listener.unknownSockets, 0);
  door.viewer.write(say.key(true, 0x61));
  await until("the key", () => door.desktop.performed.length === 1);
  t.same(
    door.audited.map(({ type, action }) => `${type} ${action}`),
    ["auth.login vnc"],
    "that they look on is told by who has the desktop",
  );
  door.viewer.destroy();
  await until("they left", () => door.left() === 1);
  t.equal(door.desktop.viewers, 0);
});

t.test("a wrong password comes to no other server", async (t) => {
  const door = await farDoor(t);
  await door.signIn("guess");
  await isOver(door.viewer);
  t.match(door.heard().toString("latin1"), /wrong password$/);
  t.same(door.joined, []);
  t.match(
    door.log.lines.filter(({ level }) => level === "warn"),
    [{ fields: { address: "127.0.0.1" } }, { fields: { desktop: "far", code: "auth_failed" } }],
  );
});

t.test("one whom the other server does not let in is dropped", async (t) => {
  const door = await farDoor(t);
  await door.signIn("sesame");
  door.viewer.write(Uint8Array.of(1));
  await until("the other server is asked", () => door.joined.length === 1);
  door.refuse(new RefusedError("node_unreachable", "it does not answer"));
  await isOver(door.viewer);
  t.equal(door.heard().length, GREETING_BYTES);
  t.match(door.log.lines.at(-1), { level: "info", fields: { desktop: "far", code: "node_unreachable" } });
});

t.test(
  "who leaves before they were let in, and whom the other server sends away, leave their place",
  async (t) => {
    const gone = await farDoor(t);
    await gone.signIn("sesame");
    gone.viewer.write(Uint8Array.of(1));
    await until("the other server is asked", () => gone.joined.length === 1);
    gone.viewer.destroy();
    await until("they went", () => gone.listener.unknownSockets === 0);
    gone.letIn();
    await until("their place is free", () => gone.left() === 1);
    const sent = await farDoor(t);
    await sent.signIn("sesame");
    sent.viewer.write(Uint8Array.of(1));
    await until("the other server is asked", () => sent.joined.length === 1);
    sent.letIn();
    await sent.hears(GREETING_BYTES + SERVER_INIT_BYTES);
    sent.joined[0]?.ended();
    await isOver(sent.viewer);
    await until("their place is free", () => sent.left() === 1);
    t.equal(sent.desktop.viewers, 0);
  },
);

t.test("who says much before they are shown anything is dropped", async (t) => {
  const door = await farDoor(t);
  await door.signIn("sesame");
  door.viewer.write(Uint8Array.of(1));
  await until("the other server is asked", () => door.joined.length === 1);
  door.viewer.write(new Uint8Array(5000));
  await isOver(door.viewer);
  door.letIn();
  await until("their place is free", () => door.left() === 1);
  t.match(door.log.lines.at(-1), { level: "warn", fields: { desktop: "far", code: "too_large" } });
});
