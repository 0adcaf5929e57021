import { randomUUID } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import type { Page } from "playwright-core";
import type { Owner } from "../../support/program.ts";

/** Playwright's evaluate, cookies, newPage and close wait for ever; so long is no page busy, on a busy machine either. */
const MOST_SILENT_MS = 60_000;
const LOOK_EVERY_MS = 10_000;

/** What is asked of Chromium, by what it is called in the error. */
type Asked = readonly (readonly [what: string, answer: Promise<unknown>])[];

/** Ends a Chromium that answers nothing, so that calls which wait for it reject, and the test ends. */
export class BrowserWatch {
  /** An argument for Chromium, by which its process is found again. */
  readonly mark = `--watched-as=${randomUUID()}`;
  mostMs = MOST_SILENT_MS;

  /** Looks now and then until the test is over, and closes the browser then. */
  begin(owner: Owner, ask: () => Asked, close: () => Promise<void>): void {
    let isOver = false;
    const look = async (): Promise<void> => {
      while (!isOver) {
        const silent = await this.#silent(ask());
        if (silent.length > 0 && !isOver) return this.#end(`${silent.join(", ")} answered nothing`);
        await pause(LOOK_EVERY_MS, undefined, { ref: false });
      }
    };
    void look();
    owner.teardown(async () => {
      isOver = true;
      const timer = setTimeout(() => this.#end("it did not close"), this.mostMs);
      await close();
      clearTimeout(timer);
    });
  }

  async #silent(asked: Asked): Promise<readonly string[]> {
    const waiting = new Set(asked.map(([what]) => what));
    const answers = asked.map(([what, answer]) =>
      // No is an answer too: of a page that was closed meanwhile.
      answer.catch(() => undefined).then(() => waiting.delete(what)),
    );
    await Promise.race([Promise.all(answers), pause(this.mostMs, undefined, { ref: false })]);
    return [...waiting];
  }

  #end(why: string): void {
    process.stderr.write(`Chromium is killed: ${why} for ${this.mostMs / 1000} s\n`);
    for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
      try {
        if (readFileSync(`/proc/${pid}/cmdline`, "latin1").includes(this.mark)) {
          process.kill(Number(pid), "SIGKILL");
        }
      } catch {
        // It has gone meanwhile.
      }
    }
  }
}

/** Whether each of these pages still runs scripts. */
export function askPages(pages: readonly Page[]): Asked {
  return pages.map((page, nth) => [`page ${nth + 1}, ${page.url()},`, page.evaluate("0")] as const);
}
