import { plainWords } from "../compositor/look/shown-text.ts";
import type { Actor } from "../desktop/control/action.ts";
import { type ActionClass, stricterWord, type VerdictWord } from "../desktop/control/action-class.ts";
import type { Detail } from "../desktop/control/action-details.ts";
import { intentOf, NOTHING_HELD } from "../desktop/control/action-summary.ts";
import {
  type Approval,
  Approvals,
  type ApprovalTerms,
  type BrowserProposal,
} from "../desktop/control/approvals/approvals.ts";
import { type Mode, NAMES, wordFor } from "../desktop/control/policy.ts";
import { RefusedError } from "../desktop/error.ts";
import type { DesktopEvent } from "../desktop/events/desktop-event.ts";
import { Listeners } from "../desktop/listeners.ts";
import { type Audience, VIEWER_AUDIENCES } from "../desktop/view.ts";
import type { Size } from "../framebuffer/rect.ts";
import type { Clock } from "../platform/clock.ts";
import { BrowserError } from "./error.ts";

/** What the policy tells apart in browsers: what it does on desktops, and code that runs in a page. */
export type BrowserClass = Extract<ActionClass, "pointer" | "keys" | "text"> | "script";

/** The modes that a browser may be in: custom has areas, which pages have not. */
export type BrowserMode = Exclude<Mode, "custom">;

/** What an agent wants to do in a browser. */
export interface BrowserAct {
  /** "click", as the log has it. */
  readonly verb: string;
  readonly classes: readonly BrowserClass[];
  /** In words: "Click button "Save" on shop.example". */
  readonly summary: string;
  readonly details: readonly Detail[];
  /** What is typed, or the code; only who approves sees it. */
  readonly text?: string;
  readonly browserId: string;
  readonly site: string;
  /** The desktop that shows the page, asked when it is over; absent or null: none, or one that did it by its own pointer. */
  shownOn?(): string | null;
  /** The place that it is about, where it has one. */
  picture?(): Promise<{
    readonly png: Uint8Array;
    readonly size: Size;
    readonly point: { x: number; y: number };
  } | null>;
}

export interface BrowserActOptions {
  readonly intent: string | null;
  readonly isDemanded: boolean;
  readonly signal: AbortSignal;
}

/** One act as the audit has it: never what was typed. */
export interface BrowserActRecord {
  readonly actor: Actor;
  readonly browserId: string;
  readonly verb: string;
  readonly site: string;
  readonly summary: string;
  /** See `shownOn`. */
  readonly desktopId: string | null;
  readonly wasConfirmed: boolean;
  readonly isRefused: boolean;
  readonly intent: string | null;
  readonly characters: number | null;
  readonly code: string | null;
  readonly durationMs: number;
}

export interface BrowserGatePorts {
  readonly mode: BrowserMode;
  /** What scripts get where the mode lets agents act at all. */
  readonly scripts: VerdictWord;
  readonly terms: ApprovalTerms;
  readonly clock: Clock;
  everywhere(): readonly Approval[];
  /** Resolves when the audit is written; rejects where it cannot be. */
  secured(): Promise<void>;
  record(record: BrowserActRecord): void;
  onBug(error: unknown): void;
}

/** The one way to act in a browser: policy, approval, record. */
export class BrowserGate {
  readonly approvals: Approvals;
  readonly #ports: BrowserGatePorts;
  readonly #listeners: Listeners<DesktopEvent>;

  constructor(ports: BrowserGatePorts) {
    this.#ports = ports;
    this.#listeners = new Listeners(ports.onBug);
    const tell = (approval: Approval): void => this.#listeners.tell({ type: "approval", approval });
    this.approvals = new Approvals(ports.clock, ports.terms, tell, ports.everywhere);
  }

  on(listener: (event: DesktopEvent) => void): () => void {
    return this.#listeners.add(listener);
  }

  /**
   * Does it if it may be done. `work` is told whether a human was asked, for then what they saw must still be there.
   * Rejects with RefusedError, or as `work` does.
   */
  async perform<Result>(
    act: BrowserAct,
    actor: Actor,
    options: BrowserActOptions,
    work: (wasConfirmed: boolean) => Promise<Result>,
  ): Promise<{ readonly result: Result; readonly wasConfirmed: boolean }> {
    const { clock } = this.#ports;
    const startMs = clock.nowMs();
    let code: string | null = "failed";
    let wasConfirmed = false;
    let isRefused = false;
    try {
      wasConfirmed = await this.#admit(act, actor, options);
      const result = await work(wasConfirmed);
      code = null;
      return { result, wasConfirmed };
    } catch (error) {
      isRefused = error instanceof RefusedError;
      if (error instanceof RefusedError || error instanceof BrowserError) code = error.code;
      throw error;
    } finally {
      this.#ports.record({
        ...{ actor, browserId: act.browserId, verb: act.verb, site: act.site, code },
        ...{ summary: plainWords(act.summary), desktopId: act.shownOn?.() ?? null, wasConfirmed, isRefused },
        intent: intentOf(proposalOf(act), options.intent),
        characters: act.text?.length ?? null,
        durationMs: clock.nowMs() - startMs,
      });
    }
  }

  /** Throws RefusedError permission_denied for what is done in no case. */
  checkMay(classes: readonly BrowserClass[]): void {
    const denied = classes.find((one) => this.#wordFor(one) === "deny");
    if (denied === undefined) return;
    const what = denied === "script" ? "running scripts" : NAMES[denied];
    throw new RefusedError(
      "permission_denied",
      `the configuration denies ${what} in browsers: whoever runs this server must change browser.mode or browser.scripts`,
    );
  }

  /** Whether a human was asked and said yes. Rejects where it may not be done. */
  async #admit(act: BrowserAct, actor: Actor, options: BrowserActOptions): Promise<boolean> {
    this.checkMay(act.classes);
    const word = act.classes.map((one) => this.#wordFor(one)).reduce(stricterWord, "allow");
    if (word === "allow" && !options.isDemanded) return false;
    const shown = (await act.picture?.()) ?? null;
    await this.approvals.ask(
      {
        desktopId: "",
        action: proposalOf(act),
        summary: act.summary,
        actor,
        intent: options.intent,
        point: shown?.point ?? null,
        crop: shown === null ? null : { x: 0, y: 0, ...shown.size },
        bound: null,
        held: NOTHING_HELD,
        screenHash: null,
        isExact: true,
      },
      {
        ...{ signal: options.signal, call: options.signal },
        pictures: shown === null ? null : sameForAll(Promise.resolve(shown.png)),
      },
    );
    // An approval that could not be written to the audit log does not count.
    await this.#ports.secured();
    return true;
  }

  #wordFor(browserClass: BrowserClass): VerdictWord {
    const policy = { mode: this.#ports.mode } as const;
    if (browserClass !== "script") return wordFor(policy, browserClass);
    return this.#ports.mode === "passive" ? "deny" : this.#ports.scripts;
  }
}

function proposalOf({ classes, details, text }: BrowserAct): BrowserProposal {
  const kind = classes.includes("script") ? "browser_script" : "browser";
  return { kind, details, ...(text === undefined ? {} : { text }) };
}

/** Of a page nothing is masked. */
function sameForAll(picture: Promise<Uint8Array>): ReadonlyMap<Audience, Promise<Uint8Array>> {
  return new Map(VIEWER_AUDIENCES.map((audience) => [audience, picture]));
}
