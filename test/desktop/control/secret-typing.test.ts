import t from "tap";
import type { Action, Actor, PerformOptions } from "../../../src/desktop/control/action.ts";
import type { Decision } from "../../../src/desktop/control/approvals/approvals.ts";
import type { Mode } from "../../../src/desktop/control/policy.ts";
import type { NamedSecret, SecretPorts, Seen } from "../../../src/desktop/control/secret-typing.ts";
import type { DesktopPorts } from "../../../src/desktop/desktop-options.ts";
import { Framebuffer } from "../../../src/framebuffer/framebuffer.ts";
import { takePatch } from "../../../src/framebuffer/patch.ts";
import { type Rect, rect } from "../../../src/framebuffer/rect.ts";
import { settle } from "../../fake-clock.ts";
import { AGENT, CLICK, House, HUMAN, typing } from "../house.ts";

const VALUE = "Tr0ub4dor&3";
const OTHER: Actor = { kind: "agent", id: "b", name: "second agent" };
const BAR = rect(10, 10, 100, 12);

/** A house with a secret `bank` for the agent "agent", and what it was asked for. */
class Vault {
  readonly house: House;
  readonly asked: string[] = [];
  opened = 0;
  value = VALUE;
  seen: Seen | null = null;
  /** Where the text stands that must be seen; an error: it cannot be read. */
  /** What was opened, as the typist was handed it. */
  readonly handed: Uint32Array[] = [];
  places: readonly Rect[] | Error = [BAR];
  /** Reading waits for this. */
  reading: Promise<void> = Promise.resolve();

  constructor(mode: Mode = "autopilot") {
    const secrets: SecretPorts = {
      find: async ({ kind, name }, actor, desktopId): Promise<NamedSecret | null> => {
        this.asked.push(`${kind} ${name} ${actor.name} ${desktopId}`);
        if (name !== "bank" || kind !== "secret" || actor.name !== "agent") return null;
        return {
          seen: this.seen,
          open: async () => {
            this.opened++;
            const letters = Uint32Array.from(this.value, (letter) => letter.codePointAt(0) ?? 0);
            this.handed.push(letters);
            return letters;
          },
        };
      },
      locate: async () => {
        await this.reading;
        if (this.places instanceof Error) throw this.places;
        return { generation: this.house.desktop.generation, places: this.places };
      },
    };
    const ports: Partial<DesktopPorts> = { secrets };
    this.house = House.live(mode, {}, ports);
  }

  start(action: Action, actor = AGENT, options: PerformOptions = {}) {
    const work = this.house.desktop.perform(action, actor, options);
    work.catch(() => undefined);
    return work;
  }

  async decide(decision: Decision): Promise<void> {
    const [card] = this.house.desktop.approvals.pending;
    this.house.desktop.approvals.decide(card?.id ?? "", decision, HUMAN);
    await settle();
  }

  /** What the target was given by keys. */
  get typed(): string {
    return this.house.link.said
      .flatMap((line) => /^down (.*)/.exec(line)?.[1] ?? [])
      .map((hex) => Number.parseInt(hex, 16))
      .map((keysym) => String.fromCodePoint(keysym >= 0x100_0000 ? keysym - 0x100_0000 : keysym))
      .join("");
  }

  /** All that the house told anybody. */
  get told(): string {
    const { events, desktop } = this.house;
    return JSON.stringify([events, desktop.actions, desktop.approvals.pending]);
  }
}

async function clipboardOf(house: House) {
  return (await house.act(house.desktop.perform({ kind: "read_clipboard" }, AGENT))).clipboard;
}

t.test("a secret is typed by its name, and nobody is told more than that name", async (t) => {
  const vault = new Vault();
  const { house } = vault;
  const work = house.desktop.perform(typing("user\t{{secret:bank}}\n"), AGENT, {
    intent: "sign in with {{secret:bank}}",
  });
  const result = await house.act(work, 5000);
  t.same(result.notTyped, []);
  t.equal(vault.typed, `user\uff09${VALUE}\uff0d`);
  t.ok(vault.handed.length === 1 && vault.handed[0]?.every((letter) => letter === 0), "and wiped");
  t.same(vault.asked, ["secret bank agent d1", "secret bank agent d1"], "at the gate, and before the keys");
  const [record] = house.desktop.actions;
  t.equal(record?.summary, "Type 21 characters, {{secret:bank}} among them");
  t.match(record?.secrets, [{ kind: "secret", name: "bank" }]);
  t.notMatch(JSON.stringify([house.events, house.desktop.actions, result]), VALUE);
  t.notMatch(house.link.said.join(), "clipboard");
});

