import { readFile } from "node:fs/promises";
import { createSecureContext } from "node:tls";
import { PROVIDERS } from "../analysis/analysis.ts";
import { isLoopback } from "../desktop/connections/target-guard.ts";
import { needsCertificate, viewerSecurities } from "../web/viewer/security.ts";
import { letsAnybodyIn } from "../web/viewer/sign-in.ts";
import { type Config, ConfigError } from "./config-schema.ts";

/** Certificate chain and private key of the server, PEM. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

/**
 * What is wrong with a configuration though each value is right: who would be let in, and the files it names. Throws
 * ConfigError; resolves with the certificate, null where none is configured.
 */
export async function checkConfig(config: Config): Promise<Certificate | null> {
  const { vnc, server } = config;
  // OC_VNC_SECURITY=none beyond loopback is refused before anything listens.
  if (vnc.port !== undefined || vnc.listeners.length > 0) vncSecurity(config, isLoopbackHost(server.host));
  linksBelowBase(config);
  const { issuer } = config.oidc;
  // Its answers say who may what, and codes and tokens go there.
  if (issuer?.startsWith("http:") && !isLoopbackHost(hostOf(issuer))) {
    throw new ConfigError(
      `oidc.issuer: got ${issuer}, expected https: http is for a provider on this machine alone`,
    );
  }
  for (const name of PROVIDERS) {
    const { api_key, endpoint } = config.analysis[name];
    if (api_key === undefined || !endpoint.startsWith("http:") || isLoopbackHost(hostOf(endpoint))) continue;
    throw new ConfigError(
      `analysis.${name}.endpoint: got ${endpoint}, expected https: a key goes over http on this machine alone`,
    );
  }
  const { tls_cert, tls_key } = server;
  if (tls_cert === undefined || tls_key === undefined) return null;
  const cert = await readPem("server.tls_cert", tls_cert);
  const key = await readPem("server.tls_key", tls_key);
  try {
    createSecureContext({ cert, key });
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new ConfigError(
      `server.tls_cert, server.tls_key: got ${tls_cert} and ${tls_key}, expected a certificate and its own private key, PEM without a passphrase (${reason})`,
      { cause },
    );
  }
  return { cert, key };
}

/** Links in pushes are push.base_url and a path of the app, so it has to say where the app is. */
function linksBelowBase({ server: { base_path }, push: { base_url } }: Config): void {
  if (base_url === undefined || base_path === "" || new URL(base_url).pathname === base_path) return;
  throw new ConfigError(
    `push.base_url: got ${base_url} while server.base_path is ${base_path}, expected ${new URL(base_url).origin}${base_path}: its links would lead beside the app`,
  );
}

/** True for names and addresses that only this machine reaches. */
export function isLoopbackHost(host: string): boolean {
  return host === "localhost" || isLoopback(host);
}

function hostOf(url: string): string {
  return new URL(url).hostname.replace(/^\[(.*)\]$/, "$1");
}

async function readPem(key: string, path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (cause) {
    throw new ConfigError(`${key}: cannot read the file ${path}: check that it exists and may be read`, {
      cause,
    });
  }
}

/** Which ways to sign in are open, in their order. Throws ConfigError where they cannot or must not be. */
export function vncSecurity(
  { vnc, server }: Config,
  isLoopbackOnly: boolean,
): ReturnType<typeof viewerSecurities> {
  const security = viewerSecurities(vnc.security, server.tls_cert !== undefined);
  if (letsAnybodyIn(security) && !isLoopbackOnly) {
    throw new ConfigError(
      `vnc.security: got ${vnc.security.join(", ")} while server.host is ${server.host}: without a password VNC viewers are served on loopback only, so set vnc.password or listen on 127.0.0.1`,
    );
  }
  const wanting = security.find((name) => needsCertificate(name) && server.tls_cert === undefined);
  if (wanting !== undefined) {
    throw new ConfigError(
      `vnc.security: got ${wanting} without a certificate: set server.tls_cert and server.tls_key`,
    );
  }
  return security;
}
