import type { Analysts } from "../../analysis/analysts.ts";
import type { Painter } from "../../compositor/painter.ts";
import { annotateFile } from "../../compositor/picture-file-marks.ts";
import type { AgentRates } from "../../desktop/control/agent-rates.ts";
import { RefusedError } from "../../desktop/error.ts";
import { EventSubscriptions } from "../../desktop/events/event-subscriptions.ts";
import type { Captured } from "../../desktop/events/screenshot-timer.ts";
import { listLanguages } from "../../vision/models.ts";
import type { OcrPool } from "../../vision/ocr-pool.ts";
import type { DesktopTexts } from "../../vision/text/desktop-texts.ts";
import { FarCalls } from "../far/far-calls.ts";
import { ReportedScreens } from "../model/reported-screens.ts";
import { ScreenshotStore } from "../model/screenshot-store.ts";
import type { McpDesktop, McpPorts, PictureAnalyzed } from "./ports.ts";
import { ReadPictures } from "./text/read-pictures.ts";

/** What the MCP face keeps between calls, for all principals together; each of them sees only its own. */
export interface McpState {
  readonly limits: AgentRates;
  /** Calls about what other nodes of a fleet have. */
  readonly far: FarCalls;
  readonly screenshots: ScreenshotStore;
  readonly reported: ReportedScreens;
  readonly events: EventSubscriptions;
  readonly annotate: Painter["annotate"];
  /** The lines of text in a picture; throws VisionError, and RefusedError not_supported where nothing reads. */
  readonly readText: OcrPool["read"];
  /** Names of the languages that can be read. */
  readonly languages: OcrPool["languages"];
  /** A fault of ours in what goes on after its call. */
  onBug(error: unknown): void;
  /** null where no provider is configured. */
  readonly analysts: Pick<Analysts, "providers" | "preferred" | "check" | "ask"> | null;
  /** Tells that a picture goes to a provider, and waits until that is written down. */
  readonly tellAnalysis: (analysis: PictureAnalyzed) => Promise<void>;
  /** The texts of desktops; reading it throws RefusedError not_supported where none is kept. */
  readonly texts: Pick<DesktopTexts, "now" | "since" | "find" | "elements" | "element">;
}

export function openMcpState(ports: McpPorts): McpState {
  const screenshots = new ScreenshotStore(ports.clock, ports.screenshots);
  const read = ports.reader === undefined ? null : new ReadPictures(ports.reader);
  return {
    limits: ports.rates,
    far: new FarCalls(ports.fleet ?? null, ports.clock, ports.recordings ?? null),
    annotate: (ownerId, file, annotations, signal) =>
      ports.painter?.annotate(ownerId, file, annotations, signal) ?? annotateFile(file, annotations, signal),
    readText: async (request, signal) => {
      if (read === null) throw readsNothing();
      return await read.read(request, signal);
    },
    languages: ports.languages ?? listLanguages,
    onBug: (err) => ports.log.error({ err }, "Following a change failed"),
    analysts: ports.analysts ?? null,
    tellAnalysis: async (analysis) => {
      ports.onAnalysis?.(analysis);
      await ports.secured?.();
    },
    get texts() {
      if (ports.texts === undefined) throw readsNothing();
      return ports.texts;
    },
    screenshots,
    reported: new ReportedScreens(),
    events: new EventSubscriptions(
      ports.clock,
      (err) => ports.log.error({ err }, "Event listener failed"),
      (principalId, desktopId) => captureFor(principalId, ports.desktops.get(desktopId), screenshots),
    ),
  };
}

function readsNothing(): RefusedError {
  return new RefusedError("not_supported", "this server reads no text: take a screenshot and look at it");
}

/** A picture that set_screenshot_frequency asked for: kept for who asked, and shown when they read it. */
async function captureFor(
  principalId: string,
  desktop: McpDesktop,
  screenshots: ScreenshotStore,
): Promise<Captured> {
  const { region, width, height, ...snapshot } = await desktop
    .view("agent")
    .snapshot({ ownerId: principalId });
  const { id, generation } = screenshots.add({
    principalId,
    desktopId: desktop.id,
    desktopName: desktop.name,
    role: "timed",
    mode: "fullscreen",
    framing: { desktop: { ...desktop.size }, region, image: { width, height } },
    isPointed: desktop.drawnPointer() !== null,
    format: snapshot.format,
    generation: snapshot.generation,
    takenAt: snapshot.takenAt,
    bytes: snapshot.bytes,
  });
  return { id, generation };
}
