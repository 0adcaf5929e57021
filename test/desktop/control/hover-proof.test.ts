import t from "tap";
import type { PerformOptions } from "../../../src/desktop/control/action.ts";
import type { Decision } from "../../../src/desktop/control/approvals/approvals.ts";
import type { Mode } from "../../../src/desktop/control/policy.ts";
import { rect } from "../../../src/framebuffer/rect.ts";
import { settle } from "../../fake-clock.ts";
import { AGENT, House, HUMAN } from "../house.ts";

const PLACE = rect(40, 30, 48, 16);
const CLICK = { kind: "click", x: 64, y: 38, button: "left", clicks: 1, holdKeysyms: [] } as const;
const MOVED = "pointer 64,38 0";
const PRESSED = "pointer 64,38 1";
const HELD = "pointer 64,38 32";
const UNHELD = { mayHold: () => false, isHeld: async () => false };
const APPROVE: Decision = { kind: "approve" };

/** A desktop, and a click that is proven by what `isUnder` says; held by the wheel where `isHeld` is given. */
function scene(
  mode: Mode,
  isUnder: (house: House) => void = () => {},
  options: PerformOptions = {},
  isHeld?: (house: House) => boolean,
) {
  const house = House.live(mode);
  house.link.holdsWheel = isHeld !== undefined;
  const said = house.link.said;
  said.length = 0;
  const proof = {
    rect: PLACE,
    ready: async (): Promise<void> => {
      said.push("ready");
    },
    isUnder: async (): Promise<void> => {
      said.push("under");
      isUnder(house);
    },
    mayHold: () => true,
    isHeld: async (): Promise<boolean> => {
      said.push("held");
      return isHeld?.(house) === true;
    },
  };
  const work = house.desktop.perform(CLICK, AGENT, { proof, ...options });
  work.catch(() => undefined);
  const sent = (): string[] => said.filter((line) => /^(latest|pointer|ready|under|held)/.test(line));
  return { house, work, sent };
}

t.test(
  "the pointer goes there first, and the press comes behind the proof and the newest pixels",
  async (t) => {
    const { house, work, sent } = scene("autopilot");
    await house.act(work);
    t.same(sent(), ["ready", MOVED, "under", "latest", PRESSED, MOVED]);
  },
);

t.test("a pointer that stands there already moves, or nobody would be told of it", async (t) => {
  const { house, work, sent } = scene("autopilot");
  await house.act(work);
  house.link.said.length = 0;
  const proof = { rect: PLACE, ready: async () => {}, isUnder: async () => {}, ...UNHELD };
  await house.act(house.desktop.perform(CLICK, AGENT, { proof }));
  t.same(sent(), ["pointer 63,38 0", MOVED, "latest", PRESSED, MOVED]);
});

t.test("nothing is pressed where something else is under the pointer, or before it is there", async (t) => {
  const { house, work, sent } = scene("autopilot", () => {
    throw new Error("something else");
  });
  await t.rejects(house.act(work), /something else/);
  t.same(sent(), ["ready", MOVED, "under"]);
  const early = House.live();
  early.link.said.length = 0;
  const ready = () => Promise.reject(new Error("gone"));
  const click = early.desktop.perform(CLICK, AGENT, {
    proof: { rect: PLACE, ready, isUnder: async () => {}, ...UNHELD },
  });
  await t.rejects(early.act(click), /gone/);
  t.same(
    early.link.said.filter((line) => line.startsWith("pointer")),
    [],
    "not even moved",
  );
});

