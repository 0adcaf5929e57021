import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from "node:http";
import { BlockList, connect, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { guardTarget, type ResolvedTarget, type TargetReach } from "../../connections/target-guard.ts";
import { familyName } from "../../connections/target-rules.ts";
import { LinkError } from "../../error.ts";

/** A browser opens some hundred at most. */
const MOST_CONNECTIONS = 1024;
const CONNECT_MS = 15_000;

/** Loopback and the networks that are nobody's on the internet: RFC 1918, 6598, 4193, 2544, 5737 and 3849. */
const PRIVATE = new BlockList();
for (const [network, prefix] of [
  ["127.0.0.0", 8],
  ["10.0.0.0", 8],
  ["172.16.0.0", 12],
  ["192.168.0.0", 16],
  ["100.64.0.0", 10],
  ["198.18.0.0", 15],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
] as const) {
  PRIVATE.addSubnet(network, prefix, "ipv4");
}
for (const [network, prefix] of [
  ["::1", 128],
  ["fc00::", 7],
  ["2001:db8::", 32],
] as const) {
  PRIVATE.addSubnet(network, prefix, "ipv6");
}

/** Of one hop alone, RFC 9110 section 7.6.1. */
const HOP_BY_HOP = [
  "connection",
  "proxy-connection",
  "keep-alive",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
];

/**
 * The only way out of a browser of ours: an HTTP proxy on loopback that judges each address as those of desktops are, and connects
 * to what was judged. Whoever else on this machine uses it reaches less through it than without.
 */
export class GuardProxy {
  readonly #server: Server;
  readonly #sockets = new Set<Duplex>();
  readonly #reach: TargetReach;
  readonly #reachesPrivate: boolean;

  private constructor(reach: TargetReach, reachesPrivate: boolean) {
    this.#reach = reach;
    this.#reachesPrivate = reachesPrivate;
    this.#server = createServer((asked, answer) => {
      this.#forward(asked, answer).catch((error: unknown) => refuse(answer, error));
    });
    this.#server.maxConnections = MOST_CONNECTIONS;
    this.#server.on("connection", (socket) => this.#keep(socket));
    this.#server.on("connect", (asked: IncomingMessage, client: Duplex, head: Buffer) => {
      this.#tunnel(asked, client, head).catch((error: unknown) =>
        client.end(`HTTP/1.1 ${statusOf(error)}\r\n\r\n`),
      );
    });
  }

  /** `reachesPrivate`: loopback and private networks too. */
  static open(reach: TargetReach, reachesPrivate: boolean): Promise<GuardProxy> {
    const proxy = new GuardProxy(reach, reachesPrivate);
    return new Promise((resolve, reject) => {
      proxy.#server.once("error", reject);
      proxy.#server.listen(0, "127.0.0.1", () => resolve(proxy));
    });
  }

  get port(): number {
    const address = this.#server.address();
    return typeof address === "object" && address !== null ? address.port : 0;
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  #keep(socket: Duplex): void {
    this.#sockets.add(socket);
    socket.on("error", () => undefined).once("close", () => this.#sockets.delete(socket));
  }

  async #tunnel({ url = "" }: IncomingMessage, client: Duplex, head: Buffer): Promise<void> {
    const target = URL.canParse(`https://${url}`) ? new URL(`https://${url}`) : null;
    if (target === null) throw new LinkError("protocol_error", "got no address to connect to");
    const { socket, isUp } = this.#connect(await this.#judge(target, 443), portOf(target, 443));
    client.once("close", () => socket.destroy());
    socket.once("close", () => client.destroy());
    await isUp;
    client.write("HTTP/1.1 200 Connection established\r\n\r\n");
    if (head.length > 0) socket.write(head);
    socket.pipe(client).pipe(socket);
  }

  async #forward(asked: IncomingMessage, answer: ServerResponse): Promise<void> {
    const target = URL.canParse(asked.url ?? "") ? new URL(asked.url ?? "") : null;
    if (target?.protocol !== "http:") throw new LinkError("protocol_error", "got no address of http");
    const { address, family } = await this.#judge(target, 80);
    const named = new Set([
      ...HOP_BY_HOP,
      ...(asked.headers.connection ?? "").toLowerCase().split(/\s*,\s*/),
    ]);
    const headers = Object.entries(asked.headers).filter(([name]) => !named.has(name));
    const sent = request({
      ...{ host: address, family, port: portOf(target, 80), method: asked.method, agent: false },
      path: `${target.pathname}${target.search}`,
      headers: { ...Object.fromEntries(headers), host: target.host },
    });
    sent.once("error", (error) => refuse(answer, error));
    sent.once("response", (got) => {
      const kept = Object.entries(got.headers).filter(([name]) => !HOP_BY_HOP.includes(name));
      answer.writeHead(got.statusCode ?? 502, Object.fromEntries(kept));
      got.once("error", () => answer.destroy());
      got.pipe(answer);
    });
    answer.once("close", () => sent.destroy());
    asked.pipe(sent);
  }

  /** The address that is connected to. Throws LinkError target_forbidden or unreachable. */
  async #judge(target: URL, defaultPort: number): Promise<ResolvedTarget> {
    const host = target.hostname.replace(/^\[(.*)\]$/, "$1");
    const own = [...this.#reach.own, { port: this.port }];
    const place = { protocol: "browser", host, port: portOf(target, defaultPort) };
    const judged = await guardTarget(place, { ...this.#reach, own });
    if (this.#reachesPrivate || !isPrivate(judged.address)) return judged;
    throw new LinkError(
      "target_forbidden",
      "a page of this browser leads to loopback or a private network: set browser.networks to all where that is meant",
    );
  }

  #connect({ address, family }: ResolvedTarget, port: number): { socket: Socket; isUp: Promise<void> } {
    const socket = connect({ host: address, port, family, noDelay: true });
    this.#keep(socket);
    socket.setTimeout(CONNECT_MS, () => {
      if (socket.connecting) socket.destroy();
    });
    const isUp = new Promise<void>((resolve, reject) => {
      socket.once("connect", () => resolve());
      socket.once("error", reject);
      socket.once("close", () => reject(new LinkError("unreachable", "the connection failed")));
    });
    return { socket, isUp };
  }
}

function isPrivate(address: string): boolean {
  return PRIVATE.check(address, familyName(address));
}

function portOf({ port }: URL, defaultPort: number): number {
  return port === "" ? defaultPort : Number(port);
}

function statusOf(error: unknown): string {
  return error instanceof LinkError && error.code === "target_forbidden"
    ? "403 Forbidden"
    : "502 Bad Gateway";
}

/** In words that a person reads in the page: they name no address but what the page asked for. */
function refuse(answer: ServerResponse, error: unknown): void {
  if (answer.headersSent) {
    answer.destroy();
    return;
  }
  const text = error instanceof LinkError ? error.message : "the server could not be reached";
  answer.writeHead(statusOf(error).startsWith("403") ? 403 : 502, {
    "content-type": "text/plain; charset=utf-8",
  });
  answer.end(`Overlay Companion: ${text}\n`);
}
