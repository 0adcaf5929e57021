import { createDecipheriv, createECDH, hkdfSync, randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { Test } from "tap";
import type { Notice } from "../../src/push/notice.ts";
import { FakeClock } from "../fake-clock.ts";

/** Approvals last two minutes here, from FakeClock's beginning on. */
export function noticeOf(id: string, more: Partial<Notice> = {}): Notice {
  const startMs = new FakeClock().date().getTime();
  return {
    ...{ id, subject: "approval", kind: "click", agent: "claude" },
    desktop: { id: "vm", name: "Build VM" },
    askedAt: new Date(startMs).toISOString(),
    expiresAt: new Date(startMs + 120_000).toISOString(),
    ...more,
  };
}

export interface Posted {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A receiver of POSTs on loopback. */
export class PostServer {
  readonly had: Posted[] = [];
  /** What it answers; by default it takes all. */
  status = 200;
  headers: Record<string, string> = {};
  readonly #server: Server;
  #port = 0;

  private constructor() {
    this.#server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        const { url = "", headers } = request;
        this.had.push({ path: url, headers, body: Buffer.concat(chunks).toString("utf8") });
        response.writeHead(this.status, { connection: "close", ...this.headers }).end();
      });
    });
  }

  static async open(t: Test): Promise<PostServer> {
    const server = new PostServer();
    await server.up();
    t.teardown(() => server.#server.close());
    return server;
  }

  get port(): number {
    return this.#port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** On the port that it had before. */
  async up(): Promise<void> {
    this.#server.listen(this.#port, "127.0.0.1");
    await once(this.#server, "listening");
    const address = this.#server.address();
    if (address === null || typeof address === "string") throw new Error("no port");
    this.#port = address.port;
  }

  async down(): Promise<void> {
    this.#server.close();
    await once(this.#server, "close");
  }
}

/** A browser's side of a subscription: what it hands out, and how it reads what comes. */
export function browserOf(endpoint: string) {
  const ecdh = createECDH("prime256v1");
  ecdh.generateKeys();
  const auth = randomBytes(16);
  const keys = { p256dh: ecdh.getPublicKey("base64url"), auth: auth.toString("base64url") };
  const read = (body: Buffer): string => {
    const [salt, ours] = [body.subarray(0, 16), body.subarray(21, 86)];
    const info = Buffer.concat([Buffer.from("WebPush: info\0"), ecdh.getPublicKey(), ours]);
    const ikm = Buffer.from(hkdfSync("sha256", ecdh.computeSecret(ours), auth, info, 32));
    const derived = (what: string, length: number): Buffer =>
      Buffer.from(hkdfSync("sha256", ikm, salt, `Content-Encoding: ${what}\0`, length));
    const opener = createDecipheriv("aes-128-gcm", derived("aes128gcm", 16), derived("nonce", 12));
    opener.setAuthTag(body.subarray(-16));
    const plain = Buffer.concat([opener.update(body.subarray(86, -16)), opener.final()]);
    return plain.subarray(0, plain.lastIndexOf(2)).toString();
  };
  return { endpoint, keys, ecdh, read };
}
