import t from "tap";
import { type Rect, rect } from "../../../src/framebuffer/rect.ts";
import { DrawnDesktop } from "../../web/drawn-desktop.ts";
import { openVncDoor } from "../../web/viewer-ports.ts";
import { requirePeers } from "../harness/peers.ts";
import { compileVncClient, VncClient, type VncClientShot } from "../harness/vnc-client.ts";

/** So large that an update of all of it takes many turns of the event loop. */
const WIDTH = 1600;
const HEIGHT = 1000;
const CHANGES = 60;

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A desktop of which something changes at every turn, large and small, here and there. */
class BusyDesktop extends DrawnDesktop {
  #random = 12345;
  #markers = 0;

  constructor() {
    super(WIDTH, HEIGHT);
    this.paintScene(1);
  }

  change(i: number): void {
    const at = this.#somewhere();
    if (i % 20 === 7) this.paintScene(i);
    else if (i % 5 === 3) this.move({ fromX: 0, fromY: 16, to: rect(0, 0, WIDTH, HEIGHT - 16) });
    else this.paint(at, this.#next(0xffffff));
  }

  /** Gives the bottom right pixel a colour that it never had; its bytes in hex. */
  mark(): string {
    this.#markers++;
    this.paint(rect(WIDTH - 1, HEIGHT - 1, 1, 1), 0x0100fe + (this.#markers << 8));
    return Buffer.from(this.frame.bytes.subarray(-4, -1)).toString("hex");
  }

  #somewhere(): Rect {
    const x = this.#next(WIDTH - 1);
    const y = this.#next(HEIGHT - 1);
    return rect(x, y, 1 + this.#next(WIDTH - x - 1), 1 + this.#next(HEIGHT - y - 1));
  }

  #next(most: number): number {
    this.#random = (Math.imul(this.#random, 1103515245) + 12345) & 0x7fffffff;
    return (this.#random >> 8) % (most + 1);
  }
}

function firstDifference({ bytes }: VncClientShot, { frame }: DrawnDesktop): string | null {
  for (let i = 0; i < frame.bytes.length; i++) {
    if (i % 4 === 3 || bytes[i] === frame.bytes[i]) continue;
    return `${(i >> 2) % WIDTH},${Math.floor((i >> 2) / WIDTH)}`;
  }
  return null;
}

if (requirePeers(t, ["gcc", "vncclient"])) {
  const program = await compileVncClient();
  for (const encoding of ["tight", "zrle", "hextile", "raw"]) {
    t.test(
      `libvncclient, in ${encoding}, ends exact however much changes while it is sent updates`,
      async (t) => {
        const desktop = new BusyDesktop();
        const door = await openVncDoor(t, desktop, { security: ["vnc-auth"], password: "sesame" });
        const encodings = ["copyrect", encoding];
        const client = new VncClient(program, door.port, "rgbx", encodings, "sesame");
        t.equal(await client.greeting(), "connected Drawn");
        for (let round = 0; round < 3; round++) {
          for (let i = 0; i < CHANGES; i++) {
            desktop.change(round * CHANGES + i);
            await turn();
          }
          // Its last rows may have come before what changed in the first: with the next marker all of it has.
          await client.shotWhen(desktop.mark());
          t.equal(firstDifference(await client.shotWhen(desktop.mark()), desktop), null);
        }
        await client.close();
      },
    );
  }
}
