import type { Rect } from "../framebuffer/rect.ts";
import type { Painter } from "./painter.ts";
import { COLOUR, FONT } from "./theme.ts";
import { Widget } from "./widget.ts";

const DAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const MONTHS = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
];

/** What a clock says of a moment, in the machine's time zone. */
export interface Moment {
  readonly time: string;
  readonly day: string;
}

export function momentOf(date: Date, is24Hour: boolean): Moment {
  const hour = date.getHours();
  const minute = String(date.getMinutes()).padStart(2, "0");
  const time = is24Hour
    ? `${String(hour).padStart(2, "0")}:${minute}`
    : `${hour % 12 === 0 ? 12 : hour % 12}:${minute} ${hour < 12 ? "am" : "pm"}`;
  return { time, day: `${DAYS[date.getDay()]}, ${date.getDate()} ${MONTHS[date.getMonth()]}` };
}

/** The large clock: the time above the day. It is told the time, it never asks. */
export class Clock extends Widget {
  #moment: Moment = { time: "", day: "" };

  constructor(rect: Rect) {
    super(null, rect);
  }

  show(moment: Moment): void {
    if (moment.time === this.#moment.time && moment.day === this.#moment.day) return;
    this.#moment = moment;
    this.damage();
  }

  override paint(painter: Painter): void {
    const { x, y } = this.rect;
    painter.text(this.#moment.time, x, y + 32, FONT.clock, COLOUR.ink);
    painter.text(this.#moment.day, x + 2, y + 80, FONT.body, COLOUR.quiet);
  }
}
