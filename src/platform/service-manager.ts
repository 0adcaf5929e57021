import { execFile } from "node:child_process";
import type { Logger } from "./log.ts";

/** What its own program may take to pass a message on. */
const SEND_MS = 5000;

/**
 * The service manager that started the process and waits to be told how it is: systemd's sd_notify(3). Node has no datagram
 * sockets of Unix, so systemd's own program sends each message; the unit needs NotifyAccess=all for that. A message
 * that does not arrive is logged and nothing else: the manager has timeouts of its own.
 */
export class ServiceManager {
  readonly #socket: string;
  readonly #watchdogMs: number | null;
  readonly #log: Logger;
  #timer: NodeJS.Timeout | null = null;

  private constructor(socket: string, watchdogMs: number | null, log: Logger) {
    this.#socket = socket;
    this.#watchdogMs = watchdogMs;
    this.#log = log;
  }

  /**
   * null where none waits. Takes what it reads out of `env`: what this process starts later is not the service, and must
   * not speak for it.
   */
  static take(env: NodeJS.ProcessEnv, pid: number, log: Logger): ServiceManager | null {
    const { NOTIFY_SOCKET: socket, WATCHDOG_USEC: usec, WATCHDOG_PID: watched } = env;
    for (const name of ["NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"]) delete env[name];
    if (socket === undefined || socket === "") return null;
    const watchdogMs = Number(usec) / 1000;
    const isWatched = watchdogMs > 0 && (watched === undefined || watched === `${pid}`);
    return new ServiceManager(socket, isWatched ? watchdogMs : null, log);
  }

  /** It serves. From now on the watchdog is told by the event loop itself, twice in each of its times. */
  async ready(status: string): Promise<void> {
    await this.#send("READY=1", `STATUS=${status}`);
    if (this.#watchdogMs === null) return;
    this.#timer = setInterval(() => void this.#send("WATCHDOG=1"), this.#watchdogMs / 2);
    this.#timer.unref();
  }

  async stopping(): Promise<void> {
    if (this.#timer !== null) clearInterval(this.#timer);
    await this.#send("STOPPING=1");
  }

  #send(...message: readonly string[]): Promise<void> {
    return new Promise((resolve) => {
      const env = { ...process.env, NOTIFY_SOCKET: this.#socket };
      execFile("systemd-notify", message, { env, timeout: SEND_MS }, (err) => {
        if (err !== null) this.#log.warn({ err, message }, "Service manager was not told");
        resolve();
      });
    });
  }
}
