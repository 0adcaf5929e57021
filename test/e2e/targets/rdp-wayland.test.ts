import { execFile } from "node:child_process";
import { promisify } from "node:util";
import sharp from "sharp";
import t, { type Test } from "tap";
import { keysymOf } from "../../../src/desktop/input/keyboard.ts";
import type { RdpLinkOptions } from "../../../src/desktop/links/rdp/rdp-link.ts";
import { distance } from "../../protocols/rdp/channels/distance.ts";
import { recorded } from "../../protocols/rdp/channels/egfx-session.ts";
import { Program } from "../../support/program.ts";
import { until } from "../../support/until.ts";
import { requirePeers } from "../harness/peers.ts";
import { GnomeDesktop, requireGnome } from "./gnome-desktop.ts";
import { RdpSession, SIZE } from "./rdp-session.ts";
import { requireRdpTarget, startRdpTarget } from "./rdp-target.ts";
import { WaylandProbe } from "./wayland-probe.ts";

const run = promisify(execFile);

const GNOME_SIZE = { width: 800, height: 600 } as const;
const KEYSYM = { shift: 0xffe1, control: 0xffe3, alt: 0xffe9 } as const;
const GERMAN = 0x407;
/** Bits of RFB's mask. */
const BUTTON = { left: 1, middle: 2, right: 4, side: 128, extra: 256 } as const;
type Button = keyof typeof BUTTON;
const TURN = { up: 8, down: 16 } as const;
type Turn = keyof typeof TURN;
const MASK = { ...BUTTON, ...TURN };

type Place = readonly [x: number, y: number];

/** Input by an RDP link, and what a Wayland client of the host's desktop says of it. */
class Hand {
  readonly #session: RdpSession;
  readonly probe: WaylandProbe;

  constructor(session: RdpSession, probe: WaylandProbe) {
    this.#session = session;
    this.probe = probe;
  }

  /**
   * Clicks until the window notices: it comes some time after its program, and a host that has no pointer or keyboard
   * of its own gets one with the first event, which no window hears.
   */
  async begin(): Promise<void> {
    await until("the window's first click and key", () => {
      this.click("left", 5, 5);
      this.type("x");
      return this.probe.buttons.length > 0 && this.probe.text.length > 0;
    });
    this.type(".");
    this.click("right", 9, 9);
    const { probe } = this;
    await until(
      "the last of them",
      () => probe.text.endsWith(".") && probe.held === 0 && probe.buttons.at(-1) === "right released 9,9",
    );
  }

  click(button: Button | Turn, x: number, y: number): void {
    for (const mask of [0, MASK[button], 0]) this.#session.link.pointer(x, y, mask);
  }

  drag([fromX, fromY]: Place, [toX, toY]: Place): void {
    const { link } = this.#session;
    link.pointer(fromX, fromY, 0);
    link.pointer(fromX, fromY, MASK.left);
    link.pointer(toX, toY, MASK.left);
    link.pointer(toX, toY, 0);
  }

  type(text: string): void {
    for (const character of text) this.press(keysymOf(character) ?? 0);
  }

  press(...keysyms: readonly number[]): void {
    for (const keysym of keysyms) this.#session.link.key(keysym, true, null);
    for (const keysym of [...keysyms].reverse()) this.#session.link.key(keysym, false, null);
  }
}

/** What came on after `act`, once there is as much of it as there should be. */
async function heardAfter<T extends string | readonly string[]>(look: () => T, wanted: T, act: () => void) {
  const mark = look().length;
  act();
  await until("what was done", () => look().length - mark >= wanted.length).catch(() => undefined);
  return look().slice(mark);
}

