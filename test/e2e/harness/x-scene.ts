import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { type Owner, Program } from "../../support/program.ts";
import { until } from "../../support/until.ts";

const run = promisify(execFile);

const HEADER_BYTES = 100;
const TRUE_COLOUR = 4;

/** What is shown: each kind is what another sub-encoding is made for. A colour is 0xRRGGBB. */
const PICTURES: Readonly<Record<string, (x: number, y: number) => number>> = {
  photo: (x, y) =>
    (Math.round(127 + 120 * Math.sin(x / 23)) << 16) |
    (Math.round(127 + 120 * Math.sin(y / 31)) << 8) |
    Math.round(127 + 120 * Math.sin((x + y) / 41)),
  noise: (x, y) => (Math.imul(x * 7919 + y * 104_729 + 17, 0x9e3779b1) >>> 7) & 0xffffff,
  letters: (x, y) => (((x * 7) ^ (y * 13)) % 11 < 3 ? 0x000000 : 0xffffff),
  signs: (x, y) => (((x >> 3) * 5 + (y >> 2) * 3) % 40) * 0x05030b,
  bars: (x) => [0xc00000, 0x00c000, 0x0000c0, 0xc0c000][(x >> 5) & 3] ?? 0,
};

const NAMES = Object.keys(PICTURES);

const WIDTH = 230;
const HEIGHT = 170;

/** Windows with pictures on an X display without a window manager. */
export class XScene {
  readonly #owner: Owner;
  readonly #env: Readonly<Record<string, string>>;
  readonly #folder: string;
  readonly #windows: Program[] = [];
  readonly #scale: number;
  #step = 0;

  /** `scale` 1 is for a display of 800x600. */
  constructor(owner: Owner, display: string, folder: string, scale = 1) {
    this.#scale = scale;
    this.#owner = owner;
    this.#env = { DISPLAY: display, LC_ALL: "C.UTF-8", XAUTHORITY: "/dev/null" };
    this.#folder = folder;
  }

  /** Opens all the windows; resolves when they are there. */
  async open(): Promise<void> {
    await this.#run("xsetroot", "-solid", "#205080");
    for (const name of NAMES) {
      writeFileSync(join(this.#folder, `${name}.xwd`), xwdOf(name, PICTURES[name] ?? (() => 0), this.#scale));
    }
    for (const index of NAMES.keys()) this.#show(index);
    await until("the windows", async () => (await this.#ids()).length === NAMES.length);
  }

  /** Moves every window by a little, there and back again: servers may send that as copies. */
  async move(): Promise<void> {
    this.#step++;
    const [dx, dy] = this.#step % 2 === 0 ? ["-13", "-7"] : ["13", "7"];
    for (const id of await this.#ids())
      await this.#run("xdotool", "windowmove", "--relative", "--", id, dx, dy);
  }

  /** Closes one window and opens it elsewhere: for displays without the extensions that moving takes. */
  async replace(): Promise<void> {
    this.#step++;
    const index = this.#step % NAMES.length;
    await this.#windows[index]?.stop();
    await until("a window less", async () => (await this.#ids()).length === NAMES.length - 1);
    this.#show(index);
    await until("the window again", async () => (await this.#ids()).length === NAMES.length);
  }

  #show(index: number): void {
    const name = NAMES[index] ?? "";
    const shift = (this.#step * 11) % 40;
    const place = (steps: number, width: number): number =>
      Math.round((10 + steps * width + shift) * this.#scale);
    const at = `+${place(index % 3, 250)}+${place(Math.floor(index / 3), 200)}`;
    const file = join(this.#folder, `${name}.xwd`);
    this.#windows[index] = new Program(this.#owner, "xwud", ["-in", file, "-geometry", at], {
      env: this.#env,
    });
  }

  /** The windows that are visible, topmost first. */
  async #ids(): Promise<string[]> {
    const tree = await this.#run("xwininfo", "-root", "-children");
    const ids = [...tree.matchAll(/^ +(0x[0-9a-f]+) .*"xwud"/gm)].map(([, id = ""]) => id);
    const states = await Promise.all(ids.map((id) => this.#run("xwininfo", "-id", id, "-stats")));
    return ids.filter((_, i) => states[i]?.includes("IsViewable"));
  }

  async #run(name: string, ...args: readonly string[]): Promise<string> {
    const { stdout } = await run(name, args, { env: { ...process.env, ...this.#env } });
    return stdout;
  }
}

/** A window dump of 24 bits, X11/XWDFile.h: the header big-endian, pixels little-endian 0x00RRGGBB. */
function xwdOf(name: string, colourAt: (x: number, y: number) => number, scale: number): Uint8Array {
  const width = Math.round(WIDTH * scale);
  const height = Math.round(HEIGHT * scale);
  const title = new TextEncoder().encode(`${name}\0`);
  const header = HEADER_BYTES + title.length;
  const out = new Uint8Array(header + width * height * 4);
  const view = new DataView(out.buffer);
  const words = [
    ...[header, 7 /* version */, 2 /* ZPixmap */, 24, width, height, 0, 0 /* little-endian */],
    ...[32, 0, 32 /* pad */, 32 /* bits a pixel */, width * 4, TRUE_COLOUR, 0xff0000, 0xff00, 0xff],
    ...[8 /* bits a colour */, 256, 0 /* colours */, width, height, 0, 0, 0],
  ];
  for (const [i, word] of words.entries()) view.setUint32(i * 4, word);
  out.set(title, HEADER_BYTES);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      view.setUint32(header + (y * width + x) * 4, colourAt(x, y) & 0xffffff, true);
    }
  }
  return out;
}
