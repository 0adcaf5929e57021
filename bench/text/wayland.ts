import { execFile } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { readPpm } from "../../test/e2e/harness/ppm.ts";
import type { Shot } from "../../test/e2e/harness/xwd.ts";
import { type Owner, Program } from "../../test/support/program.ts";
import { until } from "../../test/support/until.ts";
import { pngOf, stillPicture } from "./programs.ts";
import type { Scene } from "./scene.ts";
import { Wording } from "./wording.ts";

const run = promisify(execFile);

/** sway refuses root: it and all it starts run as nobody, in a folder of nobody's. */
const NOBODY = 65_534;
const AS_NOBODY = [`--reuid=${NOBODY}`, `--regid=${NOBODY}`, "--clear-groups"];

interface WaylandScene {
  readonly name: string;
  /** Default foot. */
  readonly program?: "foot" | "weston-terminal";
  /** Pixels of the screen for one of sway's. */
  readonly scale: number;
  /** As foot takes it; weston-terminal takes a name. */
  readonly font: string;
  readonly back: string;
  readonly fore: string;
}

const SCENES: readonly WaylandScene[] = [
  { name: "foot 1.5", scale: 1.5, font: "DejaVu Sans Mono:size=8", back: "1c1c1c", fore: "dcdccc" },
  { name: "foot 1.25", scale: 1.25, font: "Hack:size=9", back: "fbf1c7", fore: "3c3836" },
];

/** Of fonts, and a program, that reading was not improved on. */
const LATER: readonly WaylandScene[] = [
  { name: "foot Fira Code", scale: 1, font: "Fira Code:size=10", back: "0b3d4a", fore: "e4f1d0" },
  {
    ...{ name: "weston-terminal Inconsolata", program: "weston-terminal", scale: 1, font: "Inconsolata" },
    ...{ back: "", fore: "" },
  },
];

const ROWS = 30;
const COLUMNS = 90;

/** Terminals of Wayland on screens of a fractional scale, as sway shows them to wayvnc. */
export async function waylandScenes(owner: Owner, _folder: string, most: number): Promise<Scene[]> {
  return await scenesOf(owner, SCENES.slice(0, most), 8100);
}

/** The same of LATER. */
export async function laterWaylandScenes(owner: Owner, _folder: string, most: number): Promise<Scene[]> {
  return await scenesOf(owner, LATER.slice(0, most), 8500);
}

async function scenesOf(owner: Owner, looks: readonly WaylandScene[], seed: number): Promise<Scene[]> {
  const scenes: Scene[] = [];
  for (const [index, scene] of looks.entries()) {
    scenes.push(await waylandScene(owner, scene, new Wording(seed + index)));
  }
  return scenes;
}

async function waylandScene(
  owner: Owner,
  { name, program = "foot", scale, font, back, fore }: WaylandScene,
  wording: Wording,
): Promise<Scene> {
  const folder = mkdtempSync(join(tmpdir(), "oc-sway-"));
  owner.teardown(() => rmSync(folder, { recursive: true, force: true }));
  chmodSync(folder, 0o755);
  const home = join(folder, "home");
  mkdirSync(home, { mode: 0o700 });
  const lines = Array.from({ length: ROWS }, () => wording.shellLine().slice(0, COLUMNS).trimEnd());
  writeFileSync(join(folder, "text"), lines.join("\n"));
  writeFileSync(
    join(folder, "foot.ini"),
    `[main]\nfont=${font}\npad=4x4\n[cursor]\nblink=no\n[colors]\nbackground=${back}\nforeground=${fore}\n`,
  );
  const script = join(folder, "show");
  // Weston's terminal fills the screen only after its start, and forgets the lines that do not fit before that.
  const waits = `while [ "$(stty size | cut -d' ' -f1)" -lt ${ROWS} ]; do sleep 0.1; done`;
  writeFileSync(script, `#!/bin/sh\n${waits}\nprintf '\\033[?25l'; cat ${folder}/text; exec sleep 600\n`, {
    mode: 0o755,
  });
  const command = {
    foot: `foot -F -c ${folder}/foot.ini ${script}`,
    "weston-terminal": `weston-terminal --fullscreen --font=${font} --font-size=15 --shell=${script}`,
  }[program];
  writeFileSync(
    join(folder, "config"),
    `output HEADLESS-1 resolution 1280x800 scale ${scale}\ndefault_border none\n` + `exec ${command}\n`,
  );
  chownSync(home, NOBODY, NOBODY);
  const env = {
    ...{ HOME: home, XDG_RUNTIME_DIR: home, WAYLAND_DISPLAY: "", DISPLAY: "", SWAYSOCK: join(home, "sway") },
    ...{ WLR_BACKENDS: "headless", WLR_RENDERER: "pixman", WLR_LIBINPUT_NO_DEVICES: "1", LC_ALL: "C.UTF-8" },
  };
  const sway = new Program(owner, "setpriv", [...AS_NOBODY, "sway", "-c", join(folder, "config")], { env });
  const shot = async (): Promise<Shot> => {
    const { stdout } = await run("setpriv", [...AS_NOBODY, "grim", "-t", "ppm", "-"], {
      env: { ...process.env, ...env, WAYLAND_DISPLAY: "wayland-1" },
      encoding: "buffer",
      maxBuffer: 64 * 1024 * 1024,
    });
    return readPpm(stdout);
  };
  await until("a terminal", async () => coloursOf(await shot()) >= 20, 30_000);
  const picture = await stillPicture({ shot });
  await sway.stop();
  return {
    ...{ name: `Wayland ${name}`, kind: "wayland", knownFrom: 0 },
    file: await pngOf(picture),
    // What stands where only the terminal knows.
    words: lines.flatMap((line, row) => line.split(/\s+/).map((text) => ({ text, line: row, rect: null }))),
  };
}

/** More than a ground has. */
function coloursOf({ rgba }: Shot): number {
  return new Set(new Uint32Array(rgba.buffer, rgba.byteOffset, rgba.length >> 2)).size;
}
