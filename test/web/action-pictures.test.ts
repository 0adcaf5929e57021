import sharp from "sharp";
import t from "tap";
import type { Action } from "../../src/desktop/control/action.ts";
import type { ActionRecord } from "../../src/desktop/control/action-record.ts";
import type { SecretUse } from "../../src/desktop/input/placeholders.ts";
import { ActionPictures } from "../../src/web/api/action-pictures.ts";
import { AGENT, CLICK, House, HUMAN } from "../desktop/house.ts";
import { FakeClock } from "../fake-clock.ts";
import { FakeDesktops } from "./fake-desktops.ts";

const EVERYWHERE = { x: 0, y: 0, width: 200, height: 100 };
const GREY = 0x222222;
const GREEN = 0x00ff00;
const RECORD: ActionRecord = {
  ...{ id: "x", at: "2026-11-21T10:00:00.000Z", actor: AGENT, kind: "type", summary: "Type 4 characters" },
  ...{ intent: null, outcome: "done", code: null, wasConfirmed: false, effect: null, durationMs: 9 },
  recorded: { changed: null, changedRects: [] },
};

/** A live desktop whose agents' actions are pictured; they paint what they press green. */
function open() {
  const house = House.live();
  const { desktop } = house;
  const pictures = new ActionPictures({ all: [desktop], on: () => () => {} }, house.clock);
  const act = async (action: Action, paints = GREEN): Promise<string> => {
    const done = desktop.perform(action, AGENT);
    await house.clock.live(20);
    house.link.paint({ x: 0, y: 0, width: 40, height: 40 }, paints);
    await house.act(done);
    return desktop.actions.at(-1)?.id ?? "";
  };
  return { house, desktop, pictures, act };
}

async function colourAt(png: Uint8Array | null, x: number, y: number): Promise<number | null> {
  if (png === null) return null;
  const { data, info } = await sharp(png).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  const at = (y * info.width + x) * 3;
  return data.readUIntBE(at, 3);
}

t.test("an action has its place as it was before the press and after its effect", async (t) => {
  const { desktop, pictures, act } = open();
  const id = await act(CLICK);
  t.match(pictures.placeOf("d1", id), { crop: EVERYWHERE, point: { x: CLICK.x, y: CLICK.y } });
  for (const audience of ["viewer", "viewer:operator", "viewer:viewer"] as const) {
    t.equal(await colourAt(await pictures.picture(desktop, id, "before", audience), 10, 20), GREY);
    t.equal(await colourAt(await pictures.picture(desktop, id, "after", audience), 10, 20), GREEN);
  }
  for (const audience of ["agent", "recording"] as const)
    t.equal(await pictures.picture(desktop, id, "after", audience), null, "they are for people");
  t.equal(pictures.placeOf("d1", "another"), null);
});

t.test(
  "what is hidden from somebody is in no picture of theirs, also where it is hidden later",
  async (t) => {
    const { desktop, pictures, act } = open();
    const spec = { monitor: null, label: null };
    const rect = { x: 0, y: 0, width: 30, height: 30 };
    desktop.masks.add({ ...spec, rect, audiences: ["viewer:operator"] }, null, HUMAN);
    const id = await act(CLICK);
    const seen = await colourAt(await pictures.picture(desktop, id, "after", "viewer:operator"), 10, 20);
    t.not(seen, GREEN, "masked as it is live");
    t.equal(await colourAt(await pictures.picture(desktop, id, "after", "viewer"), 10, 20), GREEN);
    desktop.masks.add(
      { ...spec, rect: { x: 100, y: 50, width: 9, height: 9 }, audiences: ["viewer"] },
      null,
      HUMAN,
    );
    for (const when of ["before", "after"] as const)
      t.equal(await pictures.picture(desktop, id, when, "viewer"), null, `${when}: hidden since`);
  },
);

t.test("of many actions the newest are kept", async (t) => {
  const { desktop, pictures, act } = open();
  const first = await act(CLICK);
  t.ok(pictures.placeOf("d1", first));
  for (let nth = 0; nth < 24; nth++) await act(CLICK, nth);
  t.equal(pictures.placeOf("d1", first), null, "the oldest went");
  const last = desktop.actions.at(-1)?.id ?? "";
  t.ok(pictures.placeOf("d1", last));
  pictures.close();
  t.equal(pictures.placeOf("d1", last), null);
});

t.test("an action that names a stored secret has none", async (t) => {
  const desktops = new FakeDesktops();
  const desktop = desktops.open("d1");
  const clock = new FakeClock();
  const pictures = new ActionPictures(desktops, clock);
  desktop.holder = { actor: AGENT, sinceMs: 0, untilMs: null, isDeclared: false };
  const act = (id: string, secrets?: readonly SecretUse[]): void => {
    clock.advance(1000);
    desktop.emit({ type: "input", input: { kind: "key_press" } });
    const record = { ...RECORD, id, ...(secrets === undefined ? {} : { secrets }) };
    desktop.emit({ type: "action", record });
  };
  act("plain");
  t.match(pictures.placeOf("d1", "plain"), { point: null });
  act("secret", [{ kind: "secret", name: "bank", placeholder: "{{secret:bank}}" }]);
  t.equal(pictures.placeOf("d1", "secret"), null);
  desktop.holder = { actor: HUMAN, sinceMs: 0, untilMs: null, isDeclared: true };
  act("person");
  t.equal(pictures.placeOf("d1", "person"), null, "people's hands are not pictured");
});
