import { writeFileSync } from "node:fs";
import { join } from "node:path";
import sharp from "sharp";
import * as z from "zod";
import { decodePicture } from "../../src/compositor/picture-file.ts";
import { Appliance } from "../../test/e2e/harness/appliance.ts";
import { XDisplay } from "../../test/e2e/harness/x-display.ts";
import type { XPrograms } from "../../test/e2e/harness/x-programs.ts";
import type { Shot } from "../../test/e2e/harness/xwd.ts";
import { startRdpTarget } from "../../test/e2e/targets/rdp-target.ts";
import type { Owner } from "../../test/support/program.ts";
import { until } from "../../test/support/until.ts";
import type { Scene, TrueWord } from "./scene.ts";
import { Wording } from "./wording.ts";

interface Terminal {
  readonly name: string;
  /** Default xterm. */
  readonly program?: "xterm" | "urxvt";
  /** Its options. */
  readonly font: readonly string[];
  readonly back: string;
  readonly fore: string;
  readonly columns: number;
  readonly rows: number;
  /** Words in ANSI's colours, bold and inverse, as `ls`, `git` and `htop` write them. */
  readonly isColoured?: boolean;
}

const xft = (name: string, points: number): readonly string[] => ["-fa", name, "-fs", `${points}`];

const TERMINALS: readonly Terminal[] = [
  { name: "6x13", font: ["-fn", "6x13"], back: "#0c1021", fore: "#e0e0d0", columns: 140, rows: 40 },
  { name: "7x13", font: ["-fn", "7x13"], back: "white", fore: "black", columns: 120, rows: 40 },
  { name: "8x13", font: ["-fn", "8x13"], back: "#300a24", fore: "white", columns: 110, rows: 36 },
  { name: "9x15", font: ["-fn", "9x15"], back: "#ffffdd", fore: "#202060", columns: 110, rows: 36 },
  { name: "10x20", font: ["-fn", "10x20"], back: "black", fore: "#33ff66", columns: 100, rows: 30 },
  { name: "6x10", font: ["-fn", "6x10"], back: "gray20", fore: "gray90", columns: 140, rows: 44 },
  {
    name: "DejaVu 9",
    font: xft("DejaVu Sans Mono", 9),
    back: "#fafafa",
    fore: "#383a42",
    columns: 120,
    rows: 36,
  },
  {
    name: "DejaVu 12",
    font: xft("DejaVu Sans Mono", 12),
    back: "#282c34",
    fore: "#abb2bf",
    columns: 100,
    rows: 32,
  },
  {
    name: "Liberation 11",
    font: xft("Liberation Mono", 11),
    back: "black",
    fore: "#c0c0c0",
    columns: 110,
    rows: 34,
  },
  {
    name: "Nimbus 12",
    font: xft("Nimbus Mono PS", 12),
    back: "#eee8d5",
    fore: "#073642",
    columns: 100,
    rows: 32,
  },
];

/** Of fonts and looks that reading was not improved on. */
const UNSEEN: readonly Terminal[] = [
  {
    ...{ name: "Hack 10 coloured", font: xft("Hack", 10), back: "#1e1e2e", fore: "#cdd6f4" },
    ...{ columns: 110, rows: 36, isColoured: true },
  },
  {
    ...{ name: "Terminus 8x16 coloured", font: ["-fn", "-*-terminus-medium-*-*-*-16-*-*-*-*-*-iso10646-1"] },
    ...{ back: "#002b36", fore: "#93a1a1", columns: 120, rows: 40, isColoured: true },
  },
  { name: "5x8", font: ["-fn", "5x8"], back: "#f8f8f2", fore: "#272822", columns: 150, rows: 60 },
  {
    ...{ name: "9x15 bold coloured", font: ["-fn", "9x15bold"], back: "#101010", fore: "#d0d0d0" },
    ...{ columns: 110, rows: 40, isColoured: true },
  },
  {
    ...{ name: "Hack 8", font: xft("Hack", 8), back: "#fdf6e3", fore: "#657b83" },
    ...{ columns: 130, rows: 48 },
  },
];

const LATER: readonly Terminal[] = [
  {
    ...{ name: "Inconsolata 12 coloured", program: "urxvt", font: ["-fn", "xft:Inconsolata:size=12"] },
    ...{ back: "#3b0d1f", fore: "#f5d76e", columns: 110, rows: 40, isColoured: true },
  },
];

const OVER_RDP: Terminal = {
  ...{ name: "Fira Code 9", font: xft("Fira Code", 9), back: "#0a2540", fore: "#e3e8ee" },
  ...{ columns: 120, rows: 40 },
};

const GEOMETRY = "1280x860";
const DESKTOPS = "/api/v1/desktops";

/** Pages of text in xterms of fonts and colours of their own, on a display that nothing else uses. */
export async function terminalScenes(owner: Owner, folder: string, most: number): Promise<Scene[]> {
  return await scenesOf(owner, folder, TERMINALS.slice(0, most), 9001);
}

/** The same of UNSEEN. */
export async function unseenTerminalScenes(owner: Owner, folder: string, most: number): Promise<Scene[]> {
  return await scenesOf(owner, folder, UNSEEN.slice(0, most), 6600);
}

