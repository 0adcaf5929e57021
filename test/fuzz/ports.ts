import { PLATFORM } from "../../src/appliance/open-links.ts";
import type { RgbaImage } from "../../src/protocols/platform.ts";
import type { RfbClientPorts } from "../../src/protocols/rfb/client/client-context.ts";

/** The platform without chance: what a run makes of an input depends on the input alone. */
export const PORTS: RfbClientPorts = {
  ...PLATFORM,
  crypto: {
    ...PLATFORM.crypto,
    randomBytes: (count) => new Uint8Array(count).fill(7),
    rsaEncrypt: ({ modulus }) => new Uint8Array(modulus.length).fill(9),
  },
};

/** An image of one colour, as a decoder outside would give it; null where it is larger than a fuzzer likes. */
export function greyImage(width: number, height: number): RgbaImage | null {
  if (width * height > 1 << 20) return null;
  return { width, height, rgba: new Uint8Array(width * height * 4).fill(255) };
}
