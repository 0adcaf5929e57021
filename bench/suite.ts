import { ETCD_PEERS } from "../test/e2e/harness/etcd.ts";
import type { Peer } from "../test/e2e/harness/peers.ts";
import { requirePeers } from "../test/e2e/harness/peers.ts";
import type { Owner } from "../test/support/program.ts";
import { benchAgentCrowd } from "./agent-crowd.ts";
import { benchAgentLatency } from "./agent-latency.ts";
import { benchAudit } from "./audit.ts";
import { benchBesideNoVnc } from "./beside-novnc.ts";
import { benchBrowserClick } from "./browser-click.ts";
import { benchCascade } from "./cascade.ts";
import { benchChangeToScreenshot } from "./change-to-screenshot.ts";
import { benchClick } from "./click.ts";
import { benchDecode } from "./decode.ts";
import { benchDecodePlace } from "./decode-place.ts";
import { benchElementClicks } from "./element-clicks.ts";
import { benchFanOut } from "./fan-out.ts";
import { benchFanOutMatrix } from "./fan-out-matrix.ts";
import { benchFirstPicture } from "./first-picture.ts";
import { openHouse } from "./house.ts";
import { benchIdleMemory } from "./idle-memory.ts";
import { benchIdleWakes } from "./idle-wakes.ts";
import { benchKeyToCanvas } from "./key-to-canvas.ts";
import { benchKeyToPixel } from "./key-to-pixel.ts";
import type { Line } from "./line.ts";
import { benchLooking } from "./looking.ts";
import { benchManyDesktops } from "./many-desktops.ts";
import { benchMasks } from "./masks.ts";
import { benchNoEffect } from "./no-effect.ts";
import { benchPassThrough } from "./pass-through.ts";
import { benchPixels } from "./pixels/all.ts";
import { mixedScene } from "./pixels/scene.ts";
import { benchRdp } from "./rdp.ts";
import { benchRecording, benchSeek } from "./recording.ts";
import { benchSearch } from "./recording-search.ts";
import { benchRecorderTurns } from "./recording-turns.ts";
import { benchRedactionDelay } from "./redaction-delay.ts";
import { benchScreenshot } from "./screenshot.ts";
import { benchSnapshot } from "./snapshot.ts";
import { laterScenes, otherScenes, ownScenes } from "./text/all-scenes.ts";
import { controlScenes } from "./text/controls.ts";
import { benchTextAccuracy } from "./text-accuracy.ts";
import { benchTextClicks } from "./text-clicks.ts";
import { benchTextIndex } from "./text-index.ts";
import { benchLiveText } from "./text-live.ts";
import { benchTurns } from "./turns.ts";
import { benchUnchanged } from "./unchanged.ts";

/** What a benchmark works with. */
export interface Setting {
  /** Ends what the benchmark started before the next one begins. */
  readonly owner: Owner;
  /** Empty, and gone afterwards. */
  readonly folder: string;
  /** A few runs: shows that the results are right, and nothing about time. */
  readonly isShort: boolean;
}

export interface Bench {
  /** The goals it measures. */
  readonly ids: readonly string[];
  /** Without them it is left out, loudly. */
  readonly peers: readonly Peer[];
  run(setting: Setting): Promise<Line[]>;
}

const DISPLAY = ["Xtigervnc", "openbox", "xterm", "xdotool"] as const satisfies readonly Peer[];

