import { setTimeout as sleep } from "node:timers/promises";
import type { Framebuffer } from "../../../src/framebuffer/framebuffer.ts";
import { type Rect, rect } from "../../../src/framebuffer/rect.ts";
import type { Owner } from "../../support/program.ts";
import { until } from "../../support/until.ts";
import { type BrowserOnDisplay, openChromium } from "../agents/input-programs.ts";
import type { XPrograms } from "../harness/x-programs.ts";
import type { Planted } from "./planted.ts";
import { frameOf, type InkLook, inkAt, type Look, lookAt } from "./sight.ts";

/** What scenes are played on. */
export interface Stage {
  readonly owner: Owner;
  readonly display: XPrograms;
  readonly planted: readonly Planted[];
}

/** What a scene shows, learned from the target's own display before anybody must not see it. */
export interface Learned {
  readonly looks: readonly Look[];
  readonly inks: readonly InkLook[];
  /** What is left of private texts whose ends are rubbed out: no leak, and not clean either. */
  readonly remains?: readonly Look[];
  /** Plays it until that time. */
  play(untilMs: number): Promise<void>;
}

export interface SceneKind {
  readonly name: string;
  learn(stage: Stage): Promise<Learned>;
}

/** Cells of a terminal in DejaVu Sans Mono 10, and its border. */
const CELL = { width: 8, height: 17 };
const BORDER = 2;

/** Reverse video, DECSCNM. */
const DARK = "\\033[?5h";
const quoted = (text: string): string => `'${text}'`;

async function stillFrame(display: XPrograms): Promise<Framebuffer> {
  return await until("a still screen", async () => {
    const one = await display.shot();
    await sleep(120);
    const other = await display.shot();
    return Buffer.from(one.rgba).equals(other.rgba) ? frameOf(other) : null;
  });
}

/** How texts look in a terminal, light and dark. */
async function learnTerminal({ display, planted }: Stage): Promise<readonly Look[]> {
  const looks: Look[] = [];
  for (const start of ["", DARK]) {
    const rows = planted.map(({ text }) => quoted(text)).join(" ");
    const window = await display.openTerminal(
      "looks",
      `60x${planted.length + 1}+20+20`,
      `printf '\\033[?25l${start}'; printf '%s\\n' ${rows}; exec sleep 600`,
    );
    const place = await display.placeOf(window);
    const area = (row: number, text: string): Rect =>
      rect(place.x + BORDER, place.y + BORDER + row * CELL.height, text.length * CELL.width, CELL.height);
    looks.push(
      ...(await until("the looks", async () => {
        const frame = await stillFrame(display);
        const all = planted.map(({ text }, row) => lookAt(frame, text, area(row, text)));
        return all.every(({ patch }) => patch.ink > 40) ? all : null;
      })),
    );
    await display.command("xdotool", "windowkill", window);
  }
  return looks;
}

/** A scene of terminals: their titles and places, and what each runs for ever. */
function terminalScene(
  name: string,
  windows: (planted: readonly Planted[]) => readonly { readonly at: string; readonly script: string }[],
  act: (display: XPrograms, opened: readonly string[], step: number) => Promise<void> = () => sleep(100),
  { isClean = false, rubbedOut = 0 } = {},
): SceneKind {
  return {
    name,
    async learn(stage) {
      const { display, planted } = stage;
      const looks = isClean ? [] : await learnTerminal(stage);
      const left = planted.map(({ kind, text }) => ({ kind, text: text.slice(0, -rubbedOut) }));
      const remains = rubbedOut === 0 ? [] : await learnTerminal({ ...stage, planted: left });
      const play = async (untilMs: number): Promise<void> => {
        const opened: string[] = [];
        for (const [i, { at, script }] of windows(planted).entries())
          opened.push(await display.openTerminal(`${name} ${i}`, at, script));
        for (let step = 0; performance.now() < untilMs; step++) await act(display, opened, step);
        for (const window of opened) await display.command("xdotool", "windowkill", window);
      };
      return { looks, inks: [], remains, play };
    },
  };
}

const CLEAN = [
  "compiling module %s of the project",
  "the quick brown fox number %s jumps over",
  "step %s done without a warning",
];

