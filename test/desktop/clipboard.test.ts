import t from "tap";
import { EventSubscription } from "../../src/desktop/events/subscription.ts";
import { AGENT, House, HUMAN } from "./house.ts";

async function read(house: House): Promise<unknown> {
  const { clipboard } = await house.act(house.desktop.perform({ kind: "read_clipboard" }, AGENT));
  return clipboard;
}

t.test("what is read is what was last copied there or put there, and which of both", async (t) => {
  const house = House.live();
  t.equal(await read(house), null, "nobody did either yet");
  house.link.events.clipboard("copied there");
  t.same(await read(house), { text: "copied there", origin: "desktop" });
  await house.act(house.desktop.perform({ kind: "write_clipboard", text: "by the agent" }, AGENT));
  t.same(await read(house), { text: "by the agent", origin: "sent" });
  await house.act(house.desktop.perform({ kind: "write_clipboard", text: "by a person" }, HUMAN));
  t.same(await read(house), { text: "by a person", origin: "sent" });
  const paste = { kind: "paste", text: "pasted", keysyms: [0xffe3, 0x76], name: "ctrl+v" } as const;
  await house.act(house.desktop.perform(paste, AGENT));
  t.same(await read(house), { text: "pasted", origin: "sent" });
  house.link.events.clipboard("copied again");
  t.same(await read(house), { text: "copied again", origin: "desktop" });
});

t.test("it is as the target can have it", async (t) => {
  const house = House.live();
  const put = async (text: string, by = AGENT): Promise<unknown> => {
    await house.act(house.desktop.perform({ kind: "write_clipboard", text }, by));
    return read(house);
  };
  t.same(await put("a\r\nb\rc\nd €😀"), { text: "a\nb\nc\nd €😀", origin: "sent" });
  house.link.hasLatinClipboard = true;
  t.same(await put("äÿ €😀", HUMAN), { text: "äÿ ??", origin: "sent" });
  t.same(await put("äÿ"), { text: "äÿ", origin: "sent" });
  await t.rejects(put("äÿ €"), { code: "not_supported", message: /type_text/ });
  const paste = { kind: "paste", text: "€", keysyms: [0xffe3, 0x76], name: "ctrl+v" } as const;
  await t.rejects(house.act(house.desktop.perform(paste, AGENT)), { code: "not_supported" });
  t.same(await read(house), { text: "äÿ", origin: "sent" }, "nothing of them was sent");
});

t.test("letters that a target may read in another encoding are told as doubtful", async (t) => {
  const house = House.live();
  const doubtOf = async (kind: "write_clipboard" | "paste", text: string): Promise<string | null> => {
    const keys = { keysyms: [0xffe3, 0x76], name: "ctrl+v" };
    const action = kind === "paste" ? { kind, text, ...keys } : { kind, text };
    return (await house.act(house.desktop.perform(action, AGENT), 3000)).unverified;
  };
  for (const kind of ["write_clipboard", "paste"] as const) {
    t.match(await doubtOf(kind, "äöü"), /letters beyond ASCII may arrive as others/);
    t.notMatch(await doubtOf(kind, "aou"), /letters/);
  }
  house.link.provesClipboard = true;
  t.notMatch(await doubtOf("write_clipboard", "äöü"), /letters/);
});

t.test("what was refused is not on it, nor what was sent to no target", async (t) => {
  const house = House.live("passive");
  const write = { kind: "write_clipboard", text: "x" } as const;
  await t.rejects(house.desktop.perform(write, AGENT), { code: "permission_denied" });
  house.desktop.setMode("autopilot", HUMAN);
  t.equal(await read(house), null);
  house.link.drop();
  await t.rejects(house.act(house.desktop.perform(write, AGENT)), { code: "target_down" });
  t.equal(await read(house), null);
});

t.test("subscribers learn how long a text is, whoever put it there, and never the text", async (t) => {
  const house = House.live();
  const wish = {
    kinds: ["clipboard"],
    debounceMs: 0,
    region: null,
    minPixels: 0,
    text: null,
    principalId: "a",
  } as const;
  const ear = new EventSubscription(house.desktop, wish, house.clock);
  t.teardown(() => ear.close());
  house.link.events.clipboard("copied");
  await house.act(house.desktop.perform({ kind: "write_clipboard", text: "hunter2" }, HUMAN));
  const { events } = ear.queue.take(10);
  t.match(events, [
    { type: "clipboard", length: 6 },
    { type: "clipboard", length: 7 },
  ]);
  t.notMatch(JSON.stringify(events), "hunter2");
});