async function pointerArrives(t: Test, hand: Hand, buttons: readonly Button[], turns: readonly Turn[]) {
  const { probe } = hand;
  const places = buttons.map((button, i) => ({ button, x: 40 + i * 123, y: 30 + i * 97 }));
  const clicks = places.flatMap(({ button, x, y }) => [
    `${button} pressed ${x},${y}`,
    `${button} released ${x},${y}`,
  ]);
  const clicked = await heardAfter<string[]>(
    () => probe.buttons,
    clicks,
    () => {
      for (const { button, x, y } of places) hand.click(button, x, y);
    },
  );
  t.same(clicked, clicks, "every button, at its very pixel");
  const drag = ["left pressed 100,100", "left released 317,222"];
  const dragged = await heardAfter<string[]>(
    () => probe.buttons,
    drag,
    () => hand.drag([100, 100], [317, 222]),
  );
  t.same(dragged, drag, "a drag");
  const turned = await heardAfter<string[]>(
    () => probe.turns,
    [...turns],
    () => {
      for (const turn of turns) hand.click(turn, 200, 200);
    },
  );
  t.same(turned, turns, "the wheel");
}

async function chordsArrive(t: Test, hand: Hand): Promise<void> {
  const { probe } = hand;
  const c = keysymOf("c") ?? 0;
  const chords = ["0xffe3 0", "0x63 4", "0xffe3 0", "0xffe1 4", "0x43 5", "0xffe9 0", "0x63 2"];
  const heard = await heardAfter<string[]>(
    () => probe.chords,
    chords,
    () => {
      hand.press(KEYSYM.control, c);
      hand.press(KEYSYM.control, KEYSYM.shift, c);
      hand.press(KEYSYM.alt, c);
    },
  );
  t.same(heard, chords, "modifiers are down while their key is");
  await until("nothing held", () => probe.held === 0).catch(() => undefined);
  t.equal(probe.held, 0, "and everything comes up again");
}

/** In 3 of 30 desktops mutter 43 gave no window any input, for whatever reason (2026-11-21): another one is begun then. */
async function openGnome(t: Test, layout: string, options: Partial<RdpLinkOptions>) {
  for (let tries = 3; ; tries--) {
    const gnome = await GnomeDesktop.start(t, recorded("truth.png"), layout);
    const session = new RdpSession(t, gnome, { size: GNOME_SIZE, hasGraphicsPipeline: true, ...options });
    await showsPicture(session);
    const hand = new Hand(session, new WaylandProbe(t, gnome.wayland, GNOME_SIZE));
    const error = await hand.begin().catch((cause: unknown) => cause);
    if (error === undefined) return { gnome, session, hand };
    session.link.close();
    if (tries === 1) throw error;
  }
}

/** GNOME's picture is a window too: coming later it lies over all others, and takes what is done. */
async function showsPicture({ ear, link }: RdpSession): Promise<void> {
  const truth = await sharp(recorded("truth.png")).ensureAlpha().raw().toBuffer();
  await ear.next("ready");
  const isThere = (): boolean => {
    const { bytes } = link.framebuffer;
    return bytes.length === truth.length && distance(bytes, truth).psnr > 30;
  };
  await until("GNOME's picture", isThere, 40_000);
}

t.test("Weston's desktop gets what we do, German characters too", { timeout: 120_000 }, async (t) => {
  if (!requireRdpTarget(t, "weston")) return;
  const target = await startRdpTarget(t, "weston");
  const { wayland } = target;
  if (wayland === null) throw new Error("Weston without a Wayland display");
  const session = new RdpSession(t, target, { keyboardLayout: GERMAN });
  await session.ear.next("ready");
  const hand = new Hand(session, new WaylandProbe(t, wayland, SIZE));
  await hand.begin();
  // Its RDP back-end knows no other buttons, and one wheel (10.0.1, 2026-11-21).
  await pointerArrives(t, hand, ["left", "right", "middle"], ["up", "down", "down"]);
  await chordsArrive(t, hand);
  const text = "Grüße: äöüß€ ÄÖÜ @ yz YZ -_#'+*~ (42)";
  t.equal(
    await heardAfter<string>(
      () => hand.probe.text,
      text,
      () => hand.type(text),
    ),
    text,
  );
  t.notOk(session.link.canType(keysymOf("Ω") ?? 0), "what it has no key for is known");
});

