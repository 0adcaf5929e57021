import type { Rect } from "../framebuffer/rect.ts";
import type { Moment } from "./clock.ts";
import type { Painter } from "./painter.ts";
import { COLOUR, FONT, type Look, METRIC } from "./theme.ts";
import type { Damage } from "./widget.ts";

const TIME_WIDTH = 320;

/** The bar along the top of a monitor: whose desktop it is, and the time. */
export class TopBar {
  readonly #report: Damage;
  #monitor: Rect;
  #moment: Moment = { time: "", day: "" };

  constructor(monitor: Rect, report: Damage) {
    this.#monitor = monitor;
    this.#report = report;
  }

  place(monitor: Rect): void {
    this.#monitor = monitor;
  }

  show(moment: Moment): void {
    if (moment.time === this.#moment.time && moment.day === this.#moment.day) return;
    this.#moment = moment;
    this.#report(this.timeRect);
  }

  get rect(): Rect {
    return { ...this.#monitor, height: METRIC.barHeight };
  }

  /** Where the time is shown. */
  get timeRect(): Rect {
    const { x, y, width, height } = this.rect;
    return { x: x + width - TIME_WIDTH, y, width: TIME_WIDTH, height };
  }

  paint(painter: Painter, { accent }: Look): void {
    const { x, y, width, height } = this.rect;
    const middle = y + height / 2;
    painter.fill(this.rect, COLOUR.bar);
    // The house's mark: a pane laid over another.
    painter.frame({ x: x + 16, y: middle - 8, width: 13, height: 11 }, 3, COLOUR.ink, 1.5);
    painter.fillRound({ x: x + 21, y: middle - 3, width: 13, height: 11 }, 3, accent.plain);
    painter.text("Overlay Companion", x + 44, middle, FONT.strong, COLOUR.ink);
    const named = painter.measure("Overlay Companion", FONT.strong);
    painter.text("Demo desktop", Math.round(x + 44 + named + 12), middle, FONT.body, COLOUR.quiet);
    painter.clipped(this.timeRect, () => {
      const { time, day } = this.#moment;
      painter.textRight(time, x + width - 18, middle, FONT.strong, COLOUR.ink);
      const timeWidth = Math.ceil(painter.measure(time, FONT.strong));
      painter.textRight(day, x + width - 18 - timeWidth - 12, middle, FONT.body, COLOUR.quiet);
    });
  }
}