t.test(
  "what lights up under the pointer is asked about again, and what never rests is not pressed",
  async (t) => {
    let paints = 0;
    const lights = scene("autopilot", ({ link }) => {
      if (++paints <= 2) link.paint(PLACE, 0x440000 + paints);
    });
    await lights.house.act(lights.work);
    t.same(lights.sent().slice(2), ["under", "latest", "under", "latest", "under", "latest", PRESSED, MOVED]);
    let colour = 0;
    const restless = scene("autopilot", ({ link, clock }) => {
      link.paint(PLACE, 0x550000 + ++colour);
      clock.advance(50);
    });
    await t.rejects(restless.house.act(restless.work, 3000), {
      code: "stale_screen",
      message: /keeps changing/,
    });
    t.notOk(restless.sent().includes(PRESSED));
    let elsewhere = 0;
    const beside = scene("autopilot", ({ link }) =>
      link.paint(rect(150, 80, 10, 10), 0x660000 + ++elsewhere),
    );
    await beside.house.act(beside.work);
    t.ok(beside.sent().includes(PRESSED), "what changes elsewhere does not matter");
    t.equal(elsewhere, 1);
  },
);

t.test(
  "where the wheel holds the pointer, the press comes when it does, and all is let go after it",
  async (t) => {
    const { house, work, sent } = scene("autopilot", undefined, {}, () => true);
    await house.act(work);
    t.same(sent(), [
      ...["ready", MOVED, "under", "latest", HELD, "held", "latest"],
      ...["pointer 64,38 33", HELD, MOVED],
    ]);
  },
);

t.test("what came in between got the wheel alone, and nothing is pressed", async (t) => {
  const { house, work, sent } = scene("autopilot", undefined, {}, () => {
    throw new Error("a window");
  });
  await t.rejects(house.act(work), /a window/);
  t.same(sent().slice(4), [HELD, "held", "latest", MOVED]);
});

t.test("what changes while the wheel is down is asked about again, and the wheel stays down", async (t) => {
  let looks = 0;
  const { house, work, sent } = scene("autopilot", undefined, {}, ({ link }) => {
    if (++looks === 1) link.paint(PLACE, 0x990000);
    return true;
  });
  await house.act(work);
  t.same(sent().slice(4), [HELD, "held", "latest", "under", "latest", "pointer 64,38 33", HELD, MOVED]);
});

t.test("a page that sees nothing of the wheel is clicked without it, proven once more", async (t) => {
  const { house, work, sent } = scene("autopilot", undefined, {}, () => false);
  await house.act(work);
  t.same(sent().slice(4), [HELD, "held", "latest", MOVED, "under", "latest", PRESSED, MOVED]);
});

t.test("who said yes elsewhere is not asked again, and what is denied stays denied", async (t) => {
  const approved = scene("assist", undefined, { isApproved: true });
  await approved.house.act(approved.work);
  t.ok(approved.sent().includes(PRESSED));
  t.same(approved.house.desktop.approvals.pending, []);
  const denied = scene("passive", undefined, { isApproved: true });
  await t.rejects(denied.house.act(denied.work), { code: "permission_denied" });
  t.same(denied.sent(), []);
});

t.test("what lights up does not undo a yes, but what changed before the pointer came does", async (t) => {
  for (const isChanged of [false, true]) {
    let paints = 0;
    const { house, work, sent } = scene("assist", ({ link }) => {
      if (++paints === 1) link.paint(PLACE, 0x770000);
    });
    await house.clock.live(100);
    const [card] = house.desktop.approvals.pending;
    t.same(sent(), [], "nothing before the yes");
    house.desktop.approvals.decide(card?.id ?? "", APPROVE, HUMAN);
    if (isChanged) house.link.paint(PLACE, 0x112233);
    await settle();
    if (isChanged) await t.rejects(house.act(work), { code: "stale_screen" });
    else await house.act(work);
    t.equal(sent().includes(PRESSED), !isChanged);
  }
});

t.test("a click that knows its element names it on the card and in the log", async (t) => {
  const subject = 'button "Save" on shop.example\u202e';
  const { house, work } = scene("assist", () => {}, { subject, intent: "keep it" });
  await house.clock.live(100);
  const [card] = house.desktop.approvals.pending;
  t.match(card, { summary: 'Click left at 64,38: button "Save" on shop.example', intent: "keep it" });
  house.desktop.approvals.decide(card?.id ?? "", APPROVE, HUMAN);
  await house.act(work);
  const [record] = house.desktop.actions.slice(-1);
  t.match(record, { summary: 'Click left at 64,38: button "Save" on shop.example', intent: "keep it" });
});
