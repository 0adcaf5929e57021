import type { NamedTerms, TextReader, TextReaderEvents } from "../../desktop/masks/text-reader.ts";
import { openThread } from "../../platform/worker-thread.ts";
import type { OcrPool, OcrTimer } from "../ocr-pool.ts";
import { readByEngine } from "../text/engine-lines.ts";
import type { FromLiveThread, KnownTerms, ToLiveThread } from "./live-messages.ts";

export interface ScreenReaderPorts {
  readonly reader: Pick<OcrPool, "readLines">;
  readonly timer: OcrTimer;
  /** For masks that name secrets; absent: there are none. */
  readonly secrets?: {
    /** Of those that are there and long enough to be looked for; rejects where they cannot be read. */
    valuesOf(names: readonly string[]): Promise<readonly string[]>;
  };
}

/** An answer needs a cut of what changed, no engine: a thread that takes longer hangs. */
const HANGS_MS = 10_000;

/** Opens a thread that reads a desktop's picture as it changes, for masks by text. */
export function openScreenReader(
  desktopId: string,
  { reader, timer, secrets }: ScreenReaderPorts,
  events: TextReaderEvents,
): TextReader {
  const worker = openThread("live-worker", import.meta.url);
  const ending = new AbortController();
  let stopTimer: (() => void) | null = null;
  const post = (message: ToLiveThread, moved: readonly ArrayBuffer[] = []): void => {
    if (!ending.signal.aborted) worker.postMessage(message, moved);
  };
  const end = (): void => {
    stopTimer?.();
    ending.abort();
    worker.terminate().catch(() => undefined);
  };
  const lost = (): void => {
    if (ending.signal.aborted) return;
    end();
    events.lost();
  };
  const withValues = async (terms: NamedTerms): Promise<KnownTerms> => {
    if (terms.secrets === undefined || secrets === undefined) return terms;
    return { ...terms, values: await secrets.valuesOf(terms.secrets) };
  };
  worker.on("error", lost);
  worker.on("exit", lost);
  worker.on("message", (message: FromLiveThread) => {
    if (ending.signal.aborted) return;
    switch (message.kind) {
      case "seen":
        stopTimer?.();
        stopTimer = null;
        events.read(message.read);
        return;
      case "news":
        events.news();
        return;
      case "read":
        readByEngine(reader, message, `masks of ${desktopId}`, ending.signal).then(post, () => undefined);
    }
  });
  return {
    resize: (size) => post({ kind: "size", size: { width: size.width, height: size.height } }),
    take: (copies, parts) =>
      post(
        { kind: "pixels", copies, parts },
        parts.map(({ pixels }) => pixels.buffer),
      ),
    ask(terms, isPointed) {
      stopTimer = timer.after(HANGS_MS, lost);
      // INVARIANT: without the values nothing is answered, and what is not answered stays covered.
      Promise.all(terms.map(withValues)).then(
        (known) => post({ kind: "ask", terms: known, isPointed }),
        lost,
      );
    },
    close: end,
  };
}