t.test(
  "an unknown name and one that is not for this agent are refused alike, before anybody is asked",
  async (t) => {
    const vault = new Vault("assist");
    const { house } = vault;
    const refusals: string[] = [];
    for (const [text, actor] of [
      ["{{secret:nothing}}", AGENT],
      ["{{secret:nothing}}", OTHER],
      ["{{secret:bank}}", OTHER],
      ["{{totp:bank}}", AGENT],
    ] as const) {
      const error: unknown = await house
        .act(vault.start(typing(text), actor), 5000)
        .catch((cause: unknown) => cause);
      t.match(error, { name: "RefusedError", code: "secret_unknown" });
      refusals.push(String(error).replace(text, "{{…}}"));
    }
    t.equal(new Set(refusals).size, 1, "in the same words");
    t.same(house.desktop.approvals.pending, []);
    t.equal(vault.typed, "");
    const without = House.live();
    const work = without.act(without.desktop.perform(typing("{{secret:bank}}"), AGENT), 5000);
    await t.rejects(work, { code: "secret_unknown" }, "where no secrets are kept");
  },
);

t.test("it is opened only once policy and a human agreed, and the card shows the name", async (t) => {
  const vault = new Vault("assist");
  const { house } = vault;
  const work = vault.start(typing("{{secret:bank}}"));
  await settle();
  const [card] = house.desktop.approvals.pending;
  t.match(card, {
    summary: "Type 15 characters, {{secret:bank}} among them",
    action: { text: "{{secret:bank}}" },
  });
  t.equal(vault.opened, 0);
  await vault.decide({ kind: "approve" });
  t.match(await house.act(work, 5000), { wasConfirmed: true });
  t.equal(vault.typed, VALUE);
  t.equal(vault.opened, 1);
  t.notMatch(vault.told, VALUE);

  const denied = vault.start(typing("{{secret:bank}}"));
  await settle();
  await vault.decide({ kind: "deny" });
  await t.rejects(house.act(denied, 5000), { code: "denied_by_human" });
  const passive = new Vault("passive");
  await t.rejects(passive.house.act(passive.start(typing("{{secret:bank}}")), 5000), {
    code: "permission_denied",
  });
  t.same(passive.asked, [], "not even looked up");
  t.equal(vault.opened + passive.opened, 1);
});

t.test("nobody allows a secret for a while, nor does what was allowed for a while cover one", async (t) => {
  const vault = new Vault("assist");
  const { house } = vault;
  const plain = vault.start(typing("abc"));
  await settle();
  await vault.decide({ kind: "approve", allowForMs: 60_000 });
  await house.act(plain, 5000);
  await house.act(vault.start(typing("def")), 5000);
  t.equal(vault.typed, "abcdef");
  const work = vault.start(typing("{{secret:bank}}"));
  await settle();
  t.equal(house.desktop.approvals.pending.length, 1, "asked all the same");
  await t.rejects(vault.decide({ kind: "approve", allowForMs: 60_000 }), { code: "invalid_parameters" });
  await vault.decide({ kind: "deny" });
  await t.rejects(house.act(work, 5000), { code: "denied_by_human" });
});

t.test("a secret that a human writes into a question is the agent's to have, or not", async (t) => {
  const vault = new Vault("assist");
  const work = vault.start(typing("x"), OTHER);
  await settle();
  await vault.decide({ kind: "approve", edit: { text: "{{secret:bank}}" } });
  await t.rejects(vault.house.act(work, 5000), { code: "secret_unknown" });
  t.equal(vault.typed, "");
});

