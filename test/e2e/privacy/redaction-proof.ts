import * as z from "zod";
import { PRIVATE_KINDS } from "../../../src/desktop/masks/private-kinds.ts";
import type { Framebuffer } from "../../../src/framebuffer/framebuffer.ts";
import { overlapRects, type Rect, rect } from "../../../src/framebuffer/rect.ts";
import { RecordingArchive } from "../../../src/recording/library/archive.ts";
import type { Owner } from "../../support/program.ts";
import { until } from "../../support/until.ts";
import { Appliance } from "../harness/appliance.ts";
import { type Agent, ToolRefusal } from "../harness/mcp-client.ts";
import { RFB2_SECURITY, Rfb2Client } from "../harness/rfb2-client.ts";
import { XDisplay } from "../harness/x-display.ts";
import type { XPrograms } from "../harness/x-programs.ts";
import { startRdpTarget } from "../targets/rdp-target.ts";
import { CoverMeter } from "./cover-meter.ts";
import { isReadIn, readForeign } from "./foreign-reader.ts";
import { KeptFrames } from "./kept-frames.ts";
import { plantedTexts, randomOf } from "./planted.ts";
import { delaysOf, type ProofReport, SceneTally } from "./proof-report.ts";
import {
  CLEAN_FILM,
  CLEAN_SCENES,
  FILM,
  firstReading,
  type Learned,
  SCENES,
  type SceneKind,
  type Stage,
} from "./scenes.ts";
import { frameOf, partOf, Sight } from "./sight.ts";

// A frame leaks where the whole of a planted text stands in it: a part of a text, while it is typed, while something
// lies over it or beside what hides the rest of it, is not what the kinds of private text mean.

export interface ProofOptions {
  readonly target: "Xtigervnc" | "xrdp";
  /** At least so many are looked at, of all who look. */
  readonly frames: number;
  /** How long each scene is played before the next. */
  readonly sceneMs: number;
  readonly seed: number;
  /** Of so many frames Debian's tesseract reads one. */
  readonly readOneOf: number;
  readonly scenes?: readonly string[];
  /** A folder for frames that leak, and such in which tesseract read a planted text; absent: they are not kept. */
  readonly keep?: string;
  say?(line: string): void;
}

/** A frame that tesseract's program reads once all were looked at. */
interface Sample {
  readonly frame: Framebuffer;
  /** Null: the target's own. */
  readonly seenBy: string | null;
  readonly scene: string;
}

/** A server ends connections that nobody used for ten seconds, and this process is busy for longer with what it looks at. */
const MOST_TRIES = 3;
/** The agent looks no oftener: it shares the machine with what is looked at. */
const AGENT_PAUSE_MS = 120;
const TICK_MS = 100;

interface House {
  readonly owner: Owner;
  readonly display: XPrograms;
  readonly appliance: Appliance;
  readonly agent: Agent;
  readonly viewer: Rfb2Client;
  /** The target itself; null where it has room for one client, and xwd looks at it. */
  readonly truth: Rfb2Client | null;
  readonly base: string;
}

const idSchema = z.object({ id: z.string() });
const recordingSchema = z.object({ recording_id: z.string() });

