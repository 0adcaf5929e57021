import { fromBase64url } from "../browser/wire/base64url.ts";
import { SUBPROTOCOL } from "../browser/wire/calls.ts";
import { framesOf } from "../browser/wire/pieces.ts";
import { type Handshake, isSameProof, newNonce, proofOf } from "../browser/wire/proof.ts";
import { isStopped, type KeptPairing, keepPairing, pairing } from "./kept.ts";
import type { Status } from "./state.ts";

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 15_000;
/** The server says something every 20 s: after so much silence it is gone. */
const SILENCE_MS = 65_000;

export interface ConnectionPorts {
  /** A command of the server; what it resolves with or throws is answered. */
  command(type: string, params: Record<string, unknown>, id: string): Promise<unknown>;
  changed(): void;
  /** The socket is up and both ends have proved themselves. */
  connected(): void;
  lost(): void;
}

/** A refusal with a code that the server knows. */
export class Refusal extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** The one conversation with the server; it is dialled again whenever it ends. */
export class Connection {
  status: Status = { kind: "connecting" };
  readonly #ports: ConnectionPorts;
  #socket: WebSocket | null = null;
  #isProven = false;
  #isDialling = false;
  #waitMs = FIRST_WAIT_MS;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #heardAtMs = 0;

  constructor(ports: ConnectionPorts) {
    this.#ports = ports;
  }

