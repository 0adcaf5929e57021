import type { Tool } from "../tool/tool.ts";
import { addAnchor } from "./add-anchor.ts";
import { addConnection } from "./add-connection.ts";
import { analyzeScreenshot } from "./analyze-screenshot.ts";
import { annotateScreenshot } from "./annotate-screenshot.ts";
import { autoRedactPii } from "./auto-redact-pii.ts";
import { batchActions } from "./batch-actions.ts";
import { batchOverlay } from "./batch-overlay.ts";
import { clearOverlays } from "./clear-overlays.ts";
import { clickAt } from "./click-at.ts";
import { clickElement } from "./click-element.ts";
import { clickText } from "./click-text.ts";
import { compareScreenshots } from "./compare-screenshots.ts";
import { computer } from "./computer.ts";
import { cursorPosition } from "./cursor-position.ts";
import { drag } from "./drag.ts";
import { drawOverlay } from "./draw-overlay.ts";
import { findTextTool } from "./find-text.ts";
import { getClipboard } from "./get-clipboard.ts";
import { getDisplayInfo } from "./get-display-info.ts";
import { getElements } from "./get-elements.ts";
import { getFrameAt } from "./get-frame-at.ts";
import { listConnections } from "./list-connections.ts";
import { listRecordings } from "./list-recordings.ts";
import { listScreenshots } from "./list-screenshots.ts";
import { mouseDown } from "./mouse-down.ts";
import { mouseUp } from "./mouse-up.ts";
import { moveMouse } from "./move-mouse.ts";
import { ocrScreenshot } from "./ocr-screenshot.ts";
import { pasteText } from "./paste-text.ts";
import { pollEvents } from "./poll-events.ts";
import { pressKeys } from "./press-keys.ts";
import { reAnchorElement } from "./re-anchor-element.ts";
import { readText } from "./read-text.ts";
import { removeAnchor } from "./remove-anchor.ts";
import { removeConnection } from "./remove-connection.ts";
import { removeOverlay } from "./remove-overlay.ts";
import { requestHuman } from "./request-human.ts";
import { resetInput } from "./reset-input.ts";
import { scroll } from "./scroll.ts";
import { searchRecording } from "./search-recording.ts";
import { sessionResume } from "./session-resume.ts";
import { sessionStop } from "./session-stop.ts";
import { setActiveConnection } from "./set-active-connection.ts";
import { setClipboard } from "./set-clipboard.ts";
import { setMode } from "./set-mode.ts";
import { setScreenshotFrequency } from "./set-screenshot-frequency.ts";
import { startRecording } from "./start-recording.ts";
import { stopRecording } from "./stop-recording.ts";
import { subscribeEvents } from "./subscribe-events.ts";
import { takeScreenshot } from "./take-screenshot.ts";
import { testConnection } from "./test-connection.ts";
import { typeText } from "./type-text.ts";
import { unsubscribeEvents } from "./unsubscribe-events.ts";
import { wait } from "./wait.ts";
import { waitFor } from "./wait-for.ts";
import { zoom } from "./zoom.ts";

/** Every tool, in the order in which clients list them: what an agent needs first comes first. */
export const TOOLS: readonly Tool[] = [
  takeScreenshot,
  zoom,
  clickAt,
  typeText,
  pressKeys,
  scroll,
  moveMouse,
  drag,
  mouseDown,
  mouseUp,
  pasteText,
  wait,
  waitFor,
  batchActions,
  computer,
  cursorPosition,
  resetInput,
  listScreenshots,
  compareScreenshots,
  annotateScreenshot,
  readText,
  findTextTool,
  clickText,
  getElements,
  clickElement,
  ocrScreenshot,
  autoRedactPii,
  analyzeScreenshot,
  subscribeEvents,
  pollEvents,
  unsubscribeEvents,
  setScreenshotFrequency,
  requestHuman,
  drawOverlay,
  batchOverlay,
  removeOverlay,
  clearOverlays,
  addAnchor,
  reAnchorElement,
  removeAnchor,
  getClipboard,
  setClipboard,
  getDisplayInfo,
  setMode,
  sessionStop,
  sessionResume,
  startRecording,
  stopRecording,
  listRecordings,
  getFrameAt,
  searchRecording,
  listConnections,
  setActiveConnection,
  testConnection,
  addConnection,
  removeConnection,
];
