import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Desktop } from "../../src/desktop/desktop.ts";
import type { DesktopsEvent } from "../../src/desktop/desktops.ts";
import { RefusedError } from "../../src/desktop/error.ts";
import { rectOfSize } from "../../src/framebuffer/rect.ts";
import type { KeySealer } from "../../src/recording/format/recording-key.ts";
import { RecordingService, type RecordingsOptions } from "../../src/recording/library/recording-service.ts";
import type { RecordingParts, RecordingsEvent } from "../../src/recording/library/recording-types.ts";
import type { RecordingEncoders } from "../../src/recording/write/encoder.ts";
import type { TextReader } from "../../src/recording/write/recorder-ports.ts";
import { House } from "../desktop/house.ts";
import type { Owner } from "../support/program.ts";
import { INLINE_ENCODERS } from "./inline-encoder.ts";

export const OPTIONS: RecordingsOptions = {
  policy: "manual",
  onFull: "best_effort",
  maxFps: 10,
  bytesPerMinute: 60_000_000,
  floorBytes: 0,
  isEncrypted: false,
  keepMs: null,
  keepBytes: null,
};

/** Opens only what it sealed for the same purpose. */
export const SEALER: KeySealer = {
  seal: (secret, purpose) => JSON.stringify([purpose, secret]),
  open(sealed, purpose) {
    const [sealedFor, secret]: unknown[] = JSON.parse(sealed);
    if (sealedFor !== purpose || typeof secret !== "string") throw new Error("sealed for something else");
    return secret;
  },
};

/** A desktop of a fake target and all that records it, in a folder of its own. */
export class Studio {
  readonly house: House;
  readonly dataDir: string;
  readonly recordings: RecordingService;
  readonly bugs: unknown[];
  readonly events: RecordingsEvent[] = [];
  /** What the disk has left. */
  disk: { freeBytes: number };
  readonly #tell: (event: DesktopsEvent) => void;

  private constructor(
    house: House,
    dataDir: string,
    recordings: RecordingService,
    bugs: unknown[],
    disk: { freeBytes: number },
    tell: (event: DesktopsEvent) => void,
  ) {
    this.house = house;
    this.dataDir = dataDir;
    this.recordings = recordings;
    this.bugs = bugs;
    this.disk = disk;
    this.#tell = tell;
    recordings.on((event) => this.events.push(event));
  }

  static async open(
    owner: Owner,
    options: Partial<RecordingsOptions> = {},
    dataDir: string = mkdtempSync(join(tmpdir(), "oc-recording-")),
    encoders: RecordingEncoders = INLINE_ENCODERS,
    freeBytes = Number.MAX_SAFE_INTEGER,
    openText?: (desktop: Desktop) => TextReader,
    parts?: RecordingParts,
  ): Promise<Studio> {
    owner.teardown(() => rmSync(dataDir, { recursive: true, force: true }));
    const house = House.live();
    const disk = { freeBytes };
    const bugs: unknown[] = [];
    const listeners = new Set<(event: DesktopsEvent) => void>();
    const recordings = await RecordingService.open(
      dataDir,
      { ...OPTIONS, ...options },
      {
        clock: house.clock,
        sealer: SEALER,
        // Beside a clock that jumps a thread would seem to take hours.
        encoders,
        ...(openText === undefined ? {} : { openText }),
        ...(parts === undefined ? {} : { parts }),
        onBug: (error) => bugs.push(error),
        freeBytes: async () => disk.freeBytes,
        desktops: {
          get(id) {
            if (id !== house.desktop.id) throw new RefusedError("not_found", "no such connection");
            return house.desktop;
          },
          all: [house.desktop],
          on(listener) {
            listeners.add(listener);
            return () => listeners.delete(listener);
          },
        },
      },
    );
    const tell = (event: DesktopsEvent): void => {
      for (const listener of [...listeners]) listener(event);
    };
    owner.teardown(() => recordings.close());
    return new Studio(house, dataDir, recordings, bugs, disk, tell);
  }

  get desktop(): Desktop {
    return this.house.desktop;
  }

  /** Tells everybody that the desktop is gone. */
  removeDesktop(): void {
    this.#tell({ type: "removed", desktop: this.desktop, by: null });
  }

  /** Tells everybody that the desktop has another connection. */
  changeDesktop(): void {
    this.#tell({ type: "changed", desktop: this.desktop, by: null });
  }

  /** The live picture of now. */
  shot(): Uint8Array {
    const view = this.desktop.view("viewer");
    const { bytes, offset, strideBytes } = view.picture(false).pixels(rectOfSize(view));
    return bytes.slice(offset, offset + strideBytes * view.height);
  }
}

/** The same noise each time for a seed: 0 to 1. */
export function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