/** All benchmarks, in the order of the table. */
export const BENCHES: readonly Bench[] = [
  {
    ids: ["P1", "P2", "P3", "P4", "P8", "P9", "P10"],
    peers: [],
    run: ({ isShort }) => benchPixels([mixedScene()], isShort),
  },
  {
    ids: ["P5"],
    peers: [],
    async run({ owner, folder, isShort }) {
      const house = await openHouse(owner, folder);
      const unchanged = await benchUnchanged(house, isShort);
      if (isShort) return unchanged;
      const others = [];
      for (const bench of [benchScreenshot, benchClick, benchKeyToPixel])
        others.push(...(await bench(house)));
      return [...unchanged, ...others];
    },
  },
  {
    ids: ["P6"],
    peers: [...DISPLAY, "chromium", "gcc", "vncclient"],
    run: ({ owner, folder, isShort }) => benchDecode(owner, folder, isShort),
  },
  { ids: ["DECODE"], peers: [], run: ({ owner, isShort }) => benchDecodePlace(owner, isShort) },
  { ids: ["P7"], peers: [], run: ({ owner, isShort }) => benchFanOut(owner, isShort) },
  { ids: ["FANOUT"], peers: [], run: ({ owner, isShort }) => benchFanOutMatrix(owner, isShort) },
  {
    ids: ["CASCADE"],
    peers: [...ETCD_PEERS, "Xtigervnc", "xsetroot", "xterm"],
    run: ({ owner, isShort }) => benchCascade(owner, isShort),
  },
  {
    ids: ["P11"],
    peers: [...DISPLAY, "chromium"],
    run: ({ owner, folder, isShort }) => benchKeyToCanvas(owner, folder, isShort),
  },
  {
    ids: ["NOVNC"],
    peers: [...DISPLAY, "chromium", "ffmpeg"],
    run: ({ owner, folder, isShort }) => benchBesideNoVnc(owner, folder, isShort),
  },
  {
    ids: ["FIRST"],
    peers: ["Xtigervnc", "xterm", "xdotool", "xsetroot", "xwd", "chromium"],
    run: ({ owner, isShort }) => benchFirstPicture(owner, isShort),
  },
  {
    ids: ["P12"],
    peers: ["Xtigervnc", "xsetroot", "xwd"],
    run: ({ owner, isShort }) => benchChangeToScreenshot(owner, isShort),
  },
  {
    ids: ["P13"],
    peers: ["Xtigervnc", "xsetroot"],
    run: ({ owner, isShort }) => benchIdleMemory(owner, isShort),
  },
  {
    ids: ["P9"],
    peers: ["Xtigervnc"],
    run: ({ owner, isShort }) => benchIdleWakes(owner, isShort),
  },
  {
    ids: ["MANY"],
    peers: ["Xtigervnc", "xterm", "xdotool"],
    run: ({ owner, folder, isShort }) => benchManyDesktops(owner, folder, isShort),
  },
  {
    ids: ["MASKS"],
    peers: [...DISPLAY, "chromium"],
    run: ({ owner, folder, isShort }) => benchMasks(owner, folder, isShort),
  },
  {
    ids: ["P14"],
    peers: [...DISPLAY, "chromium"],
    run: ({ owner, folder, isShort }) => benchPassThrough(owner, folder, isShort),
  },
  {
    ids: ["P15"],
    peers: DISPLAY,
    run: ({ owner, folder, isShort }) => benchAgentLatency(owner, folder, isShort),
  },
  {
    ids: ["P16"],
    peers: ["Xtigervnc", "xterm"],
    run: ({ owner, isShort }) => benchNoEffect(owner, isShort),
  },
  {
    ids: ["RDP"],
    peers: [...DISPLAY, "xrdp", "xfreerdp", "xhost", "xsetroot", "xwd", "openssl"],
    run: ({ owner, folder, isShort }) => benchRdp(owner, folder, isShort),
  },
  {
    ids: ["R1", "R2"],
    peers: [...DISPLAY, "ffmpeg"],
    run: ({ owner, folder, isShort }) => benchRecording(owner, folder, isShort),
  },
  { ids: ["R3"], peers: [], run: ({ folder, isShort }) => benchSeek(folder, isShort) },
  {
    ids: ["R4", "R5"],
    peers: [],
    run: ({ owner, folder, isShort }) => benchRecorderTurns(owner, folder, isShort),
  },
  { ids: ["SEARCH"], peers: [], run: ({ folder, isShort }) => benchSearch(folder, isShort) },
  {
    ids: ["TEXT"],
    peers: ["Xtigervnc", "xterm", "xdotool", "xwd", "xev", "chromium", "tesseract"],
    run: async ({ owner, folder, isShort }) =>
      await benchTextAccuracy("TEXT", await ownScenes(owner, folder, isShort), folder),
  },
  {
    ids: ["OTHERTEXT", "CLICKS"],
    peers: [
      ...(["Xtigervnc", "xterm", "xdotool", "xwd", "xev", "tesseract", "unshare", "setpriv"] as const),
      ...(["firefox-esr", "mousepad", "foot", "sway", "grim", "dbus-run-session"] as const),
      ...(["GTK for Python", "Qt for Python", "other fonts"] as const),
    ],
    async run({ owner, folder, isShort }) {
      const scenes = await otherScenes(owner, folder, isShort);
      return [
        ...(await benchTextAccuracy("OTHERTEXT", scenes, folder)),
        ...(await benchTextClicks(scenes, isShort ? 40 : 1000)),
      ];
    },
  },
  {
    ids: ["LATERTEXT"],
    peers: [
      ...(["Xtigervnc", "xdotool", "xwd", "xev", "tesseract", "unshare", "setpriv", "chromium"] as const),
      ...(["urxvt", "wish", "foot", "weston-terminal", "sway", "grim", "later fonts"] as const),
      ...(["xrdp", "openssl", "openbox", "xhost"] as const),
    ],
    run: async ({ owner, folder, isShort }) =>
      await benchTextAccuracy("LATERTEXT", await laterScenes(owner, folder, isShort), folder),
  },
  {
    ids: ["LIVETEXT"],
    peers: [...DISPLAY, "tesseract"],
    run: ({ owner, folder, isShort }) => benchLiveText(owner, folder, isShort),
  },
  {
    ids: ["LOOKING"],
    peers: [...DISPLAY, "chromium"],
    run: ({ owner, folder, isShort }) => benchLooking(owner, folder, isShort),
  },
  {
    ids: ["ELEMENTS"],
    peers: ["chromium"],
    run: async ({ owner, isShort }) =>
      await benchElementClicks(await controlScenes(owner, isShort ? 1 : 100), isShort ? 20 : 1000),
  },
  { ids: ["REDACT"], peers: [], run: ({ isShort }) => benchRedactionDelay(isShort) },
  { ids: ["TEXTINDEX"], peers: [], run: ({ isShort }) => benchTextIndex(isShort) },
  { ids: ["AUDIT"], peers: [], run: ({ owner, folder, isShort }) => benchAudit(owner, folder, isShort) },
  {
    ids: ["TURNS", "STOP", "MEMORY"],
    peers: [],
    run: ({ owner, folder, isShort }) => benchTurns(owner, folder, isShort),
  },
  {
    ids: ["AGENTS"],
    peers: [],
    run: ({ owner, folder, isShort }) => benchAgentCrowd(owner, folder, isShort),
  },
  {
    ids: ["BRIDGE"],
    peers: ["Xtigervnc", "openbox", "xdotool", "chromium"],
    run: ({ owner, isShort }) => benchBrowserClick(owner, isShort),
  },
  {
    ids: ["SNAPSHOT"],
    peers: ["chromium"],
    run: ({ owner, isShort }) => benchSnapshot(owner, isShort),
  },
];

/** True where every peer of the benchmark is installed; what lacks is said on stderr. */
export function canRun({ ids, peers }: Bench): boolean {
  const say = (message: string): void => void process.stderr.write(`${ids.join(", ")}: ${message}\n`);
  const refuse = (message: string): false => {
    say(message);
    return false;
  };
  return requirePeers({ fail: refuse, comment: say }, peers);
}
