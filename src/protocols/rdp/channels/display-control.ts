import type { Rect } from "../../../framebuffer/rect.ts";
import { RdpError } from "../error.ts";
import { LittleEndianReader } from "../little-endian-reader.ts";
import { LittleEndianWriter } from "../little-endian-writer.ts";
import type { DynamicChannel } from "./drdynvc.ts";

/** Types of MS-RDPEDISP 2.2.1.1. */
const TYPE = { monitorLayout: 2, capabilities: 5 } as const;
const HEADER_BYTES = 8;
const MONITOR_BYTES = 40;
const PRIMARY = 1;
/** A side of a monitor, MS-RDPEDISP 2.2.2.2.1; a width is even besides. */
const LEAST_SIDE = 200;
const MOST_SIDE = 8192;
const PERCENT = 100;

/** What a host takes. */
interface Limits {
  readonly monitors: number;
  /** All monitors together. */
  readonly pixels: number;
}

/** Display control, MS-RDPEDISP: asks the host for another size or other monitors. The host may decide otherwise. */
export class DisplayControl implements DynamicChannel {
  readonly name = "Microsoft::Windows::RDS::DisplayControl";
  readonly mostBytes = 64;
  readonly #onLimits: () => void;
  #limits: Limits | null = null;

  /** `onLimits` is called when the host takes layouts from now on. */
  constructor(onLimits: () => void = () => undefined) {
    this.#onLimits = onLimits;
  }

  /** The host takes layouts. */
  get isReady(): boolean {
    return this.#limits !== null;
  }

  opened(): readonly Uint8Array[] {
    return [];
  }

  closed(): void {
    this.#limits = null;
  }

  /** DISPLAYCONTROL_CAPS_PDU, 2.2.2.1: U32 type, U32 length, U32 most monitors, U32 factor a, U32 factor b. */
  receive(message: Uint8Array): readonly Uint8Array[] {
    const from = new LittleEndianReader(message, "channel");
    const type = from.u32();
    const length = from.u32();
    if (length !== message.length) {
      throw new RdpError(
        "bad_data",
        "channel",
        `got a display control message of ${message.length} bytes, expected the ${length} it names`,
      );
    }
    if (type !== TYPE.capabilities) {
      throw new RdpError("unknown_message", "channel", `got display control message ${type}, expected 5`);
    }
    const monitors = from.u32();
    const pixels = monitors * from.u32() * from.u32();
    this.#limits = { monitors, pixels };
    this.#onLimits();
    return [];
  }

  /**
   * DISPLAYCONTROL_MONITOR_LAYOUT_PDU, 2.2.2.2, the first monitor being the primary one: U32 type, U32 length, U32 bytes
   * of a monitor, U32 count, monitors. Sides are brought to what a monitor may have. Null where the host takes no
   * layout now, or not this many monitors or pixels.
   */
  arrange(monitors: readonly Rect[]): Uint8Array | null {
    const [primary] = monitors;
    if (this.#limits === null || primary === undefined || monitors.length > this.#limits.monitors)
      return null;
    const sized = monitors.map(({ x, y, width, height }) => ({
      // The primary monitor is where the host begins to count.
      x: x - primary.x,
      y: y - primary.y,
      width: clampSide(width) & ~1,
      height: clampSide(height),
    }));
    const pixels = sized.reduce((sum, { width, height }) => sum + width * height, 0);
    if (pixels > this.#limits.pixels) return null;
    const to = new LittleEndianWriter(HEADER_BYTES + 8 + sized.length * MONITOR_BYTES)
      .u32(TYPE.monitorLayout)
      .u32(HEADER_BYTES + 8 + sized.length * MONITOR_BYTES)
      .u32(MONITOR_BYTES)
      .u32(sized.length);
    for (const [index, { x, y, width, height }] of sized.entries()) {
      to.u32(index === 0 ? PRIMARY : 0)
        .i32(x)
        .i32(y)
        .u32(width)
        .u32(height)
        .u32(0) // millimetres: not known
        .u32(0)
        .u32(0) // orientation: landscape
        .u32(PERCENT)
        .u32(PERCENT);
    }
    return to.bytes();
  }
}

function clampSide(side: number): number {
  return Math.min(MOST_SIDE, Math.max(LEAST_SIDE, Math.round(side)));
}
