import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { type Owner, Program } from "../../support/program.ts";
import { until } from "../../support/until.ts";
import type { ButtonProbe, Typewriter } from "../harness/x-display.ts";
import { type Shot, shootDisplay } from "../harness/xwd.ts";

const run = promisify(execFile);

/** Displays of RDP sessions; other tests of this machine use those below. */
const FIRST_DISPLAY = 60;
const LAST_DISPLAY = 89;
/** Programs of a session take long to begin on a machine that does other things. */
const BEGIN_MS = 60_000;

/**
 * The number of a display that nobody has, kept from every other test until the owner ends: a socket without a file
 * that the kernel takes back when this process dies.
 */
export async function claimDisplayNumber(owner: Owner): Promise<number> {
  for (let number = FIRST_DISPLAY; number <= LAST_DISPLAY; number++) {
    if (await isTaken(number)) continue;
    const claim = createServer();
    const isClaimed = await new Promise<boolean>((resolve) => {
      claim.once("listening", () => resolve(true)).once("error", () => resolve(false));
      claim.listen({ path: `\0overlay-companion-rdp-display-${number}` });
    });
    if (!isClaimed) continue;
    owner.teardown(() => new Promise((resolve) => claim.close(resolve)));
    return number;
  }
  throw new Error(`no free X display between :${FIRST_DISPLAY} and :${LAST_DISPLAY}`);
}

/** The files of a display. */
export function filesOfDisplay(number: number): readonly string[] {
  return [`/tmp/.X${number}-lock`, `/tmp/.X11-unix/X${number}`];
}

/** False where nobody is there, and where somebody was killed and has left only files; those are taken away. */
async function isTaken(number: number): Promise<boolean> {
  const files = filesOfDisplay(number);
  if (!files.some((file) => existsSync(file))) return false;
  const socket = connect(`/tmp/.X11-unix/X${number}`);
  const isAlive = await new Promise<boolean>((resolve) => {
    socket.once("connect", () => resolve(true));
    // A lock without a socket is a display that begins or that speaks only TCP.
    socket.once("error", (error) => resolve(!("code" in error && error.code === "ECONNREFUSED")));
  });
  socket.destroy();
  if (!isAlive) for (const file of files) rmSync(file, { force: true });
  return isAlive;
}

/** The X display that an RDP server shows, which any local program may open. */
export class RdpDisplay {
  /** ":100" */
  readonly name: string;
  readonly #owner: Owner;
  /** What its session's server has logged; null where the display is there before the server. */
  readonly #sessionLog: (() => string) | null;

  /** `sessionLog` where a server makes the display for a session, and a window manager with it. */
  constructor(owner: Owner, name: string, sessionLog: (() => string) | null = null) {
    this.#owner = owner;
    this.name = name;
    this.#sessionLog = sessionLog;
  }

  get env(): Readonly<Record<string, string>> {
    return { DISPLAY: this.name, LC_ALL: "C.UTF-8", XAUTHORITY: "/dev/null" };
  }

  /**
   * Resolves when it takes connections: xrdp's displays begin with the first sign-in. Where its session has a window
   * manager that is there too: coming later it takes the focus from whoever has it.
   */
  async isUp(): Promise<void> {
    const log = this.#sessionLog;
    const sign = log === null ? "getdisplaygeometry" : "get_num_desktops";
    const isThere = async (): Promise<boolean> => (await this.command("xdotool", sign)).trim() !== "";
    try {
      await until(`the display ${this.name}`, isThere, BEGIN_MS);
    } catch (cause) {
      throw new Error(`the display ${this.name} did not come: ${log?.().slice(-3000)}`, { cause });
    }
  }

  /** Starts a program on the display. */
  program(name: string, ...args: string[]): Program {
    return new Program(this.#owner, name, args, { env: this.env });
  }

  /** Runs a program on the display to its end; gives its stdout. */
  async command(name: string, ...args: string[]): Promise<string> {
    const { stdout } = await run(name, args, { env: { ...process.env, ...this.env } });
    return stdout;
  }

  /** What it shows now, pointer not included. */
  shot(): Promise<Shot> {
    return shootDisplay(this.name);
  }

  /** An xterm that echoes what is typed and writes it to a file; `at` is its geometry: "80x24+10+10". */
  async openTypewriter(folder: string, at: string): Promise<Typewriter> {
    const file = join(mkdtempSync(join(folder, "typed-")), "typed.txt");
    const window = await this.openTerminal(
      "typewriter",
      at,
      `stty raw -echo; : > '${file}'; exec tee '${file}'`,
    );
    await until("the typewriter's file", () => existsSync(file));
    return { window, read: () => readFileSync(file, "utf8") };
  }

  /** An xterm that runs a shell script; gives its window's id once it is visible. */
  async openTerminal(title: string, at: string, script: string): Promise<string> {
    const font = ["-fa", "DejaVu Sans Mono", "-fs", "10"];
    this.program("xterm", "-u8", "+bc", ...font, "-T", title, "-geometry", at, "-e", "sh", "-c", script);
    return await this.windowOf(title);
  }

  /** A window that notes which buttons were pressed where; `at` is "300x200+500+400". */
  async openButtonProbe(at: string): Promise<ButtonProbe> {
    const xev = this.program("stdbuf", "-oL", "xev", "-name", "probe", "-geometry", at, "-event", "button");
    const window = await this.windowOf("probe");
    const pattern = /^ButtonPress event[\s\S]*?root:\((\d+),(\d+)\),\s*state \S+, button (\d+)/gm;
    const presses = () =>
      [...xev.stdout.matchAll(pattern)].map(([, x, y, button]) => ({
        x: Number(x),
        y: Number(y),
        button: Number(button),
      }));
    return { window, presses };
  }

  /** The id of the visible window with a title. */
  async windowOf(title: string): Promise<string> {
    const look = async (): Promise<string | null> => {
      const found = await this.command("xdotool", "search", "--onlyvisible", "--name", `^${title}$`);
      return found.trim().split("\n").at(-1) ?? null;
    };
    return await until(`the window ${title}`, look, BEGIN_MS);
  }

  /** Where a window's inside lies on the display. */
  async placeOf(window: string): Promise<{ x: number; y: number; width: number; height: number }> {
    // xdotool counts a window manager's frame twice.
    const text = await this.command("xwininfo", "-id", window);
    const number = (name: string): number =>
      Number(text.match(new RegExp(`^ *${name}: +(-?\\d+)$`, "m"))?.[1]);
    return {
      x: number("Absolute upper-left X"),
      y: number("Absolute upper-left Y"),
      width: number("Width"),
      height: number("Height"),
    };
  }

  async pointer(): Promise<{ x: number; y: number }> {
    const text = await this.command("xdotool", "getmouselocation", "--shell");
    const number = (name: string): number => Number(text.match(new RegExp(`^${name}=(\\d+)$`, "m"))?.[1]);
    return { x: number("X"), y: number("Y") };
  }

  async readClipboard(): Promise<string> {
    return await this.command("xclip", "-selection", "clipboard", "-out", "-target", "UTF8_STRING");
  }

  /** Owns the clipboard until the display goes or another program takes it. */
  async writeClipboard(text: string): Promise<void> {
    const xclip = new Program(this.#owner, "xclip", ["-selection", "clipboard", "-in", "-quiet"], {
      env: this.env,
      stdin: "pipe",
    });
    xclip.endInput(Buffer.from(text));
    await until("xclip's selection", async () => (await this.readClipboard()) === text);
  }
}
