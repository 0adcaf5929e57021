import type { Clock } from "../platform/clock.ts";
import { BRIDGE_CLOSE, type BridgeSocket } from "./bridge-socket.ts";
import { firstMessageSchema, readMessage } from "./messages.ts";
import type { Pairing, Pairings } from "./pairings.ts";
import { type Handshake, isSameProof, newNonce, proofOf } from "./wire/proof.ts";

const ANSWER_WITHIN_MS = 5000;
const LONGEST_FIRST = 2000;

/** How a browser proved who it is. */
export interface Introduced {
  readonly pairing: Pairing;
  readonly isNew: boolean;
  readonly version: string;
}

export interface HandshakePorts {
  readonly pairings: Pairings;
  readonly clock: Clock;
  /** What the server is called, as the popup shows it. */
  readonly serverName: string;
}

/**
 * Lets a browser prove that it knows its key, and proves the same to it: hello{nonce}, pair or auth{key_id, nonce, url,
 * mac}, welcome{key_id, mac}. null, and the socket is closed, where it does not. `url`: where the server was truly dialled.
 */
export async function shakeHands(
  socket: BridgeSocket,
  url: string,
  ports: HandshakePorts,
): Promise<Introduced | null> {
  const serverNonce = newNonce();
  const first = firstFrame(socket, ports.clock);
  socket.send(JSON.stringify({ type: "hello", v: 1, nonce: serverNonce }));
  const frame = await first;
  const said =
    typeof frame === "string" && frame.length <= LONGEST_FIRST
      ? readMessage(firstMessageSchema, frame)
      : null;
  const deny = (reason: string): null => {
    socket.send(JSON.stringify({ type: "denied", reason }));
    socket.close(BRIDGE_CLOSE.denied, "denied");
    return null;
  };
  if (said === null) return deny("expected the proof of a pairing");
  const { type, key_id: keyId, nonce: extensionNonce, mac, version, browser } = said;
  // A code is used up by any try, so that it cannot be guessed at.
  const code = type === "pair" ? ports.pairings.claim(keyId) : null;
  const known = type === "auth" ? ports.pairings.get(keyId) : null;
  const key = code?.code ?? known?.key;
  if (key === undefined) {
    return deny(
      type === "pair" ? "the code is unknown, used or too old" : "this browser is not paired any more",
    );
  }
  const handshake: Handshake = { keyId, serverNonce, extensionNonce, url };
  if (said.url !== url) return deny("the server is reached at another address than it was paired at");
  if (!isSameProof(await proofOf(key, "extension", handshake), mac)) return deny("the proof does not hold");
  const pairing =
    known ??
    (await ports.pairings.add(plainName(browser), code?.agentId ?? null, () =>
      proofOf(key, "key", handshake),
    ));
  const proof = await proofOf(key, "server", handshake);
  socket.send(JSON.stringify({ type: "welcome", key_id: pairing.id, server: ports.serverName, mac: proof }));
  return { pairing, isNew: known === null, version };
}

/** null where nothing came in time, or the socket closed. */
function firstFrame(socket: BridgeSocket, clock: Clock): Promise<string | Uint8Array | null> {
  return new Promise((resolve) => {
    const cancel = clock.after(ANSWER_WITHIN_MS, () => resolve(null));
    const end = (frame: string | Uint8Array | null): void => {
      cancel();
      resolve(frame);
    };
    socket.onFrame(end);
    socket.onClose(() => end(null));
  });
}

function plainName(text: string): string {
  const plain = text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, "").trim();
  return plain === "" ? "Browser" : plain.slice(0, 80);
}
