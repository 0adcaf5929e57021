import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { type Owner, Program } from "../../support/program.ts";
import { until } from "../../support/until.ts";
import { type Shot, shootDisplay } from "./xwd.ts";

const run = promisify(execFile);

/** An X display that is there, whoever serves it: what runs on it, and what it shows. */
export class XPrograms {
  /** ":70" */
  readonly name: string;
  protected readonly owner: Owner;
  /** How long a window may take to come. */
  readonly #windowMs: number | undefined;

  constructor(owner: Owner, name: string, windowMs?: number) {
    this.owner = owner;
    this.name = name;
    this.#windowMs = windowMs;
  }

  get env(): Readonly<Record<string, string>> {
    return { DISPLAY: this.name, LC_ALL: "C.UTF-8", XAUTHORITY: "/dev/null" };
  }

  /** Starts a program on the display. */
  program(name: string, ...args: string[]): Program {
    return new Program(this.owner, name, args, { env: this.env });
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

  /** An xterm that runs a shell script; gives its window's id once it is visible. */
  async openTerminal(title: string, at: string, script: string): Promise<string> {
    const font = ["-fa", "DejaVu Sans Mono", "-fs", "10"];
    this.program("xterm", "-u8", "+bc", ...font, "-T", title, "-geometry", at, "-e", "sh", "-c", script);
    return await this.windowOf(title);
  }

  /** A window that says, on stdout, which buttons were pressed where; `at` is "300x200+500+400". */
  async openButtonProbe(at: string, name = "probe"): Promise<ButtonProbe> {
    const xev = this.program("stdbuf", "-oL", "xev", "-name", name, "-geometry", at, "-event", "button");
    const window = await this.windowOf(name);
    return { window, presses: () => pressesIn(xev.stdout) };
  }

  /** The id of the visible window with a title. */
  async windowOf(title: string): Promise<string> {
    const look = async (): Promise<string | null> => {
      const found = await this.command("xdotool", "search", "--onlyvisible", "--name", `^${title}$`);
      return found.trim().split("\n").at(-1) ?? null;
    };
    return await until(`the window ${title}`, look, this.#windowMs);
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
}

export interface Press {
  readonly x: number;
  readonly y: number;
  readonly button: number;
}

export interface ButtonProbe {
  readonly window: string;
  /** Button presses so far, in display pixels. */
  presses(): Press[];
}

function pressesIn(output: string): Press[] {
  const pattern = /^ButtonPress event[\s\S]*?root:\((\d+),(\d+)\),\s*state \S+, button (\d+)/gm;
  return [...output.matchAll(pattern)].map(([, x, y, button]) => ({
    x: Number(x),
    y: Number(y),
    button: Number(button),
  }));
}
