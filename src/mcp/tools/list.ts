import type { Tool } from "../tool.ts";
import { addConnection } from "./add-connection.ts";
import { batchOverlay } from "./batch-overlay.ts";
import { clearOverlays } from "./clear-overlays.ts";
import { clickAt } from "./click-at.ts";
import { drawOverlay } from "./draw-overlay.ts";
import { getClipboard } from "./get-clipboard.ts";
import { getDisplayInfo } from "./get-display-info.ts";
import { listConnections } from "./list-connections.ts";
import { removeConnection } from "./remove-connection.ts";
import { removeOverlay } from "./remove-overlay.ts";
import { setActiveConnection } from "./set-active-connection.ts";
import { setClipboard } from "./set-clipboard.ts";
import { takeScreenshot } from "./take-screenshot.ts";
import { testConnection } from "./test-connection.ts";
import { typeText } from "./type-text.ts";

/** Every tool, in the order in which clients list them: what an agent needs first comes first. */
export const TOOLS: readonly Tool[] = [
  takeScreenshot,
  clickAt,
  typeText,
  drawOverlay,
  batchOverlay,
  removeOverlay,
  clearOverlays,
  getClipboard,
  setClipboard,
  getDisplayInfo,
  listConnections,
  setActiveConnection,
  testConnection,
  addConnection,
  removeConnection,
];
