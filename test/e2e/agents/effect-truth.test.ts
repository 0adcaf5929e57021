import t, { type Test } from "tap";
import * as z from "zod";
import { until } from "../../support/until.ts";
import { Appliance } from "../harness/appliance.ts";
import { decodePicture } from "../harness/browser.ts";
import { requirePeers } from "../harness/peers.ts";
import { XDisplay } from "../harness/x-display.ts";
import type { Shot } from "../harness/xwd.ts";
import { requireRdpTarget, startRdpTarget } from "../targets/rdp-target.ts";

// What an answer says changed, what its generation covers and what the display of the target shows are one thing.

const SLOW_MS = 60_000;
const SLOW = { timeout: 2 * SLOW_MS };

const rectSchema = z.object({ x: z.number(), y: z.number(), width: z.number(), height: z.number() });
type Rect = z.infer<typeof rectSchema>;

const effectSchema = z.object({
  changed: z.boolean().nullable(),
  changed_rects: z.array(rectSchema),
  periodic_rects: z.array(rectSchema).default([]),
  moves: z.array(z.unknown()).default([]),
  generation_before: z.number(),
  generation_after: z.number(),
});

/** One key is one thing to paint; the script ends with the display. */
const PAINTER = `
stty raw -echo; printf '\\033[?25l'; n=0
while k=$(head -c1); [ -n "$k" ]; do n=$((n+1)); case $k in
  a) printf '\\033[2;3Hpainted %d' $n;;
  b) sleep 0.06; printf '\\033[4;3Hlate %d' $n;;
  c) sleep 0.1; printf '\\033[6;3Hlater %d' $n;;
  d) sleep 0.15; printf '\\033[8;3Hlatest %d' $n;;
  f) printf '\\033[H\\033[44m'; i=0; while [ $i -lt 24 ]; do printf '%70s\\r\\n' $n; i=$((i+1)); done; printf '\\033[0m';;
  g) printf '\\033[0m\\033[2J';;
  w) printf '\\033[24;1H'; i=0; while [ $i -lt 5 ]; do printf '\\nline %d.%d of a page' $n $i; i=$((i+1)); done; printf '\\r';;
  u) printf '\\033[10;3H@\\b \\b@\\b ';;
esac; done`;
const CLOCK = `printf '\\033[?25l'; while :; do printf '\\r%s' "$(date +%S)"; sleep 1; done`;

const KINDS = ["tigervnc", "xrdp-xorg"] as const;

async function open(t: Test, hasClock: boolean, kind: (typeof KINDS)[number] = "tigervnc") {
  const isRdp = kind === "xrdp-xorg";
  if (!requirePeers(t, ["Xtigervnc", "openbox", "xterm", "xdotool", "xwd"])) return null;
  if (isRdp && !requireRdpTarget(t, kind)) return null;
  const { display, appliance } = isRdp ? await openRdp(t) : await openVnc(t);
  if (hasClock) await display.openTerminal("clock", "12x2+1000+20", CLOCK);
  const window = await display.openTerminal("painter", "80x30+20+40", PAINTER);
  const agent = await appliance.agent({ token: appliance.agentToken });
  const { x, y } = await display.placeOf(window);
  await until("a picture", () => agent.shot(), SLOW_MS);
  await agent.call("click_at", { x: x + 300, y: y + 200 });
  await agent.call("wait_for", { condition: "stable", stable_ms: 300, timeout_ms: 5000 });
  const press = async (key: string, args: Record<string, unknown> = {}) =>
    effectSchema.parse(await agent.call("press_keys", { keys: key, ...args }));
  return { display, agent, press, window };
}

async function openVnc(t: Test) {
  const display = await XDisplay.start(t, { geometry: "1280x900" });
  await display.openWindowManager();
  return {
    display,
    appliance: await Appliance.start(t, { connect: [`vnc://127.0.0.1:${display.vncPort}`] }),
  };
}

/** Its display begins with the first sign-in. */
async function openRdp(t: Test) {
  const { display, url } = await startRdpTarget(t, "xrdp-xorg");
  if (display === null) throw new Error("a target without a display");
  const appliance = await Appliance.start(t, { connect: [`${url}?size=1280x900`] });
  await display.isUp();
  return { display, appliance };
}

