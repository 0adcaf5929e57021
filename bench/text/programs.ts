import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import sharp from "sharp";
import * as z from "zod";
import { XDisplay } from "../../test/e2e/harness/x-display.ts";
import type { Shot } from "../../test/e2e/harness/xwd.ts";
import { type Owner, Program } from "../../test/support/program.ts";
import { until } from "../../test/support/until.ts";
import { inLines, type Scene } from "./scene.ts";
import { Wording } from "./wording.ts";

const SIZE = { width: 1100, height: 760 };
/** Debian's own, for which its packages of GTK, Qt and AT-SPI are. */
const PYTHON = "/usr/bin/python3";
/** Programs and browsers come slowly on a busy machine. */
export const PATIENCE_MS = 120_000;
const HERE = fileURLToPath(new URL("programs/", import.meta.url));

interface ProgramScene {
  readonly name: string;
  /** What says its text to assistive technology, besides a D-Bus session and a display. */
  readonly command: (files: Files) => readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Of xdotool: its window. */
  readonly window: string;
  /** Pixels of the screen for one of the program's. */
  readonly scale?: number;
  /** It says by itself where its words are, not to assistive technology. */
  readonly isTelling?: boolean;
}

/** What programs show: a file for windows of our own, and files for editors. */
interface Files {
  readonly content: string;
  readonly code: string;
  /** A Tcl list. */
  readonly list: string;
  readonly home: string;
}

const SCENES: readonly ProgramScene[] = [
  {
    name: "Qt 5 Fusion",
    command: ({ content }) => [PYTHON, join(HERE, "panel-qt.py"), content, "light", "10", "Roboto"],
    window: "panel-qt.py",
  },
  {
    name: "Qt 5 dark, small",
    command: ({ content }) => [PYTHON, join(HERE, "panel-qt.py"), content, "dark", "8", "Liberation Sans"],
    window: "panel-qt.py",
  },
  {
    name: "Qt 5 at 1.25",
    command: ({ content }) => [PYTHON, join(HERE, "panel-qt.py"), content, "light", "9", "Cantarell"],
    env: { QT_SCALE_FACTOR: "1.25" },
    window: "panel-qt.py",
    scale: 1.25,
  },
  {
    name: "GTK 3 Adwaita Cantarell",
    command: ({ content }) => [PYTHON, join(HERE, "panel-gtk.py"), content, "Adwaita", "Cantarell 11"],
    window: "panel-gtk.py",
  },
  {
    name: "GTK 3 dark, small",
    command: ({ content }) => [PYTHON, join(HERE, "panel-gtk.py"), content, "Adwaita-dark", "Roboto 8"],
    window: "panel-gtk.py",
  },
  {
    name: "GTK 3 HighContrast",
    command: ({ content }) => [PYTHON, join(HERE, "panel-gtk.py"), content, "HighContrast", "DejaVu Sans 10"],
    window: "panel-gtk.py",
  },
  {
    name: "mousepad dark",
    command: ({ code }) => ["mousepad", code],
    env: { GTK_THEME: "Adwaita:dark" },
    window: "mousepad",
  },
];

/** Of a program and fonts that reading was not improved on. */
const LATER: readonly ProgramScene[] = [
  {
    name: "Tk Lato",
    command: ({ list }) => ["wish", join(HERE, "panel-tk.tcl"), list],
    window: "Panel-tk",
    isTelling: true,
  },
];

/** Windows of GTK 3 and Qt 5 and editors, each on a display of its own; they say themselves where their words stand. */
export async function programScenes(owner: Owner, folder: string, most: number): Promise<Scene[]> {
  return await scenesOf(owner, folder, SCENES.slice(0, most), 7300);
}

/** The same of LATER. */
export async function laterProgramScenes(owner: Owner, folder: string, most: number): Promise<Scene[]> {
  return await scenesOf(owner, folder, LATER.slice(0, most), 7700);
}

async function scenesOf(
  owner: Owner,
  folder: string,
  programs: readonly ProgramScene[],
  seed: number,
): Promise<Scene[]> {
  const scenes: Scene[] = [];
  for (const [index, scene] of programs.entries()) {
    scenes.push(await programScene(owner, folder, scene, new Wording(seed + index)));
  }
  return scenes;
}

const toldWords = z.array(
  z.object({
    text: z.string(),
    box: z.tuple([z.number(), z.number(), z.number(), z.number()]),
    isExact: z.boolean(),
  }),
);

