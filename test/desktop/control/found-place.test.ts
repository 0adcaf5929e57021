import t from "tap";
import type { PerformOptions } from "../../../src/desktop/control/action.ts";
import { rect } from "../../../src/framebuffer/rect.ts";
import { Region } from "../../../src/framebuffer/region.ts";
import { settle } from "../../fake-clock.ts";
import { drawText } from "../../framebuffer/frames.ts";
import { AGENT, House, HUMAN } from "../house.ts";

const PLACE = rect(40, 30, 48, 16);
const ELSEWHERE = rect(120, 70, 48, 16);
const CLICK = { kind: "click", x: 64, y: 38, button: "left", clicks: 1, holdKeysyms: [] } as const;
const GROUND = 0x222222;

/** A desktop with a button on it, and an agent who found it. */
function scene(mode: "autopilot" | "assist" = "autopilot") {
  const house = House.live(mode);
  const { link, desktop } = house;
  const tell = (): void => {
    link.events.update({ painted: Region.of(link.framebuffer.rect), copies: [], missing: 0 });
  };
  /** The button, here alone. */
  const put = (at: typeof PLACE): void => {
    link.framebuffer.fill(link.framebuffer.rect, GROUND);
    drawText(link.framebuffer, at, 3);
    tell();
  };
  put(PLACE);
  const found = { what: "element", rect: PLACE, generation: desktop.generation };
  const click = (options: PerformOptions = {}) => {
    const work = desktop.perform(CLICK, AGENT, { found, ...options });
    work.catch(() => undefined);
    return work;
  };
  const sent = (): string[] => link.said.filter((line) => /^(latest|pointer)/.test(line));
  return { house, link, desktop, put, tell, click, sent };
}

t.test("the target is asked once, right before the press, and only for what was found", async (t) => {
  const { house, desktop, click, sent, link } = scene();
  await house.act(click());
  t.same(sent(), ["latest", "pointer 64,38 0", "pointer 64,38 1", "pointer 64,38 0"]);
  link.said.length = 0;
  await house.act(desktop.perform(CLICK, AGENT, {}));
  t.same(
    sent().filter((line) => line === "latest"),
    [],
    "other clicks wait for nothing",
  );
});

t.test("what the target had not told yet is not clicked, and the refusal says where it is", async (t) => {
  for (const [at, message] of [
    [ELSEWHERE, /moved between the look and the press, to 120,70, nothing was clicked/],
    [null, /changed between the look and the press, nothing was clicked/],
  ] as const) {
    const { house, link, put, tell, click, sent } = scene();
    link.answers = false;
    const work = click();
    await settle();
    t.same(sent(), ["latest"]);
    if (at !== null) put(at);
    else {
      link.framebuffer.fill(PLACE, GROUND);
      tell();
    }
    link.answers = true;
    link.pass();
    await t.rejects(house.act(work), { code: "stale_screen", message });
    t.same(sent(), ["latest"], "not even the pointer went there");
  }
});

t.test(
  "what changed before it could be remembered is not clicked, nor what the target does not confirm",
  async (t) => {
    const { house, link, desktop, put, sent } = scene();
    const found = { what: "text", rect: PLACE, generation: desktop.generation };
    put(ELSEWHERE);
    const late = house.act(desktop.perform(CLICK, AGENT, { found }));
    await t.rejects(late, { code: "stale_screen", message: /the text changed/ });
    const again = { what: "text", rect: ELSEWHERE, generation: desktop.generation };
    link.said.length = 0;
    link.answers = false;
    const work = house.act(desktop.perform(CLICK, AGENT, { found: again }), 1500);
    await t.rejects(work, { code: "stale_screen", message: /did not confirm its picture/ });
    t.same(sent(), ["latest"]);
  },
);

t.test("what changes elsewhere, blinks, or is as it was again does not matter", async (t) => {
  const { house, link, put, click } = scene();
  link.paint(rect(0, 0, 10, 10), 0xff0000);
  t.equal((await house.act(click())).unverified, null);
  for (let i = 0; i < 8; i++) {
    link.paint(rect(60, 34, 2, 10), i % 2 === 0 ? 0xffffff : 0x222222);
    house.clock.advance(500);
  }
  t.equal((await house.act(click(), 3000)).unverified, null, "a caret");
  const other = scene();
  other.link.answers = false;
  const work = other.click();
  await settle();
  other.put(ELSEWHERE);
  other.put(PLACE);
  other.link.answers = true;
  other.link.pass();
  t.equal((await other.house.act(work)).unverified, null, "there and back");
  put(PLACE);
});

t.test("a target whose pixels are approximations is asked whether it looks alike", async (t) => {
  const { house, link, put, tell, click } = scene();
  link.isExact = false;
  link.answers = false;
  const noisy = click();
  await settle();
  const { bytes } = link.framebuffer;
  for (let i = 0; i < bytes.length; i++) if (i % 4 !== 3) bytes[i] = Math.min(255, (bytes[i] ?? 0) + (i % 5));
  tell();
  link.answers = true;
  link.pass();
  t.equal((await house.act(noisy)).unverified, null);
  const { generation } = house.desktop;
  link.answers = false;
  const gone = house.desktop.perform(CLICK, AGENT, { found: { what: "element", rect: PLACE, generation } });
  gone.catch(() => undefined);
  await settle();
  put(ELSEWHERE);
  link.answers = true;
  link.pass();
  await t.rejects(house.act(gone), { code: "stale_screen" });
});

t.test("what was laid out anew and painted after the press is told in the answer", async (t) => {
  const { house, link, put, tell, click } = scene();
  const moved = click();
  await house.clock.live(20);
  t.ok(link.said.includes("pointer 64,38 1"), "it is pressed");
  put(ELSEWHERE);
  t.match(await house.act(moved), { unverified: /the element is at 120,70 now/ });
  t.equal((await house.act(moved)).looksOtherwise, undefined);

  put(PLACE);
  const { generation } = house.desktop;
  const found = { what: "element", rect: PLACE, generation };
  const gone = house.desktop.perform(CLICK, AGENT, { found });
  await house.clock.live(20);
  link.framebuffer.fill(PLACE, GROUND);
  tell();
  t.match(await house.act(gone), { unverified: null, looksOtherwise: true }, "as a dialog that was answered");

  // Two of the same: when one is gone, the other one has not moved.
  put(PLACE);
  drawText(link.framebuffer, ELSEWHERE, 3);
  tell();
  const twins = { what: "element", rect: PLACE, generation: house.desktop.generation };
  const one = house.desktop.perform(CLICK, AGENT, { found: twins });
  await house.clock.live(20);
  link.framebuffer.fill(PLACE, GROUND);
  link.paint(PLACE, GROUND);
  t.match(await house.act(one), { unverified: null, looksOtherwise: true });
});

t.test("who approves another place means what is there", async (t) => {
  const { house, desktop, click, sent } = scene("assist");
  const work = click();
  await settle();
  const [card] = desktop.approvals.pending;
  desktop.approvals.decide(card?.id ?? "", { kind: "approve", edit: { x: 150, y: 20 } }, HUMAN);
  t.match(await house.act(work), { edit: { x: 150, y: 20 }, unverified: null });
  t.equal(sent().filter((line) => line === "pointer 150,20 1").length, 1);
});
