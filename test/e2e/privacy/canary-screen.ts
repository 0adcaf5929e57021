import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Point, rect } from "../../../src/framebuffer/rect.ts";
import type { Owner } from "../../support/program.ts";
import { until } from "../../support/until.ts";
import { XDisplay } from "../harness/x-display.ts";
import { frameOf, type Look, lookAt, type Sight } from "./sight.ts";

/** Of xterm with the font that the tests use. */
const CELL = { width: 8, height: 17 };
const BORDER = 2;
/** Fewer pixels of ink than any line of text has. */
const LEAST_INK = 40;

/** A display with terminals that show lists of planted texts. */
export class CanaryScreen {
  readonly display: XDisplay;
  readonly #folder: string;

  private constructor(display: XDisplay, folder: string) {
    this.display = display;
    this.#folder = folder;
  }

  static async start(owner: Owner, folder: string): Promise<CanaryScreen> {
    return new CanaryScreen(await XDisplay.start(owner, { geometry: "1000x1000" }), folder);
  }

  /** A terminal that shows these lines; `at`: its geometry. */
  async list(title: string, at: string, lines: readonly string[]) {
    const file = join(this.#folder, title);
    writeFileSync(file, `${lines.join("\r\n")}\r\n`);
    const script = `printf '\\033[?25l'; cat '${file}'; exec sleep 900`;
    const window = await this.display.openTerminal(title, at, script);
    return { window, place: await this.display.placeOf(window) };
  }

  /** How the lines of terminals look on the target itself, once all are there. */
  looksOf(lists: readonly (readonly [Point, readonly string[]])[]): Promise<readonly Look[]> {
    return until("all on the screen", async () => {
      const frame = frameOf(await this.display.shot());
      const looks = lists.flatMap(([place, lines]) =>
        lines.map((text, row) => {
          const y = place.y + BORDER + row * CELL.height;
          return lookAt(frame, text, rect(place.x + BORDER, y, text.length * CELL.width, CELL.height));
        }),
      );
      return looks.some(({ patch }) => patch.ink < LEAST_INK) ? null : looks;
    });
  }

  /** How many of the texts stand on the target itself. */
  async count(sight: Sight): Promise<number> {
    const found = sight.find(frameOf(await this.display.shot()), null);
    return new Set(found.map(({ text }) => text)).size;
  }
}
