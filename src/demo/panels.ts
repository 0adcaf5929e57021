import type { Rect } from "../framebuffer/rect.ts";
import type { Drawing } from "./drawing.ts";
import { type Accent, COLOUR, FONT, METRIC } from "./theme.ts";

const WHITE = "#ffffff";

/** The bar along the top of a monitor, and where in it the time is shown. */
export function barOf(monitor: Rect): { readonly bar: Rect; readonly time: Rect } {
  const bar = { ...monitor, height: METRIC.barHeight };
  return { bar, time: { ...bar, x: bar.x + bar.width - 320, width: 320 } };
}

/** Draws whose desktop it is, and the time. */
export function drawBar(drawing: Drawing, monitor: Rect, moment: Moment, accent: Accent): void {
  const { bar, time } = barOf(monitor);
  const { x, y, width, height } = bar;
  const middle = y + height / 2;
  drawing.fill(bar, COLOUR.bar);
  // The product's mark: a pane laid over another.
  drawing.frame({ x: x + 16, y: middle - 8, width: 13, height: 11 }, 3, COLOUR.ink, 1.5);
  drawing.fillRound({ x: x + 21, y: middle - 3, width: 13, height: 11 }, 3, accent.plain);
  drawing.text("Overlay Companion", x + 44, middle, FONT.strong, COLOUR.ink);
  const named = drawing.typeface.measure("Overlay Companion", FONT.strong);
  drawing.text("Demo desktop", Math.round(x + 44 + named + 12), middle, FONT.body, COLOUR.quiet);
  drawing.clipped(time, () => {
    drawing.textRight(moment.time, x + width - 18, middle, FONT.strong, COLOUR.ink);
    const timeWidth = Math.ceil(drawing.typeface.measure(moment.time, FONT.strong));
    drawing.textRight(moment.day, x + width - 18 - timeWidth - 12, middle, FONT.body, COLOUR.quiet);
  });
}

/** What a clock says of a moment, in the machine's time zone. */
export interface Moment {
  readonly time: string;
  readonly day: string;
}

const WEEKDAY = new Intl.DateTimeFormat("en", { weekday: "long" });
const MONTH = new Intl.DateTimeFormat("en", { month: "long" });

export function momentOf(date: Date, is24Hour: boolean): Moment {
  const hour = date.getHours();
  const minute = String(date.getMinutes()).padStart(2, "0");
  const time = is24Hour
    ? `${String(hour).padStart(2, "0")}:${minute}`
    : `${hour % 12 === 0 ? 12 : hour % 12}:${minute} ${hour < 12 ? "am" : "pm"}`;
  return { time, day: `${WEEKDAY.format(date)}, ${date.getDate()} ${MONTH.format(date)}` };
}

const ICON = 44;
const GAP = 12;
const EDGE = 10;

/** The icons of the dock, each in a square of 44 pixels; it shows the window of its name in front. */
const ICONS: readonly (readonly [id: string, colour: string, draw: (drawing: Drawing) => void])[] = [
  [
    "notes",
    "#e9a23b",
    (drawing) => {
      drawing.fillRound({ x: 12, y: 9, width: 20, height: 26 }, 3, WHITE);
      for (const [y, width] of [
        [15, 12],
        [20, 12],
        [25, 8],
      ] as const) {
        drawing.fillRound({ x: 16, y, width, height: 2 }, 1, "#d9912b");
      }
    },
  ],
  [
    "controls",
    "#5b6b80",
    (drawing) => {
      for (const [y, knobX] of [
        [13, 27],
        [22, 17],
        [31, 24],
      ] as const) {
        drawing.fillRound({ x: 10, y: y - 1, width: 24, height: 2 }, 1, WHITE);
        drawing.disc(knobX, y, 4, WHITE);
      }
    },
  ],
  [
    "files",
    "#3f84e5",
    (drawing) => {
      drawing.fillRound({ x: 9, y: 11, width: 12, height: 8 }, 2, "#d7e6ff");
      drawing.fillRound({ x: 9, y: 15, width: 26, height: 18 }, 3, WHITE);
    },
  ],
  [
    "status",
    "#2f9e6e",
    (drawing) => {
      const [xs, ys] = [
        [9, 15, 19, 25, 29, 35],
        [23, 23, 13, 32, 23, 23],
      ];
      drawing.line(
        xs.map((x, i) => ({ x, y: ys[i] ?? 0 })),
        WHITE,
        2.5,
      );
    },
  ],
];

/** The row of icons at the foot of a monitor. */
export function dockOf(monitor: Rect): {
  readonly dock: Rect;
  readonly icons: readonly (readonly [id: string, r: Rect])[];
} {
  const [width, height] = [ICONS.length * (ICON + GAP) - GAP + 2 * EDGE, ICON + 2 * EDGE + 4];
  const x = monitor.x + Math.round((monitor.width - width) / 2);
  const dock = { x, y: monitor.y + monitor.height - height - 12, width, height };
  const icons = ICONS.map(([id], i) => {
    const left = dock.x + EDGE + i * (ICON + GAP);
    return [id, { x: left, y: dock.y + EDGE - 1, width: ICON, height: ICON }] as const;
  });
  return { dock, icons };
}

/** Draws the dock, with a dot below the windows that are shown. */
export function drawDock(drawing: Drawing, monitor: Rect, shown: readonly string[], accent: Accent): void {
  const { dock, icons } = dockOf(monitor);
  drawing.fillRound(dock, 18, COLOUR.dock);
  for (const [i, [id, colour, draw]] of ICONS.entries()) {
    const { x, y } = icons[i]?.[1] ?? dock;
    drawing.fillRound({ x, y, width: ICON, height: ICON }, 11, colour);
    drawing.within(x, y, () => draw(drawing));
    if (shown.includes(id)) drawing.disc(x + ICON / 2, y + ICON + 7, 2.5, accent.plain);
  }
}
