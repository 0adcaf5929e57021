import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { type Owner, Program } from "../../support/program.ts";
import { until } from "../../support/until.ts";
import { XPrograms } from "./x-programs.ts";

const run = promisify(execFile);

/** Other tests of this machine use the displays below. */
const FIRST_DISPLAY = 70;
const LAST_DISPLAY = 99;
const FIRST_PORT = 5900;
/** xclip waits for ever where the owner of the selection never answers, as xrdp's clipboard did once (0.9.21, 2026-11-24). */
const SELECTION_MS = 3000;

export interface DisplayOptions {
  /** "1024x768" */
  readonly geometry?: string;
  readonly depth?: 16 | 24;
  /** A VNC password file, tigervnc's format; null: no authentication. */
  readonly passwordFile?: string | null;
  /** False: an X display that speaks no VNC. */
  readonly hasVnc?: boolean;
  /** It proves itself by this one, files in PEM, and asks for nothing. */
  readonly certificate?: { readonly cert: string; readonly key: string };
  /** One that has ended: this one has its number and port. */
  readonly after?: XDisplay;
}

/** An X display of Xtigervnc, with everything that runs on it. */
export class XDisplay extends XPrograms {
  /** Where it speaks VNC, on 127.0.0.1. */
  readonly vncPort: number;
  readonly server: Program;

  private constructor(owner: Owner, name: string, vncPort: number, server: Program) {
    super(owner, name);
    this.vncPort = vncPort;
    this.server = server;
  }

  /** Starts it on a free display and waits until it takes connections. */
  static async start(owner: Owner, options: DisplayOptions = {}): Promise<XDisplay> {
    if (options.after !== undefined) {
      const display = await XDisplay.#tryStart(owner, options.after.vncPort - FIRST_PORT, options);
      if (display === null) throw new Error("another program has its display meanwhile");
      return display;
    }
    for (let number = FIRST_DISPLAY; number <= LAST_DISPLAY; number++) {
      if (existsSync(`/tmp/.X${number}-lock`) || existsSync(`/tmp/.X11-unix/X${number}`)) continue;
      const display = await XDisplay.#tryStart(owner, number, options);
      if (display !== null) return display;
    }
    throw new Error(`no free X display between :${FIRST_DISPLAY} and :${LAST_DISPLAY}`);
  }

  /** null where another process took the number meanwhile. */
  static async #tryStart(owner: Owner, number: number, options: DisplayOptions): Promise<XDisplay | null> {
    const { geometry = "1024x768", depth = 24, passwordFile = null, hasVnc = true, certificate } = options;
    const port = FIRST_PORT + number;
    const open =
      certificate === undefined
        ? ["-SecurityTypes=None"]
        : ["-SecurityTypes=X509None", `-X509Cert=${certificate.cert}`, `-X509Key=${certificate.key}`];
    const security =
      passwordFile === null
        ? open
        : ["-SecurityTypes=VncAuth", `-PasswordFile=${passwordFile}`, "-BlacklistThreshold=1000"];
    const server = new Program(
      owner,
      "Xtigervnc",
      [
        `:${number}`,
        "-displayfd",
        "3",
        "-geometry",
        geometry,
        "-depth",
        `${depth}`,
        "-nolisten",
        "tcp",
      ].concat(["-localhost", "-AlwaysShared", `-rfbport=${hasVnc ? port : -1}`], security),
      { hasExtraPipe: true },
    );
    try {
      await server.waitFor("its display number", ({ extra }) => (extra.includes("\n") ? true : null));
      return new XDisplay(owner, `:${number}`, port, server);
    } catch (error) {
      if (/already active|already running|in use/.test(server.stderr)) return null;
      throw error;
    }
  }

  /** A window manager; resolves when it manages. */
  async openWindowManager(): Promise<void> {
    this.program("openbox", "--sm-disable");
    await until("openbox", async () =>
      (await this.command("xdotool", "get_num_desktops")).trim() === "" ? null : true,
    );
  }

  /**
   * An xterm that echoes what is typed and writes it to a file, byte by byte. `at` is its geometry: "80x24+10+10".
   */
  async openTypewriter(folder: string, at: string): Promise<Typewriter> {
    const file = join(folder, "typed.txt");
    const script = `stty raw -echo; : > '${file}'; exec tee '${file}'`;
    const window = await this.openTerminal("typewriter", at, script);
    await until("the typewriter's file", () => existsSync(file));
    return { window, read: () => readFileSync(file, "utf8") };
  }

  async resize(width: number, height: number): Promise<void> {
    await this.command("xrandr", "--output", "VNC-0", "--mode", `${width}x${height}`);
  }

  /** `encoding`: of the bytes that the owner of the selection gives. */
  async readClipboard(encoding: BufferEncoding = "utf8"): Promise<string> {
    const { stdout } = await run("xclip", ["-selection", "clipboard", "-out"], {
      env: { ...process.env, ...this.env },
      encoding: "buffer",
      timeout: SELECTION_MS,
    });
    return stdout.toString(encoding);
  }

  /** Owns the clipboard until the display goes or another program takes it; xclip gives the same bytes to all. */
  async writeClipboard(text: string, encoding: BufferEncoding = "utf8"): Promise<void> {
    const xclip = new Program(this.owner, "xclip", ["-selection", "clipboard", "-in", "-quiet"], {
      env: this.env,
      stdin: "pipe",
    });
    xclip.endInput(Buffer.from(text, encoding));
    await until("xclip's selection", async () => (await this.readClipboard(encoding)) === text);
  }
}

export interface Typewriter {
  readonly window: string;
  /** All that was typed so far. */
  read(): string;
}
