import type { Socket } from "node:net";
import { createSecureContext, type SecureContext, TLSSocket } from "node:tls";
import type { TlsIdentity } from "../../protocols/rfb/server/rfb-server.ts";

/** PEM texts. */
export interface ViewerCertificate {
  readonly cert: string;
  readonly key: string;
}

/**
 * Anonymous Diffie-Hellman, which TLS 1.3 does not have. TigerVNC and libvncclient (GnuTLS) offer the elliptic one,
 * older ones only the other; SECLEVEL 0 because OpenSSL counts no certificate as no security, which is what it is
 * against a man in the middle.
 */
const ANONYMOUS_CIPHERS =
  "AECDH-AES256-SHA:ADH-AES256-GCM-SHA384:ADH-AES256-SHA256:ADH-AES256-SHA:@SECLEVEL=0";

/**
 * Not 1.3: TigerVNC's viewer 1.12 reads the tickets that follow its handshake, takes them for the end of what has
 * arrived, and waits for ever for the message behind them (2026-11).
 */
const VERSIONS = { minVersion: "TLSv1.2", maxVersion: "TLSv1.2" } as const;

/** Our side of TLS inside RFB (VeNCrypt). */
export class ViewerTls {
  readonly #anonymous: SecureContext;
  readonly #x509: SecureContext | null;

  /** Throws where the certificate is none. */
  constructor(certificate: ViewerCertificate | null) {
    this.#anonymous = createSecureContext({
      ...VERSIONS,
      ciphers: ANONYMOUS_CIPHERS,
      honorCipherOrder: true,
      dhparam: "auto",
    });
    this.#x509 = certificate === null ? null : createSecureContext({ ...certificate, ...VERSIONS });
  }

  /** A socket on which both sides spoke in the clear until now. What was written to it has been handed to the system. */
  wrap(socket: Socket, identity: TlsIdentity): TLSSocket {
    const secureContext = identity === "anonymous" ? this.#anonymous : this.#x509;
    if (secureContext === null) throw new Error("X.509 was offered without a certificate");
    return new TLSSocket(socket, { isServer: true, secureContext });
  }
}
