import { execFileSync } from "node:child_process";
import { X509Certificate } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join as path } from "node:path";
import { TLSSocket } from "node:tls";
import {
  ascii,
  join,
  rectangle,
  serverInit,
  solid,
  u32,
  update,
} from "../../protocols/rfb/client/server-bytes.ts";
import type { Owner } from "../../support/program.ts";
import { FLOOD_BYTES } from "./hostile-house.ts";

interface Identity {
  readonly cert: string;
  readonly key: string;
  readonly fingerprint: string;
}

const SIDE = 64;
/** VeNCrypt 0.2 with one sub-type, X509None, rfbproto: all that a server says up to the choice of it. */
const OFFER = join(ascii("RFB 003.008\n"), Uint8Array.of(1, 19, 0, 2, 0, 1), u32(260));
/** Then TLS begins, and not before: what comes with it would be lost to it. */
const ACCEPTED = Uint8Array.of(1);
/** What a client says before TLS: version, type, VeNCrypt's version, sub-type. */
const CLIENT_BYTES = 12 + 1 + 2 + 4;

/** A target behind VeNCrypt's X509None that shows one certificate, then another, and floods behind the other. */
export class CertificateTarget {
  readonly #identities: readonly [Identity, Identity];
  readonly #sockets = new Set<Socket>();
  #current: Identity;
  #port = 0;
  /** How long each connection was kept open after TLS began with the other certificate. */
  readonly tookMs: number[] = [];
  /** Connections that went on after TLS. */
  signIns = 0;

  private constructor(identities: readonly [Identity, Identity]) {
    this.#identities = identities;
    this.#current = identities[0];
  }

  static async start(owner: Owner): Promise<CertificateTarget> {
    const target = new CertificateTarget([makeIdentity("first"), makeIdentity("second")]);
    const server = createServer((socket) => target.#serve(socket)).listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    owner.teardown(() => {
      for (const socket of target.#sockets) socket.destroy();
      return new Promise((resolve) => server.close(resolve));
    });
    const address = server.address();
    if (address === null || typeof address === "string") throw new Error("a TCP server without a port");
    target.#port = address.port;
    return target;
  }

  get port(): number {
    return this.#port;
  }

  /** SHA-256 of both certificates, as people are shown them. */
  get fingerprints(): readonly string[] {
    return this.#identities.map(({ fingerprint }) => fingerprint);
  }

  /** From now on it shows the other certificate, and cuts who is connected. */
  change(): void {
    this.#current = this.#identities[1];
    for (const socket of this.#sockets) socket.destroy();
  }

  #serve(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on("error", () => undefined).once("close", () => this.#sockets.delete(socket));
    const identity = this.#current;
    let said = 0;
    const onData = (chunk: Buffer): void => {
      said += chunk.length;
      if (said < CLIENT_BYTES) return;
      socket.off("data", onData);
      socket.write(ACCEPTED);
      this.#startTls(socket, identity);
    };
    socket.on("data", onData);
    socket.write(OFFER);
  }

  #startTls(socket: Socket, { cert, key }: Identity): void {
    const secure = new TLSSocket(socket, { isServer: true, cert, key });
    secure.on("error", () => undefined);
    const isFirst = this.#current === this.#identities[0];
    // What a client says first, ClientInit.
    secure.once("data", () => {
      this.signIns++;
      secure.write(
        join(serverInit(SIDE, SIDE), update(rectangle(0, 0, SIDE, SIDE, 0, solid(SIDE, SIDE, [1, 2, 3])))),
      );
    });
    const atMs = performance.now();
    if (!isFirst) socket.once("close", () => this.tookMs.push(performance.now() - atMs));
    secure.once("secure", () => {
      secure.write(u32(0)); // SecurityResult
      // Whoever judges the certificate at once may be gone before it comes to this.
      if (!isFirst) flood(secure, FLOOD_BYTES);
    });
  }
}

/** Writes zeros as fast as they go, until so many went or the other side has gone. */
function flood(stream: TLSSocket, left: number): void {
  const piece = Buffer.alloc(1 << 16);
  if (left <= 0 || stream.destroyed) return;
  stream.write(piece, (error) => {
    if (!error) flood(stream, left - piece.length);
  });
}

function makeIdentity(name: string): Identity {
  const folder = mkdtempSync(path(tmpdir(), "oc-cert-"));
  try {
    const [certFile, keyFile] = [path(folder, "cert.pem"), path(folder, "key.pem")];
    execFileSync(
      "openssl",
      [
        ...[
          "req",
          "-x509",
          "-newkey",
          "rsa:2048",
          "-nodes",
          "-days",
          "2",
          "-out",
          certFile,
          "-keyout",
          keyFile,
        ],
        ...["-subj", `/CN=${name}`, "-addext", "subjectAltName=IP:127.0.0.1"],
      ],
      { stdio: "ignore" },
    );
    const cert = readFileSync(certFile, "utf8");
    return {
      cert,
      key: readFileSync(keyFile, "utf8"),
      fingerprint: new X509Certificate(cert).fingerprint256,
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
