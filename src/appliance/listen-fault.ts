import { ConfigError } from "../config/config-schema.ts";

/** Where a port is configured, and its flag where there is one. */
export interface PortKey {
  readonly key: string;
  readonly flag?: string;
  /** Where its host is configured; default `server.host`. */
  readonly hostKey?: string;
}

/** Why a port cannot be had, in words that name its key, what was got and what to do; any other error as it is. */
export function listenFault(
  cause: unknown,
  { key, flag, hostKey = "server.host" }: PortKey,
  host: string,
  port: number,
): unknown {
  const by = flag === undefined ? "" : ` with ${flag}`;
  switch (codeOf(cause)) {
    case "EADDRINUSE":
      return new ConfigError(
        `${key}: ${host}:${port} is in use already: stop what listens there, or choose another${by} (0 takes a free one)`,
        { cause },
      );
    case "EACCES":
      return new ConfigError(
        `${key}: got ${port}, on which this user may not listen: choose one from 1024 on${by}`,
        { cause },
      );
    case "EADDRNOTAVAIL":
    case "EAFNOSUPPORT":
      return new ConfigError(
        `${hostKey}: got ${host}, which is no address of this machine: expected one of its own, such as 127.0.0.1`,
        { cause },
      );
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return new ConfigError(`${hostKey}: got ${host}, a name without an address: check its spelling`, {
        cause,
      });
    default:
      return cause;
  }
}

/** Whether that is a port which something else listens on. */
export function isPortTaken(error: unknown, port: number): boolean {
  if (!(error instanceof ConfigError) || codeOf(error.cause) !== "EADDRINUSE") return false;
  const { cause } = error;
  return cause instanceof Error && "port" in cause && cause.port === port;
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : null;
}
