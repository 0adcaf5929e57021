import type { Audience } from "../../../desktop/view.ts";
import type { Size } from "../../../framebuffer/rect.ts";
import type { Clock } from "../../../platform/clock.ts";
import type { EncodeBudget } from "../encode-budget.ts";
import type { ViewerLog } from "../log.ts";
import type { ViewedDesktop } from "../viewed-desktop.ts";
import type { FilmPorts } from "./film.ts";
import { FilmEncoder } from "./film-encoder.ts";
import { FilmSet } from "./film-set.ts";

/** Processes at a time, of all desktops. */
const MOST_ENCODERS = 4;
/** One that failed is not asked again for so long. */
const BROKEN_MS = 60_000;

interface FilmsPorts {
  readonly clock: Clock;
  readonly budget: EncodeBudget;
  readonly log: ViewerLog;
  /** As of FilmEncoderPorts. */
  readonly program: string;
}

/** Films of all desktops, and the processes that encode them. */
export class Films {
  readonly #ports: FilmsPorts;
  readonly #sets = new WeakMap<ViewedDesktop, Map<string, FilmSet>>();
  readonly #encoders = new Set<FilmEncoder>();
  #brokenAtMs = Number.NEGATIVE_INFINITY;

  constructor(ports: FilmsPorts) {
    this.#ports = ports;
  }

  /** Of the picture that a kind of viewers sees. */
  of(desktop: ViewedDesktop, kind: Audience, withOverlays: boolean): FilmSet {
    const sets = this.#sets.get(desktop) ?? new Map<string, FilmSet>();
    this.#sets.set(desktop, sets);
    const key = `${kind} ${withOverlays}`;
    const { clock, budget } = this.#ports;
    const ports = { clock, budget, openEncoder: this.#openEncoder };
    const set = sets.get(key) ?? new FilmSet(ports, desktop.view(kind), withOverlays);
    sets.set(key, set);
    return set;
  }

  readonly #openEncoder: FilmPorts["openEncoder"] = (size: Size, on) => {
    const { clock, log, program } = this.#ports;
    for (const encoder of this.#encoders) if (encoder.isClosed) this.#encoders.delete(encoder);
    const isBroken = clock.nowMs() - this.#brokenAtMs < BROKEN_MS;
    if (isBroken || this.#encoders.size >= MOST_ENCODERS) return null;
    const encoder = new FilmEncoder(
      {
        clock,
        program,
        encoded: on.encoded,
        failed: (error) => {
          this.#brokenAtMs = clock.nowMs();
          log.warn({ reason: error.message }, "Film encoder failed, films go as JPEG");
          on.failed(error);
        },
      },
      size,
    );
    if (encoder.isClosed) return null;
    this.#encoders.add(encoder);
    return encoder;
  };
}
