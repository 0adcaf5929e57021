import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { createInterface, type Interface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { Owner } from "../test/support/program.ts";

/** A script of this folder, or a bundle of one, that is asked by lines. */
export class Talker {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #lines: AsyncIterator<string>;
  readonly #reader: Interface;

  constructor(owner: Owner, script: string, ...args: string[]) {
    const isBundle = script.endsWith(".mjs");
    const run = isBundle ? [script] : ["--import=tsx", fileURLToPath(new URL(script, import.meta.url))];
    this.#child = spawn(process.execPath, [...run, ...args]);
    this.#child.stderr.pipe(process.stderr);
    this.#reader = createInterface({ input: this.#child.stdout });
    this.#lines = this.#reader[Symbol.asyncIterator]();
    owner.teardown(() => this.close());
  }

  async line(): Promise<string> {
    const { value, done } = await this.#lines.next();
    if (done === true) throw new Error("a program of the bench ended before it answered");
    return String(value);
  }

  /** The words it answers to a question. */
  async words(question = ""): Promise<string[]> {
    this.#child.stdin.write(`${question}\n`);
    return (await this.line()).split(" ");
  }

  /** The numbers it answers to an empty line. */
  async ask(): Promise<number[]> {
    return (await this.words()).map(Number);
  }

  close(): void {
    this.#reader.close();
    this.#child.kill();
  }
}
