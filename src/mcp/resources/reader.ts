import type { Principal } from "../../auth/principal.ts";
import type { McpState } from "../tool/mcp-state.ts";
import type { McpDesktops } from "../tool/ports.ts";
import type { RecordingsOf } from "../tool/recordings.ts";

/** Who reads resources and prompts, and what they may reach. */
export interface Reader {
  readonly principal: Principal;
  readonly desktops: McpDesktops;
  readonly mcpState: McpState;
  /** null in an appliance that records nothing. */
  readonly recordings: RecordingsOf | null;
  readonly signal: AbortSignal;
  /** Says that a picture of a desktop, or what a recording holds, is in the answer. */
  gave(id: string, kind?: "desktop" | "recording"): void;
}

/** A part of a resource as MCP has it: `text`, or `blob` in base64. */
export type ResourceContent =
  | { uri: string; mimeType: string; text: string }
  | { uri: string; mimeType: string; blob: string };

/** What a list says of a resource. */
export interface ResourceEntry {
  uri: string;
  name: string;
  title: string;
  description: string;
  mimeType: string;
  icons: Icon[];
}

/** As MCP has it. */
interface Icon {
  src: string;
  sizes?: string[];
}