t.test(
  "GNOME's desktop gets what we do, and a wrong password is told once",
  { timeout: 180_000 },
  async (t) => {
    if (!requireGnome(t) || !requirePeers(t, ["weston"])) return;
    const { gnome, session, hand } = await openGnome(t, "us", {});
    await pointerArrives(t, hand, ["left", "right", "middle", "side", "extra"], ["up", "down", "down"]);
    await chordsArrive(t, hand);
    const text = "Hello, World! ~`\\|{}[]<>?@#$%^&*()_+-=;:'\"/ zZyYqQ";
    t.equal(
      await heardAfter<string>(
        () => hand.probe.text,
        text,
        () => hand.type(text),
      ),
      text,
    );
    // It drops what its layout lacks, and says nothing: so that is known, and nothing is sent.
    for (const character of "äöüß€Ω") {
      t.notOk(session.link.canType(keysymOf(character) ?? 0), `${character} is known not to be typed`);
    }
    session.link.close();

    const refused = new RdpSession(t, gnome, { size: GNOME_SIZE, password: "not the password" });
    const closed = await refused.ear.next("closed");
    t.match(closed, { error: { code: "auth_failed", isFinal: true, message: /user name and password/ } });
    t.notMatch(closed.error.message, /not the password/);
    t.equal(refused.ear.said.filter(({ type }) => type === "closed").length, 1);
  },
);

t.test("GNOME's desktop with a German keyboard gets German characters", { timeout: 180_000 }, async (t) => {
  if (!requireGnome(t) || !requirePeers(t, ["weston"])) return;
  const { session, hand } = await openGnome(t, "de", { keyboardLayout: GERMAN });
  const text = "Grüße: äöüß€ ÄÖÜ @ yz YZ -_#'+*~ (42)";
  for (const character of text) {
    if (!session.link.canType(keysymOf(character) ?? 0)) t.fail(`${character} cannot be typed`);
  }
  t.equal(
    await heardAfter<string>(
      () => hand.probe.text,
      text,
      () => hand.type(text),
    ),
    text,
  );
  t.notOk(session.link.canType(keysymOf("Ω") ?? 0), "what it has no key for is known");
});

t.test("GNOME's clipboard goes both ways", { timeout: 180_000 }, async (t) => {
  if (!requireGnome(t) || !requirePeers(t, ["wl-paste"])) return;
  const gnome = await GnomeDesktop.start(t, recorded("truth.png"));
  const session = new RdpSession(t, gnome, { size: GNOME_SIZE, hasGraphicsPipeline: true });
  await session.ear.next("ready");
  const env = { ...process.env, ...gnome.wayland };
  const given = "zum Gerät: grüße €Ω\nzwei Zeilen";
  let pasted = "nothing";
  const arrives = async (): Promise<boolean> => {
    session.link.clipboard(given);
    // Who looks needs the focus of a keyboard, and the host has none before the first key.
    for (const isDown of [true, false]) session.link.key(KEYSYM.shift, isDown, null);
    const { stdout } = await run("timeout", ["10", "wl-paste", "--no-newline"], { env });
    pasted = stdout.replaceAll("\r\n", "\n");
    return pasted === given;
  };
  await until("our text on the host's clipboard", arrives, 60_000).catch(() => undefined);
  t.equal(pasted, given, "to the host");
  const taken = "from the host: ñandú €Ω";
  const owner = new Program(t, "wl-copy", ["--foreground", taken], { env: gnome.wayland });
  const comes = (): boolean => {
    const heard = session.ear.said.findLast(({ type }) => type === "clipboard");
    return heard?.type === "clipboard" && heard.text === taken;
  };
  await until("its text", comes, 30_000).catch(() => undefined);
  t.match(
    session.ear.said.findLast(({ type }) => type === "clipboard"),
    { text: taken },
    `from the host ${owner.stderr}`,
  );
});