async function openHouse(owner: Owner, target: ProofOptions["target"]): Promise<House> {
  const open = async (url: string): Promise<[Appliance, Agent]> => {
    const appliance = await Appliance.start(owner, {
      connect: [url],
      hasVnc: true,
      env: { OC_VNC_SECURITY: "none" },
    });
    const agent = await appliance.agent({ token: appliance.agentToken });
    await until("a picture", () => agent.shot(), 60_000);
    return [appliance, agent];
  };
  let display: XPrograms;
  let vncPort: number | null = null;
  let appliance: Appliance;
  let agent: Agent;
  if (target === "Xtigervnc") {
    const own = await XDisplay.start(owner, { geometry: "800x700" });
    await own.openWindowManager();
    [display, vncPort] = [own, own.vncPort];
    [appliance, agent] = await open(`vnc://127.0.0.1:${own.vncPort}`);
  } else {
    const rdp = await startRdpTarget(owner, "xrdp-xorg");
    [appliance, agent] = await open(`${rdp.url}?size=800x700`);
    if (rdp.display === null) throw new Error("xrdp without a display");
    await rdp.display.isUp();
    display = rdp.display;
  }
  const [desktop] = z.array(idSchema).parse(await (await appliance.fetch("/api/v1/desktops")).json());
  const viewer = await Rfb2Client.connect(appliance.vncPort ?? 0, RFB2_SECURITY.none);
  owner.teardown(() => viewer.end());
  const truth = vncPort === null ? null : await Rfb2Client.connect(vncPort, RFB2_SECURITY.none);
  if (truth !== null) owner.teardown(() => truth.end());
  return { owner, display, appliance, agent, viewer, truth, base: `/api/v1/desktops/${desktop?.id}` };
}

/** Plays scenes with private text on a target, and looks at every frame that an agent, a viewer and a recording get. */
export async function proveRedaction(owner: Owner, options: ProofOptions): Promise<ProofReport> {
  const { say = () => {}, seed } = options;
  const house = await openHouse(owner, options.target);
  const planted = plantedTexts(randomOf(seed), 14);
  const stage: Stage = { owner, display: house.display, planted };
  const isWanted = ({ name }: SceneKind): boolean => options.scenes?.includes(name) ?? true;
  const kinds = SCENES.filter(isWanted);
  const learned: (readonly [SceneKind, Learned])[] = [];
  for (const kind of kinds) {
    learned.push([kind, await kind.learn(stage)]);
    say(`learned ${kind.name}`);
  }
  const proof = new Proof(
    house,
    options,
    planted.map(({ text }) => text),
  );
  const first = firstReading(() => proof.hide());
  await proof.play(first.name, await first.learn(stage));
  const looks = learned.flatMap(([, scene]) => scene.looks);
  await proof.lookAtRecording(looks, []);
  for (const kind of CLEAN_SCENES.filter(isWanted)) learned.push([kind, await kind.learn(stage)]);
  const enough = proof.count + options.frames;
  for (let round = 0; proof.count < enough; round++) {
    for (const [kind, scene] of learned) {
      await proof.play(kind.name, scene);
      await proof.lookAtRecording(looks, scene.inks);
    }
    say(`round ${round + 1}: ${proof.count} frames, ${proof.sight.leaks.length} leaks`);
  }
  return await proof.report();
}

class Proof {
  readonly sight = new Sight();
  readonly #truths = new Sight();
  readonly #remains = new Sight();
  readonly #house: House;
  readonly #options: ProofOptions;
  readonly #texts: readonly string[];
  readonly #meter: CoverMeter;
  readonly #filmMeter: CoverMeter;
  readonly #scenes = new Map<string, SceneTally>();
  readonly #sampled: Sample[] = [];
  readonly #kept: KeptFrames | null;
  /** The target's own picture, where it is not watched but looked at. */
  #shot: Framebuffer | null = null;
  #isHidden = false;
  #recordingId: string | null = null;
  #isFilm = false;
  #filmMs = 0;
  #filmPictures = 0;
  #isPictureCounted = false;

  constructor(house: House, options: ProofOptions, texts: readonly string[]) {
    this.#house = house;
    this.#options = options;
    this.#texts = texts;
    const { keep, target, say = () => {} } = options;
    this.#kept = keep === undefined ? null : new KeptFrames(`${keep}/${target}-`, say);
    const truth = (): Framebuffer => house.truth?.frame ?? this.#shot ?? house.viewer.frame;
    const seen = (): Framebuffer => house.viewer.frame;
    this.#meter = new CoverMeter(truth, seen);
    this.#filmMeter = new CoverMeter(truth, seen, rect(FILM.x, FILM.y, FILM.width, FILM.height));
  }

  get count(): number {
    return this.sight.count;
  }