/** The same in another program. */
export async function laterTerminalScenes(owner: Owner, folder: string, most: number): Promise<Scene[]> {
  return await scenesOf(owner, folder, LATER.slice(0, most), 5500);
}

async function scenesOf(
  owner: Owner,
  folder: string,
  terminals: readonly Terminal[],
  seed: number,
): Promise<Scene[]> {
  const scenes: Scene[] = [];
  for (const [index, terminal] of terminals.entries()) {
    scenes.push(await terminalScene(owner, folder, terminal, new Wording(seed + index)));
  }
  return scenes;
}

const LOOKS = ["1;32", "1;34", "31", "33", "36", "1", "7", "35", "4"];

/** Some words in other looks. */
function coloured(line: string, wording: Wording): string {
  return line.replace(/\S+/g, (word) =>
    wording.int(0, 3) === 0 ? `\x1b[${wording.pick(LOOKS)}m${word}\x1b[0m` : word,
  );
}

async function terminalScene(
  owner: Owner,
  folder: string,
  terminal: Terminal,
  wording: Wording,
): Promise<Scene> {
  const display = await XDisplay.start(owner, { geometry: GEOMETRY, hasVnc: false });
  return await sceneOn(display, () => display.shot(), folder, terminal, wording);
}

/** A page of text in a terminal, as an RDP host shows it to the appliance: xrdp in 32 bits, with a window manager. */
export async function rdpTerminalScenes(owner: Owner, folder: string): Promise<Scene[]> {
  const target = await startRdpTarget(owner, "xrdp-xorg");
  const { display } = target;
  if (display === null) throw new Error("xrdp without a display");
  const appliance = await Appliance.start(owner, { connect: [`${target.url}?size=1280x860`] });
  await display.isUp();
  const [desktop] = z
    .array(z.object({ id: z.string() }))
    .parse(await (await appliance.fetch(DESKTOPS)).json());
  const seen = async (): Promise<Shot> => {
    const answer = await appliance.fetch(`${DESKTOPS}/${desktop?.id}/screenshot.png`);
    const { width, height, rgba } = await decodePicture(new Uint8Array(await answer.arrayBuffer()));
    return { width, height, rgba: Uint8Array.from(rgba) };
  };
  // What the display shows comes to the appliance a moment later.
  const shot = (): Promise<Shot> =>
    until("the appliance to show what the display does", async () => {
      const [ours, theirs] = [await seen(), await target.truth()];
      return Buffer.compare(ours.rgba, theirs.rgba) === 0 ? ours : null;
    });
  const scene = await sceneOn(display, shot, folder, OVER_RDP, new Wording(4400));
  await appliance.program.stop();
  await target.kill();
  // The title above it is the window manager's.
  const top = Math.min(...scene.words.map(({ rect }) => rect?.y ?? 0));
  return [{ ...scene, name: `${scene.name} over xrdp`, kind: "xrdp", knownFrom: top }];
}

async function sceneOn(
  display: XPrograms,
  takeShot: () => Promise<Shot>,
  folder: string,
  { name, program = "xterm", font, back, fore, columns, rows, isColoured = false }: Terminal,
  wording: Wording,
): Promise<Scene> {
  const lines = Array.from({ length: rows - 1 }, () =>
    wording
      .shellLine()
      .slice(0, columns - 1)
      .trimEnd(),
  );
  const file = join(folder, `${name.replaceAll(" ", "-")}.txt`);
  writeFileSync(file, lines.map((line) => (isColoured ? coloured(line, wording) : line)).join("\n"));
  const look = ["-b", "0", "-bw", "0", "+sb", ...(program === "xterm" ? ["-u8"] : [])];
  // The title is set when all is written.
  const script = `printf '\\033[?25l'; cat '${file}'; printf '\\033]2;written\\007'; exec sleep 600`;
  const terminal = display.program(
    program,
    ...look,
    ...["-bg", back, "-fg", fore, ...font],
    "-geometry",
    `${columns}x${rows}+0+0`,
    "-e",
    "sh",
    "-c",
    script,
  );
  const window = await display.windowOf("written");
  const place = await display.placeOf(window);
  const shot = await until("a picture that stays", async () => {
    const [first, second] = [await takeShot(), await takeShot()];
    return Buffer.compare(first.rgba, second.rgba) === 0 ? second : null;
  });
  await terminal.stop();
  const [wide, high] = [place.width / columns, place.height / rows];
  const words = lines.flatMap((line, row) =>
    [...line.matchAll(/\S+/g)].map(
      (match): TrueWord => ({
        text: match[0],
        line: row,
        rect: {
          x: place.x + match.index * wide,
          y: place.y + row * high,
          width: match[0].length * wide,
          height: high,
        },
      }),
    ),
  );
  const { width, height } = shot;
  const png = await sharp(shot.rgba, { raw: { width, height, channels: 4 } })
    .png()
    .toBuffer();
  return { name: `${program} ${name}`, kind: program, file: png, words, knownFrom: 0 };
}
