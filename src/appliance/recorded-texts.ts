import type { Logger } from "../platform/log.ts";
import type { RecordingsPorts } from "../recording/library/recording-service.ts";
import { VisionError } from "../vision/error.ts";
import { DesktopText, type TextDesktop, type TextPorts } from "../vision/text/desktop-text.ts";

/** Each holds a thread with a copy of its desktop's picture, as long as the recording runs. */
const MOST_TEXTS = 4;

type OpenText = NonNullable<RecordingsPorts["openText"]>;
type TextReader = ReturnType<OpenText>;

/** Who reads the text of desktops for their recordings: as recordings show them, so that what is masked is not in it. */
export function recordedTexts(ports: Pick<TextPorts, "reader" | "timer">, log: Logger): OpenText {
  const open = new Set<RecordedText>();
  return (desktop) => new RecordedText(desktop, ports, log, open);
}

class RecordedText implements TextReader {
  readonly #desktop: TextDesktop;
  readonly #ports: Pick<TextPorts, "reader" | "timer">;
  readonly #log: Logger;
  /** Those that hold a thread. */
  readonly #open: Set<RecordedText>;
  #text: DesktopText | null = null;
  #isFailing = false;

  constructor(
    desktop: TextDesktop,
    ports: Pick<TextPorts, "reader" | "timer">,
    log: Logger,
    open: Set<RecordedText>,
  ) {
    this.#desktop = desktop;
    this.#ports = ports;
    this.#log = log;
    this.#open = open;
  }

  async now(signal: AbortSignal) {
    try {
      const shown = await this.#opened().now(null, signal);
      this.#isFailing = false;
      return shown;
    } catch (err) {
      // Told once, however often it is tried again; what is ended on purpose is no fault.
      if (!this.#isFailing && !signal.aborted) {
        this.#log.warn({ desktop: this.#desktop.id, err }, "Text is not recorded");
      }
      this.#isFailing = true;
      throw err;
    }
  }

  close(): void {
    this.#text?.close();
    this.#text = null;
    this.#open.delete(this);
  }

  #opened(): DesktopText {
    if (this.#text !== null && !this.#text.isClosed) return this.#text;
    this.close();
    if (this.#open.size >= MOST_TEXTS) {
      throw new VisionError(
        "too_many",
        `the texts of ${MOST_TEXTS} desktops are being recorded, expected fewer`,
      );
    }
    // Its thread hands out no numbers of elements that anybody is told.
    this.#text = new DesktopText(this.#desktop, {
      ...this.#ports,
      audience: "recording",
      numbers: { prefix: "", next: 1 },
    });
    this.#open.add(this);
    return this.#text;
  }
}
