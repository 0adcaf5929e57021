import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t from "tap";
import { until } from "../../support/until.ts";
import { Appliance } from "../harness/appliance.ts";
import { requirePeers } from "../harness/peers.ts";
import { startTarget } from "./target.ts";

// x11vnc does not tell its locks (0.9.16), so nobody can know there.

const TEXT = "Caps Lock: aBc XyZ 123 !@# äÖü ß";

t.test(
  "what an agent types comes out as asked while the desktop's caps lock is on",
  { timeout: 90_000 },
  async (t) => {
    if (!requirePeers(t, ["Xtigervnc", "openbox", "xterm", "xdotool"])) return;
    const folder = mkdtempSync(join(tmpdir(), "oc-caps-"));
    t.teardown(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));
    const { display, url } = await startTarget(t, "tigervnc", folder, { geometry: "800x600" });
    await display.openWindowManager();
    const typewriter = await display.openTypewriter(folder, "60x10+10+20");
    const appliance = await Appliance.start(t, { connect: [url] });
    const agent = await appliance.agent();
    const { x, y } = await display.placeOf(typewriter.window);
    const type = async (what: string): Promise<void> => {
      const before = typewriter.read();
      await agent.call("click_at", { x: x + 30, y: y + 30, effect_timeout_ms: 0 });
      await agent.call("type_text", { text: TEXT });
      await until("all of it", () => typewriter.read().length >= before.length + TEXT.length).catch(
        () => undefined,
      );
      t.equal(typewriter.read().slice(before.length), TEXT, what);
    };
    await type("off");
    await display.command("xdotool", "key", "Caps_Lock");
    await type("on");
    await type("on, again");
    // It is as the desktop's own people left it: what they type themselves is in capitals.
    const before = typewriter.read();
    await display.command("xdotool", "key", "a");
    await until("a key of theirs", () => typewriter.read().length > before.length);
    t.equal(typewriter.read().slice(before.length), "A", "and it is still on");
    await display.command("xdotool", "key", "Caps_Lock");
    await type("off again");
  },
);
