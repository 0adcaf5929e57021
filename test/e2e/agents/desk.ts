import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import * as z from "zod";
import type { Rect } from "../../../src/framebuffer/rect.ts";
import { type Owner, Program } from "../../support/program.ts";
import { until } from "../../support/until.ts";
import { Appliance } from "../harness/appliance.ts";
import { decodePicture } from "../harness/browser.ts";
import type { Agent } from "../harness/mcp-client.ts";
import type { Typewriter } from "../harness/x-display.ts";
import type { Shot } from "../harness/xwd.ts";
import { openScene, type SceneDisplay, type SceneKind } from "../targets/scene-target.ts";
import { claimSchema, differing, type Judge } from "./judge.ts";
import { PLACES, WebPage } from "./page.ts";

const WAIT_MS = 60_000;
/** A browser starts in a minute where ten other programs want the same two cores. */
const START_MS = 180_000;
const REST_MS = 120;

const answerSchema = z.object({
  isError: z.boolean().optional(),
  structuredContent: z.record(z.string(), z.unknown()),
  content: z.array(
    z.discriminatedUnion("type", [
      z.object({ type: z.literal("text"), text: z.string() }),
      z.object({ type: z.literal("image"), data: z.string(), mimeType: z.string() }),
    ]),
  ),
});
/** A tool's answer, refusals too. */
export type Answer = z.infer<typeof answerSchema>;

const rect = z.object({ x: z.int(), y: z.int(), width: z.int(), height: z.int() });
const sinceSchema = z.object({
  unchanged: z.boolean(),
  region: rect,
  parts: z.array(z.object({ region: rect })).nullable(),
});
const positionSchema = z.object({
  position: z.object({ native: z.object({ x: z.int(), y: z.int() }) }).nullable(),
});

export interface ActOptions {
  /** Known to move by itself, desktop pixels. */
  readonly moving?: readonly Rect[];
  /** The answer may say that it does not know. */
  readonly isNullFine?: boolean;
  /** The pointer ends where the answer says; default true. */
  readonly hasPointer?: boolean;
}

/** A target with programs on it, the appliance between, and an agent whose answers are judged. */
export class Desk {
  readonly kind: SceneKind;
  readonly display: SceneDisplay;
  readonly page: WebPage;
  readonly agent: Agent;
  readonly appliance: Appliance;
  readonly judge: Judge;
  readonly typewriter: Typewriter;
  /** An administrator's, who looks on; what it gets is not counted. */
  readonly #observer: Agent;

  private constructor(facts: {
    kind: SceneKind;
    display: SceneDisplay;
    page: WebPage;
    agent: Agent;
    observer: Agent;
    appliance: Appliance;
    judge: Judge;
    typewriter: Typewriter;
  }) {
    this.kind = facts.kind;
    this.display = facts.display;
    this.page = facts.page;
    this.agent = facts.agent;
    this.#observer = facts.observer;
    this.appliance = facts.appliance;
    this.judge = facts.judge;
    this.typewriter = facts.typewriter;
  }

