import { setTimeout as sleep } from "node:timers/promises";
import t, { type Test } from "tap";
import * as z from "zod";
import { Framebuffer } from "../../../src/framebuffer/framebuffer.ts";
import { type Patch, takePatch } from "../../../src/framebuffer/patch.ts";
import { type Rect, rect } from "../../../src/framebuffer/rect.ts";
import { findExact } from "../../../src/framebuffer/search-exact.ts";
import { until } from "../../support/until.ts";
import { Appliance } from "../harness/appliance.ts";
import { requirePeers } from "../harness/peers.ts";
import { RFB2_SECURITY, Rfb2Client } from "../harness/rfb2-client.ts";
import { XDisplay } from "../harness/x-display.ts";
import { type Shot, shootDisplay } from "../harness/xwd.ts";

// Private text on a live desktop is never in a picture of those from whom it is hidden: every picture is searched for how
// it looks on the target's own display.

const PLANTED = [
  "carol@example.com",
  "4111 1111 1111 1111",
  "DE89 3704 0044 0532 0130 00",
  "123-45-6789",
] as const;
/** With a pointer on it, and as much of it as lies before the pointer. */
const BELOW = "5500 0000 0000 0004";
const BESIDE = "5500 00";
/** By a pattern of our own. */
const OWN = "PRJ-004711";

const VIEWER_PAUSE_MS = 30;

/** Cells of a terminal in DejaVu Sans Mono 10, and its border. */
const CELL = { width: 8, height: 17 };
const BORDER = 2;

function frameOf({ width, height, rgba }: Shot): Framebuffer {
  const frame = new Framebuffer(width, height, { hasKernels: true });
  frame.bytes.set(rgba);
  return frame;
}

/** Searches pictures for patches, and counts both. */
class Search {
  readonly patches: readonly (readonly [string, Patch])[];
  readonly leaks = new Set<string>();
  frames = 0;

  constructor(patches: readonly (readonly [string, Patch])[]) {
    this.patches = patches;
  }

  look(frame: Framebuffer, where: string): void {
    this.frames++;
    for (const [text, patch] of this.patches) {
      if (findExact(frame, patch, frame.rect, 1).places.length > 0) this.leaks.add(`${text} ${where}`);
    }
  }
}

/** How each text looks in a terminal of the display: shown once, before anybody looks. */
async function looksOf(display: XDisplay, texts: readonly string[]): Promise<Search> {
  const window = await display.openTerminal(
    "looks",
    "60x10+20+20",
    `printf '%s\\n' ${texts.map((text) => `'${text}'`).join(" ")}; exec sleep 600`,
  );
  const place = await display.placeOf(window);
  const area = (row: number, text: string): Rect =>
    rect(place.x + BORDER, place.y + BORDER + row * CELL.height, text.length * CELL.width, CELL.height);
  const patches = await until("the looks", async () => {
    const frame = frameOf(await shootDisplay(display.name));
    try {
      return texts.map((text, row) => [text, takePatch(frame, area(row, text))] as const);
    } catch {
      return null;
    }
  });
  const search = new Search(patches);
  search.look(frameOf(await shootDisplay(display.name)), "on the target");
  if (search.leaks.size !== texts.length) throw new Error(`the looks are not found: ${[...search.leaks]}`);
  search.leaks.clear();
  await display.command("xdotool", "windowkill", window);
  return search;
}

async function open(t: Test) {
  const display = await XDisplay.start(t, { geometry: "800x600" });
  const search = await looksOf(display, [...PLANTED, OWN, BESIDE]);
  const appliance = await Appliance.start(t, {
    connect: [`vnc://127.0.0.1:${display.vncPort}`],
    hasVnc: true,
    env: { OC_VNC_SECURITY: "none" },
  });
  const agent = await appliance.agent({ token: appliance.agentToken });
  await until("a picture", () => agent.shot());
  const [desktop] = z
    .array(z.object({ id: z.string() }))
    .parse(await (await appliance.fetch("/api/v1/desktops")).json());
  const base = `/api/v1/desktops/${desktop?.id}`;
  return { display, search, appliance, agent, base };
}

