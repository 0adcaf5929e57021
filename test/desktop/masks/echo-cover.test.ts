import t from "tap";
import type { NamedSecret, SecretPorts } from "../../../src/desktop/control/secret-typing.ts";
import type { Audience } from "../../../src/desktop/view.ts";
import { type Rect, rect } from "../../../src/framebuffer/rect.ts";
import { Region } from "../../../src/framebuffer/region.ts";
import { AGENT, House, typing } from "../house.ts";

const GROUND = 0x222222;
const MASK = 0xff404040;
const VALUE = "Zq7!vX-canary";
const FIELD: Rect = rect(20, 40, 160, 20);
const AUDIENCES = ["agent", "viewer", "recording"] as const satisfies readonly Audience[];

/** A field of a desktop that shows what is typed, each letter as a pattern of its own. */
class Field {
  readonly house: House;
  /** What each audience saw after each update. */
  readonly seen: Record<(typeof AUDIENCES)[number], Set<number>> = {
    agent: new Set(),
    viewer: new Set(),
    recording: new Set(),
  };
  readonly #shown: number[] = [];
  #at = { x: FIELD.x, y: FIELD.y };
  onKey: ((keysym: number) => void) | null = (keysym) => this.show(keysym);

  constructor() {
    const secrets: SecretPorts = {
      find: async (): Promise<NamedSecret> => ({
        seen: null,
        open: async () => Uint32Array.from(VALUE, (letter) => letter.codePointAt(0) ?? 0),
      }),
      locate: () => Promise.reject(new Error("not asked for")),
    };
    this.house = House.live("autopilot", {}, { secrets });
    const { link } = this.house;
    const key = link.key.bind(link);
    link.key = (keysym: number, isDown: boolean) => {
      key(keysym, isDown);
      if (isDown && keysym < 0xff00) this.onKey?.(keysym);
    };
  }

