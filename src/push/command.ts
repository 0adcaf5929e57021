import { type ChildProcessByStdio, spawn } from "node:child_process";
import type { Writable } from "node:stream";
import { jsonOf, type PushMessage, wordsOf } from "./notice.ts";
import { PushError } from "./receiver.ts";

const DONE_WITHIN_MS = 20_000;
/** All that a command has of our environment: there may be secrets in the rest. */
const PASSED_ON = ["PATH", "HOME", "LANG", "LC_ALL", "TZ", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS"];

/**
 * Runs a program for a message: words as they are configured, in which {title}, {message} and {url} stand for the message's, no
 * shell, and the whole message as JSON on standard input. Throws PushError where it cannot be started (final), ends with
 * another status than 0, or does not end.
 */
export function runCommand(argv: readonly string[], message: PushMessage): Promise<void> {
  const [program = "", ...rest] = argv;
  const said = { ...wordsOf(message.notice), url: message.link ?? "" };
  const args = rest.map((word) =>
    word.replace(/\{(title|message|url)\}/g, (_all, name: keyof typeof said) => said[name]),
  );
  const env = Object.fromEntries(
    PASSED_ON.flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
  return new Promise((resolve, reject) => {
    const fail = (cause: unknown): void =>
      reject(new PushError("cannot be started", { isFinal: true, cause }));
    const child = started(program, args, env, fail);
    if (child === null) return;
    child.on("error", fail);
    child.on("close", (status, signal) => {
      if (status === 0) resolve();
      else reject(new PushError(`ended with ${signal ?? `status ${status}`}, expected status 0`));
    });
    // One that reads nothing is none the worse for it.
    child.stdin.on("error", () => undefined);
    child.stdin.end(jsonOf(message));
  });
}

/** null: told to `fail`. Of some faults node tells by throwing, of others by an event. */
function started(
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  fail: (cause: unknown) => void,
): ChildProcessByStdio<Writable, null, null> | null {
  try {
    return spawn(program, args, {
      ...{ env, shell: false, stdio: ["pipe", "ignore", "ignore"] },
      ...{ timeout: DONE_WITHIN_MS, killSignal: "SIGKILL" },
    });
  } catch (cause) {
    fail(cause);
    return null;
  }
}
