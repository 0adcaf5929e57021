import type { Parser } from "../../byte-queue.ts";
import { ByteWriter } from "../../byte-writer.ts";
import { skipBytes } from "../../skip-bytes.ts";
import { RfbError } from "../error.ts";
import {
  CLIPBOARD_ACTION,
  CLIPBOARD_FORMAT,
  CLIPBOARD_FORMATS_MASK,
  packClipboardText,
  unpackClipboardText,
} from "../extended-clipboard.ts";
import { decodeLatin1, encodeLatin1 } from "../latin1.ts";
import { LIMIT } from "../numbers.ts";
import type { ClientContext, ServerFeatures } from "./client-context.ts";
import { clientCutText, extendedCutText } from "./requests.ts";

/** A cut text longer than LIMIT.cutTextBytes is skipped, one longer than this ends the connection. */
const MAX_SKIPPED_BYTES = 64 * 1024 * 1024;

/** Our caps: we take text, at most so many bytes unasked. */
const OWN_ACTIONS =
  CLIPBOARD_ACTION.request | CLIPBOARD_ACTION.peek | CLIPBOARD_ACTION.notify | CLIPBOARD_ACTION.provide;

/**
 * ServerCutText, RFC 6143 section 7.6.4: pad 3, S32 length, text. A negative length is ExtendedClipboard
 * (rfbproto); TigerVNC sends that right after SetEncodings.
 */
export function* readServerCutText(c: ClientContext): Parser<void> {
  while (!c.from.has(7)) yield 7;
  c.from.skip(3);
  const length = c.from.i32();
  const size = Math.abs(length);
  if (size > MAX_SKIPPED_BYTES) {
    throw new RfbError(
      "too_large",
      "message",
      `got a cut text of ${size} bytes, expected at most ${MAX_SKIPPED_BYTES}`,
    );
  }
  if (size > LIMIT.cutTextBytes) {
    yield* skipBytes(c.from, size);
    c.emit({ type: "clipboard", text: null });
    return;
  }
  while (!c.from.has(size)) yield size;
  if (length >= 0) c.emit({ type: "clipboard", text: decodeLatin1(c.from.take(size)) });
  else readExtended(c, size);
}

function readExtended(c: ClientContext, size: number): void {
  if (size < 4) {
    throw new RfbError(
      "bad_data",
      "message",
      `got an extended cut text of ${size} bytes, expected 4 or more`,
    );
  }
  const flags = c.from.u32();
  const data = c.from.take(size - 4);
  const hasText = (flags & CLIPBOARD_FORMAT.text) !== 0;
  if (flags & CLIPBOARD_ACTION.caps) {
    c.features.clipboardActions = flags & ~CLIPBOARD_FORMATS_MASK;
    const limit = new ByteWriter(4).u32(LIMIT.cutTextBytes).bytes();
    c.send(extendedCutText(CLIPBOARD_ACTION.caps | OWN_ACTIONS | CLIPBOARD_FORMAT.text, limit));
  } else if (flags & CLIPBOARD_ACTION.notify) {
    if (hasText) c.send(extendedCutText(CLIPBOARD_ACTION.request | CLIPBOARD_FORMAT.text, new Uint8Array(0)));
  } else if (flags & CLIPBOARD_ACTION.request) {
    if (!hasText || c.clipboardText === null) return;
    provide(c, c.clipboardText);
    c.emit({ type: "clipboardTaken" });
  } else if (flags & CLIPBOARD_ACTION.peek) {
    const formats = c.clipboardText === null ? 0 : CLIPBOARD_FORMAT.text;
    c.send(extendedCutText(CLIPBOARD_ACTION.notify | formats, new Uint8Array(0)));
  } else if (flags & CLIPBOARD_ACTION.provide && hasText) {
    readProvided(c, data);
  }
}

function readProvided(c: ClientContext, data: Uint8Array): void {
  const stream = c.ports.inflate();
  const output = new Uint8Array(LIMIT.cutTextBytes + 4);
  let size: number;
  try {
    size = stream.inflate(data, output);
  } catch {
    // Too long, or damaged: a text that cannot be had is no reason to lose a desktop.
    c.emit({ type: "clipboard", text: null });
    return;
  } finally {
    stream.close();
  }
  const text = unpackClipboardText(output.subarray(0, size));
  if (text === null) throw new RfbError("bad_data", "message", "got a clipboard shorter than it says");
  c.emit({ type: "clipboard", text });
}

/** Whether a server with these actions is sent texts that ISO 8859-1 has no letters for. */
export function takesExtended(actions: number): boolean {
  return (actions & (CLIPBOARD_ACTION.notify | CLIPBOARD_ACTION.provide)) !== 0;
}

function provide(c: ClientContext, text: string): void {
  const data = c.ports.deflate.zlib(packClipboardText(text), 6);
  c.send(extendedCutText(CLIPBOARD_ACTION.provide | CLIPBOARD_FORMAT.text, data));
}

/**
 * Whether a server asks for the texts it is told of, which shows that it took them. LibVNCServer 0.9.14 announces the
 * extended clipboard for every program built on it, and x11vnc ignores what comes that way; it has no fences.
 */
export function asksForTexts({ hasFence, clipboardActions }: ServerFeatures): boolean {
  return hasFence && (clipboardActions & CLIPBOARD_ACTION.notify) !== 0;
}

/**
 * Offers a text to the server: announced where it asks for texts. Else what plain cut texts can carry goes as one, and
 * other text is announced or sent as the server says it takes it.
 */
export function offerClipboard(c: ClientContext, text: string): void {
  c.clipboardText = text;
  const actions = c.features.clipboardActions;
  const isPlain = !/[^\n\t\x20-\x7e\xa0-\xff]/.test(text);
  if (!asksForTexts(c.features) && (isPlain || !takesExtended(actions))) {
    c.send(clientCutText(encodeLatin1(text.replace(/\r\n?/g, "\n"))));
  } else if (actions & CLIPBOARD_ACTION.notify) {
    c.send(extendedCutText(CLIPBOARD_ACTION.notify | CLIPBOARD_FORMAT.text, new Uint8Array(0)));
  } else {
    provide(c, text);
  }
}
