import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { type Owner, Program } from "../../support/program.ts";
import { until } from "../../support/until.ts";
import type { Typewriter } from "../harness/x-display.ts";
import { XPrograms } from "../harness/x-programs.ts";

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
export class RdpDisplay extends XPrograms {
  /** What its session's server has logged; null where the display is there before the server. */
  readonly #sessionLog: (() => string) | null;

  /** `sessionLog` where a server makes the display for a session, and a window manager with it. */
  constructor(owner: Owner, name: string, sessionLog: (() => string) | null = null) {
    super(owner, name, BEGIN_MS);
    this.#sessionLog = sessionLog;
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

  async readClipboard(): Promise<string> {
    return await this.command("xclip", "-selection", "clipboard", "-out", "-target", "UTF8_STRING");
  }

  /** Owns the clipboard until the display goes or another program takes it. */
  async writeClipboard(text: string): Promise<void> {
    const xclip = new Program(this.owner, "xclip", ["-selection", "clipboard", "-in", "-quiet"], {
      env: this.env,
      stdin: "pipe",
    });
    xclip.endInput(Buffer.from(text));
    await until("xclip's selection", async () => (await this.readClipboard()) === text);
  }
}
