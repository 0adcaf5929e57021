import { Appliance } from "../test/e2e/harness/appliance.ts";
import type { Agent } from "../test/e2e/harness/mcp-client.ts";
import { requirePeers } from "../test/e2e/harness/peers.ts";
import { type Typewriter, XDisplay } from "../test/e2e/harness/x-display.ts";
import type { Owner } from "../test/support/program.ts";

/** What the benchmarks work on: the built appliance, and a real desktop where this machine can run one. */
export interface House {
  readonly agent: Agent;
  /** In words, for the results. */
  readonly desktop: string;
  /** null on the demo desktop. */
  readonly display: XDisplay | null;
  readonly typewriter: Typewriter | null;
}

/** `folder` is for what the desktop's programs write. */
export async function openHouse(owner: Owner, folder: string): Promise<House> {
  const hasPeers = requirePeers(
    {
      fail: (message) => {
        throw new Error(message);
      },
      comment: () => undefined,
    },
    ["Xtigervnc", "openbox", "xterm", "xdotool"],
  );
  const display = hasPeers ? await XDisplay.start(owner, { geometry: "1920x1080" }) : null;
  let typewriter: Typewriter | null = null;
  if (display !== null) {
    await display.openWindowManager();
    // Something to look at: text over most of the screen.
    await display.openTerminal("page", "200x50+20+20", "seq -w 1 3000 | tr '\\n' ' '; exec cat");
    typewriter = await display.openTypewriter(folder, "80x10+900+700");
  }
  const connect = display === null ? [] : [`vnc://127.0.0.1:${display.vncPort}`];
  const appliance = await Appliance.start(owner, { connect });
  const agent = await appliance.agent();
  return { agent, display, typewriter, desktop: display === null ? "demo desktop" : "TigerVNC, 1920x1080" };
}
