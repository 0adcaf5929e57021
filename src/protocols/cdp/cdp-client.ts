import { CdpError } from "./error.ts";

/** A screencast's frame of the largest page is some 30 MB of base64 where nothing compresses. */
export const MOST_MESSAGE_BYTES = 64 * 1024 * 1024;
/** What a browser does not answer for so long it will not answer. */
const ANSWER_MS = 30_000;
/** More calls without an answer than these are a browser that no longer works. */
const MOST_PENDING = 4096;
const LONGEST_REASON = 200;

/** An object of JSON, of which nothing is known. */
export type CdpObject = Readonly<Record<string, unknown>>;

export interface CdpEvent {
  readonly method: string;
  readonly params: CdpObject;
  /** Of the page that it is about; null: of the browser. */
  readonly session: string | null;
}

export interface CdpPorts {
  write(bytes: Uint8Array): void;
  event(event: CdpEvent): void;
  /** Calls back after so long, unless what it gives is called before. */
  after(delayMs: number, callback: () => void): () => void;
}

interface Pending {
  readonly method: string;
  readonly resolve: (result: CdpObject) => void;
  readonly reject: (error: CdpError) => void;
  readonly cancel: () => void;
}

/**
 * The Chrome DevTools Protocol as a browser speaks it over --remote-debugging-pipe: JSON messages that end with a zero.
 * Calls have ids and a time limit; sessions are flat.
 */
export class CdpClient {
  readonly #ports: CdpPorts;
  readonly #pending = new Map<number, Pending>();
  #parts: Uint8Array[] = [];
  #partBytes = 0;
  #lastId = 0;
  #end: CdpError | null = null;

  constructor(ports: CdpPorts) {
    this.#ports = ports;
  }

  /** The answer's result. Rejects with a CdpError. */
  call(method: string, params: CdpObject = {}, session: string | null = null): Promise<CdpObject> {
    if (this.#end !== null) return Promise.reject(this.#end);
    if (this.#pending.size >= MOST_PENDING) {
      const message = `${MOST_PENDING} calls are unanswered, expected a browser that answers`;
      return Promise.reject(new CdpError("timeout", message));
    }
    const id = ++this.#lastId;
    const message = { id, method, params, ...(session === null ? {} : { sessionId: session }) };
    return new Promise((resolve, reject) => {
      const cancel = this.#ports.after(ANSWER_MS, () => {
        this.#pending.delete(id);
        reject(new CdpError("timeout", `the browser did not answer ${method} within 30 s`));
      });
      this.#pending.set(id, { method, resolve, reject, cancel });
      this.#ports.write(new TextEncoder().encode(`${JSON.stringify(message)}\0`));
    });
  }

  /** Throws a CdpError for what is no message. */
  receive(chunk: Uint8Array): void {
    let rest = chunk;
    for (let end = rest.indexOf(0); end >= 0; end = rest.indexOf(0)) {
      const parts = [...this.#parts, rest.subarray(0, end)];
      this.#checkSize(end);
      this.#parts = [];
      this.#partBytes = 0;
      rest = rest.subarray(end + 1);
      this.#hear(joined(parts));
    }
    if (rest.length === 0) return;
    this.#checkSize(rest.length);
    this.#parts.push(rest.slice());
    this.#partBytes += rest.length;
  }

  /** What waits for an answer is told so; nothing is sent any more. */
  close(): void {
    if (this.#end !== null) return;
    const end = new CdpError("closed", "the browser is not connected");
    this.#end = end;
    for (const { reject, cancel } of this.#pending.values()) {
      cancel();
      reject(end);
    }
    this.#pending.clear();
    this.#parts = [];
  }

  #checkSize(more: number): void {
    const size = this.#partBytes + more;
    if (size <= MOST_MESSAGE_BYTES) return;
    throw new CdpError("too_large", `got a message of ${size} bytes, expected at most ${MOST_MESSAGE_BYTES}`);
  }

  #hear(bytes: Uint8Array): void {
    const message = objectOf(parse(bytes));
    if (message === null) throw new CdpError("bad_data", "got JSON that is no object, expected a message");
    const { id, method, params, sessionId, result, error } = message;
    if (typeof id === "number") {
      this.#answer(id, result, objectOf(error));
      return;
    }
    if (typeof method !== "string") {
      throw new CdpError("bad_data", "got a message without id and method, expected one of them");
    }
    const session = typeof sessionId === "string" ? sessionId : null;
    this.#ports.event({ method, params: objectOf(params) ?? {}, session });
  }

  /** An answer to what is not waited for any more is none. */
  #answer(id: number, result: unknown, error: CdpObject | null): void {
    const pending = this.#pending.get(id);
    if (pending === undefined) return;
    this.#pending.delete(id);
    pending.cancel();
    if (error === null) pending.resolve(objectOf(result) ?? {});
    else {
      const reason = textOf(error, "message").slice(0, LONGEST_REASON);
      pending.reject(new CdpError("refused", `the browser refused ${pending.method}: ${reason}`));
    }
  }
}

/** An object of JSON; null for anything else. */
export function objectOf(value: unknown): CdpObject | null {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : null;
}

/** The text of that name; "" where there is none. */
export function textOf(object: CdpObject, name: string): string {
  const value = object[name];
  return typeof value === "string" ? value : "";
}

/** The number of that name; 0 where there is none. */
export function numberOf(object: CdpObject, name: string): number {
  const value = object[name];
  return typeof value === "number" ? value : 0;
}

function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch (cause) {
    throw new CdpError("bad_data", `got ${bytes.length} bytes that are no JSON, expected a message`, {
      cause,
    });
  }
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const [first] = parts;
  if (parts.length === 1 && first !== undefined) return first;
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
