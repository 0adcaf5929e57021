import { holdsPoint, type Rect, type Size } from "../framebuffer/rect.ts";
import { Region } from "../framebuffer/region.ts";
import type { Screen } from "../framebuffer/screen.ts";
import { momentOf } from "./clock.ts";
import { ControlsWindow } from "./controls-window.ts";
import { Dialog } from "./dialog.ts";
import { Dock } from "./dock.ts";
import type { Kind } from "./event-log.ts";
import type { KeyPress } from "./key.ts";
import { ListWindow } from "./list-window.ts";
import { Menu, type MenuItem } from "./menu.ts";
import { FIRST_SCREENS, FIRST_SIZE, mainMonitor } from "./monitors.ts";
import { NotesWindow } from "./notes-window.ts";
import type { Painter, Sprite } from "./painter.ts";
import { controlsPicture, filesPicture, notesPicture, statusPicture } from "./pictograms.ts";
import { StatusWindow } from "./status-window.ts";
import { TextField } from "./text-field.ts";
import { type Accent, BLUE, type Look } from "./theme.ts";
import { TopBar } from "./top-bar.ts";
import type { Typeface } from "./typeface.ts";
import { paintWallpaper, WALLPAPERS } from "./wallpaper.ts";
import type { PointerShape } from "./widget.ts";
import type { Window } from "./window.ts";
import { WindowStack } from "./window-stack.ts";

/** What the desktop needs of whoever shows it. */
export interface DemoDesktopHost {
  damage(region: Region): void;
  /** Offers text to those who watch. */
  copy(text: string): void;
  /** What one of those who watch offered last. */
  paste(): string;
}

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

/** What there is on the demo: windows, bar, dock, menu, wallpaper; how they answer; how they are painted. */
export class DemoDesktop {
  readonly #host: DemoDesktopHost;
  readonly #stack: WindowStack;
  readonly #notes: NotesWindow;
  readonly #controls: ControlsWindow;
  readonly #files = new ListWindow();
  readonly #status: StatusWindow;
  readonly #bar: TopBar;
  readonly #dock: Dock;
  #size: Size = FIRST_SIZE;
  #screens: readonly Screen[] = FIRST_SCREENS;
  #menu: Menu | null = null;
  #ground: Sprite | null = null;
  #wallpaper = 0;
  #accent: Accent = BLUE;
  #is24Hour = true;
  #date: Date;