/** Lines come one after the other, among them private ones, as fast as a build says them. */
const SCROLLING = terminalScene("scrolling", (planted) => {
  const private_ = planted.map(
    ({ text }, i) => `printf 'row %s has ${text} in it\\n' "$i"; sleep 0.${(i % 4) + 1}`,
  );
  const steps = private_.flatMap((one, i) => [`printf '${CLEAN[i % 3]}\\n' "$i"; sleep 0.1`, one]);
  const script = `i=0; while :; do i=$((i+1)); ${steps.join("; ")}; done`;
  return [
    { at: "70x14+30+40", script },
    { at: "70x14+200+360", script: `printf '${DARK}'; ${script}` },
  ];
});

/** All of a window is painted anew, each time elsewhere in it. */
const REPAINTING = terminalScene("repainting", (planted) => {
  const rows = planted.map(({ text }, i) => `printf '%*s${text} %s\\n' $(((i * 3 + ${i}) % 20)) '' $i`);
  const script = `printf '\\033[?25l'; i=0; while :; do i=$((i+1)); printf '\\033[2J\\033[H'; ${rows.join("; ")}; sleep 0.$((i % 7 + 2)); done`;
  return [{ at: `80x${planted.length + 2}+60+60`, script }];
});

/** Letters that are rubbed out of each typed text. */
const RUBBED_OUT = 2;
const RUB_OUT = "\\b \\b".repeat(RUBBED_OUT);

/** Texts are typed letter by letter, and their ends rubbed out again. */
const TYPING = terminalScene(
  "typing",
  (planted) => {
    const keys = planted.map(
      ({ text }) =>
        `printf 'note %s: ' $i; ${[...text].map((letter) => `printf '${letter}'; sleep 0.04`).join("; ")}; sleep 0.3; printf '${RUB_OUT}'; sleep 0.2; printf '\\n'`,
    );
    const script = `i=0; while :; do i=$((i+1)); ${keys.join("; ")}; done`;
    return [
      { at: "70x10+40+80", script },
      { at: "70x10+120+380", script: `printf '${DARK}'; sleep 1; ${script}` },
    ];
  },
  undefined,
  { rubbedOut: RUBBED_OUT },
);

/** Windows that stand still inside are moved over one another. */
const MOVING = terminalScene(
  "moving windows",
  (planted) => {
    const show = (from: number, start: string): string =>
      `printf '${start}'; printf '%s\\n' 'nothing private here' ${planted
        .slice(from)
        .map(({ text }) => quoted(text))
        .join(" ")}; exec sleep 6000`;
    const half = Math.floor(planted.length / 2);
    return [
      { at: "56x18+40+60", script: show(0, "") },
      { at: "56x10+260+260", script: show(half, DARK) },
      { at: "40x6+420+120", script: `printf '%s\\n' 'a clean window' 'that covers others'; exec sleep 6000` },
    ];
  },
  async (display, opened, step) => {
    const window = opened[step % opened.length] ?? "";
    const [x, y] = [20 + ((step * 37) % 300), 20 + ((step * 29) % 260)];
    const raise = step % 2 === 0 ? ["windowraise", window] : [];
    await display.command("xdotool", "windowmove", window, `${x}`, `${y}`, ...raise);
    await sleep(150);
  },
);

const ZOOMS = 5;
/** Resolves once the page was painted as it is now. */
const PAINTED =
  "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 100))))";

