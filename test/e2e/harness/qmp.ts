import { once } from "node:events";
import { connect, type Socket } from "node:net";

/** QEMU's machine protocol on a Unix socket: one JSON object a line each way, events between the answers. */
export class Qmp {
  readonly #socket: Socket;
  #text = "";
  #onText: () => void = () => {};

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setEncoding("utf8").on("data", (text: string) => {
      this.#text += text;
      this.#onText();
    });
  }

  static async open(path: string): Promise<Qmp> {
    const socket = connect(path);
    await once(socket, "connect");
    const qmp = new Qmp(socket);
    await qmp.#line((line) => line.includes('"QMP"'));
    await qmp.execute("qmp_capabilities");
    return qmp;
  }

  /** Resolves with the answer, a line of JSON; rejects where it is an error. */
  async execute(command: string, args: Readonly<Record<string, unknown>> = {}): Promise<string> {
    this.#socket.write(`${JSON.stringify({ execute: command, arguments: args })}\n`);
    const answer = await this.#line((line) => /^\{"(return|error)"/.test(line));
    if (answer.startsWith('{"error"')) throw new Error(`qemu refused ${command}: ${answer}`);
    return answer;
  }

  close(): void {
    this.#socket.destroy();
  }

  #line(isWanted: (line: string) => boolean): Promise<string> {
    return new Promise((resolve) => {
      this.#onText = () => {
        for (let end = this.#text.indexOf("\n"); end >= 0; end = this.#text.indexOf("\n")) {
          const line = this.#text.slice(0, end).trim();
          this.#text = this.#text.slice(end + 1);
          if (!isWanted(line)) continue;
          this.#onText = () => {};
          resolve(line);
          return;
        }
      };
      this.#onText();
    });
  }
}
