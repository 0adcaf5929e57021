import { hash } from "node:crypto";
import { openTargetLink, PLATFORM } from "../../src/appliance/open-links.ts";
import { makeConnection } from "../../src/desktop/connections/connection.ts";
import { Desktop } from "../../src/desktop/desktop.ts";
import { RefusedError } from "../../src/desktop/error.ts";
import type { Link } from "../../src/desktop/link.ts";
import { rectOfSize } from "../../src/framebuffer/rect.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { RecordingService, type RecordingsOptions } from "../../src/recording/library/recording-service.ts";
import { OPTIONS, SEALER } from "../recording/studio.ts";
import type { Owner } from "./program.ts";

export const BY = { by: { kind: "human", id: "h", name: "Ann" } } as const;

/** A live desktop in this process, its recordings, and what it showed at each of its generations. */
export class RecordingDesk {
  readonly desktop: Desktop;
  readonly recordings: RecordingService;
  readonly bugs: unknown[];
  /** SHA-1 of the picture by generation. */
  readonly shown = new Map<number, string>();

  private constructor(desktop: Desktop, recordings: RecordingService, bugs: unknown[]) {
    this.desktop = desktop;
    this.recordings = recordings;
    this.bugs = bugs;
  }

  /** Resolves when there is a picture. `link`: default, to the VNC server at that port. */
  static async open(
    owner: Owner,
    target: { readonly port: number } | { readonly link: () => Link },
    dataDir: string,
    options: Partial<RecordingsOptions> = {},
  ): Promise<RecordingDesk> {
    const bugs: unknown[] = [];
    const onBug = (error: unknown): void => void bugs.push(error);
    const port = "port" in target ? target.port : 0;
    const connection = makeConnection({ id: "d1", protocol: "vnc", host: "127.0.0.1", port }, new Date());
    const trustSettings = { trust: "insecure", known: null } as const;
    const desktop = new Desktop(
      connection,
      { mode: "autopilot", approvalExpiryMs: 45_000 },
      {
        ...PLATFORM,
        clock: systemClock,
        random: Math.random,
        onBug,
        openLink: () => ("link" in target ? target.link() : openTargetLink(connection, [], trustSettings)),
      },
    );
    desktop.open();
    const recordings = await RecordingService.open(
      dataDir,
      { ...OPTIONS, ...options },
      {
        clock: systemClock,
        sealer: SEALER,
        onBug,
        desktops: {
          get(id) {
            if (id !== desktop.id) throw new RefusedError("not_found", "no such connection");
            return desktop;
          },
          all: [desktop],
          on: () => () => undefined,
        },
      },
    );
    const desk = new RecordingDesk(desktop, recordings, bugs);
    owner.teardown(async () => {
      await recordings.close();
      desktop.close();
    });
    await desktop.whenReady(15_000);
    return desk;
  }

  /** From now on every picture is remembered by its hash. */
  remember(): void {
    const look = (): void => {
      this.shown.set(this.desktop.generation, sha1(this.pixels()));
    };
    this.desktop.on(({ type }) => {
      if (type === "update") look();
    });
    look();
  }

  /** The live picture of now, RGBA. */
  pixels(): Uint8Array {
    const view = this.desktop.view("viewer");
    const { bytes, offset, strideBytes } = view.picture(false).pixels(rectOfSize(view));
    return bytes.subarray(offset, offset + strideBytes * view.height);
  }
}

export function sha1(bytes: Uint8Array): string {
  return hash("sha1", bytes);
}