  static async open(owner: Owner, kind: SceneKind, judge: Judge): Promise<Desk> {
    const folder = mkdtempSync(join(tmpdir(), "oc-agents-"));
    owner.teardown(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));
    const scene = await openScene(owner, kind, { hasWindowManager: true });
    const appliance = await Appliance.start(owner, { connect: [scene.url] });
    const agent = await appliance.agent({ token: appliance.agentToken });
    const observer = await appliance.agent();
    await until("a picture", () => observer.shot(), WAIT_MS);
    const display = await scene.display();
    const typewriter = await display.openTypewriter(folder, "50x8+610+520");
    const page = await WebPage.serve(owner);
    const chromium = new Program(
      owner,
      "chromium",
      [
        ...["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"],
        ...["--disable-background-networking", "--disable-component-update", "--password-store=basic"],
        ...["--disable-features=Translate", "--force-device-scale-factor=1"],
        ...[`--user-data-dir=${join(folder, "profile")}`, "--window-position=0,0", "--window-size=600,500"],
        `--app=${page.url}`,
      ],
      { env: { DISPLAY: display.name, XAUTHORITY: "/dev/null" } },
    );
    await until(
      "the page",
      () => {
        if (!chromium.isRunning) throw new Error(`chromium ended: ${chromium.stderr.slice(-500)}`);
        return page.since(0, "loaded").length > 0;
      },
      START_MS,
    );
    const desk = new Desk({ kind, display, page, agent, observer, appliance, judge, typewriter });
    await until(
      "the page's place",
      async () => {
        await observer.call("move_mouse", { x: 300, y: 300, effect_timeout_ms: 0 });
        await observer.call("move_mouse", { x: 304, y: 303, effect_timeout_ms: 0 });
        return page.origin !== null;
      },
      WAIT_MS,
    );
    return desk;
  }

  /** A place of the page on the display. */
  at(place: keyof typeof PLACES, dx = 0, dy = 0): { x: number; y: number } {
    const { x, y } = this.page.origin ?? { x: 0, y: 0 };
    return { x: PLACES[place].x + x + dx, y: PLACES[place].y + y + dy };
  }

  /** A rectangle of the page on the display. */
  over({ x, y, width, height }: Rect): Rect {
    const origin = this.page.origin ?? { x: 0, y: 0 };
    return { x: x + origin.x, y: y + origin.y, width, height };
  }

  /** The page as it is at first, whatever the task before left. */
  async fresh(path = "/"): Promise<number> {
    const from = this.page.count;
    await this.page.order(`setTimeout(() => location.assign(${JSON.stringify(path)}), 100)`);
    await this.page.expect(from, "loaded", path);
    await this.page.order("scrollTo(0, 0)");
    return this.page.count;
  }

  /** Does something and judges what the answer says of the screen; throws where it was refused. */
  async act(
    tool: string,
    args: Record<string, unknown>,
    options: ActOptions = {},
  ): Promise<Record<string, unknown>> {
    const { moving = [], isNullFine = false, hasPointer = true } = options;
    const before = await this.#seen(moving);
    const { structuredContent: said, content, isError } = await this.ask(tool, args);
    if (isError) throw new Error(`${tool} was refused: ${JSON.stringify(said)}`);
    const images = content.flatMap((block) => (block.type === "image" ? [block.data.length] : []));
    if (hasPointer) await this.#judgePointer(tool, said);
    const after = await this.rest(moving);
    const claim = claimSchema.parse(claimOf(said));
    const since = await this.#since(claim.generation_after);
    const what = `${this.kind}: ${tool} ${JSON.stringify(args).slice(0, 120)}`;
    this.judge.claim(what, claim, { before: before.shot, after: after.shot, since, moving }, isNullFine);
    this.judge.imageBytes += images.reduce((sum, length) => sum + length, 0);
    this.judge.fullBytes += after.bytes;
    return said;
  }

  /** As a person at the web app: stop or resume. */
  async order(word: "stop" | "resume"): Promise<void> {
    const { connections } = z
      .object({ connections: z.array(z.object({ id: z.string() })) })
      .parse(await this.#observer.call("list_connections"));
    const { ok, status } = await this.appliance.fetch(`/api/v1/desktops/${connections[0]?.id}/${word}`, {});
    if (!ok) throw new Error(`${word} was answered with ${status}`);
  }

  /** An answer that is not about what changed. */
  async ask(tool: string, args: Record<string, unknown> = {}): Promise<Answer> {
    return answerSchema.parse(await this.agent.raw(tool, args));
  }

  /**
   * What the display shows once it is at rest but for what is known to move, which the appliance shows too; a picture
   * of ours that never becomes the target's is an untrue answer.
   */
  async rest(moving: readonly Rect[] = []): Promise<{ readonly shot: Shot; readonly bytes: number }> {
    let difference = "never at rest";
    try {
      return await until(
        "rest",
        async () => {
          const first = await this.display.shot();
          await pause(REST_MS);
          const shot = await this.display.shot();
          if (!isSame(first, shot, moving)) return null;
          const ours = await this.#look();
          if (isSame(ours.shot, shot, moving)) return { shot, bytes: ours.bytes };
          const found = isSameSize(ours.shot, shot) ? differing(ours.shot, shot, moving) : null;
          difference = found === null ? "another size" : `${found.count} pixels, first at ${found.first}`;
          return null;
        },
        WAIT_MS,
      );
    } catch (cause) {
      throw new Error(`${this.kind}: the screenshot is not what the target shows: ${difference}`, { cause });
    }
  }

  /** What the display shows at rest, and the agent's last look: the next one tells of nothing older. */
  async #seen(moving: readonly Rect[]): Promise<{ readonly shot: Shot }> {
    return await until(
      "a look at the display at rest",
      async () => {
        const { shot } = await this.rest(moving);
        // A page on a busy machine may paint between the two.
        return isSame((await pictureOf(await this.ask("take_screenshot"))).shot, shot, moving)
          ? { shot }
          : null;
      },
      WAIT_MS,
    );
  }

  async #look(): Promise<{ readonly shot: Shot; readonly bytes: number }> {
    return pictureOf(answerSchema.parse(await this.#observer.raw("take_screenshot", {})));
  }

  /** What the next look tells that an agent takes as the documents advise; null: nothing changed. */
  async #since(generation: number): Promise<readonly Rect[] | null> {
    const { structuredContent } = await this.ask("take_screenshot", {
      if_changed_since: generation,
      diff: true,
    });
    const { unchanged, parts, region } = sinceSchema.parse(structuredContent);
    if (unchanged) return null;
    return parts === null ? [region] : parts.map((part) => part.region);
  }

  async #judgePointer(tool: string, said: Record<string, unknown>): Promise<void> {
    const parsed = positionSchema.safeParse(said);
    const told = parsed.success ? parsed.data.position?.native : undefined;
    if (told === undefined) return;
    let got = { x: -1, y: -1 };
    const isThere = async (): Promise<boolean> => {
      got = await this.display.pointer();
      return got.x === told.x && got.y === told.y;
    };
    const isTrue = await until("the pointer", isThere, 5_000).catch(() => false);
    const what = `${this.kind}: ${tool} says the pointer is at ${told.x},${told.y}, it is at ${got.x},${got.y}`;
    this.judge.fact(what, isTrue);
  }
}