t.test("secrets never go by the clipboard, and doubled braces are meant everywhere", async (t) => {
  const vault = new Vault();
  const { house } = vault;
  const paste = { kind: "paste", keysyms: [0xffe3, 0x76], name: "Ctrl+V" } as const;
  for (const action of [
    { kind: "write_clipboard", text: "{{secret:bank}}" },
    { ...paste, text: "a {{totp:bank}}" },
  ] as const) {
    await t.rejects(house.act(vault.start(action), 5000), {
      code: "invalid_parameters",
      message: /type_text/,
    });
  }
  t.same(vault.asked, []);
  t.same(
    house.link.said.filter((line) => line.startsWith("clipboard")),
    [],
  );
  await house.act(vault.start({ kind: "write_clipboard", text: "{{{{secret:bank}}" }), 5000);
  t.equal((await clipboardOf(house))?.text, "{{secret:bank}}");
  await house.act(vault.start(typing("{{{{secret:bank}} {{ x }}")), 5000);
  t.equal(vault.typed, "{{secret:bank}} {{ x }}");
  t.equal(vault.opened, 0);
});

t.test("what people type and copy is what they typed and copied", async (t) => {
  const vault = new Vault();
  const { house } = vault;
  await house.act(vault.start(typing("{{secret:bank}}"), HUMAN), 5000);
  t.equal(vault.typed, "{{secret:bank}}");
  await house.act(vault.start({ kind: "write_clipboard", text: "{{secret:bank}}" }, HUMAN), 5000);
  t.equal((await clipboardOf(house))?.text, "{{secret:bank}}");
  t.same(vault.asked, []);
  t.equal(house.desktop.actions[0]?.secrets, undefined);
});

t.test("no count tells how long a secret is", async (t) => {
  const counts = async (value: string) => {
    const vault = new Vault();
    vault.value = value;
    const { house } = vault;
    const slow = { ...typing("ab{{secret:bank}}cd"), wordsPerMinute: 60 };
    const work = vault.start(slow);
    // 0.2 s for each character that was asked for, the placeholder's too.
    await house.clock.live(2500);
    house.desktop.stop(HUMAN);
    const error = await house.act(work, 5000).then(
      () => null,
      (cause: unknown) => cause,
    );
    return { error: JSON.stringify(error), typed: vault.typed };
  };
  const short = await counts("x");
  const long = await counts("y".repeat(200));
  t.match(short.error, /"typed":17,"of":19/);
  t.equal(short.error, long.error);
  t.equal(short.typed, "abx");
  t.equal(long.typed, `ab${"y".repeat(200)}`);
});

t.test("a secret with a character that no key makes is not begun, and that character not told", async (t) => {
  const vault = new Vault();
  const { house } = vault;
  house.link.newKeys = 0;
  vault.value = "pass\u4e2dword";
  const error: unknown = await house
    .act(vault.start(typing("a{{secret:bank}}")), 5000)
    .catch((cause: unknown) => cause);
  t.match(error, { code: "not_supported", done: null, message: /\{\{secret:bank\}\}/ });
  t.notMatch(String(error), "\u4e2d");
  t.equal(vault.typed, "");
});

t.test("nothing is typed unless what must be seen is seen, after the approval", async (t) => {
  const seen = { text: "bank.example", region: null };
  const refused = async (vault: Vault) => {
    const error: unknown = await vault.house
      .act(vault.start(typing("{{secret:bank}}")), 20_000)
      .catch((cause: unknown) => cause);
    t.match(error, { name: "RefusedError", code: "secret_unseen" });
    t.notMatch(String(error), "bank.example", "an agent is not told what would satisfy it");
    t.equal(vault.typed, "");
    t.equal(vault.opened, 0);
  };
  const absent = new Vault();
  Object.assign(absent, { seen, places: [] });
  await refused(absent);
  const unreadable = new Vault();
  Object.assign(unreadable, { seen, places: new Error("the engine is lost") });
  await refused(unreadable);
  const slow = new Vault();
  Object.assign(slow, { seen, reading: new Promise<void>(() => {}) });
  await refused(slow);

  const there = new Vault("assist");
  Object.assign(there, { seen, places: [] });
  const work = there.start(typing("{{secret:bank}}"));
  await settle();
  t.equal(there.house.desktop.approvals.pending.length, 1, "asked before it is looked for");
  there.places = [BAR];
  await there.decide({ kind: "approve" });
  await there.house.act(work, 5000);
  t.equal(there.typed, VALUE);
});

