import type { X509Certificate } from "node:crypto";
import { isIP } from "node:net";
import type { Duplex } from "node:stream";
import { connect, type TLSSocket } from "node:tls";
import type { TargetTrust } from "../../connections/trust-policy.ts";
import { LinkError } from "../../error.ts";
import { SocketStream } from "./socket-stream.ts";

/** Without a certificate TLS ends at 1.2, and OpenSSL has such ciphers only below its lowest level of security. */
const ANONYMOUS = { ciphers: "aNULL:@SECLEVEL=0", maxVersion: "TLSv1.2" } as const;

/** TLS over a stream, up, and its certificate judged where it has one. Rejects with a LinkError; destroys nothing. */
export async function startTargetTls(
  stream: Duplex,
  host: string,
  isAnonymous: boolean,
  trust: TargetTrust,
): Promise<Duplex> {
  if (!isAnonymous) return (await startJudgedTls(stream, host, trust)).socket;
  return await connected(stream, host, ANONYMOUS);
}

/** The same, and the certificate that was judged: OpenSSL gives a socket's away only once. */
export async function startJudgedTls(
  stream: Duplex,
  host: string,
  trust: TargetTrust,
): Promise<{ readonly socket: TLSSocket; readonly certificate: X509Certificate }> {
  const socket = await connected(stream, host, {});
  const certificate = socket.getPeerX509Certificate();
  if (certificate === undefined) {
    socket.destroy();
    throw new LinkError("protocol_error", "got TLS without a certificate, expected one", { isFinal: true });
  }
  await trust.judge({
    what: "certificate",
    bytes: certificate.raw,
    distrust: socket.authorized ? null : reasonOf(socket),
  });
  return { socket, certificate };
}

async function connected(
  stream: Duplex,
  host: string,
  options: typeof ANONYMOUS | Record<string, never>,
): Promise<TLSSocket> {
  const below = stream instanceof SocketStream ? stream.lend() : null;
  const socket = connect({
    socket: below ?? stream,
    host,
    rejectUnauthorized: false, // the certificate is judged by our own rules
    ...(isIP(host) === 0 && host !== "" ? { servername: host } : {}),
    ...options,
  });
  socket.on("error", () => undefined); // told below, and from then on by whoever hears the stream
  await secured(socket);
  return socket;
}

function secured(socket: TLSSocket): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once("secureConnect", resolve);
    socket.once("error", (cause) =>
      reject(new LinkError("protocol_error", "TLS with the target could not be started", { cause })),
    );
    socket.once("close", () =>
      reject(new LinkError("target_closed", "the target closed the connection while TLS was started")),
    );
  });
}

/** Typed as an Error, and at times only its code. */
function reasonOf(socket: TLSSocket): string {
  const why: unknown = socket.authorizationError;
  return why instanceof Error ? why.message : String(why ?? "no reason given");
}
