import { X509Certificate } from "node:crypto";
import { isFor } from "../../cluster/calls/call.ts";
import { NodeCalls } from "../../cluster/calls/node-calls.ts";
import type { Fleet } from "../../cluster/fleet/fleet.ts";
import { type Config, ConfigError } from "../../config/config-schema.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Logger } from "../../platform/log.ts";
import { readPem } from "./read-pem.ts";

/** Who is refused is logged so often at most: anybody can knock. */
const TELL_EVERY_MS = 1000;

/** Calls to and from other nodes, as configured; null: none. They are taken once it listens. Throws ConfigError. */
export async function openCalls(
  { cluster }: Pick<Config, "cluster">,
  fleet: Fleet,
  log: Logger,
  clock: Clock,
): Promise<NodeCalls | null> {
  const { calls, calls_cert, calls_cert_key } = cluster;
  if (calls === undefined) return null;
  const [cert, key] =
    calls_cert === undefined ? [cluster.cert, cluster.cert_key] : [calls_cert, calls_cert_key];
  const tls = {
    ca: await readPem("cluster.calls_ca", cluster.calls_ca ?? cluster.ca ?? ""),
    cert: await readPem("cluster.calls_cert", cert ?? ""),
    key: await readPem("cluster.calls_cert_key", key ?? ""),
  };
  if (!isFor(certificateOf(tls.cert), fleet.name)) {
    throw new ConfigError(
      `cluster.calls_cert: the certificate ${cert} is not for a node that is called ${fleet.name}: expected that, cluster.node, as its CN or as one of its DNS names`,
    );
  }
  const { host, port } = callsPlace(calls);
  let toldMs = Number.NEGATIVE_INFINITY;
  return new NodeCalls(fleet, {
    ...{ tls, clock, host, port },
    onRefused(reason, address) {
      if (clock.nowMs() - toldMs < TELL_EVERY_MS) return;
      toldMs = clock.nowMs();
      log.warn({ reason, address }, "Call of a node refused");
    },
  });
}

/** Of `cluster.calls`, HOST:PORT; port 0: a free one. */
export function callsPlace(calls: string): { readonly host: string; readonly port: number } {
  const at = calls.lastIndexOf(":");
  return { host: calls.slice(0, at).replace(/^\[(.*)\]$/, "$1"), port: Number(calls.slice(at + 1)) };
}

function certificateOf(pem: string): X509Certificate {
  try {
    return new X509Certificate(pem);
  } catch (cause) {
    throw new ConfigError("cluster.calls_cert: got a file without a certificate, expected one as PEM", {
      cause,
    });
  }
}
