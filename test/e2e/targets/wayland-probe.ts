import { type Owner, Program } from "../../support/program.ts";

/** Where clients of a Wayland display find it. */
export type WaylandDisplay = Readonly<Record<"XDG_RUNTIME_DIR" | "WAYLAND_DISPLAY", string>>;

const BUTTON = /^button time: \d+, button: (\d+), state: (\w+), x: (-?\d+), y: (-?\d+)$/;
const KEY = /^key key: (\d+), unicode: (\d+), state: (\w+), modifiers: 0x([0-9a-f]+)$/;
const AXIS = /^axis time: \d+, axis: (\w+), value: (-?[\d.]+)$/;
/** Of linux/input-event-codes.h. */
const BUTTONS: Readonly<Record<string, string>> = {
  272: "left",
  273: "right",
  274: "middle",
  275: "side",
  276: "extra",
};
const FIRST_FUNCTION_KEYSYM = 0xfd00;
const UNICODE_KEYSYMS = 0x100_0000;

/**
 * A window over the whole of a Wayland display, by Weston's own event demo (package weston), and what that says of
 * the input it gets.
 */
export class WaylandProbe {
  readonly #program: Program;

  constructor(owner: Owner, display: WaylandDisplay, { width, height }: { width: number; height: number }) {
    const place = ["--no-border", `--width=${width}`, `--height=${height}`];
    const logs = ["--log-key", "--log-button", "--log-axis"];
    this.#program = new Program(owner, "stdbuf", ["-oL", "weston-eventdemo", ...place, ...logs], {
      env: display,
    });
  }

  /** Each as "left pressed 10,20"; places are the display's. */
  get buttons(): string[] {
    return this.#lines(BUTTON).map(([button = "", state, x, y]) => `${BUTTONS[button]} ${state} ${x},${y}`);
  }

  /** What the wheel did: "down", "up", "right", "left". */
  get turns(): string[] {
    return this.#lines(AXIS).map(([axis, value]) => {
      const isForward = Number(value) > 0;
      return axis === "vertical" ? (isForward ? "down" : "up") : isForward ? "right" : "left";
    });
  }

  /** The characters of the keys that were pressed, in order. */
  get text(): string {
    return this.#presses.map(([keysym]) => characterOf(keysym)).join("");
  }

  /** Each key that was pressed with the modifiers that were down: "0x63 4"; 1 is Shift, 2 Alt, 4 Control. */
  get chords(): string[] {
    return this.#presses.map(([keysym, modifiers]) => `0x${keysym.toString(16)} ${modifiers}`);
  }

  /** How many keys are down. */
  get held(): number {
    const down = new Set<string>();
    for (const [key = "", , state] of this.#lines(KEY)) {
      if (state === "pressed") down.add(key);
      else down.delete(key);
    }
    return down.size;
  }

  get #presses(): (readonly [keysym: number, modifiers: string])[] {
    return this.#lines(KEY)
      .filter(([, , state]) => state === "pressed")
      .map(([, keysym, , modifiers = ""]) => [Number(keysym), modifiers]);
  }

  #lines(pattern: RegExp): string[][] {
    return this.#program.stdout.split("\n").flatMap((line) => {
      const found = pattern.exec(line);
      return found === null ? [] : [found.slice(1)];
    });
  }
}

/** Empty for keys that make none. */
function characterOf(keysym: number): string {
  if (keysym >= UNICODE_KEYSYMS) return String.fromCodePoint(keysym - UNICODE_KEYSYMS);
  return keysym < FIRST_FUNCTION_KEYSYM ? String.fromCodePoint(keysym) : "";
}