const PASTE = { kind: "paste", text: "new", keysyms: [0xffe3, 0x76], name: "ctrl+v" } as const;

t.test("a paste is sure only where the target asked for the text", async (t) => {
  const deaf = House.live();
  t.match(
    (await deaf.act(deaf.desktop.perform(PASTE, AGENT), 3000)).unverified,
    /before may have been pasted/,
  );

  const house = House.live();
  house.link.provesClipboard = true;
  const unseen = house.desktop.perform(PASTE, AGENT);
  t.match((await house.act(unseen, 3000)).unverified, /before may have been pasted/, "nothing pasted it");
  const seen = house.desktop.perform(PASTE, AGENT);
  await house.clock.live(100);
  house.link.events.clipboardTaken?.();
  t.equal((await house.act(seen, 3000)).unverified, null);
  t.match(await read(house), { text: "new", isTaken: true });
});

t.test("a text that is put there is unverified until the target asks for it", async (t) => {
  const house = House.live();
  const write = { kind: "write_clipboard", text: "x" } as const;
  t.match((await house.act(house.desktop.perform(write, AGENT))).unverified, /never shows/);
  house.link.provesClipboard = true;
  t.match((await house.act(house.desktop.perform(write, AGENT))).unverified, /has not yet/);
});

t.test("a text that is too long takes the place of the one before, and is not to be had", async (t) => {
  const house = House.live();
  house.link.events.clipboard("short");
  house.link.events.clipboard(null);
  t.same(await read(house), { text: null, origin: "desktop" });
});

t.test("a flood of texts is told ten times a second, the newest last, and read as it is", async (t) => {
  const house = House.live();
  for (let i = 0; i < 1000; i++) house.link.events.clipboard(`text ${i}`);
  t.same(await read(house), { text: "text 999", origin: "desktop" });
  const told = (): string[] =>
    house.events.flatMap((event) => (event.type === "clipboard" ? [event.text] : []));
  await house.clock.live(1000);
  t.same(told(), ["text 0", "text 999"]);
  house.link.events.clipboard("after");
  t.equal(told().at(-1), "after", "at once where none came for a while");
});

const HIDDEN = { text: null, isHidden: true };
const READ = { kind: "read_clipboard" } as const;
const ALL_EVENTS = {
  kinds: ["clipboard"],
  debounceMs: 0,
  region: null,
  minPixels: 0,
  text: null,
  principalId: "a",
} as const;

function hideCorner(house: House): string {
  const spec = { monitor: null, label: null, audiences: ["agent"] as const };
  return house.desktop.masks.add({ ...spec, rect: { x: 0, y: 0, width: 200, height: 50 } }, null, HUMAN).id;
}

for (const kind of ["paste", "write_clipboard"] as const) {
  t.test(
    `what a person wrote in place of an agent's text under a mask is not read back: ${kind}`,
    async (t) => {
      const house = House.live("assist");
      house.desktop.setMode("custom", HUMAN, { text: "ask", read_clipboard: "allow", pointer: "allow" });
      const mask = hideCorner(house);
      const ear = new EventSubscription(house.desktop, ALL_EVENTS, house.clock);
      t.teardown(() => ear.close());
      const action = kind === "paste" ? PASTE : ({ kind, text: "new" } as const);
      const work = house.desktop.perform(action, AGENT);
      work.catch(() => undefined);
      await house.clock.live(10);
      const [approval] = house.desktop.approvals.pending;
      house.desktop.approvals.decide(
        approval?.id ?? "",
        { kind: "approve", edit: { text: "hunter2" } },
        HUMAN,
      );
      const done = await house.act(work, 3000);
      t.same(done.edit, {}, "that they changed it");
      t.match(await read(house), HIDDEN);
      house.link.events.clipboard("hunter2");
      t.match(await read(house), HIDDEN, "nor when the target tells it again");
      house.desktop.masks.remove(mask, HUMAN);
      house.link.events.clipboard("hunter2");
      t.match(await read(house), HIDDEN, "nor when nothing is hidden any more");
      t.same(ear.queue.take(10).events, [], "nor is it told how long it is");
      t.notMatch(JSON.stringify(house.desktop.actions), /7 characters|hunter2/);
      t.match((await house.act(house.desktop.perform(READ, HUMAN))).clipboard, { text: "hunter2" });

      house.link.said.length = 0;
      await house.act(house.desktop.perform({ kind: "move", x: 1, y: 1 }, AGENT));
      t.equal(house.link.said[0], "clipboard 0", "before an agent could paste it, it is gone");
      t.match(await read(house), { text: "", origin: "sent" });
    },
  );
}

