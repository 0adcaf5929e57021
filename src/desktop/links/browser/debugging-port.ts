import { get, type IncomingMessage } from "node:http";
import { Duplex } from "node:stream";
import { WebSocket } from "ws";
import { MOST_MESSAGE_BYTES, objectOf, textOf } from "../../../protocols/cdp/cdp-client.ts";
import { guardTarget, type TargetReach } from "../../connections/target-guard.ts";
import { DEBUGGING_PORT } from "../../connections/target-protocols.ts";
import { LinkError } from "../../error.ts";
import { readBegin } from "../guarded-request.ts";

const ANSWER_MS = 5000;
/** Where a browser says how it is reached, and where it is. */
const VERSION_PATH = "/json/version";
const BROWSER_PATH = /^\/devtools\/browser(?:\/[\w-]{1,100})?$/;
const HOW = "start the browser with --remote-debugging-port=9222 and a --user-data-dir of its own";

/**
 * The DevTools protocol of a browser that runs already, over its debugging port: messages end with a zero, as in a pipe. Emits
 * "connect" when the WebSocket is up. The browser stays when this stream ends.
 */
export class DebuggingPortStream extends Duplex {
  #ws: WebSocket | null = null;

  constructor(place: { readonly host: string; readonly port: number }, reach: TargetReach) {
    super({ allowHalfOpen: false });
    this.#open(place, reach).catch((error: unknown) => this.destroy(errorOf(error)));
  }

  override _read(): void {
    if (this.#ws?.isPaused) this.#ws.resume();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    const ws = this.#ws;
    if (ws === null || ws.readyState !== WebSocket.OPEN) {
      done(new LinkError("target_closed", "the browser closed the connection"));
      return;
    }
    // Whole messages are written, several at once.
    const messages = chunk.toString("utf8").split("\0").slice(0, -1);
    for (const [nth, message] of messages.entries()) {
      ws.send(message, nth === messages.length - 1 ? (error) => done(error ?? null) : undefined);
    }
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#ws?.terminate();
    done(error);
  }

  async #open({ host, port }: { readonly host: string; readonly port: number }, reach: TargetReach) {
    const { address, family } = await guardTarget({ protocol: DEBUGGING_PORT, host, port }, reach);
    // By its address: to a name that is not localhost a browser does not answer.
    const place = `${family === 6 ? `[${address}]` : address}:${port}`;
    const path = await pathOfBrowser(`http://${place}${VERSION_PATH}`);
    if (this.destroyed) return;
    const ws = new WebSocket(`ws://${place}${path}`, {
      ...{ perMessageDeflate: false, followRedirects: false, maxPayload: MOST_MESSAGE_BYTES },
      handshakeTimeout: ANSWER_MS,
    });
    this.#ws = ws;
    ws.once("open", () => this.emit("connect"));
    ws.on("message", (data, isBinary) => {
      if (isBinary || !Buffer.isBuffer(data)) {
        this.destroy(new LinkError("protocol_error", "got a binary frame, expected text ones"));
        return;
      }
      this.push(data);
      if (!this.push(END)) ws.pause();
    });
    ws.on("unexpected-response", (asked, { statusCode = 0 }) => {
      asked.destroy();
      this.destroy(refusal(`HTTP ${statusCode}`));
    });
    ws.on("error", (error) => this.destroy(errorOf(error)));
    ws.on("close", () => {
      this.push(null);
      this.destroy();
    });
  }
}

const END = new Uint8Array(1);

/** Only the path is believed of what it says: the address is the one that was judged. */
async function pathOfBrowser(url: string): Promise<string> {
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const asked = get(url, { agent: false, timeout: ANSWER_MS }, resolve);
    asked.once("error", reject).once("timeout", () => {
      asked.destroy(new LinkError("unreachable", `no answer came within ${ANSWER_MS / 1000} s: ${HOW}`));
    });
  });
  const text = await readBegin(answer);
  if (answer.statusCode !== 200) throw refusal(`HTTP ${answer.statusCode} for ${VERSION_PATH}`);
  const said = textOf(jsonIn(text), "webSocketDebuggerUrl");
  const path = URL.canParse(said) ? new URL(said).pathname : "";
  if (!BROWSER_PATH.test(path)) throw refusal(`an answer to ${VERSION_PATH} without the place of a browser`);
  return path;
}

function jsonIn(text: string) {
  try {
    return objectOf(JSON.parse(text)) ?? {};
  } catch {
    return {};
  }
}

function refusal(got: string): LinkError {
  return new LinkError("protocol_error", `got ${got}, expected the debugging port of a browser: ${HOW}`);
}

function errorOf(error: unknown): Error {
  if (error instanceof LinkError) return error;
  if (!(error instanceof Error) || !("code" in error)) return refusal("what is no answer of a browser");
  const code = String(error.code);
  if (code === "ECONNREFUSED") {
    return new LinkError("unreachable", `nothing listens on that port: ${HOW}`, { cause: error });
  }
  const isForeign = code.startsWith("HPE_") || code.startsWith("WS_ERR_");
  return isForeign ? refusal("what is no answer of a browser") : error;
}