  /** From now on private text is hidden from everybody, and everybody looks. */
  async hide(): Promise<void> {
    const { appliance, base, viewer, truth } = this.#house;
    const made = await appliance.fetch(`${base}/masks`, { text: { kinds: PRIVATE_KINDS }, label: "Private" });
    if (made.status !== 201) throw new Error(`no mask: ${await made.text()}`);
    this.#isHidden = true;
    truth?.watch((frame, changed) => {
      const nowMs = performance.now();
      this.#meterNow.changed(changed, nowMs);
      this.#lookAtTruth(frame, changed);
    });
    viewer.watch((frame, changed) => {
      const nowMs = performance.now();
      this.#meterNow.seen(changed, nowMs);
      if (this.#isFilm && overlapRects(changed, FILM)) this.#countPicture();
      this.#look(frame, "viewer", changed);
    });
  }

  get #meterNow(): CoverMeter {
    return this.#isFilm ? this.#filmMeter : this.#meter;
  }

  #sceneOf(name: string): SceneTally {
    const scene = this.#scenes.get(name) ?? new SceneTally(name);
    this.#scenes.set(name, scene);
    return scene;
  }

  /** Rectangles that come together are one picture. */
  #countPicture(): void {
    if (this.#isPictureCounted) return;
    this.#isPictureCounted = true;
    this.#filmPictures++;
    setImmediate(() => {
      this.#isPictureCounted = false;
    });
  }

  #look(frame: Framebuffer, seenBy: string, changed: Rect | null): void {
    const leaks = this.sight.look(frame, seenBy, changed);
    for (const { text, at } of leaks)
      this.#options.say?.(
        `LEAK ${text} seen by ${seenBy} in ${this.sight.scene} at ${at.x},${at.y} ${performance.now() | 0}`,
      );
    if (leaks.length > 0) this.#kept?.add(frame, `${this.sight.scene}-${seenBy}`);
    const scene = this.#scenes.get(this.sight.scene);
    if (scene === undefined) return;
    scene.frames++;
    if (leaks.length > 0) scene.leaks++;
    if (this.count % this.#options.readOneOf === 0) this.#sample(frame, seenBy, this.sight.scene);
  }

  /** Gives where planted texts stand whole, of what changed. */
  #lookAtTruth(frame: Framebuffer, changed: Rect | null): readonly Rect[] {
    const scene = this.#scenes.get(this.#truths.scene);
    const found = this.#truths.look(frame, "target", changed).map(({ at }) => at);
    if (scene === undefined || found.length === 0) return found;
    scene.truths++;
    if (scene.truths % (20 * this.#options.readOneOf) === 1) this.#sample(frame, null, scene.name);
    return found;
  }

  #sample(frame: Framebuffer, seenBy: string | null, scene: string): void {
    const part = partOf(frame, frame.rect);
    if (part !== null) this.#sampled.push({ frame: frameOf(part), seenBy, scene });
  }

  async play(name: string, { looks, inks, remains = [], play }: Learned): Promise<void> {
    const { agent, display, truth } = this.#house;
    if (this.#recordingId === null)
      this.#recordingId = recordingSchema.parse(
        await this.#ask(() => agent.call("start_recording")),
      ).recording_id;
    const scene = this.#sceneOf(name);
    for (const sight of [this.sight, this.#truths]) Object.assign(sight, { looks, inks, scene: name });
    this.#remains.looks = remains;
    this.#isFilm = name === CLEAN_FILM.name;
    let isOver = false;
    const startedMs = performance.now();
    const measured = scene.measure(this.#meterNow);
    const played = play(startedMs + this.#options.sceneMs).finally(() => {
      isOver = true;
    });
    const every = async (pauseMs: number, act: () => Promise<void> | void): Promise<void> => {
      while (!isOver) {
        await act();
        await new Promise((resolve) => setTimeout(resolve, pauseMs));
      }
    };
    await Promise.all([
      played,
      every(AGENT_PAUSE_MS, async () =>
        this.#look(frameOf(await this.#ask(() => agent.shot())), "agent", null),
      ),
      every(TICK_MS, () => this.#tick()),
      ...(truth === null ? [every(TICK_MS, () => this.#shootTruth(display))] : []),
    ]);
    measured();
    if (this.#isFilm) this.#filmMs += performance.now() - startedMs;
  }

  /** Where a window goes while xwd looks at it there is no picture (BadWindow); a scene without any proves nothing and says so. */
  async #shootTruth(display: XPrograms): Promise<void> {
    const shot = await display.shot().catch(() => null);
    if (shot === null || !this.#isHidden) return;
    this.#shot = frameOf(shot);
    this.#measure(this.#shot, this.#lookAtTruth(this.#shot, null));
  }

  /** Asks again where the connection was lost, but no server that refused; says why the appliance ended, if it did. */
  async #ask<Answer>(call: () => Promise<Answer>): Promise<Answer> {
    for (let tries = 1; ; tries++) {
      try {
        return await call();
      } catch (error) {
        this.#house.appliance.assertAlive();
        if (error instanceof ToolRefusal || tries === MOST_TRIES) throw error;
      }
    }
  }

  #tick(): void {
    const { truth } = this.#house;
    if (truth === null || !this.#isHidden) return;
    this.#measure(
      truth.frame,
      this.#truths.find(truth.frame, null).map(({ at }) => at),
    );
  }

  /** `whole`: where planted texts stand whole. */
  #measure(truth: Framebuffer, whole: readonly Rect[]): void {
    const remains = this.#remains.find(truth, null).map(({ at }) => at);
    this.#meterNow.tick([...whole, ...remains], performance.now());
  }

  /** Ends the recording, and looks at every frame of it; for captions, which are known by their places, in their film's alone. */
  async lookAtRecording(looks: Sight["looks"], inks: Sight["inks"]): Promise<void> {
    const id = this.#recordingId;
    if (id === null) return;
    const { agent, appliance } = this.#house;
    this.#recordingId = null;
    await this.#ask(() => agent.call("stop_recording", { recording_id: id }));
    Object.assign(this.sight, { looks, inks, scene: "recorded" });
    this.#sceneOf("recorded");
    const archive = await RecordingArchive.open(appliance.dataDir, null);
    const reader = await archive.read(id);
    try {
      for (const atMs of await reader.frameTimes(0, Number.MAX_SAFE_INTEGER)) {
        const { width, height, rgba } = await reader.frameAt(atMs);
        this.#look(frameOf({ width, height, rgba }), "recording", null);
      }
    } finally {
      await reader.close();
    }
  }

  async report(): Promise<ProofReport> {
    const read = { frames: 0, leaks: [] as string[], truths: 0 };
    for (const { frame, seenBy, scene } of this.#sampled) {
      const part = partOf(frame, frame.rect);
      if (part === null) continue;
      const text = await readForeign(part);
      const found = this.#texts.filter((one) => isReadIn(one, text));
      if (seenBy === null) {
        read.truths += found.length > 0 ? 1 : 0;
        continue;
      }
      read.frames++;
      read.leaks.push(...found.map((one) => `${one} seen by ${seenBy} in ${scene}`));
      if (found.length > 0) this.#kept?.add(frame, `${scene}-${seenBy}-read`);
    }
    const { frames } = this.sight;
    return {
      frames: Object.fromEntries(frames),
      total: this.count,
      leaks: this.sight.leaks,
      scenes: [...this.#scenes.values()].map(({ report }) => report),
      lateShare: this.#meter.lateShare,
      ...delaysOf(this.#meter.delays),
      read,
      film: {
        coveredShare: this.#filmMeter.coveredShare,
        lateShare: this.#filmMeter.lateShare,
        picturesPerSecond: this.#filmMs === 0 ? 0 : (this.#filmPictures * 1000) / this.#filmMs,
      },
    };
  }
}