async function programScene(
  owner: Owner,
  folder: string,
  { name, command, env, window, scale = 1, isTelling = false }: ProgramScene,
  wording: Wording,
): Promise<Scene> {
  const display = await XDisplay.start(owner, {
    geometry: `${SIZE.width}x${SIZE.height}`,
    hasVnc: false,
  });
  const files = writeFiles(folder, wording);
  const program = new Program(
    owner,
    "unshare",
    // A process namespace: buses that the session opens end with it.
    [
      "--pid",
      "--fork",
      "--kill-child",
      "--mount-proc",
      "dbus-run-session",
      "--",
      ...(isTelling ? [] : [PYTHON, join(HERE, "accessible.py")]),
      ...command(files),
    ],
    {
      stdin: "pipe",
      env: {
        ...display.env,
        ...{
          HOME: files.home,
          QT_LINUX_ACCESSIBILITY_ALWAYS_ON: "1",
          QT_QPA_PLATFORM: "xcb",
          GSETTINGS_BACKEND: "memory",
        },
        ...env,
      },
    },
  );
  const id = await until(
    `the window of ${name}`,
    async () => {
      const found = await display.command("xdotool", "search", "--onlyvisible", "--class", window);
      return found.trim().split("\n").at(-1) || null;
    },
    PATIENCE_MS,
  );
  await display.command("xdotool", "windowmove", id, "0", "0");
  await display.command("xdotool", "windowsize", id, `${SIZE.width}`, `${SIZE.height}`);
  const shot = await stillPicture(display);
  const words = await toldBy(program);
  program.endInput(new Uint8Array());
  await until(`the end of ${name}`, () => !program.isRunning, PATIENCE_MS);
  await display.server.stop();
  return {
    ...{ name, kind: "program", knownFrom: 0 },
    file: await pngOf(shot),
    words: inLines(
      words.map(({ text, box: [x, y, width, height], isExact }) => ({
        text,
        isExact,
        rect: { x: x * scale, y: y * scale, width: width * scale, height: height * scale },
      })),
    ),
  };
}

/** What the program says twice alike: at first it knows little of itself. */
async function toldBy(program: Program): Promise<z.output<typeof toldWords>> {
  let told = 0;
  const ask = async (): Promise<string> => {
    program.write("\n");
    const lines = ++told;
    return await program.waitFor(
      "its words",
      ({ stdout }) => stdout.split("\n").slice(0, -1)[lines - 1] ?? null,
      PATIENCE_MS,
    );
  };
  const line = await until(
    "words that stay",
    async () => {
      const [first, second] = [await ask(), await ask()];
      return first === second && first.length > 400 ? first : null;
    },
    PATIENCE_MS,
  );
  return toldWords.parse(JSON.parse(line));
}

/** Two seconds without a change: programs draw their last parts late. */
export async function stillPicture(display: { shot(): Promise<Shot> }): Promise<Shot> {
  let last = await display.shot();
  let since = performance.now();
  return await until(
    "a picture that stays",
    async () => {
      const next = await display.shot();
      if (Buffer.compare(next.rgba, last.rgba) !== 0) since = performance.now();
      last = next;
      return performance.now() - since >= 2000 ? next : null;
    },
    60_000,
  );
}

export async function pngOf({ rgba, width, height }: Shot): Promise<Uint8Array> {
  return await sharp(rgba, { raw: { width, height, channels: 4 } })
    .png()
    .toBuffer();
}

function writeFiles(folder: string, w: Wording): Files {
  const many = <Kind>(count: number, make: () => Kind): Kind[] => Array.from({ length: count }, make);
  const path = (name: string, text: string): string => {
    const file = join(folder, name);
    writeFileSync(file, text);
    return file;
  };
  const content = {
    title: w.title(2),
    fields: many(6, () => [w.title(2), w.pick([w.mail(), w.date(), w.amount(), w.title(3)])]),
    switch: w.title(1),
    checks: many(4, () => w.title(3)),
    radios: many(3, () => w.title(2)),
    items: many(6, () => w.title(3)),
    head: many(5, () => w.title(1)),
    rows: many(14, () => [w.digits(5), w.title(2), w.date(), w.amount(), w.address()]),
    note: many(3, () => `${w.sentence()} ${w.sentence(true)}`).join("\n"),
    buttons: many(4, () => w.title(1)),
  };
  const code = many(60, () => codeLine(w)).join("\n");
  const { title, fields, items, buttons, note } = content;
  return {
    content: path("content.json", JSON.stringify(content)),
    code: path("source.c", code),
    list: path("content.tcl", listOf([title, note, fields, items, buttons])),
    home: folder,
  };
}

type Listed = string | readonly Listed[];

/** In Tcl; words of ours have no braces. */
const listOf = (of: readonly Listed[]): string =>
  of.map((one) => `{${typeof one === "string" ? one : listOf(one)}}`).join(" ");

/** A line as programmers write it. */
export function codeLine(w: Wording): string {
  const indent = "  ".repeat(w.int(0, 3));
  switch (w.int(0, 6)) {
    case 0:
      return `${indent}if (${w.word()}->${w.word()} >= 0x${w.digits(4)} && !${w.word()}[${w.int(0, 99)}]) {`;
    case 1:
      return `${indent}static const char *${w.word()}_${w.word()} = "${w.word()} ${w.word()}\\n";`;
    case 2:
      return `${indent}/* ${w.sentence()} */`;
    case 3:
      return `${indent}return ${w.word()}(${w.word()}, ${w.int(0, 900)}, &${w.word()}) + ${w.int(0, 9)};`;
    case 4:
      return `#include <${w.word()}/${w.word()}.h>`;
    case 5:
      return `${indent}for (int i = 0; i < ${w.word()}; i++) ${w.word()}[i] |= 1u << ${w.int(0, 31)};`;
    default:
      return `${indent}// ${w.word()}: ${w.sentence()}`;
  }
}
