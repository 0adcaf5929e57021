import { execFileSync } from "node:child_process";
import { ConfigError } from "./config-schema.ts";

/** A key manager answers within seconds, or asks a person who is not there. */
const MOST_MS = 10_000;
const MOST_BYTES = 64 * 1024;

/**
 * What a program prints, without the end of its last line: a secret that a key manager or a password store keeps. Holds the
 * event loop, at start alone. Throws ConfigError, in which nothing that was printed is.
 */
export function secretOfCommand(command: readonly string[], keyName: string): string {
  const [program = "", ...args] = command;
  let text: string;
  try {
    text = execFileSync(program, args, {
      ...{ encoding: "utf8", timeout: MOST_MS, maxBuffer: MOST_BYTES, windowsHide: true },
      stdio: ["ignore", "pipe", "ignore"],
    });
  } catch (cause) {
    // The error of Node has what was printed.
    throw new ConfigError(`${keyName}: ${faultOf(program, cause)}: run it by hand to see why`);
  }
  const secret = text.replace(/\r?\n$/, "");
  if (secret === "") throw new ConfigError(`${keyName}: ${program} printed nothing, expected the secret`);
  return secret;
}

function faultOf(program: string, cause: unknown): string {
  const { code, status, signal }: { code?: unknown; status?: unknown; signal?: unknown } = Object(cause);
  if (code === "ETIMEDOUT") return `${program} took more than ${MOST_MS / 1000} s`;
  if (code === "ENOBUFS") return `${program} printed more than ${MOST_BYTES} bytes`;
  if (typeof status === "number") return `${program} ended with ${status}`;
  if (typeof signal === "string") return `${program} ended by ${signal}`;
  return `${program} cannot be started (${typeof code === "string" ? code : "no reason was told"})`;
}
