import { holdsPoint, type Rect, type Size } from "../framebuffer/rect.ts";
import type { Screen } from "../framebuffer/screen.ts";
import { button, choice, label, slider, toggle } from "./controls.ts";
import { type DialogAnswer, dialog } from "./dialog.ts";
import { Drawing, type Sprite } from "./drawing.ts";
import { EventLog, type Kind } from "./event-log.ts";
import type { KeyPress } from "./key.ts";
import { ListBox, type ListRow, ROW_HEIGHT } from "./list-box.ts";
import { Menu, type MenuItem } from "./menu.ts";
import { barOf, dockOf, drawBar, drawDock, momentOf } from "./panels.ts";
import { TextField, type TextFieldHost } from "./text-field.ts";
import { ACCENTS, type Accent, BLUE, COLOUR, FONT, METRIC } from "./theme.ts";
import type { Typeface } from "./typeface.ts";
import { WALLPAPERS, wallpaper } from "./wallpaper.ts";
import { type Window, WindowStack } from "./windows.ts";

/** What a test or a document may want to know of the desktop, beside its pixels. */
export interface DemoState {
  readonly note: string;
  readonly caret: number;
  readonly clicks: number;
  readonly saves: number;
  readonly is24Hour: boolean;
  readonly accent: string;
  readonly wallpaper: number;
  readonly firstRow: number;
  readonly selectedRow: number | null;
  readonly rows: number;
  /** Ids of the windows shown, the one in front last. */
  readonly windows: readonly string[];
  readonly lastEvent: string | null;
}

const HINT = [
  "Click here and type.",
  "",
  "Everything here works: drag a window by its title, scroll",
  "the list, press the buttons, right-click for a menu.",
] as const;

const FOLDERS = ["Reports", "Invoices", "Photos", "Drafts", "Archive"];
const MONTHS = ["January", "March", "April", "June", "August", "September", "October", "December"];

/** Forty files that are the same at every start. */
const FILES: readonly ListRow[] = FOLDERS.flatMap((folder, i) =>
  MONTHS.map((month, j) => ({
    title: `${folder} ${month}`,
    detail: `${((i * 37 + j * 53) % 90) + 10} KB`,
  })),
);

const { padding: PAD, titleHeight: TITLE } = METRIC;
/** What a window says below what it holds. */
const FOOT = 36;
const NOTES = { width: 660, height: 362 } as const;
const CONTROLS = { width: 400, height: 404 } as const;
const LIST = { width: 468, height: 5 * ROW_HEIGHT + 8 } as const;
const FILES_SIZE = { width: LIST.width + 2 * PAD, height: TITLE + PAD + LIST.height + FOOT } as const;
const STATUS = { width: 560, height: 560 } as const;
const TEXT_SIZE = { least: 12, most: 28 } as const;

/** What there is on the demo: windows, bar, dock, menu, wallpaper; how they answer; how they are drawn. */
export class DemoDesktop {
  readonly #typeface: Typeface;
  readonly #host: TextFieldHost;
  readonly #note: TextField;
  readonly #list: ListBox;
  readonly #log = new EventLog();
  readonly #stack: WindowStack;
  /** As they stand at first, the last one in front. */
  readonly #windows: readonly Window[];
  #size: Size;
  #screens: readonly Screen[];
  #menu: Menu | null = null;
  #ground: Sprite | null = null;
  #wallpaper = 0;
  #accent: Accent = BLUE;
  #textSize = 16;
  #is24Hour = true;
  #clicks = 0;
  #saves = 0;
  #date: Date;

