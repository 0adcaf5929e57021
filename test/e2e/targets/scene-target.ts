import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Owner } from "../../support/program.ts";
import { until } from "../../support/until.ts";
import { type Peer, type PeerTest, requirePeers } from "../harness/peers.ts";
import type { XDisplay } from "../harness/x-display.ts";
import { type RdpTargetKind, requireRdpTarget, startRdpTarget } from "./rdp-target.ts";
import { startTarget, type TargetKind } from "./target.ts";

/** What a scene does with the X display that its target shows. */
export type SceneDisplay = Pick<
  XDisplay,
  | "program"
  | "command"
  | "shot"
  | "openTypewriter"
  | "openTerminal"
  | "openButtonProbe"
  | "windowOf"
  | "placeOf"
  | "pointer"
  | "name"
  | "readClipboard"
  | "writeClipboard"
>;

/** RDP hosts that scenes are played on beside VNC servers: one with TLS alone, one with NLA. */
export const RDP_SCENES = ["xrdp-xorg", "shadow-nla"] as const satisfies readonly RdpTargetKind[];

export type SceneKind = TargetKind | (typeof RDP_SCENES)[number];

/** A desktop of somebody else that a scene is played on, whatever protocol leads to it. */
export interface SceneTarget {
  readonly kind: SceneKind;
  /** What `--connect` takes. */
  readonly url: string;
  /** Its layout has the euro sign, or takes characters that it lacks. */
  readonly hasEuro: boolean;
  readonly hasHorizontalWheel: boolean;
  /** Its display. xrdp's begins with the first sign-in. */
  display(): Promise<SceneDisplay>;
  /** Ends the server. */
  stop(): Promise<void>;
}

export interface SceneOptions {
  /** Default "1024x768". */
  readonly geometry?: string;
  /** Default false; xrdp's session has one anyway. */
  readonly hasWindowManager?: boolean;
}

const GERMAN = 0x407;
const WINDOW_PEERS = [
  "openbox",
  "xterm",
  "xdotool",
  "xwd",
  "xev",
  "xsetroot",
] as const satisfies readonly Peer[];

/** True where the scene can be played here; as `requirePeers`. */
export function requireScene(t: PeerTest, kind: SceneKind, more: readonly Peer[] = []): boolean {
  const peers = [...WINDOW_PEERS, ...more];
  if (isRdp(kind)) return requireRdpTarget(t, kind, peers);
  return requirePeers(t, ["Xtigervnc", ...(kind === "x11vnc" ? (["x11vnc"] as const) : []), ...peers]);
}

/** Resolves when the target takes connections. */
export async function openScene(
  owner: Owner,
  kind: SceneKind,
  options: SceneOptions = {},
): Promise<SceneTarget> {
  const { geometry = "1024x768", hasWindowManager = false } = options;
  if (isRdp(kind)) return await openRdpScene(owner, kind, geometry, hasWindowManager);
  const folder = mkdtempSync(join(tmpdir(), "oc-scene-"));
  owner.teardown(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));
  const { url, display, server } = await startTarget(owner, kind, folder, { geometry });
  return {
    kind,
    url,
    hasEuro: true,
    // x11vnc 0.9.16 passes on no wheel but the vertical one (November 2026).
    hasHorizontalWheel: kind === "tigervnc",
    display: async () => {
      if (hasWindowManager) await display.openWindowManager();
      return display;
    },
    stop: () => server.stop(),
  };
}

async function openRdpScene(
  owner: Owner,
  kind: (typeof RDP_SCENES)[number],
  geometry: string,
  hasWindowManager: boolean,
): Promise<SceneTarget> {
  const target = await startRdpTarget(owner, kind, { geometry });
  const { display } = target;
  if (display === null) throw new Error(`${kind} without an X display`);
  const isXrdp = kind === "xrdp-xorg";
  // xrdp's sessions have the layout that the client names; a shadow server has that of its display, which is US.
  const layout = isXrdp ? `&keyboard_layout=${GERMAN}` : "";
  return {
    kind,
    url: `${target.url}?size=${geometry}${layout}`,
    hasEuro: isXrdp,
    hasHorizontalWheel: isXrdp,
    display: async () => {
      await display.isUp();
      if (hasWindowManager && !isXrdp) {
        display.program("openbox", "--sm-disable");
        await until("openbox", async () => {
          return (await display.command("xdotool", "get_num_desktops")).trim() !== "";
        });
      }
      return display;
    },
    stop: () => target.kill(),
  };
}

function isRdp(kind: SceneKind): kind is (typeof RDP_SCENES)[number] {
  return RDP_SCENES.some((one) => one === kind);
}
