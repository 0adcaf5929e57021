import t from "tap";
import { connectionFromUrl, makeConnection } from "../../../src/desktop/connections/connection.ts";
import { changeOf } from "../../../src/desktop/connections/connection-edit.ts";
import { EventSubscription } from "../../../src/desktop/events/subscription.ts";
import { AGENT, House, HUMAN } from "../house.ts";

function wish(house: House, seconds: number | null): void {
  const { keep_awake_s: _, ...connection } = house.desktop.connection;
  house.desktop.change(seconds === null ? connection : { ...connection, keep_awake_s: seconds });
}

/** A live desktop that is to be kept awake, and what was sent to it meanwhile. */
function awake(seconds = 60) {
  const house = House.live();
  wish(house, seconds);
  const sentIn = async (ms: number): Promise<readonly string[]> => {
    house.link.said.length = 0;
    await house.clock.live(ms);
    return house.link.said.filter((line) => /^(pointer|down|up|clip)/.test(line));
  };
  return { house, sentIn };
}

const NUDGE = ["pointer 101,50 0", "pointer 100,50 0"];

t.test("off by default, and off again", async (t) => {
  const { house, sentIn } = awake();
  wish(house, null);
  t.same(await sentIn(1_000_000), []);
  const plain = House.live();
  await plain.clock.live(1_000_000);
  t.same(
    plain.link.said.filter((line) => line.startsWith("pointer")),
    [],
  );
});

t.test("the pointer goes a pixel and back, once in each time without input", async (t) => {
  const { house, sentIn } = awake();
  t.same(await sentIn(59_000), []);
  t.same(await sentIn(2000), NUDGE, "from the middle, for nobody put it anywhere");
  t.same(await sentIn(58_000), []);
  await house.act(house.desktop.perform({ kind: "move", x: 199, y: 99 }, AGENT));
  t.same(await sentIn(58_000), [], "an agent moved it meanwhile");
  t.same(await sentIn(4000), ["pointer 198,99 0", "pointer 199,99 0"], "where it is, within the picture");
  t.same(house.desktop.pointer, { x: 199, y: 99 });
  wish(house, 5);
  t.same((await sentIn(16_000)).length, 6, "another time is taken at once");
});

t.test("not while a person has the input, or a key or button is down, and soon afterwards", async (t) => {
  const { house, sentIn } = awake();
  house.desktop.setHolding(true, HUMAN);
  t.same(await sentIn(29_000), []);
  const key = { kind: "key", keysym: 0x61, scancode: null } as const;
  await house.act(house.desktop.perform({ ...key, isDown: true }, HUMAN));
  t.same(await sentIn(600_000), ["up 61"].slice(0, 0), "a person keeps a key down");
  await house.act(house.desktop.perform({ ...key, isDown: false }, HUMAN));
  house.desktop.setHolding(false, HUMAN);
  t.same(await sentIn(45_000), [], "letting go was input");
  t.same(await sentIn(31_000), NUDGE);

  await house.act(
    house.desktop.perform({ kind: "button", x: 10, y: 10, button: "left", isDown: true }, AGENT),
  );
  wish(house, 5);
  t.same(await sentIn(30_000), [], "an agent drags");
});

t.test("not on a desktop that was stopped, nor to one that is not there", async (t) => {
  const { house, sentIn } = awake();
  house.desktop.stop(HUMAN);
  t.same(await sentIn(300_000), []);
  house.desktop.resume(HUMAN);
  t.same((await sentIn(61_000)).slice(0, 2), NUDGE);
  house.link.drop();
  t.same(await sentIn(300_000), []);
  t.same(house.bugs, []);
});

t.test("nobody is told of it, and it ends no agent's turn", async (t) => {
  const { house, sentIn } = awake();
  const kinds = ["mouse_move", "mouse_click", "key_press"] as const;
  const options = { kinds, debounceMs: 0, region: null, minPixels: 0, text: null, principalId: "a" };
  const ear = new EventSubscription(house.desktop, options, house.clock);
  t.teardown(() => ear.close());
  t.same((await sentIn(130_000)).length, 4);
  t.same(ear.queue.take(10).events, []);
  t.equal(house.desktop.holder, null);
  t.same(house.desktop.actions, []);
});

t.test("a closed desktop moves nothing", async (t) => {
  const { house, sentIn } = awake();
  house.desktop.close();
  t.same(await sentIn(300_000), []);
});

t.test("it is said in a URL, whole seconds of a sensible length, and no reason for a new connection", (t) => {
  const made = (url: string) => makeConnection({ ...connectionFromUrl(url), id: "a" }, new Date(0));
  for (const url of ["vnc://h", "kasmvnc://h", "rdp://a:b@h", "vnc+wss://h/desk"]) {
    const connection = made(`${url}?keep_awake_s=240`);
    t.equal(connection.keep_awake_s, 240, url);
    t.equal(changeOf(made(url), connection), "name", url);
    t.notMatch(connection.path ?? "", "keep_awake");
  }
  for (const seconds of ["4", "3601", "1.5", "x"]) {
    t.throws(() => made(`vnc://h?keep_awake_s=${seconds}`), { code: "invalid_parameters" }, seconds);
  }
  t.end();
});
