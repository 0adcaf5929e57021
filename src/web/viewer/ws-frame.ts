import type { Writable } from "node:stream";
import { WebSocket } from "ws";

/** FIN and the opcode of a binary message, RFC 6455 section 5.2. */
const WHOLE_BINARY = 0x82;
/** Payload lengths from here on are written as 16 bits, and from 2^16 on as 64. */
const LENGTH_16 = 126;
const LENGTH_64 = 127;
const MOST_16 = 0xffff;
/** Of a frame's head: two bytes and the length in 64 bits. */
const MOST_HEAD_BYTES = 10;

/** Frames of bytes that go to several sockets. A server's frames are not masked, so they are the same for all. */
const known = new WeakMap<Uint8Array, Buffer>();

/** Memory of payloads with room before them for a frame's head. */
const roomy = new WeakMap<Uint8Array, Buffer>();

/** The parts in one, which becomes a frame without being copied again. */
export function joinToFrame(parts: readonly Uint8Array[]): Uint8Array {
  const memory = Buffer.allocUnsafeSlow(parts.reduce((sum, { length }) => sum + length, MOST_HEAD_BYTES));
  let at = MOST_HEAD_BYTES;
  for (const part of parts) {
    memory.set(part, at);
    at += part.length;
  }
  const payload = memory.subarray(MOST_HEAD_BYTES);
  roomy.set(payload, memory);
  return payload;
}

/** The bytes as one binary message in one frame, made once however many sockets it is for. */
export function binaryFrame(payload: Uint8Array): Buffer {
  const before = known.get(payload);
  if (before !== undefined) return before;
  const frame = framed(payload);
  known.set(payload, frame);
  return frame;
}

/** True where frames go as they are: `writeFrame` would else have to compress them. */
export function hasPlainFrames(socket: WebSocket): boolean {
  return socket.extensions === "";
}

/**
 * Writes a binary message straight to the stream of a WebSocket that `hasPlainFrames`, between frames of its own. False
 * where the end was said.
 */
export function writeFrame(
  socket: WebSocket,
  stream: Writable,
  payload: Uint8Array,
  done: () => void,
): boolean {
  if (socket.readyState !== WebSocket.OPEN || !stream.writable) return false;
  stream.write(binaryFrame(payload), done);
  return true;
}

function framed(payload: Uint8Array): Buffer {
  const { length } = payload;
  const headBytes = length < LENGTH_16 ? 2 : length <= MOST_16 ? 4 : MOST_HEAD_BYTES;
  const memory = roomy.get(payload);
  const frame = memory?.subarray(MOST_HEAD_BYTES - headBytes) ?? Buffer.allocUnsafe(headBytes + length);
  frame[0] = WHOLE_BINARY;
  if (headBytes === 2) frame[1] = length;
  else if (headBytes === 4) frame.writeUInt16BE(length, frame.writeUInt8(LENGTH_16, 1));
  else frame.writeBigUInt64BE(BigInt(length), frame.writeUInt8(LENGTH_64, 1));
  if (memory === undefined) frame.set(payload, headBytes);
  return frame;
}
