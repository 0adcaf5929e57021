import { ENCODINGS, encodingByNumber } from "../encodings/list.ts";
import { ENCODING, SERVER_MESSAGE } from "../numbers.ts";
import type { Dialect } from "./client-context.ts";
import { offerClipboard } from "./clipboard.ts";
import { plainPointer } from "./pointer.ts";
import { readSound } from "./sound.ts";

/** RFC 6143 and rfbproto as they are. No quality level is asked for: servers then send exact pixels. */
export const PLAIN_RFB: Dialect = {
  name: "RFB",
  encodings: ENCODINGS.map(({ number }) => number),
  pseudoEncodings: [
    ENCODING.desktopSize,
    ENCODING.lastRect,
    ENCODING.extendedDesktopSize,
    ENCODING.cursorWithAlpha,
    ENCODING.vmwareCursor,
    ENCODING.cursor,
    ENCODING.xCursor,
    ENCODING.pointerPosition,
    ENCODING.vmwarePointerPosition,
    ENCODING.desktopName,
    ENCODING.qemuExtendedKey,
    ENCODING.qemuPointerMotion,
    ENCODING.qemuAudio,
    ENCODING.extendedMouseButtons,
    ENCODING.qemuLeds,
    ENCODING.vmwareLeds,
    ENCODING.extendedClipboard,
    ENCODING.fence,
    ENCODING.continuousUpdates,
  ],
  decoders: ({ options }) => {
    // The usual ones are read even from a server that was asked for others: some fall back to what they like.
    const accepted = new Set([...ENCODINGS.map(({ number }) => number), ...(options.encodings ?? [])]);
    return (number) => (accepted.has(number) ? encodingByNumber(number) : undefined);
  },
  *readMessage(c, type) {
    if (type !== SERVER_MESSAGE.qemu) return false;
    yield* readSound(c);
    return true;
  },
  pointer: plainPointer,
  offerClipboard,
};
