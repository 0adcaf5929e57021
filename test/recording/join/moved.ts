import { RefusedError } from "../../../src/desktop/error.ts";
import { answerPart } from "../../../src/recording/join/answer-part.ts";
import type { PlacedPart } from "../../../src/recording/join/opened-part.ts";
import { partAskSchema } from "../../../src/recording/join/part-asks.ts";
import type {
  InterruptedRecording,
  RecordingOwner,
  RecordingParts,
} from "../../../src/recording/library/recording-types.ts";
import { HUMAN } from "../../desktop/house.ts";
import type { Owner } from "../../support/program.ts";
import { Studio } from "../studio.ts";

/** Two nodes of a fleet and what they recorded of one desktop. */
export class Moved {
  readonly a: Studio;
  readonly b: Studio;
  /** Nodes that do not answer. */
  readonly away: Set<string>;
  /** As the nodes told; none: the desktop is gone, and what was told of it. */
  readonly told: PlacedPart[];
  readonly #earlier: { is: InterruptedRecording | null };

  private constructor(
    a: Studio,
    b: Studio,
    away: Set<string>,
    told: PlacedPart[],
    earlier: { is: InterruptedRecording | null },
  ) {
    this.a = a;
    this.b = b;
    this.away = away;
    this.told = told;
    this.#earlier = earlier;
  }

  static async open(owner: Owner): Promise<Moved> {
    const away = new Set<string>();
    const told: PlacedPart[] = [];
    const earlier: { is: InterruptedRecording | null } = { is: null };
    const studios = new Map<string, Studio>();
    const partsOf = (name: string): RecordingParts => ({
      name,
      interrupted: () => earlier.is,
      around: () => ({ earlierEndedAt: null, next: null }),
      chain: (id) => (told.some((part) => part.id === id) ? { desktopId: "d1", parts: [...told] } : null),
      async ask({ id, node }, ask) {
        const studio = studios.get(node);
        if (studio === undefined || away.has(node)) {
          throw new RefusedError("node_unreachable", "that node does not answer");
        }
        const { recordings } = studio;
        const reader = await recordings.open(id);
        try {
          return await answerPart(recordings, reader, partAskSchema.parse(JSON.parse(JSON.stringify(ask))));
        } finally {
          await reader.close();
        }
      },
    });
    const open = (name: string): Promise<Studio> =>
      Studio.open(owner, {}, undefined, undefined, undefined, undefined, partsOf(name));
    studios.set("a", await open("a"));
    studios.set("b", await open("b"));
    const [a, b] = studios.values();
    if (a === undefined || b === undefined) throw new Error("two nodes");
    return new Moved(a, b, away, told, earlier);
  }

  /** Begins a part at a time since both nodes run, of a desktop of that size in one colour. */
  async begin(
    node: "a" | "b",
    atMs: number,
    width: number,
    colour: number,
    owner: RecordingOwner = HUMAN,
  ): Promise<string> {
    const studio = this[node];
    const { clock, link } = studio.house;
    const beganMs = Date.parse("2026-11-21T00:00:00.000Z");
    await clock.live(beganMs + atMs - clock.date().getTime(), 100);
    link.framebuffer.resize(width, 48);
    link.events.resize([{ id: 1, rect: link.framebuffer.rect, flags: 0 }]);
    link.paint(link.framebuffer.rect, colour);
    const { id, startedAt } = await studio.recordings.start("d1", { by: HUMAN, owner });
    this.told.push({ id, node, startedMs: Date.parse(startedAt), endedMs: null });
    return id;
  }

  /** A second in the same colour, and one in another; then it moves. */
  async end(node: "a" | "b", id: string, colour: number): Promise<void> {
    const { house, recordings } = this[node];
    await house.clock.live(1000, 100);
    house.link.paint(house.link.framebuffer.rect, colour);
    await house.clock.live(1000, 100);
    const { startedAt, durationMs } = await recordings.stop(id);
    const endedMs = Date.parse(startedAt) + durationMs;
    const at = this.told.findIndex((part) => part.id === id);
    const part = this.told[at];
    if (part !== undefined) this.told[at] = { ...part, endedMs };
    this.#earlier.is = { id, node, reason: "manual", owner: HUMAN };
  }
}

/** Three parts, of node a, b and a, with two seconds between the first two and one before the last. */
export async function threeParts(owner: Owner) {
  const moved = await Moved.open(owner);
  const first = await moved.begin("a", 1000, 64, 0x112233);
  await moved.end("a", first, 0x223344);
  const second = await moved.begin("b", 5000, 80, 0x334455);
  await moved.end("b", second, 0x445566);
  const third = await moved.begin("a", 8000, 64, 0x556677);
  await moved.end("a", third, 0x667788);
  return { moved, first, second, third };
}
