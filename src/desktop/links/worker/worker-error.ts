import { RdpError } from "../../../protocols/rdp/error.ts";
import { LinkError } from "../../error.ts";
import type { ErrorData } from "./worker-messages.ts";

/** A LinkError as data: what it wraps stays behind, for causes may hold anything. */
export function errorData({ code, message, isFinal, cause }: LinkError): ErrorData {
  const isTaken = cause instanceof RdpError && cause.code === "session_taken";
  return { code, message, isFinal, isTaken };
}

/** And back. */
export function errorOf({ code, message, isFinal }: ErrorData): LinkError {
  return new LinkError(code, message, { isFinal });
}

/** What it means that a link's thread ended by itself. `error`: what ended it, if anything said so. */
export function threadError(error: unknown, heapMb: number): LinkError {
  const code = error instanceof Error && "code" in error ? error.code : null;
  if (code === "ERR_WORKER_OUT_OF_MEMORY") {
    return new LinkError(
      "protocol_error",
      `decoding the target's data took more than ${heapMb} MiB beside its pictures: the connection was given up`,
      { cause: error },
    );
  }
  return new LinkError("protocol_error", "the thread that decodes the target's data failed", {
    cause: error,
  });
}