  /** Dials where there is somebody to dial and no socket; called again and again. */
  async ensure(): Promise<void> {
    if (this.#isDialling) return;
    this.#isDialling = true;
    try {
      if (this.#socket !== null && Date.now() - this.#heardAtMs > SILENCE_MS) this.#drop(this.#socket);
      if (this.#socket === null) await this.#dial();
    } finally {
      this.#isDialling = false;
    }
  }

  /** Hangs up; does not dial again by itself. */
  hangUp(status: Status): void {
    clearTimeout(this.#timer);
    const socket = this.#socket;
    this.#socket = null;
    this.#isProven = false;
    this.#waitMs = FIRST_WAIT_MS;
    this.status = status;
    socket?.close(1000);
    this.#ports.changed();
  }

  /** Nothing is said to whom has not proved who they are. */
  send(message: object): void {
    if (this.#isProven && this.#socket !== null) post(this.#socket, message);
  }

  async #dial(): Promise<void> {
    clearTimeout(this.#timer);
    const known = await pairing();
    if (known === null || (await isStopped())) {
      // Who was denied reads why until they do something about it.
      if (known !== null || this.status.kind !== "denied") {
        this.status = { kind: known === null ? "unpaired" : "stopped" };
      }
      this.#ports.changed();
      return;
    }
    if (this.status.kind === "unpaired" || this.status.kind === "stopped")
      this.status = { kind: "connecting" };
    const socket = new WebSocket(known.url, [SUBPROTOCOL]);
    this.#socket = socket;
    this.#heardAtMs = Date.now();
    const shake = handshakeWith(socket, known);
    socket.onmessage = ({ data }) => {
      if (socket !== this.#socket || typeof data !== "string") return;
      this.#heardAtMs = Date.now();
      const message = parse(data);
      if (this.#isProven) void this.#serve(socket, message);
      else void shake(message).then((proven) => this.#judge(socket, proven));
    };
    socket.onclose = () => {
      if (socket === this.#socket) this.#drop(socket);
    };
    this.#ports.changed();
  }

  #judge(socket: WebSocket, proven: Status | null): void {
    // Who denies hangs up at once, maybe before this is known: it counts unless somebody else is dialled by now.
    const counts = socket === this.#socket || (this.#socket === null && proven?.kind === "denied");
    if (proven === null || !counts) return;
    this.status = proven;
    if (proven.kind === "connected") {
      this.#isProven = true;
      this.#waitMs = FIRST_WAIT_MS;
      this.#ports.connected();
    } else socket.close(4003);
    this.#ports.changed();
  }

  async #serve(socket: WebSocket, message: Record<string, unknown>): Promise<void> {
    const { type, id, params } = message;
    if (type === "ping") socket.send('{"type":"pong"}');
    if (typeof id !== "string" || typeof type !== "string") return;
    const answer = await this.#ports.command(type, { ...Object(params) }, id).then(
      (result) => ({ id, success: true, result: result ?? null }),
      (error: unknown) => ({ id, success: false, error: { code: codeOf(error), message: messageOf(error) } }),
    );
    if (socket.readyState === WebSocket.OPEN) post(socket, answer);
  }

  #drop(socket: WebSocket): void {
    this.#socket = null;
    const wasProven = this.#isProven;
    this.#isProven = false;
    socket.onclose = null;
    socket.close();
    // Who was denied, or met an impostor, reads so until the right server answers.
    if (this.status.kind === "connected") this.status = { kind: "connecting" };
    if (wasProven) this.#ports.lost();
    this.#ports.changed();
    this.#timer = setTimeout(() => void this.ensure(), this.#waitMs);
    this.#waitMs = Math.min(this.#waitMs * 2, LONGEST_WAIT_MS);
  }
}

/** Answers the hello and judges the welcome; gives what came of it, null while it goes on. */
function handshakeWith(socket: WebSocket, known: KeptPairing) {
  let shaken: Handshake | null = null;
  return async (message: Record<string, unknown>): Promise<Status | null> => {
    if (message["type"] === "denied") {
      // A code is good for one try.
      if (known.isPending) await keepPairing(null);
      return { kind: "denied", reason: String(message["reason"]).slice(0, 200) };
    }
    if (message["type"] === "hello" && shaken === null && isNonce(message["nonce"])) {
      shaken = {
        keyId: known.keyId,
        serverNonce: message["nonce"],
        extensionNonce: newNonce(),
        url: known.url,
      };
      const mac = await proofOf(known.key, "extension", shaken);
      const { keyId: key_id, extensionNonce: nonce, url } = shaken;
      const { version } = chrome.runtime.getManifest();
      const type = known.isPending ? "pair" : "auth";
      socket.send(JSON.stringify({ type, key_id, nonce, url, mac, version, browser: browserName() }));
      return null;
    }
    if (message["type"] !== "welcome" || shaken === null) return { kind: "impostor" };
    const { key_id: keyId, server, mac } = message;
    // Whoever squats on the server's port knows no key, and commands nothing.
    const isServer = typeof mac === "string" && isSameProof(await proofOf(known.key, "server", shaken), mac);
    if (!isServer || typeof keyId !== "string") return { kind: "impostor" };
    const name = String(server).slice(0, 80);
    if (known.isPending) {
      const key = await proofOf(known.key, "key", shaken);
      await keepPairing({ url: known.url, keyId, key, isPending: false, server: name });
    } else if (known.server !== name) await keepPairing({ ...known, server: name });
    return { kind: "connected" };
  };
}

function post(socket: WebSocket, message: object): void {
  const frames = framesOf(JSON.stringify(message));
  if (frames !== null) {
    for (const frame of frames) socket.send(frame);
    return;
  }
  const { id } = Object(message);
  const error = { code: "too_large", message: "the answer is longer than the bridge takes" };
  socket.send(JSON.stringify({ id, success: false, error }));
}

function parse(text: string): Record<string, unknown> {
  try {
    return { ...Object(JSON.parse(text)) };
  } catch {
    return {};
  }
}

function isNonce(value: unknown): value is string {
  return typeof value === "string" && fromBase64url(value)?.length === 16;
}

function codeOf(error: unknown): string {
  return error instanceof Refusal ? error.code : "failed";
}

function messageOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).slice(0, 1000);
}

/** "Chromium 156 on Linux". */
function browserName(): string {
  const { brands = [], platform = "" } = Object(Object(navigator).userAgentData);
  const names: { brand: string; version: string }[] = brands;
  const own = names.filter(({ brand }) => !/not.?a.?brand/i.test(brand.replaceAll(/[^\w ]/g, "")));
  const best = own.find(({ brand }) => brand !== "Chromium") ?? own[0];
  const name = best === undefined ? "Browser" : `${best.brand} ${best.version}`;
  return (platform === "" ? name : `${name} on ${platform}`).slice(0, 80);
}
