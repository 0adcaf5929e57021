import type { Duplex } from "node:stream";
import { createWebSocketStream, WebSocket } from "ws";
import type { NodeCalls } from "../../cluster/calls/node-calls.ts";

const CONNECT_WITHIN_MS = 5000;
/** Of what a node sends at once. */
const MOST_MESSAGE_BYTES = 4 * 1024 * 1024;

/**
 * The bytes of a WebSocket of another node, as who is there upgrades: what is written before it is open goes then. It ends with an error where it
 * is refused, and when the node is gone.
 */
export function farStream({ url, options, hold }: ReturnType<NodeCalls["socketTo"]>): Duplex {
  const socket = new WebSocket(url, ["binary"], {
    ...options,
    ...{ perMessageDeflate: false, followRedirects: false, handshakeTimeout: CONNECT_WITHIN_MS },
    maxPayload: MOST_MESSAGE_BYTES,
  });
  const stream = createWebSocketStream(socket, { allowHalfOpen: false });
  stream.once("close", hold(stream));
  return stream;
}
