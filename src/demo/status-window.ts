import type { Rect } from "../framebuffer/rect.ts";
import { Clock } from "./clock.ts";
import { EventLog } from "./event-log.ts";
import { METRIC } from "./theme.ts";
import { Window } from "./window.ts";

const SIZE = { width: 560, height: 560 } as const;
const CLOCK_HEIGHT = 100;

/** "Status": the clock, and what arrived from those who watch. */
export class StatusWindow extends Window {
  readonly clock: Clock;
  readonly log: EventLog;

  /** In the middle of a monitor. */
  constructor(monitor: Rect) {
    const x = monitor.x + Math.round((monitor.width - SIZE.width) / 2);
    super("status", "Status", { x, y: monitor.y + 108, ...SIZE });
    const left = METRIC.padding + 6;
    const top = METRIC.titleHeight + METRIC.padding + 4;
    const width = SIZE.width - 2 * left;
    this.clock = this.add(new Clock({ x: left, y: top, width, height: CLOCK_HEIGHT }));
    const logTop = top + CLOCK_HEIGHT + 16;
    this.log = this.add(
      new EventLog(null, { x: left, y: logTop, width, height: SIZE.height - logTop - METRIC.padding }),
    );
  }
}