/** A page of a browser is zoomed in and out. */
const ZOOMING: SceneKind = {
  name: "zooming",
  async learn({ owner, display, planted }) {
    const rows = planted.map(
      ({ text }, i) =>
        `<p style="font-size:${12 + (i % 4) * 2}px">Customer ${i}: <span id="p${i}">${text}</span> is known</p>`,
    );
    const html = `<!doctype html><title>inputs</title><style>body{margin:16px;font-family:DejaVu Sans,sans-serif}p{margin:6px;white-space:nowrap}</style><h3>A list of customers</h3>${rows.join("")}`;
    const browser: BrowserOnDisplay = await openChromium(owner, display, html);
    const window = (await display.command("xdotool", "search", "--onlyvisible", "--name", "^inputs")).trim();
    const id = window.split("\n").at(-1) ?? "";
    const corner = await browser.place("p0", 0, 0);
    const first = await browser.page.evaluate<{ x: number; y: number }>(
      "(({ x, y }) => ({ x, y }))(document.getElementById('p0').getBoundingClientRect())",
    );
    const inside = { x: corner.x - first.x, y: corner.y - first.y };
    const looks: Look[] = [];
    const zoom = async (key: string): Promise<void> => {
      await display.command("xdotool", "windowfocus", id, "key", "--clearmodifiers", `ctrl+${key}`);
    };
    const learn = async (): Promise<void> => {
      // A screen that stands still may be one that the browser has not painted yet.
      await browser.page.evaluate(PAINTED);
      const frame = await stillFrame(display);
      const boxes = await browser.page.evaluate<readonly Rect[]>(
        "[...document.querySelectorAll('span')].map((one) => { const b = one.getBoundingClientRect(), d = devicePixelRatio; return { x: b.x * d, y: b.y * d, width: b.width * d, height: b.height * d }; })",
      );
      boxes.forEach((box, i) => {
        const at = rect(
          Math.ceil(inside.x + box.x),
          Math.ceil(inside.y + box.y),
          Math.floor(box.width) - 1,
          Math.floor(box.height) - 2,
        );
        const isWithin = at.x + at.width < 790 && at.y + at.height < 690;
        if (isWithin) looks.push(lookAt(frame, planted[i]?.text ?? "", at));
      });
    };
    await learn();
    for (let i = 1; i < ZOOMS; i++) {
      const before = await browser.page.evaluate<number>("devicePixelRatio");
      await zoom("plus");
      await until("the zoom", async () => (await browser.page.evaluate<number>("devicePixelRatio")) > before);
      await learn();
    }
    await zoom("0");
    await stillFrame(display);
    await display.command("xdotool", "windowunmap", id);
    const play = async (untilMs: number): Promise<void> => {
      await display.command("xdotool", "windowmap", "--sync", id);
      await display.command("xdotool", "windowmove", id, "0", "0");
      for (let step = 0; performance.now() < untilMs; step++) {
        await zoom(step % 8 < 4 ? "plus" : "minus");
        await sleep(step % 3 === 0 ? 900 : 350);
      }
      await zoom("0");
      await display.command("xdotool", "windowunmap", id);
    };
    return { looks: looks.filter(({ patch }) => patch.ink > 40), inks: [], play };
  },
};

/** Where the film is, and its pictures a second. */
export const FILM = { ...rect(120, 120, 480, 270), rate: 15 };
const FONT = "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf";
const WHITE = 0xffffffff;

interface Caption {
  readonly text: string;
  readonly y: number;
  /** On a plate of its own, or over the film itself. */
  readonly hasPlate: boolean;
}

