import t from "tap";
import { until } from "../../support/until.ts";
import { startTarget, TARGETS } from "../targets/target.ts";
import { openBrowser } from "./browser.ts";
import { BrowserWatch } from "./browser-watch.ts";
import { requirePeers } from "./peers.ts";
import { differenceOf } from "./xwd.ts";

// The harness itself: a comparison that finds nothing must be known to look.
for (const kind of TARGETS) {
  t.test(`a ${kind} target shows, takes and tells what the harness says`, { timeout: 60_000 }, async (t) => {
    if (
      !requirePeers(t, [
        "Xtigervnc",
        "x11vnc",
        "openbox",
        "xterm",
        "xdotool",
        "xwd",
        "xev",
        "xsetroot",
        "xclip",
      ])
    ) {
      return;
    }
    const folder = t.testdir();
    const { display } = await startTarget(t, kind, folder, { geometry: "800x600" });
    await display.command("xsetroot", "-solid", "#336699");
    const plain = await display.shot();
    t.same([plain.width, plain.height], [800, 600]);
    t.same([...plain.rgba.subarray(0, 4)], [0x33, 0x66, 0x99, 255]);
    t.equal(differenceOf(await display.shot(), plain), null);

    await display.openWindowManager();
    const typewriter = await display.openTypewriter(folder, "40x10+20+30");
    await display.command("xdotool", "windowfocus", "--sync", typewriter.window);
    await display.command("xdotool", "type", "hello");
    await until("the typed text", () => typewriter.read() === "hello");
    t.match(differenceOf(await display.shot(), plain), /pixels differ, first at \d+,\d+: got #/);

    const probe = await display.openButtonProbe("300x200+400+300");
    const place = await display.placeOf(probe.window);
    await display.command("xdotool", "mousemove", `${place.x + 5}`, `${place.y + 7}`, "click", "3");
    await until("the press", () => probe.presses().length > 0);
    t.same(probe.presses(), [{ x: place.x + 5, y: place.y + 7, button: 3 }]);
    t.same(await display.pointer(), { x: place.x + 5, y: place.y + 7 });

    await display.writeClipboard("grün €");
    t.equal(await display.readClipboard(), "grün €");
    await display.resize(1024, 768);
    await until("the new size", async () => (await display.shot()).width === 1024);
  });
}

t.test("a page that hangs ends its browser, and what waits for it", { timeout: 120_000 }, async (t) => {
  if (!requirePeers(t, ["chromium"])) return;
  const watch = new BrowserWatch();
  const browser = await openBrowser(t, [], watch);
  const page = await browser.newPage();
  const hung = page.evaluate("for (;;);");
  watch.mostMs = 3000;
  await t.rejects(hung, /closed/);
  t.notOk(browser.isConnected());
});