  /** A letter of 6 x 12 pixels, by its bits, in a colour that nothing else has. */
  show(keysym: number): void {
    this.#shown.push(keysym);
    const { link } = this.house;
    const nth = this.#shown.length - 1;
    this.#paintLetter(keysym, this.#at.x + nth * 8, this.#at.y);
    link.events.update({
      painted: Region.of(rect(this.#at.x + nth * 8, this.#at.y, 8, 16)),
      copies: [],
      missing: 0,
    });
    this.look();
  }

  /** All that was typed once more, elsewhere or in other colours. */
  repaint(x: number, y: number, colour?: number): void {
    this.#at = { x, y };
    for (const [nth, keysym] of this.#shown.entries()) this.#paintLetter(keysym, x + nth * 8, y, colour);
    const area = rect(x, y, this.#shown.length * 8, 16);
    this.house.link.events.update({ painted: Region.of(area), copies: [], missing: 0 });
    this.look();
  }

  fill(area: Rect, colour: number): void {
    this.house.link.paint(area, colour);
    this.look();
  }

  move(fromX: number, fromY: number, to: Rect): void {
    const { link } = this.house;
    link.framebuffer.copy(fromX, fromY, to);
    link.events.update({ painted: Region.empty, copies: [{ fromX, fromY, to }], missing: 0 });
    this.look();
  }

  look(): void {
    for (const audience of AUDIENCES) for (const word of this.words(audience)) this.seen[audience].add(word);
  }

  words(audience: Audience): Uint32Array {
    const { desktop } = this.house;
    const { width, height } = desktop.size;
    const { bytes, offset, strideBytes } = desktop
      .view(audience)
      .picture(false)
      .pixels(rect(0, 0, width, height));
    const all = new Uint8Array(width * height * 4);
    for (let y = 0; y < height; y++) {
      all.set(bytes.subarray(offset + y * strideBytes, offset + y * strideBytes + width * 4), y * width * 4);
    }
    return new Uint32Array(all.buffer);
  }

  /** Pixels that are a mask's. */
  covered(audience: Audience): number {
    return this.words(audience).reduce((sum, word) => sum + (word === MASK ? 1 : 0), 0);
  }

  /** Pixels of letters that anybody ever saw. */
  get leaked(): number {
    return AUDIENCES.reduce((sum, audience) => {
      return sum + [...this.seen[audience]].filter((word) => (word & 0xff0000) >>> 16 === 0xee).length;
    }, 0);
  }

  #paintLetter(keysym: number, x: number, y: number, colour = 0xee0000): void {
    const { framebuffer } = this.house.link;
    for (let column = 0; column < 6; column++) {
      if (((keysym >> column) & 1) === 0 && column !== 2) continue;
      framebuffer.fill(rect(x + column, y + 2, 1, 12), colour | keysym);
    }
  }
}

const act = (field: Field, text: string) =>
  field.house.act(field.house.desktop.perform(typing(text), AGENT), 8000);

t.test("what a secret leaves on the screen is covered from its first key on, from everybody", async (t) => {
  const field = new Field();
  field.fill(rect(0, 0, 200, 100), GROUND);
  await act(field, "{{secret:bank}}");
  t.equal(field.leaked, 0);
  for (const audience of AUDIENCES) t.ok(field.covered(audience) > 1000, audience);
  t.same(field.house.bugs, []);
  t.ok(field.house.desktop.hiddenFrom("agent").length > 0, "agents are told that something is hidden");

  field.repaint(FIELD.x, FIELD.y, 0xee1100);
  t.equal(field.leaked, 0, "nor in other colours");
  field.fill(rect(0, 30, 200, 40), 0x556677);
  t.equal(field.covered("agent"), 0, "what lies over it is shown");
  field.fill(rect(0, 30, 200, 40), GROUND);
  field.repaint(FIELD.x, FIELD.y);
  t.equal(field.leaked, 0, "and it is covered again where it comes back");
  field.move(0, 30, rect(0, 10, 200, 40));
  t.equal(field.leaked, 0, "and where a move takes it");
  field.fill(rect(0, 0, 200, 100), GROUND);
  t.equal(field.covered("agent"), 0, "the field was cleared");
});

t.test("what shows nothing, or dots, hides nothing else", async (t) => {
  const field = new Field();
  field.fill(rect(0, 0, 200, 100), GROUND);
  field.onKey = null;
  await act(field, "{{secret:bank}}\n");
  t.equal(field.covered("agent"), 0);
  field.fill(rect(0, 80, 200, 20), 0x335577);
  t.equal(field.covered("agent"), 0, "what changes afterwards is shown");
  // A clock ticks meanwhile.
  let ticks = 0;
  field.onKey = () => field.fill(rect(150, 0, 40, 10), 0x100000 + ticks++);
  await act(field, "{{secret:bank}}");
  field.onKey = null;
  field.fill(rect(150, 0, 40, 10), 0x777777);
  t.equal(field.covered("agent"), 0, "a clock is shown again as soon as it ticks");
});

t.test("a person's own text and an agent's words are not covered", async (t) => {
  const field = new Field();
  field.fill(rect(0, 0, 200, 100), GROUND);
  await act(field, "clean words");
  t.equal(field.covered("viewer"), 0);
  t.ok(field.leaked > 0, "they are seen as they are typed");
});

t.test("an action that ends midway leaves covered what it typed", async (t) => {
  const field = new Field();
  field.fill(rect(0, 0, 200, 100), GROUND);
  const ending = new AbortController();
  let keys = 0;
  field.onKey = (keysym) => {
    field.show(keysym);
    if (++keys === 5) ending.abort(new Error("enough"));
  };
  const work = field.house.desktop.perform(typing("{{secret:bank}}"), AGENT, { signal: ending.signal });
  await t.rejects(field.house.act(work, 8000));
  t.equal(keys, 5);
  t.equal(field.leaked, 0);
  t.ok(field.covered("recording") > 0);
});