  constructor(typeface: Typeface, date: Date, size: Size, screens: readonly Screen[], host: TextFieldHost) {
    this.#typeface = typeface;
    this.#host = host;
    this.#date = date;
    this.#size = size;
    this.#screens = screens;
    const field = {
      x: PAD,
      y: TITLE + PAD,
      width: NOTES.width - 2 * PAD,
      height: NOTES.height - TITLE - PAD - FOOT,
    };
    this.#note = new TextField("notes.text", field, HINT, typeface, host);
    this.#list = new ListBox("list", { x: PAD, y: TITLE + PAD, ...LIST }, FILES);
    this.#stack = new WindowStack(size);
    const notes = this.#notesWindow();
    this.#windows = [this.#statusWindow(), this.#filesWindow(), this.#controlsWindow(), notes];
    for (const window of this.#windows) this.#stack.show(window);
    this.#stack.focus(notes, this.#note);
  }

  get state(): DemoState {
    return {
      note: this.#note.text,
      caret: this.#note.caret,
      clicks: this.#clicks,
      saves: this.#saves,
      is24Hour: this.#is24Hour,
      accent: this.#accent.name,
      wallpaper: this.#wallpaper,
      firstRow: this.#list.first,
      selectedRow: this.#list.selection,
      rows: this.#list.rows.length,
      windows: this.#stack.ids,
      lastEvent: this.#log.latest,
    };
  }

  /** Where things are, by name: what is drawn now, of the windows that are shown. */
  elements(): Readonly<Record<string, Rect>> {
    const { bar, time } = barOf(this.#monitor);
    return Object.fromEntries<Rect>([
      ...this.#screens.map(({ rect }, i) => [`monitor.${i + 1}`, rect] as const),
      ["bar", bar],
      ["bar.clock", time],
      ...dockOf(this.#monitor).icons.map(([id, r]) => [`dock.${id}`, r] as const),
      ...this.#stack.elements(),
      ...(this.#menu?.elements() ?? []),
    ]);
  }

  /** The pointer is an I-beam there. */
  isTextAt(x: number, y: number): boolean {
    return this.#menu?.holds(x, y) !== true && this.#stack.isTextAt(x, y);
  }

  /** Tells the clocks the time. */
  tell(date: Date): void {
    this.#date = date;
  }

  /** Counts something that arrived and is nobody's press: the clipboard. */
  record(kind: Kind, what: string): void {
    this.#log.record(kind, what);
  }

  place(size: Size, screens: readonly Screen[]): void {
    this.#size = size;
    this.#screens = screens;
    this.#menu = null;
    this.#ground = null;
    this.#stack.resize(size);
  }

  pressLeft(x: number, y: number): void {
    this.record("Clicks", `Click at ${x}, ${y}`);
    if (this.#menu !== null) {
      if (!this.#menu.holds(x, y)) this.#menu = null;
      return;
    }
    if (this.#stack.press(x, y)) return;
    const icon = dockOf(this.#monitor).icons.find(([, r]) => holdsPoint(r, x, y));
    const window = this.#windows.find(({ id }) => id === icon?.[0]);
    if (window !== undefined) this.#stack.show(window);
  }

  releaseLeft(x: number, y: number): void {
    if (this.#menu?.holds(x, y) === true) this.#choose();
    else this.#stack.release(x, y);
  }

  pressRight(x: number, y: number): void {
    this.record("Clicks", `Right click at ${x}, ${y}`);
    if (this.#stack.isModal) return;
    const monitor = this.#screens.find(({ rect }) => holdsPoint(rect, x, y))?.rect ?? this.#monitor;
    const isNote = this.#stack.controlAt(x, y) === this.#note;
    this.#menu = new Menu({ x, y }, monitor, isNote ? this.#noteItems() : this.#desktopItems());
  }

  /** The pointer is at (x, y). True where something may look different for it. */
  move(x: number, y: number): boolean {
    return this.#menu === null ? this.#stack.move(x, y) : this.#menu.hover(x, y);
  }

  /** One notch of the wheel, down positive. */
  wheel(x: number, y: number, notches: number): void {
    this.record("Wheel", notches > 0 ? "Wheel down" : "Wheel up");
    if (this.#menu === null) this.#stack.controlAt(x, y)?.wheel?.(notches);
  }

  key(press: KeyPress): void {
    const { name } = press;
    this.record("Keys", `Key ${press.isCtrl ? "Ctrl+" : ""}${press.isAlt ? "Alt+" : ""}${name}`);
    if (this.#menu === null) this.#stack.key(press);
    else if (name === "Escape") this.#menu = null;
    else if (name === "Return") this.#choose();
    else if (name === "Down" || name === "Up") this.#menu.step(name === "Down" ? 1 : -1);
  }

  draw(isCaretShown: boolean): Drawing {
    const drawing = new Drawing(this.#typeface);
    const accent = this.#accent;
    const monitors = this.#screens.map(({ rect }) => rect);
    this.#ground ??= wallpaper(drawing, this.#size, monitors, this.#wallpaper);
    drawing.image(this.#ground, 0, 0);
    drawBar(drawing, this.#monitor, momentOf(this.#date, this.#is24Hour), accent);
    drawDock(drawing, this.#monitor, this.#stack.ids, accent);
    this.#stack.draw(drawing, { accent, isCaretShown });
    this.#menu?.draw(drawing, accent);
    return drawing;
  }

  /** The monitor that has the bar and the dock: the leftmost of the topmost. */
  get #monitor(): Rect {
    const rects = this.#screens.map(({ rect }) => rect);
    const [first] = rects.sort((a, b) => a.y - b.y || a.x - b.x);
    return first ?? { x: 0, y: 0, ...this.#size };
  }

  /** "Notes": a field that shows what is typed, and below it how much that is. */
  #notesWindow(): Window {
    const foot = { x: PAD, y: NOTES.height - FOOT, width: NOTES.width / 2 - PAD, height: FOOT };
    return {
      id: "notes",
      title: "Notes",
      home: { x: 64, y: 72 },
      size: NOTES,
      controls: () => [this.#note],
      draw: (drawing) => {
        const { length } = this.#note;
        const count = length === 1 ? "1 character" : `${length} characters`;
        label(drawing, foot, count, FONT.small, COLOUR.quiet);
        const right = { ...foot, x: NOTES.width / 2 };
        label(drawing, right, "Ctrl+C copies all · Ctrl+V pastes", FONT.small, COLOUR.quiet, true);
      },
    };
  }

  /** "Controls": a counter, a switch, a choice of three, a slider and a button that opens a dialog; all have an effect. */
  #controlsWindow(): Window {
    const row = (top: number, height: number): Rect => ({
      x: PAD,
      y: TITLE + PAD + top,
      width: CONTROLS.width - 2 * PAD,
      height,
    });
    const foot = row(CONTROLS.height - TITLE - 2 * PAD - 40, 40);
    const save = { ...foot, x: foot.x + foot.width - 120, width: 120 };
    const times = (count: number): string => (count === 1 ? "once" : `${count} times`);
    const accents = ACCENTS.map(({ name }) => name);
    return {
      id: "controls",
      title: "Controls",
      home: { x: 796, y: 104 },
      size: CONTROLS,
      controls: () => [
        button(
          "controls.counter",
          row(0, 40),
          this.#clicks === 0 ? "Click me" : `Clicked ${times(this.#clicks)}`,
          () => {
            this.#clicks++;
          },
        ),
        toggle("controls.toggle", row(60, 32), "24-hour clock", this.#is24Hour, () => {
          this.#is24Hour = !this.#is24Hour;
        }),
        choice("controls.accent", row(136, 32), accents, ACCENTS.indexOf(this.#accent), (index) => {
          this.#accent = ACCENTS[index] ?? BLUE;
        }),
        slider("controls.slider", row(212, 32), { ...TEXT_SIZE, value: this.#textSize }, (sizePx) => {
          this.#textSize = sizePx;
          this.#note.setTextSize(sizePx);
        }),
        button("controls.save", save, "Save…", () => this.#askToSave(), true),
      ],
      draw: (drawing) => {
        label(drawing, row(112, 20), "Accent colour", FONT.smallStrong, COLOUR.quiet);
        label(drawing, row(188, 20), "Text size in Notes", FONT.smallStrong, COLOUR.quiet);
        label(drawing, row(188, 20), `${this.#textSize} px`, FONT.small, COLOUR.quiet, true);
        const saved = this.#saves === 0 ? "Nothing saved yet" : `Saved ${times(this.#saves)}`;
        label(drawing, { ...foot, width: 214 }, saved, FONT.small, COLOUR.quiet);
      },
    };
  }

  /** "Files": a list that scrolls, and below it what is selected. */
  #filesWindow(): Window {
    const foot = { x: PAD, y: FILES_SIZE.height - FOOT, width: LIST.width, height: FOOT };
    return {
      id: "files",
      title: "Files",
      home: { x: 140, y: 448 },
      size: FILES_SIZE,
      controls: () => [this.#list],
      draw: (drawing) => {
        const row = this.#list.rows[this.#list.selection ?? -1];
        const text = row === undefined ? "Nothing selected" : `Selected: ${row.title}`;
        label(drawing, foot, text, FONT.small, COLOUR.quiet);
      },
    };
  }

  /** "Status": the clock, and what arrived from those who watch. It stands in the middle of the last monitor. */
  #statusWindow(): Window {
    const monitor = this.#screens.at(-1)?.rect ?? this.#monitor;
    const [x, y] = [PAD + 6, TITLE + PAD + 4];
    const clock = { x, y, width: STATUS.width - 2 * x, height: 100 };
    return {
      id: "status",
      title: "Status",
      home: { x: monitor.x + Math.round((monitor.width - STATUS.width) / 2), y: monitor.y + 108 },
      size: STATUS,
      controls: () => [],
      draw: (drawing) => {
        const { time, day } = momentOf(this.#date, this.#is24Hour);
        drawing.text(time, x, y + 32, FONT.clock, COLOUR.ink);
        drawing.text(day, x + 2, y + 80, FONT.body, COLOUR.quiet);
        this.#log.draw(drawing, { ...clock, y: y + clock.height + 16 }, this.#accent);
      },
    };
  }

  #choose(): void {
    const item = this.#menu?.current ?? null;
    if (item === null) return;
    this.#menu = null;
    item.act();
  }

  #noteItems(): readonly MenuItem[] {
    return [
      { name: "copy", label: "Copy all", act: () => this.#host.copy(this.#note.text) },
      { name: "paste", label: "Paste", act: () => this.#note.insert(this.#host.paste()) },
      { name: "clear", label: "Clear", act: () => this.#note.clear() },
    ];
  }

  #desktopItems(): readonly MenuItem[] {
    return [
      { name: "tidy", label: "Tidy windows", act: () => this.#stack.tidy(this.#windows) },
      { name: "wallpaper", label: "Next wallpaper", act: () => this.#nextWallpaper() },
      { name: "about", label: "About this desktop", act: () => this.#about() },
    ];
  }

  #nextWallpaper(): void {
    this.#wallpaper = (this.#wallpaper + 1) % WALLPAPERS;
    this.#ground = null;
  }

  #about(): void {
    this.#ask(
      "about",
      "About",
      ["Overlay Companion demo desktop", "Drawn in process, served over RFB.", "Nothing here can break."],
      [{ name: "close", label: "Close", act: () => {} }],
    );
  }

  #askToSave(): void {
    this.#ask(
      "dialog",
      "Save",
      ["Save this note to Files?", "It is kept until the demo ends."],
      [
        { name: "cancel", label: "Cancel", act: () => {} },
        { name: "save", label: "Save", act: () => this.#save() },
      ],
    );
  }

  #save(): void {
    this.#saves++;
    this.#list.prepend({ title: `Note ${this.#saves}`, detail: `${this.#note.length} characters` });
  }

  /** Asks a question that any answer closes. */
  #ask(id: string, title: string, lines: readonly string[], answers: readonly DialogAnswer[]): void {
    const window = dialog({ id, title, lines, answers }, this.#monitor, (answer) => {
      this.#stack.hide(window);
      answer.act();
    });
    this.#stack.show(window);
  }
}
