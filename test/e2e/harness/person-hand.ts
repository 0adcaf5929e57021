import { once } from "node:events";
import WebSocket from "ws";
import type { Owner } from "../../support/program.ts";
import type { Appliance } from "./appliance.ts";

/** Client to server messages, RFC 6143 sections 7.5.4 and 7.5.5. */
const KEY_EVENT = 4;
const POINTER_EVENT = 5;
const SECURITY_NONE = 1;

/** A person at a viewer who only uses mouse and keys: RFB over the appliance's WebSocket, its pictures unread. */
export class PersonHand {
  readonly #socket: WebSocket;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
  }

  static async open(owner: Owner, appliance: Appliance, desktopId: string): Promise<PersonHand> {
    const url = `${appliance.url.replace("http", "ws")}/ws/desktops/${desktopId}`;
    const headers = { authorization: `Bearer ${appliance.adminToken}` };
    const socket = new WebSocket(url, ["binary"], { headers });
    owner.teardown(() => socket.terminate());
    let received = Buffer.alloc(0);
    let wake = (): void => {};
    socket.on("message", (data: Buffer) => {
      received = Buffer.concat([received, data]);
      wake();
    });
    const read = async (length: number): Promise<Buffer> => {
      while (received.length < length) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      const part = received.subarray(0, length);
      received = received.subarray(length);
      return part;
    };
    await once(socket, "open");
    // ProtocolVersion, security, ClientInit (shared), ServerInit: section 7.1 and 7.3.
    await read(12);
    socket.send(Buffer.from("RFB 003.008\n"));
    const [count = 0] = await read(1);
    const types = await read(count);
    if (!types.includes(SECURITY_NONE)) throw new Error(`got the security types ${[...types]}, expected 1`);
    socket.send(Buffer.from([SECURITY_NONE]));
    const result = await read(4);
    if (result.readUInt32BE() !== 0) throw new Error("the viewer was refused");
    socket.send(Buffer.from([1]));
    const init = await read(24);
    await read(init.readUInt32BE(20));
    socket.removeAllListeners("message");
    return new PersonHand(socket);
  }

  /** `buttons`: an RFB mask. */
  pointer(x: number, y: number, buttons: number): void {
    const message = Buffer.alloc(6);
    message.writeUInt8(POINTER_EVENT, 0);
    message.writeUInt8(buttons, 1);
    message.writeUInt16BE(x, 2);
    message.writeUInt16BE(y, 4);
    this.#socket.send(message);
  }

  key(keysym: number, isDown: boolean): void {
    const message = Buffer.alloc(8);
    message.writeUInt8(KEY_EVENT, 0);
    message.writeUInt8(isDown ? 1 : 0, 1);
    message.writeUInt32BE(keysym, 4);
    this.#socket.send(message);
  }
}