t.test("a page that changes after it was read, or while the keys go on, gets no more of it", async (t) => {
  const seen = { text: "bank.example", region: null };
  for (const elsewhere of [false, true]) {
    const vault = new Vault();
    let go = (): void => {};
    Object.assign(vault, {
      seen,
      reading: new Promise<void>((resolve) => {
        go = resolve;
      }),
    });
    const { house } = vault;
    // The target paints the change when it is asked for its newest picture, after the text was read.
    const latest = house.link.latest.bind(house.link);
    house.link.latest = () => {
      house.link.paint(elsewhere ? rect(10, 60, 20, 10) : rect(20, 12, 4, 4), 0x995511);
      return latest();
    };
    const work = vault.start(typing("{{secret:bank}}"));
    go();
    if (elsewhere) await house.act(work, 5000);
    else await t.rejects(house.act(work, 5000), { code: "secret_unseen", done: null });
    t.equal(vault.typed, elsewhere ? VALUE : "");
  }
  const vault = new Vault();
  Object.assign(vault, { seen });
  const { house } = vault;
  const key = house.link.key.bind(house.link);
  house.link.key = (keysym, isDown) => {
    key(keysym, isDown);
    if (vault.typed === VALUE.slice(0, 3) && !isDown) house.link.paint(BAR, 0x112233);
  };
  await t.rejects(house.act(vault.start(typing("{{secret:bank}}")), 5000), { code: "secret_unseen" });
  t.equal(vault.typed, VALUE.slice(0, 3));
});

t.test("a stop, or a human who takes over while the screen is read, ends it at once", async (t) => {
  const vault = new Vault();
  Object.assign(vault, {
    seen: { text: "bank.example", region: null },
    reading: new Promise<void>(() => {}),
  });
  const work = vault.start(typing("{{secret:bank}}"));
  await settle();
  vault.house.desktop.stop(HUMAN);
  await t.rejects(work, { code: "stopped" });
  t.equal(vault.typed, "");
});

/** A mark of 20x10 pixels: stripes on a ground. */
const MARK = { ground: 0xf0f0f0, stripes: [1, 4, 5, 9, 13, 16] } as const;

function paintMark(house: House, x: number, y: number, colour = 0x202020): void {
  house.link.paint(rect(x, y, 20, 10), MARK.ground);
  for (const left of MARK.stripes) house.link.paint(rect(x + left, y + 2, 1, 6), colour);
}

function markPicture() {
  const frame = new Framebuffer(20, 10);
  frame.fill(frame.rect, MARK.ground);
  for (const left of MARK.stripes) frame.fill(rect(left, 2, 1, 6), 0x202020);
  return takePatch(frame, frame.rect);
}

/** What became of typing the secret. */
async function typedBy(vault: Vault, text = "{{secret:bank}}"): Promise<string> {
  return await vault.house.act(vault.start(typing(text)), 5000).then(
    () => "typed",
    (error: unknown) => (error instanceof Error && "code" in error ? String(error.code) : "failed"),
  );
}

t.test(
  "a picture that must be seen is seen pixel by pixel, in its place, as agents are shown it",
  async (t) => {
    const picture = markPicture();
    const of = (region: Rect | null = null) => {
      const vault = new Vault();
      vault.seen = { text: null, picture, region };
      return vault;
    };
    const there = of(rect(100, 0, 100, 30));
    paintMark(there.house, 110, 8);
    t.equal(await typedBy(there), "typed");
    t.equal(there.typed, VALUE);

    const cases: Readonly<Record<string, (vault: Vault) => void>> = {
      "not there": () => {},
      "in another place": ({ house }) => paintMark(house, 110, 40),
      "half outside of its place": ({ house }) => paintMark(house, 90, 8),
      "of almost the same colour": ({ house }) => paintMark(house, 110, 8, 0x212020),
      "with a pixel that is another": ({ house }) => {
        paintMark(house, 110, 8);
        house.link.paint(rect(129, 17, 1, 1), 0xf0f0f1);
      },
      "under a mask": ({ house }) => {
        paintMark(house, 110, 8);
        const spec = { rect: rect(112, 10, 2, 2), monitor: null, label: null, audiences: ["agent"] as const };
        house.desktop.masks.add(spec, null, HUMAN);
      },
    };
    for (const [what, draw] of Object.entries(cases)) {
      const vault = of(rect(100, 0, 100, 30));
      draw(vault);
      t.equal(await typedBy(vault), "secret_unseen", what);
      t.equal(vault.typed, "", what);
    }

    const both = of();
    both.seen = { text: "bank.example", picture, region: null };
    t.equal(await typedBy(both), "secret_unseen", "the text alone is not enough");
    paintMark(both.house, 60, 60);
    both.places = [];
    t.equal(await typedBy(both), "secret_unseen", "nor the picture");
    both.places = [BAR];
    t.equal(await typedBy(both), "typed");

    const gone = of();
    paintMark(gone.house, 60, 60);
    const key = gone.house.link.key.bind(gone.house.link);
    gone.house.link.key = (keysym, isDown) => {
      key(keysym, isDown);
      if (gone.typed === VALUE.slice(0, 2) && !isDown) paintMark(gone.house, 60, 60, 0x303030);
    };
    t.equal(await typedBy(gone), "secret_unseen", "it goes while the keys go on");
    t.equal(gone.typed, VALUE.slice(0, 2));
  },
);