/** The bounds of all pixels outside of some rectangles in which two pictures differ; null where there are none. */
function differenceOutside(a: Shot, b: Shot, rects: readonly Rect[]): Rect | null {
  if (a.width !== b.width || a.height !== b.height) return { x: 0, y: 0, width: b.width, height: b.height };
  const before = new DataView(a.rgba.buffer, a.rgba.byteOffset, a.rgba.byteLength);
  const after = new DataView(b.rgba.buffer, b.rgba.byteOffset, b.rgba.byteLength);
  let [left, top, right, bottom] = [a.width, a.height, 0, 0];
  for (let i = 0; i < a.width * a.height; i++) {
    if (before.getUint32(i * 4) === after.getUint32(i * 4)) continue;
    const x = i % a.width;
    const y = Math.floor(i / a.width);
    if (rects.some((r) => x >= r.x && y >= r.y && x < r.x + r.width && y < r.y + r.height)) continue;
    left = Math.min(left, x);
    top = Math.min(top, y);
    right = Math.max(right, x + 1);
    bottom = Math.max(bottom, y + 1);
  }
  return right === 0 ? null : { x: left, y: top, width: right - left, height: bottom - top };
}

for (const kind of KINDS) {
  t.test(`${kind}: what differs on the target is told, or has a later generation`, SLOW, async (t) => {
    const desk = await open(t, false, kind);
    if (desk === null) return;
    const { display, agent, press } = desk;
    const counts = { changed: 0, unchanged: 0 };
    // So that the next look tells of nothing older.
    await agent.call("take_screenshot");
    let before = await display.shot();
    for (const key of "axfgfgxawwuxbcdafgafgw") {
      const effect = await press(key);
      const after = await display.shot();
      const told = [...effect.changed_rects, ...effect.periodic_rects];
      counts[effect.changed === true ? "changed" : "unchanged"]++;
      if (
        differenceOutside(before, after, effect.changed === false ? effect.periodic_rects : told) !== null
      ) {
        const args = { if_changed_since: effect.generation_after };
        await until(
          `${key}: what was not told to have a later generation`,
          async () => (await agent.call("take_screenshot", args))["unchanged"] === false,
          SLOW_MS,
        );
      }
      await agent.call("wait_for", { condition: "stable", stable_ms: 250, timeout_ms: 5000 });
      await agent.call("take_screenshot");
      before = await display.shot();
    }
    t.ok(counts.changed >= 10, `${counts.changed} effects`);
    t.ok(counts.unchanged >= 3, `${counts.unchanged} without`);
  });
}

t.test("a window that is painted over again and again is told each time", async (t) => {
  const desk = await open(t, false);
  if (desk === null) return;
  for (const key of "fgfgfg")
    t.equal((await desk.press(key, { effect_timeout_ms: 5000 })).changed, true, key);
});

t.test("between the generations of an answer nothing differs that it does not tell", async (t) => {
  const desk = await open(t, true);
  if (desk === null) return;
  const { agent, press } = desk;
  let seen = await agent.shot();
  let judged = 0;
  for (const key of "axaxwfxgwafgxaw") {
    const effect = await press(key);
    const now = await agent.shot();
    const isBetween = seen.facts["generation"] === effect.generation_before;
    // A picture may show more than its generation has: what came while it was taken is in it.
    const { unchanged } = await agent.call("take_screenshot", { if_changed_since: effect.generation_after });
    if (isBetween && unchanged === true && now.facts["generation"] === effect.generation_after) {
      judged++;
      const told = [...effect.changed_rects, ...effect.periodic_rects];
      t.equal(differenceOutside(seen, now, told), null, `${key}: ${JSON.stringify(effect)}`);
    }
    seen = now;
  }
  t.ok(judged >= 5, `${judged} judged`);
});

t.test("a clock is known after a while, and is no effect", async (t) => {
  const desk = await open(t, true);
  if (desk === null) return;
  await until(
    "an action without effect while the clock runs",
    async () => {
      await desk.agent.call("wait", { duration_ms: 5000 });
      const { changed, periodic_rects } = await desk.press("x", { effect_timeout_ms: 2500 });
      return changed === false && periodic_rects.length > 0;
    },
    SLOW_MS,
  );
});

const answerSchema = z.object({
  structuredContent: z.object({
    screenshot: z.object({ region: rectSchema }).nullable(),
  }),
  content: z.array(z.object({ type: z.string(), data: z.string().optional() })),
});

t.test("the pictures of differences cost a quarter of whole ones at most", async (t) => {
  const desk = await open(t, false);
  if (desk === null) return;
  const { agent } = desk;
  for (const key of "wwwwww") await desk.press(key);
  let parts = 0;
  let wholes = 0;
  for (const key of "awawxaawwau") {
    const answer = answerSchema.parse(
      await agent.raw("press_keys", { keys: key, return_screenshot: "diff", effect_timeout_ms: 1000 }),
    );
    for (const { data = "" } of answer.content) parts += data.length;
    const whole = answerSchema.pick({ content: true }).parse(await agent.raw("take_screenshot", {}));
    for (const { data = "" } of whole.content) {
      wholes += data.length;
      if (data !== "") await decodePicture(Buffer.from(data, "base64"));
    }
  }
  t.ok(parts > 0);
  t.ok(parts <= wholes / 4, `${parts} of ${wholes}`);
});