t.test(
  "private text is in no picture of who must not see it, however it moves",
  { timeout: 240_000 },
  async (t) => {
    if (!requirePeers(t, ["Xtigervnc", "xterm", "xdotool", "openbox"])) return;
    const { display, search, appliance, agent, base } = await open(t);
    const text = { kinds: ["email", "credit_card", "iban", "ssn"], pattern: "PRJ-\\d{6}" };
    const made = await appliance.fetch(`${base}/masks`, { text, label: "Customers" });
    t.equal(made.status, 201, await made.clone().text());
    const { recording_id } = z
      .object({ recording_id: z.string() })
      .parse(await agent.call("start_recording"));
    const viewer = await Rfb2Client.connect(appliance.vncPort ?? 0, RFB2_SECURITY.none);
    t.teardown(() => viewer.end());
    // A search takes longer than a rectangle: what is on the screen then is looked at, as often as there is time.
    let isWaiting = false;
    viewer.watch((frame) => {
      if (isWaiting) return;
      isWaiting = true;
      setTimeout(() => {
        isWaiting = false;
        search.look(frame, "seen by a viewer");
      }, VIEWER_PAUSE_MS);
    });

    await display.openWindowManager();
    const lines = [...PLANTED, OWN].map(
      (one, i) => `printf 'row %s has ${one} in it\\n' "$i"; sleep 0.${i + 1}`,
    );
    const script = `i=0; while [ $i -lt 3 ]; do i=$((i+1)); printf 'clean output number %s\\n' "$i"; sleep 0.1; ${lines.join("; ")}; done; exec sleep 600`;
    const scrolling = await display.openTerminal("scrolling", "60x12+40+60", script);
    const still = await display.openTerminal(
      "still",
      "50x8+200+330",
      `printf '%s\\n' 'nothing private' ${[...PLANTED, OWN].map((one) => `'${one}'`).join(" ")}; exec sleep 600`,
    );
    let shots = 0;
    for (let i = 0; i < 6; i++) {
      const [window, x, y] =
        i % 2 === 0 ? [still, 60 + 50 * i, 200 + 30 * i] : [scrolling, 20 + 40 * i, 20 + 20 * i];
      await display.command("xdotool", "windowmove", window, `${x}`, `${y}`, "windowraise", window);
      for (let k = 0; k < 2; k++) {
        search.look(frameOf(await agent.shot()), "seen by an agent");
        shots++;
        await sleep(100);
      }
    }
    t.ok(shots === 12 && search.frames > 20, `${search.frames} pictures`);

    const read = await until(
      "the clean lines",
      async () => {
        const { text } = z.object({ text: z.string() }).parse(await agent.call("read_text"));
        return /clean output number 3/.test(text) ? text : null;
      },
      60_000,
    );
    for (const one of [...PLANTED, OWN])
      t.notOk(read.includes(one), `${one} is not in the text of the desktop`);

    // Nobody has moved the pointer, which Xtigervnc then draws into the picture: a text below it is another to who reads it.
    const { x, y } = await display.pointer();
    const rows = Array.from({ length: 5 }, () => `'${BELOW}'`).join(" ");
    await display.openTerminal(
      "below",
      `30x6+${x - 100}+${y - 60}`,
      `printf '\\033[?25l'; printf '%s\\n' ${rows}; exec sleep 600`,
    );
    await until("a picture that is read, and stands still", async () => {
      const before = await agent.shot();
      search.look(frameOf(before), "seen by an agent, below a pointer");
      await sleep(2000);
      return Buffer.from(before.rgba).equals((await agent.shot()).rgba) ? true : null;
    });

    await agent.call("stop_recording", { recording_id });
    const frame = async (atMs: number): Promise<Shot> =>
      await agent.picture("get_frame_at", { recording_id, at_ms: atMs });
    for (let at = 0; at < 24_000; at += 3000) search.look(frameOf(await frame(at)), "recorded");
    t.same([...search.leaks], []);
  },
);
