import type { Duplex } from "node:stream";
import { createWebSocketStream, WebSocket } from "ws";
import { carriedPrincipal } from "../../auth/carried-principal.ts";
import type { NodeCalls } from "../../cluster/calls/node-calls.ts";
import type { Fleet } from "../../cluster/fleet/fleet.ts";
import type { NodeRecord } from "../../cluster/nodes/records.ts";
import type { Clock } from "../../platform/clock.ts";
import type { DesktopOwner } from "./far-viewers.ts";

const CONNECT_WITHIN_MS = 5000;
/** Of what a node sends at once. */
const MOST_MESSAGE_BYTES = 4 * 1024 * 1024;

/** The node that has a desktop, where that is another one which can be called; else null. */
export function farNodeOf(
  fleet: Pick<Fleet, "name" | "ownerOf" | "calls"> | null,
  desktopId: string,
): NodeRecord | null {
  const owner = fleet?.ownerOf(desktopId) ?? null;
  if (owner === null || owner.name === fleet?.name || owner.calls === null) return null;
  return fleet?.calls === null ? null : owner;
}

/** Where viewers of another node's desktop are served here, with a picture that comes from there. */
export function farOwner(
  calls: Pick<NodeCalls, "socketTo">,
  node: NodeRecord,
  clock: Pick<Clock, "nowMs">,
): DesktopOwner {
  return {
    id: node.id,
    open(path, { door, ...principal }) {
      const known = node.isLenient === true && door !== undefined ? { ...principal, door } : principal;
      return farStream(calls.socketTo(node, path, carriedPrincipal(known, clock)));
    },
  };
}

/**
 * The bytes of a WebSocket of another node, as who is there upgrades: what is written before it is open goes then. It ends with an error where it
 * is refused, and when the node is gone.
 */
function farStream({ url, options, hold }: ReturnType<NodeCalls["socketTo"]>): Duplex {
  const socket = new WebSocket(url, ["binary"], {
    ...options,
    ...{ perMessageDeflate: false, followRedirects: false, handshakeTimeout: CONNECT_WITHIN_MS },
    maxPayload: MOST_MESSAGE_BYTES,
  });
  const stream = createWebSocketStream(socket, { allowHalfOpen: false });
  stream.once("close", hold(stream));
  return stream;
}
