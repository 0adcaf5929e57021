import type { Program } from "../../support/program.ts";
import { until } from "../../support/until.ts";
import type { SceneDisplay } from "../targets/scene-target.ts";

/** One line of what a window was sent: "press 1 130,45", "down Control_L", "move 10,20". */
export type Seen = string;

/** A window of xev's that says every key, button and move that reaches it. */
export class EventWindow {
  readonly id: string;
  readonly #display: SceneDisplay;
  readonly #xev: Program;

  private constructor(id: string, display: SceneDisplay, xev: Program) {
    this.id = id;
    this.#display = display;
    this.#xev = xev;
  }

  static async open(display: SceneDisplay, at: string): Promise<EventWindow> {
    const kinds = ["-event", "button", "-event", "keyboard", "-event", "mouse"];
    const xev = display.program("stdbuf", "-oL", "xev", "-name", "events", "-geometry", at, ...kinds);
    return new EventWindow(await display.windowOf("events"), display, xev);
  }

  /** Where it stands now; what came later is `since` it. */
  get mark(): number {
    return this.#xev.stdout.length;
  }

  since(mark: number): Seen[] {
    const blocks = this.#xev.stdout.slice(mark).split(/\n\n+/);
    return blocks.flatMap((block) => {
      const [, x = "", y = ""] = block.match(/root:\((-?\d+),(-?\d+)\)/) ?? [];
      const button = block.match(/button (\d+)/)?.[1];
      const key = block.match(/keysym 0x[0-9a-f]+, (\w+)\)/)?.[1];
      if (block.includes("ButtonPress event")) return [`press ${button} ${x},${y}`];
      if (block.includes("ButtonRelease event")) return [`release ${button} ${x},${y}`];
      if (block.includes("MotionNotify event")) return [`move ${x},${y}`];
      if (block.includes("KeyPress event")) return [`down ${key}`];
      if (block.includes("KeyRelease event")) return [`up ${key}`];
      return [];
    });
  }

  /**
   * What came between the mark and a key that is pressed now, from outside: nothing is still on its way in the display
   * then. Needs the focus.
   */
  async until(mark: number): Promise<Seen[]> {
    await this.#display.command("xdotool", "key", "F12");
    return await until("the key from outside", () => {
      const seen = this.since(mark);
      const end = seen.indexOf("up F12");
      return end < 0 ? null : seen.slice(0, end).filter((line) => line !== "down F12");
    });
  }
}

/** Keys and buttons that were pressed and not let go. */
export function stillDown(seen: readonly Seen[]): string[] {
  const down = new Set<string>();
  for (const line of seen) {
    const [what, name = ""] = line.split(" ");
    // A key's name changes with Shift, which may come up first.
    if (what === "down" || what === "press") down.add(name.toLowerCase());
    if (what === "up" || what === "release") down.delete(name.toLowerCase());
  }
  return [...down];
}