t.test("a field beside what must be seen is the one that was clicked last, and was not left", async (t) => {
  const field = rect(0, 20, 60, 12);
  const of = () => {
    const vault = new Vault();
    vault.seen = { text: null, picture: markPicture(), region: null, field };
    paintMark(vault.house, 100, 30);
    return vault;
  };
  const click = (vault: Vault, x: number, y: number) =>
    vault.house.act(vault.house.desktop.perform({ ...CLICK, x, y }, AGENT), 3000);
  const chord = (vault: Vault, ...keysyms: number[]) =>
    vault.house.act(
      vault.house.desktop.perform(
        { kind: "chords", chords: [keysyms], names: ["a chord"], repeat: 1, holdMs: 0 },
        AGENT,
      ),
      3000,
    );

  const into = of();
  await click(into, 120, 55);
  t.equal(await typedBy(into, "ann {{secret:bank}}"), "typed");
  t.equal(await typedBy(into), "typed", "letters do not leave it");
  into.house.link.said.length = 0;
  await chord(into, 0xff08);
  t.equal(await typedBy(into), "typed", "nor does a backspace");
  await into.house.act(vaultClear(into), 5000);
  t.equal(into.typed.endsWith(VALUE), true, "nor clearing it first");

  const never = of();
  t.equal(await typedBy(never), "secret_unseen", "nothing was clicked");
  for (const [x, y, what] of [
    [120, 35, "the mark itself"],
    [120, 63, "below the field"],
    [99, 55, "left of it"],
    [20, 20, "elsewhere"],
  ] as const) {
    const vault = of();
    await click(vault, x, y);
    t.equal(await typedBy(vault), "secret_unseen", what);
    t.equal(vault.typed, "", what);
  }
  for (const [what, keysyms] of [
    ["tab", [0xff09]],
    ["a line end", [0xff0d]],
    ["a command", [0xffe3, 0x6c]],
    ["an arrow", [0xff54]],
    ["a key for media", [0x1008ff26]],
  ] as const) {
    const vault = of();
    await click(vault, 120, 55);
    await chord(vault, ...keysyms);
    vault.house.link.said.length = 0;
    t.equal(await typedBy(vault), "secret_unseen", what);
    t.equal(vault.typed, "", what);
  }
  const within = of();
  await click(within, 120, 55);
  t.equal(await typedBy(within, "ann\t{{secret:bank}}"), "secret_unseen", "a tab before it in the same text");
  t.equal(await typedBy(within, "{{secret:bank}}\n"), "typed", "what comes after it is another matter");
  const scrolled = of();
  await click(scrolled, 120, 55);
  const scroll = { kind: "scroll", x: 120, y: 55, notchesX: 0, notchesY: 1, holdKeysyms: [] } as const;
  await scrolled.house.act(scrolled.house.desktop.perform(scroll, AGENT), 3000);
  t.equal(await typedBy(scrolled), "secret_unseen", "it was scrolled");
  const moved = of();
  await click(moved, 120, 55);
  paintMark(moved.house, 100, 30, 0x404040);
  paintMark(moved.house, 100, 70);
  t.equal(await typedBy(moved), "secret_unseen", "what must be seen is elsewhere by now");
});

function vaultClear(vault: Vault) {
  return vault.start({ ...typing("{{secret:bank}}"), clearExisting: true });
}