/** FFmpeg's filter language: what has a meaning in it is escaped, twice within a value. */
const filtered = (text: string): string => text.replace(/[\\:',[\];%]/g, (sign) => `\\\\${sign}`);

function filmOf(source: string, captions: readonly Caption[], when: string): string {
  const { width, height, rate } = FILM;
  const drawn = captions.map(
    ({ text, y, hasPlate }) =>
      `drawtext=fontfile=${FONT}:expansion=none:text=${filtered(text)}:fontsize=18:fontcolor=white:x=20:y=${y}` +
      `${hasPlate ? ":box=1:boxcolor=black:boxborderw=8" : ""}${when}`,
  );
  return [`${source}=size=${width}x${height}:rate=${rate}`, "format=bgr0", ...drawn].join(",");
}

function playFilm({ owner, display }: Stage, title: string, graph: string) {
  const { x, y, width, height } = FILM;
  const place = ["-left", `${x}`, "-top", `${y}`, "-x", `${width}`, "-y", `${height}`, "-noborder"];
  const program = display.program(
    "ffplay",
    ...["-hide_banner", "-loglevel", "error", "-an", "-sn", "-framedrop", "-window_title", title],
    ...place,
    ...["-f", "lavfi", "-i", graph],
  );
  owner.teardown(() => program.stop());
  return program;
}

/** A film, with captions that come and go. */
const FILM_SCENE: SceneKind = {
  name: "film",
  async learn(stage) {
    const { display, planted } = stage;
    const captions = planted.slice(0, 6).map(({ text }, i) => ({
      ...{ text, y: 16 + i * 42, hasPlate: i % 2 === 0 },
    }));
    const black = playFilm(
      stage,
      "black film",
      filmOf("color=c=black", captions, "").replace("black=size", "black:size"),
    );
    const window = await display.windowOf("black film");
    const inks = await until("the captions", async () => {
      const place = await display.placeOf(window);
      if (place.x !== FILM.x || place.y !== FILM.y) throw new Error(`the film is at ${place.x},${place.y}`);
      const frame = await stillFrame(display);
      const all = captions.map(({ text, y }) =>
        inkAt(frame, text, rect(FILM.x + 10, FILM.y + y - 6, FILM.width - 20, 34), WHITE),
      );
      return all.every(({ pixels }) => pixels.length > 100) ? all : null;
    });
    await black.stop();
    const play = async (untilMs: number): Promise<void> => {
      const film = playFilm(stage, "a film", filmOf("testsrc2", captions, ":enable='gte(mod(t,6),2)'"));
      await display.windowOf("a film");
      while (performance.now() < untilMs) await sleep(100);
      await film.stop();
    };
    return { looks: [], inks, play };
  },
};

/** The same film without a caption: nothing of it is private. */
export const CLEAN_FILM: SceneKind = {
  name: "clean film",
  async learn(stage) {
    const play = async (untilMs: number): Promise<void> => {
      const film = playFilm(stage, "clean film", filmOf("testsrc2", [], ""));
      await stage.display.windowOf("clean film");
      while (performance.now() < untilMs) await sleep(100);
      await film.stop();
    };
    return { looks: [], inks: [], play };
  },
};

/** What people do all day, with nothing private in it: lines that scroll, a line that is typed, a window that is moved. */
const CLEAN_WORK = terminalScene(
  "clean work",
  () => {
    const lines = CLEAN.map((line) => `printf '${line}\\n' "$i"; sleep 0.3`);
    const typed = [...`echo ${CLEAN[0]?.replace("%s", "seven")}`].map(
      (letter) => `printf '${letter}'; sleep 0.08`,
    );
    return [
      { at: "70x12+30+40", script: `i=0; while :; do i=$((i+1)); ${lines.join("; ")}; done` },
      { at: "60x8+60+380", script: `while :; do ${typed.join("; ")}; printf '\\n'; sleep 0.4; done` },
      { at: "40x6+420+300", script: `printf '%s\\n' 'a window' 'that is moved'; exec sleep 6000` },
    ];
  },
  async (display, opened, step) => {
    const [x, y] = [380 + ((step * 37) % 100), 280 + ((step * 29) % 80)];
    await display.command("xdotool", "windowmove", opened[2] ?? "", `${x}`, `${y}`);
    await sleep(1200);
  },
  { isClean: true },
);

const FIRST_MS = 4000;

/** Screens of text stand still when a mask is set, which covers all until it was read; nothing of it is private. */
export function firstReading(setMask: () => Promise<void>): SceneKind {
  const text = Array.from({ length: 24 }, (_, i) => quoted(CLEAN[i % 3]?.replace("%s", `${i}`) ?? ""));
  const script = `printf '%s\\n' ${text.join(" ")}; exec sleep 6000`;
  const windows = [
    { at: "70x14+30+40", script },
    { at: "60x12+200+380", script: `printf '${DARK}'; ${script}` },
  ];
  return {
    name: "first reading",
    async learn({ display }) {
      const play = async (): Promise<void> => {
        const opened: string[] = [];
        for (const [i, one] of windows.entries())
          opened.push(await display.openTerminal(`first ${i}`, one.at, one.script));
        await stillFrame(display);
        await setMask();
        await sleep(FIRST_MS);
        for (const window of opened) await display.command("xdotool", "windowkill", window);
      };
      return { looks: [], inks: [], play };
    },
  };
}

export const SCENES: readonly SceneKind[] = [SCROLLING, REPAINTING, TYPING, MOVING, ZOOMING, FILM_SCENE];

/** Scenes that nothing is hidden in. */
export const CLEAN_SCENES: readonly SceneKind[] = [CLEAN_WORK, CLEAN_FILM];
