import { randomBytes } from "node:crypto";
import { link, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import type { Clock } from "./clock.ts";
import { delay } from "./clock.ts";

const RETRY_MS = 5;
/**
 * A lock is held for single writes: one older than this was left behind, even where its process number is in use again.
 */
const STALE_MS = 10_000;
const WAIT_MS = 4000;
/** For so long it is left to who wished for it: one that was killed never takes it. */
const YIELD_MS = 500;

/** Within this process those who want the same take turns: the last of each. */
const TURNS = new Map<string, Promise<void>>();

/** Somebody else held a lock for longer than anything takes that is done under it. */
export class LockError extends Error {
  override readonly name = "LockError";
}

/**
 * Lets one process at a time do something: a file that is there while it does, with its number in it. What a process
 * that was killed left behind is taken away.
 */
export class FileLock {
  readonly #path: string;
  readonly #clock: Clock;
  #end = (): void => {};

  constructor(path: string, clock: Clock) {
    this.#path = path;
    this.#clock = clock;
  }

  async hold<T>(run: () => Promise<T>): Promise<T> {
    await this.take();
    try {
      return await run();
    } finally {
      await this.release();
    }
  }

  /** Throws LockError where others hold it for four seconds. */
  async take(): Promise<void> {
    const before = TURNS.get(this.#path);
    let end = (): void => {};
    const turn = new Promise<void>((resolve) => {
      end = resolve;
    });
    TURNS.set(this.#path, turn);
    const over = (): void => {
      if (TURNS.get(this.#path) === turn) TURNS.delete(this.#path);
      end();
    };
    await before;
    try {
      await this.#takeFile();
    } catch (error) {
      over();
      throw error;
    }
    // Not before it is held: whoever holds it meanwhile, perhaps by this very object, ends another turn.
    this.#end = over;
  }

  async release(): Promise<void> {
    try {
      await rm(this.#path, { force: true });
    } finally {
      this.#end();
    }
  }

  async #takeFile(): Promise<void> {
    if (await this.#make()) return;
    const untilMs = this.#clock.nowMs() + WAIT_MS;
    while (!(await this.#make())) {
      if (await this.#takesAway()) continue;
      if (this.#clock.nowMs() >= untilMs) {
        throw new LockError(
          `${this.#path} is held by another process for ${WAIT_MS / 1000} s: end that process, or remove the file where none is running`,
        );
      }
      await writeFile(this.#wanted, "", { mode: 0o600 });
      await delay(this.#clock, RETRY_MS);
    }
    await rm(this.#wanted, { force: true });
  }

  /** Gives it to another process that waits for it, and takes it again after; does nothing where none waits. */
  async yield(): Promise<void> {
    if (!(await this.#isWanted())) return;
    await this.release();
    const untilMs = this.#clock.nowMs() + YIELD_MS;
    // Who gets it takes the wish away.
    while ((await this.#isWanted()) && this.#clock.nowMs() < untilMs) await delay(this.#clock, RETRY_MS);
    await rm(this.#wanted, { force: true });
    await this.take();
  }

  async #isWanted(): Promise<boolean> {
    try {
      await stat(this.#wanted);
      return true;
    } catch {
      return false;
    }
  }

  get #wanted(): string {
    return `${this.#path}.wanted`;
  }

  async #make(): Promise<boolean> {
    try {
      await writeFile(this.#path, `${process.pid}\n`, { flag: "wx", mode: 0o600 });
      return true;
    } catch (error) {
      if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
      throw error;
    }
  }

  /** Removes what was left behind; false where it was not. */
  async #takesAway(): Promise<boolean> {
    if (!(await this.#isLeftBehind(this.#path))) return false;
    // Another may have seen the same and hold a new one by now: that one is put back.
    const away = `${this.#path}.${randomBytes(6).toString("hex")}`;
    try {
      await rename(this.#path, away);
    } catch {
      return false;
    }
    if (!(await this.#isLeftBehind(away))) await link(away, this.#path).catch(() => undefined);
    await rm(away, { force: true });
    return true;
  }

  async #isLeftBehind(path: string): Promise<boolean> {
    try {
      const { mtimeMs } = await stat(path);
      if (Math.abs(this.#clock.date().getTime() - mtimeMs) > STALE_MS) return true;
      const text = await readFile(path, "utf8");
      // Empty: made and not yet written into.
      return text !== "" && !isAlive(Number(text));
    } catch {
      // Given back meanwhile.
      return false;
    }
  }
}

function isAlive(pid: number): boolean {
  // It is not we who hold it: a restarted container has the numbers of the one before.
  if (!Number.isInteger(pid) || pid <= 0 || pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