t.test("what was on the clipboard in a private time is not read or pasted afterwards", async (t) => {
  for (const way of ["copied", "put there"] as const) {
    const house = House.live();
    const { requests } = house.desktop;
    const ear = new EventSubscription(house.desktop, ALL_EVENTS, house.clock);
    t.teardown(() => ear.close());
    const { id } = requests.ask({ kind: "login", reason: "log in", wantsPrivate: true }, AGENT);
    requests.take(id, true, HUMAN);
    house.link.events.clipboard("shown to all");
    if (way === "copied") house.link.events.clipboard("hunter2");
    else await house.act(house.desktop.perform({ kind: "write_clipboard", text: "hunter2" }, HUMAN));
    requests.end(id, { state: "done", answer: null }, HUMAN);
    t.match(await read(house), HIDDEN, way);
    await house.clock.live(10_000);
    t.match(await read(house), HIDDEN, "nor later");
    house.link.drop();
    await house.clock.live(10_000);
    house.link.goLive();
    house.link.events.clipboard("hunter2");
    t.match(await read(house), HIDDEN, "nor from the next connection");
    t.same(ear.queue.take(10).events, [], "nor is told how long it is");
    house.link.said.length = 0;
    const chord = {
      kind: "chords",
      chords: [[0xffe3, 0x76]],
      names: ["ctrl+v"],
      repeat: 1,
      holdMs: 0,
    } as const;
    await house.act(house.desktop.perform(chord, AGENT), 3000);
    t.same(house.link.said.filter((line) => /^(clip|down)/.test(line)).slice(0, 2), [
      "clipboard 0",
      "down ffe3",
    ]);
    house.link.events.clipboard("what is public");
    t.same(await read(house), { text: "what is public", origin: "desktop" });
  }
});

t.test("what a target tells too late of a private time is kept too", async (t) => {
  const house = House.live();
  const { requests } = house.desktop;
  const { id } = requests.ask({ kind: "login", reason: "log in", wantsPrivate: true }, AGENT);
  requests.take(id, true, HUMAN);
  requests.end(id, { state: "done", answer: null }, HUMAN);
  await house.clock.live(500);
  house.link.events.clipboard("hunter2");
  t.match(await read(house), HIDDEN);
  await house.clock.live(10_000);
  house.link.events.clipboard("other");
  t.match(await read(house), { text: "other" });
});

t.test("where anything is hidden from agents they read what they put there alone", async (t) => {
  const house = House.live();
  const put = (text: string, by: typeof AGENT) =>
    house.act(house.desktop.perform({ kind: "write_clipboard", text }, by));
  house.link.events.clipboard("before");
  const mask = hideCorner(house);
  t.match(await read(house), HIDDEN, "a text from before it");
  await put("mine", AGENT);
  t.match(await read(house), { text: "mine" });
  house.link.events.clipboard("selected under the mask");
  t.match(await read(house), HIDDEN);
  await put("a person's", HUMAN);
  t.match(await read(house), HIDDEN);
  house.link.said.length = 0;
  await house.act(house.desktop.perform({ kind: "move", x: 1, y: 1 }, AGENT));
  t.same(
    house.link.said.filter((line) => line.startsWith("clip")),
    [],
    "which they may still paste",
  );
  house.link.events.clipboard("selected under the mask");
  house.desktop.masks.remove(mask, HUMAN);
  t.match(await read(house), HIDDEN, "what was copied then stays so");
  house.link.events.clipboard("after");
  t.match(await read(house), { text: "after" });
});
