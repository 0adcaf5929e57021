import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { Audit } from "../audit/audit.ts";
import { type BrowserActRecord, BrowserGate } from "../browser/browser-gate.ts";
import { type BrowserChange, Browsers } from "../browser/browsers.ts";
import { fetchScript } from "../browser/fetch-script.ts";
import { MaskedTabs } from "../browser/masked/masked-tabs.ts";
import { Pairings } from "../browser/pairings.ts";
import type { Config } from "../config/config-schema.ts";
import type { OwnListener } from "../desktop/connections/target-guard.ts";
import type { ActionRecord } from "../desktop/control/action-record.ts";
import type { Desktop } from "../desktop/desktop.ts";
import type { Desktops } from "../desktop/desktops.ts";
import type { Clock } from "../platform/clock.ts";
import type { Logger } from "../platform/log.ts";
import { PACKAGE_FOLDER } from "../platform/package-folder.ts";
import { limitsOf } from "./open-links.ts";

const EXTENSION = fileURLToPath(new URL("dist/extension.zip", PACKAGE_FOLDER));

const AUDITED = {
  paired: "browser.paired",
  unpaired: "browser.unpaired",
  connected: "browser.connected",
  disconnected: "browser.disconnected",
  denied: "browser.denied",
} as const satisfies Record<BrowserChange, string>;

export interface BrowserParts {
  readonly audit: Audit;
  readonly desktops: Desktops;
  readonly clock: Clock;
  /** Where this appliance listens itself. */
  readonly own: OwnListener[];
}

/** Paired browsers, the way to act in them, and the extension that is offered. */
export interface OpenBrowsers {
  readonly browsers: Browsers;
  readonly gate: BrowserGate;
  /** null where it was not built. */
  readonly extension: Uint8Array | null;
  fetchScript(address: string, signal: AbortSignal): Promise<string>;
  close(): Promise<void>;
}

/** Opens the browsers of the data directory, and lets the questions about them be answered where all others are. */
export async function openBrowsers(
  config: Config,
  log: Logger,
  { audit, desktops, clock, own }: BrowserParts,
): Promise<OpenBrowsers> {
  const onBug = (err: unknown): void => log.error({ err }, "Browser bridge failed");
  const pairings = await Pairings.open(config.data_dir, clock);
  const { questions } = desktops;
  const browsers: Browsers = new Browsers({
    ...{ pairings, clock, onBug, serverName: "Overlay Companion" },
    hiddenSelectors: () => masked.selectors,
    changed: (change, browser) =>
      audit.record({
        type: AUDITED[change],
        ...(change === "connected" || change === "disconnected" ? {} : { severity: "notice" }),
        ...(browser === null ? { errorCode: "denied" } : { resource: { kind: "browser", id: browser.id } }),
      }),
  });
  const masked = new MaskedTabs({
    ...{ browsers, clock, onBug, hidesPasswords: config.browser.mask_passwords },
    desktops: () => desktops.all,
  });
  const endings = followDesktops(desktops, () => masked.desktopsChanged());
  const gate = new BrowserGate({
    mode: config.browser.mode ?? (config.mode === "custom" ? "assist" : config.mode),
    scripts: config.browser.scripts,
    terms: {
      approvalExpiryMs: config.approvals.expiry_ms,
      approvalArmingMs: config.approvals.arming_ms,
      isFourEyes: config.approvals.four_eyes,
    },
    clock,
    onBug,
    everywhere: () => questions.pending,
    secured: () => audit.secured(),
    record: (done) => {
      const { actor, browserId, verb, site, intent, characters, code, durationMs } = done;
      audit.record({
        ...{ type: "browser.acted", actor, intent, durationMs, errorCode: code },
        action: `${verb} on ${site}`,
        resource: { kind: "browser", id: browserId },
        counts: characters === null ? {} : { characters },
      });
      const shownOn = desktops.all.find(({ id }) => id === done.desktopId);
      // What a person does for themselves there is nobody's to see.
      if (shownOn?.requests.isPrivate === false) shownOn.record(recordOn(done, clock));
    },
  });
  questions.add(gate);
  return {
    browsers,
    gate,
    extension: await readFile(EXTENSION).catch(() => null),
    fetchScript: (address, signal) => fetchScript(address, { ...limitsOf(config), own }, signal),
    close: () => {
      questions.remove(gate);
      gate.approvals.cancelAll();
      endings();
      masked.close();
      browsers.close();
      return pairings.close();
    },
  };
}

/** What was done in a page, for the desktop that shows it: its viewers and recordings see what came of it. */
function recordOn(done: BrowserActRecord, clock: Clock): Omit<ActionRecord, "recorded"> {
  const { actor, summary, intent, code, wasConfirmed, isRefused, durationMs } = done;
  return {
    ...{ id: randomUUID(), at: clock.date().toISOString(), kind: "browser", effect: null },
    ...{ actor, summary, intent, code, wasConfirmed, durationMs: Math.round(durationMs) },
    outcome: code === null ? "done" : isRefused ? "refused" : "failed",
  };
}

/** Told when a desktop comes to life or goes, and when masks are others; gives what ends it. */
function followDesktops(desktops: Desktops, changed: () => void): () => void {
  const follow = (desktop: Desktop): void => {
    desktop.on((event) => {
      if (event.type === "state" || (event.type === "masks" && event.change !== "moved")) changed();
    });
  };
  for (const desktop of desktops.all) follow(desktop);
  return desktops.on(({ type, desktop }) => {
    if (type === "added") follow(desktop);
    else changed();
  });
}
