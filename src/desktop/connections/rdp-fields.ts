import * as z from "zod";
import { MOST_MONITORS, RDP_DEPTHS, RDP_GRAPHICS, type RdpWishes } from "./rdp-options.ts";

/** The field by which every face and the configuration say what is asked of an RDP host, in the words of the wire. */
export const rdpFields = {
  rdp: z
    .strictObject({
      width: z.int().min(200).max(8192).optional(),
      height: z.int().min(200).max(8192).optional(),
      monitors: z
        .array(
          z.strictObject({
            x: z.int().min(0).max(8191),
            y: z.int().min(0).max(8191),
            width: z.int().min(200).max(8192),
            height: z.int().min(200).max(8192),
          }),
        )
        .min(1)
        .max(MOST_MONITORS)
        .optional()
        .describe("Instead of width and height: several screens, the first one the primary."),
      depth: z
        .union(RDP_DEPTHS.map((depth) => z.literal(depth)))
        .optional()
        .describe("Bits a pixel, default 32; 16 and less lose colours."),
      graphics: z
        .enum(RDP_GRAPHICS)
        .optional()
        .describe("bitmaps (default): exact pixels. pipeline: for hosts that insist on it; may be lossy."),
      require_nla: z.boolean().optional(),
      keyboard_layout: z
        .int()
        .min(0)
        .max(0xffff_ffff)
        .optional()
        .describe("Windows' number, default 0x409 (US)."),
    })
    .optional()
    .describe("For rdp: what is asked of the host; it decides about the size."),
} as const;

/** That field, read; what was left out stays out. */
export function rdpWishesOf({ rdp }: { readonly rdp?: z.output<typeof rdpFields.rdp> | undefined }): {
  readonly rdp?: RdpWishes;
} {
  if (rdp === undefined) return {};
  const { width, height, monitors, depth, graphics, require_nla, keyboard_layout } = rdp;
  return {
    rdp: {
      ...(width === undefined || height === undefined ? {} : { size: { width, height } }),
      ...(monitors === undefined ? {} : { monitors }),
      ...(depth === undefined ? {} : { depth }),
      ...(graphics === undefined ? {} : { graphics }),
      ...(require_nla === undefined ? {} : { needsNla: require_nla }),
      ...(keyboard_layout === undefined ? {} : { keyboardLayout: keyboard_layout }),
    },
  };
}

/** The same the other way, for the disk. */
export function rdpFieldsOf(wishes: RdpWishes | undefined): z.input<typeof rdpFields.rdp> {
  if (wishes === undefined) return undefined;
  const { size, monitors, depth, graphics, needsNla, keyboardLayout } = wishes;
  return {
    width: size?.width,
    height: size?.height,
    monitors: monitors?.map((place) => ({ ...place })),
    depth,
    graphics,
    require_nla: needsNla,
    keyboard_layout: keyboardLayout,
  };
}