async function pictureOf({ content }: Answer): Promise<{ readonly shot: Shot; readonly bytes: number }> {
  const image = content.find((block) => block.type === "image");
  if (image?.type !== "image") throw new Error("take_screenshot answered without an image");
  return { shot: await decodePicture(Buffer.from(image.data, "base64")), bytes: image.data.length };
}

const listSchema = z.array(z.record(z.string(), z.unknown()));

/** The claims of an answer, or of all actions that it lists, as one from the first to the last. */
function claimOf(said: Record<string, unknown>): unknown {
  const done = listSchema.safeParse(said["done"]).data?.map(({ effect }) => effect);
  const claims = (done ?? listSchema.safeParse(said["results"]).data ?? [])
    .map((each) => claimSchema.safeParse(each).data)
    .filter((each) => each !== undefined);
  const [first] = claims;
  const last = claims.at(-1);
  if (first === undefined || last === undefined) return said;
  const isUnknown = claims.some(({ changed }) => changed === null);
  return {
    changed: claims.some(({ changed }) => changed === true) ? true : isUnknown ? null : false,
    changed_rects: claims.flatMap(({ changed_rects }) => changed_rects),
    periodic_rects: claims.flatMap(({ periodic_rects }) => periodic_rects),
    generation_before: first.generation_before,
    generation_after: last.generation_after,
  };
}

function isSameSize(a: Shot, b: Shot): boolean {
  return a.width === b.width && a.height === b.height;
}

function isSame(a: Shot, b: Shot, moving: readonly Rect[]): boolean {
  return isSameSize(a, b) && differing(a, b, moving).count === 0;
}
