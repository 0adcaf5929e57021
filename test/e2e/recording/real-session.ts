import { accessSync, constants, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import type { Owner } from "../../support/program.ts";
import { Program } from "../../support/program.ts";
import { until } from "../../support/until.ts";
import type { XDisplay } from "../harness/x-display.ts";

/** One turn of what a person does takes about so long. */
const TYPED = "the quick brown fox jumps over the lazy dog, again. ";

/** Lines come in bursts, as from a build. */
const BUILD = `n=0
while :; do
  i=0
  while [ $i -lt 30 ]; do i=$((i+1)); n=$((n+1)); echo "[$n] compiling part $((n * 7919 % 1000)) of the program: ok"; sleep 0.05; done
  sleep 5
done`;

/**
 * A desktop as people work on one: a terminal with output that scrolls, an editor, a browser with a long page, a video.
 * Window manager first; `folder` holds the page and the browser's profile.
 */
export class RealSession {
  readonly #display: XDisplay;
  readonly #editor: string;
  readonly #browser: { readonly x: number; readonly y: number };

  private constructor(
    display: XDisplay,
    editor: string,
    browser: { readonly x: number; readonly y: number },
  ) {
    this.#display = display;
    this.#editor = editor;
    this.#browser = browser;
  }

  /** Resolves when all four windows are there; the display has at least 1280x800 pixels. */
  static async open(owner: Owner, display: XDisplay, folder: string): Promise<RealSession> {
    await display.openWindowManager();
    await display.openTerminal("build", "84x18+0+0", BUILD);
    const editor = await display.openTerminal(
      "editor",
      "84x20+0+380",
      editorCommand(join(folder, "note.txt")),
    );
    const page = join(folder, "page.html");
    writeFileSync(page, longPage());
    const chromium = new Program(
      owner,
      "chromium",
      [
        ...["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"],
        ...["--disable-background-networking", "--disable-component-update", "--password-store=basic"],
        ...[`--user-data-dir=${join(folder, "profile")}`, "--window-position=700,0", "--window-size=560,520"],
        `--app=file://${page}`,
      ],
      { env: display.env },
    );
    const browser = await until(
      "the browser's window",
      async () => {
        if (!chromium.isRunning) throw new Error(`chromium ended: ${chromium.stderr.slice(-500)}`);
        return await display.windowOf("A long page");
      },
      60_000,
    );
    const place = await display.placeOf(browser);
    display.program(
      "ffplay",
      ...["-loglevel", "error", "-noborder", "-left", "760", "-top", "560", "-f", "lavfi"],
      "testsrc=size=240x150:rate=25",
    );
    await until("the video", async () =>
      (await display.command("xwininfo", "-root", "-tree")).includes("240x150"),
    );
    const middle = { x: place.x + (place.width >> 1), y: place.y + (place.height >> 1) };
    return new RealSession(display, editor, middle);
  }

  /** Types, scrolls and reads, turn after turn, until `isOver`; the programs' own output goes on meanwhile. */
  async work(isOver: () => boolean): Promise<void> {
    for (let turn = 0; !isOver(); turn++) {
      await this.#xdotool("windowactivate", "--sync", this.#editor);
      await this.#xdotool("type", "--delay", "90", TYPED);
      if (turn % 2 === 1) await this.#xdotool("key", "Return");
      if (isOver()) return;
      const down = turn % 12 < 6 ? "5" : "4";
      await this.#xdotool("mousemove", `${this.#browser.x}`, `${this.#browser.y}`);
      await this.#xdotool("click", "--repeat", "5", "--delay", "600", down);
      if (isOver()) return;
      await this.#xdotool("sleep", "3");
    }
  }

  async #xdotool(...args: string[]): Promise<void> {
    await this.#display.command("xdotool", ...args);
  }
}

/** vi where there is one; else a shell's own line, which is typed into as well. */
function editorCommand(file: string): string {
  const vi = ["vim", "vi", "vim.tiny"].find(isInstalled);
  return vi === undefined ? `exec cat > '${file}'` : `exec ${vi} -u NONE -i NONE -n +startinsert '${file}'`;
}

function isInstalled(name: string): boolean {
  return (process.env["PATH"] ?? "").split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, name), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** Headlines, text, boxes of colour and a picture now and then. */
function longPage(): string {
  const sections = Array.from({ length: 60 }, (_, i) => {
    const colour = `hsl(${(i * 47) % 360} 60% 80%)`;
    const words = Array.from({ length: 60 }, (_, k) => `word${(i * 61 + k * 17) % 997}`).join(" ");
    return `<h2>Part ${i}</h2><p>${words}</p><div style="background:linear-gradient(90deg,${colour},white)"></div>`;
  });
  return `<!doctype html><meta charset="utf-8"><title>A long page</title>
<style>body{font:15px/1.5 sans-serif;margin:24px}div{height:60px}</style>${sections.join("\n")}`;
}