  constructor(typeface: Typeface, date: Date, host: DemoDesktopHost) {
    this.#host = host;
    this.#date = date;
    const damage = (r: Rect): void => host.damage(Region.of(r));
    const monitor = mainMonitor(this.#screens).rect;
    this.#notes = new NotesWindow(typeface, host);
    this.#controls = new ControlsWindow({
      clockChanged: (is24Hour) => {
        this.#is24Hour = is24Hour;
        this.tell(this.#date);
      },
      accentChanged: (accent) => {
        this.#accent = accent;
        this.#damageAll();
      },
      textSizeChanged: (sizePx) => this.#notes.field.setTextSize(sizePx),
      saveAsked: () => this.#askToSave(),
    });
    this.#status = new StatusWindow(this.#screens.at(-1)?.rect ?? monitor);
    this.#bar = new TopBar(monitor, damage);
    this.#dock = new Dock(
      [
        { window: this.#notes, colour: "#e9a23b", picture: notesPicture },
        { window: this.#controls, colour: "#5b6b80", picture: controlsPicture },
        { window: this.#files, colour: "#3f84e5", picture: filesPicture },
        { window: this.#status, colour: "#2f9e6e", picture: statusPicture },
      ],
      monitor,
    );
    this.#stack = new WindowStack(
      (region) => host.damage(region),
      () => damage(this.#dock.rect),
    );
    for (const window of [this.#status, this.#files, this.#controls, this.#notes]) this.#stack.show(window);
    this.#notes.focus(this.#notes.field);
    this.tell(date);
  }

  get state(): DemoState {
    return {
      note: this.#notes.field.text,
      caret: this.#notes.field.caret,
      clicks: this.#controls.clicks,
      saves: this.#controls.saves,
      is24Hour: this.#is24Hour,
      accent: this.#accent.name,
      wallpaper: this.#wallpaper,
      firstRow: this.#files.list.first,
      selectedRow: this.#files.list.selection,
      rows: this.#files.list.rows.length,
      windows: this.#stack.windows.map(({ id }) => id),
      lastEvent: this.#status.log.latest,
    };
  }

  /** Where things are, by name: what is drawn now, of the windows that are shown. */
  elements(): Readonly<Record<string, Rect>> {
    const all = [
      ...this.#screens.map(({ rect }, i) => [`monitor.${i + 1}`, rect] as const),
      ["bar", this.#bar.rect] as const,
      ["bar.clock", this.#bar.timeRect] as const,
      ...this.#dock.elements(),
      ...this.#stack.windows.flatMap((window) => window.elements()),
      ...(this.#menu?.elements() ?? []),
    ];
    return Object.fromEntries(all);
  }

  /** Where a caret blinks, null where none does. */
  caretRect(): Rect | null {
    const window = this.#stack.active;
    const own = window?.focused?.caretRect() ?? null;
    return window === null || own === null
      ? null
      : { ...own, x: own.x + window.frame.x, y: own.y + window.frame.y };
  }

  shapeAt(x: number, y: number): PointerShape {
    return this.#menu?.holds(x, y) === true ? "arrow" : this.#stack.shapeAt(x, y);
  }

  /** Tells the clocks the time. */
  tell(date: Date): void {
    this.#date = date;
    const moment = momentOf(date, this.#is24Hour);
    this.#bar.show(moment);
    this.#status.clock.show(moment);
  }

  /** Counts something that arrived and is nobody's press: the clipboard. */
  record(kind: Kind, what: string): void {
    this.#status.log.record(kind, what);
  }

  place(size: Size, screens: readonly Screen[]): void {
    this.#size = size;
    this.#screens = screens;
    const monitor = mainMonitor(screens).rect;
    this.#bar.place(monitor);
    this.#dock.place(monitor);
    this.#menu = null;
    this.#ground = null;
    this.#stack.keepReachable(size);
    this.#damageAll();
  }

  pressLeft(x: number, y: number): void {
    this.record("Clicks", `Click at ${x}, ${y}`);
    if (this.#menu !== null) {
      if (!this.#menu.holds(x, y)) this.#closeMenu();
      return;
    }
    if (this.#stack.press(x, y)) return;
    const window = this.#dock.windowAt(x, y);
    if (window !== null) this.#stack.show(window);
  }

  releaseLeft(x: number, y: number): void {
    if (this.#menu?.holds(x, y) === true) this.#choose();
    else this.#stack.release(x, y);
  }

  pressRight(x: number, y: number): void {
    this.record("Clicks", `Right click at ${x}, ${y}`);
    if (this.#stack.active?.isModal === true) return;
    this.#closeMenu();
    const widget = this.#stack.widgetAt(x, y);
    const monitor = this.#screens.find(({ rect }) => holdsPoint(rect, x, y)) ?? mainMonitor(this.#screens);
    const items = widget instanceof TextField ? this.#textItems(widget) : this.#desktopItems();
    this.#menu = new Menu({ x, y }, monitor.rect, items, (r) => this.#host.damage(Region.of(r)));
    this.#host.damage(Region.of(this.#menu.outer));
  }

  move(x: number, y: number): void {
    if (this.#menu === null) this.#stack.move(x, y, this.#size);
    else this.#menu.hover(x, y);
  }

  /** One notch of the wheel, down positive. */
  wheel(x: number, y: number, notches: number): void {
    this.record("Wheel", notches > 0 ? "Wheel down" : "Wheel up");
    if (this.#menu === null) this.#stack.wheel(x, y, notches);
  }

  key(press: KeyPress): void {
    this.record("Keys", `Key ${press.isCtrl ? "Ctrl+" : ""}${press.isAlt ? "Alt+" : ""}${press.name}`);
    if (this.#menu === null) this.#stack.key(press);
    else if (press.name === "Escape") this.#closeMenu();
    else if (press.name === "Return") this.#choose();
    else this.#menu.key(press);
  }

  paint(painter: Painter, isCaretShown: boolean): void {
    const look: Look = { accent: this.#accent, isActive: false, isCaretShown };
    const monitors = this.#screens.map(({ rect }) => rect);
    this.#ground ??= paintWallpaper(painter, this.#size, monitors, this.#wallpaper);
    painter.image(this.#ground, 0, 0);
    if (painter.shows(this.#bar.rect)) this.#bar.paint(painter, look);
    if (painter.shows(this.#dock.rect)) {
      this.#dock.paint(painter, look, (window) => this.#stack.isShown(window));
    }
    this.#stack.paint(painter, look);
    if (this.#menu !== null && painter.shows(this.#menu.outer)) this.#menu.paint(painter, look);
  }

  #choose(): void {
    const item = this.#menu?.current ?? null;
    if (item === null) return;
    this.#closeMenu();
    item.act();
  }

  #closeMenu(): void {
    if (this.#menu !== null) this.#host.damage(Region.of(this.#menu.outer));
    this.#menu = null;
  }

  #textItems(field: TextField): readonly MenuItem[] {
    return [
      { name: "copy", label: "Copy all", act: () => this.#host.copy(field.text) },
      { name: "paste", label: "Paste", act: () => field.insert(this.#host.paste()) },
      { name: "clear", label: "Clear", act: () => field.clear() },
    ];
  }

  #desktopItems(): readonly MenuItem[] {
    return [
      { name: "tidy", label: "Tidy windows", act: () => this.#tidy() },
      { name: "wallpaper", label: "Next wallpaper", act: () => this.#nextWallpaper() },
      { name: "about", label: "About this desktop", act: () => this.#about() },
    ];
  }

  #tidy(): void {
    for (const window of [this.#status, this.#files, this.#controls, this.#notes]) {
      window.moveTo(window.home.x, window.home.y);
      this.#stack.show(window);
    }
    this.#stack.keepReachable(this.#size);
  }

  #nextWallpaper(): void {
    this.#wallpaper = (this.#wallpaper + 1) % WALLPAPERS;
    this.#ground = null;
    this.#damageAll();
  }

  #about(): void {
    const lines = [
      "Overlay Companion demo desktop",
      "Drawn in process, served over RFB.",
      "Nothing here can break.",
    ];
    this.#ask({ id: "about", title: "About", lines }, [{ name: "close", label: "Close", act: () => {} }]);
  }

  #askToSave(): void {
    const lines = ["Save this note to Files?", "It is kept until the demo ends."];
    this.#ask({ id: "dialog", title: "Save", lines }, [
      { name: "cancel", label: "Cancel", act: () => {} },
      { name: "save", label: "Save", act: () => this.#save() },
    ]);
  }

  #save(): void {
    this.#controls.noteSaved();
    const length = [...this.#notes.field.text].length;
    this.#files.list.prepend({ title: `Note ${this.#controls.saves}`, detail: `${length} characters` });
  }

  /** Shows a dialog that any answer closes. */
  #ask(
    text: ConstructorParameters<typeof Dialog>[0],
    answers: ConstructorParameters<typeof Dialog>[1],
  ): void {
    const dialog: Window = new Dialog(
      text,
      answers.map((answer) => ({
        ...answer,
        act: () => {
          this.#stack.hide(dialog);
          answer.act();
        },
      })),
      mainMonitor(this.#screens).rect,
    );
    this.#stack.show(dialog);
  }

  #damageAll(): void {
    this.#host.damage(Region.of({ x: 0, y: 0, ...this.#size }));
  }
}
