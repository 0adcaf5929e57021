import t, { type Test } from "tap";
import { until } from "../../support/until.ts";
import { Appliance } from "../harness/appliance.ts";
import type { Agent } from "../harness/mcp-client.ts";
import { requirePeers } from "../harness/peers.ts";
import type { XDisplay } from "../harness/x-display.ts";
import { differenceOf, type Shot } from "../harness/xwd.ts";
import { startTarget, TARGETS } from "./target.ts";

/** 1,000 characters: every printable one of ASCII, again and again, each time from another one on. */
const ASCII = Array.from({ length: 1000 }, (_, i) =>
  String.fromCharCode(32 + ((i * 7 + Math.floor(i / 95)) % 95)),
).join("");

/**
 * Waits until the agent's screenshot and the target's own display are the same in every pixel, and says how they
 * differ where they never are. Gives the picture.
 */
async function expectTruth(t: Test, agent: Agent, display: XDisplay, after: string): Promise<Shot> {
  let difference: string | null = "not compared";
  let truth = await display.shot();
  await until(`the same picture after ${after}`, async () => {
    const seen = await agent.shot({ wait_for_stable_ms: 100 });
    truth = await display.shot();
    difference = differenceOf(seen, truth);
    return difference === null;
  }).catch(() => undefined);
  t.equal(difference, null, `identical to xwd after ${after}`);
  return truth;
}

for (const kind of TARGETS) {
  t.test(`${kind}: an agent sees and works a real desktop`, { timeout: 180_000 }, async (t) => {
    if (
      !requirePeers(t, [
        "Xtigervnc",
        "x11vnc",
        "openbox",
        "xterm",
        "xdotool",
        "xwd",
        "xev",
        "xrandr",
        "xclip",
      ])
    ) {
      return;
    }
    const folder = t.testdir();
    const target = await startTarget(t, kind, folder, { geometry: "1024x768" });
    const { display } = target;
    await display.openWindowManager();
    const typewriter = await display.openTypewriter(folder, "100x14+10+20");
    const appliance = await Appliance.start(t, { connect: [target.url] });
    const agent = await appliance.agent();

    /** Does something, and knows that it showed before comparing. */
    const expectChange = async (t: Test, after: string, act: () => Promise<unknown>): Promise<void> => {
      const before = await display.shot();
      await act();
      const now = await expectTruth(t, agent, display, after);
      t.not(differenceOf(now, before), null, `${after} changed the picture`);
    };

    await t.test("the picture is the target's, pixel for pixel", async (t) => {
      // TigerVNC draws the pointer into the picture of a viewer that is not where the pointer is, so that its user
      // sees who else moves it (1.12, VNCSConnectionST::needRenderedCursor): first put it somewhere ourselves.
      const inside = await display.placeOf(typewriter.window);
      await agent.call("click_at", { x: inside.x + 20, y: inside.y + 20 });
      await expectTruth(t, agent, display, "connecting");
      await expectChange(t, "typing", () => agent.call("type_text", { text: "seen" }));

      const rows = "i=1; while [ $i -le 400 ]; do echo line $i $((i * i)); i=$((i + 1)); done; exec cat";
      const terminal = await display.openTerminal("scroller", "60x20+300+300", rows);
      await expectTruth(t, agent, display, "a terminal that ran through 400 lines");
      const { x, y } = await display.placeOf(terminal);
      await agent.call("click_at", { x: x + 50, y: y + 50 });
      await expectChange(t, "scrolling back", () =>
        display.command("xdotool", "click", "--repeat", "9", "4"),
      );
      await expectChange(t, "scrolling on", () => display.command("xdotool", "click", "--repeat", "4", "5"));

      for (const [to, at] of Object.entries({ left: [40, 200], over: [150, 60], out: [700, 600] })) {
        await expectChange(t, `a window move ${to}`, () =>
          display.command("xdotool", "windowmove", "--sync", terminal, `${at[0]}`, `${at[1]}`),
        );
      }
    });

    await t.test(
      "1,000 ASCII characters and äöüß€Ω arrive exactly, the first after a click too",
      async (t) => {
        const { x, y } = await display.placeOf(typewriter.window);
        for (const text of [ASCII, "äöüß€Ω"]) {
          const before = typewriter.read();
          await agent.call("click_at", { x: x + 30, y: y + 30, effect_timeout_ms: 0 });
          const typed = await agent.call("type_text", { text });
          t.match(typed, { success: true, typed_length: [...text].length, not_typed: [] });
          await until(
            "all that was typed",
            () => typewriter.read().length >= before.length + text.length,
          ).catch(() => undefined);
          t.equal(typewriter.read().slice(before.length), text);
        }
        await expectTruth(t, agent, display, "typing much");
      },
    );

    await t.test("a click lands on the pixel that was asked for", async (t) => {
      const probe = await display.openButtonProbe("300x200+600+100");
      const place = await display.placeOf(probe.window);
      const points = [
        { x: place.x, y: place.y, button: "left" },
        { x: place.x + 123, y: place.y + 45, button: "right" },
        { x: place.x + place.width - 1, y: place.y + place.height - 1, button: "middle" },
      ];
      for (const [index, point] of points.entries()) {
        const { actual_position } = await agent.call("click_at", point);
        t.same(actual_position, { x: point.x, y: point.y });
        await until(`press ${index + 1}`, () => probe.presses().length > index);
        t.same(await display.pointer(), { x: point.x, y: point.y });
      }
      t.same(
        probe.presses().map(({ x, y }) => ({ x, y })),
        points.map(({ x, y }) => ({ x, y })),
      );
      t.same(
        probe.presses().map(({ button }) => button),
        [1, 3, 2],
      );
      for (const corner of [
        { x: 0, y: 0 },
        { x: 1023, y: 767 },
      ]) {
        await agent.call("click_at", corner);
        t.same(await display.pointer(), corner);
      }
    });

    await t.test("the clipboard goes both ways", async (t) => {
      // x11vnc speaks the old clipboard, which is Latin-1, and deaf to it for 15 s after a viewer came (sel_waittime
      // in its selection.c), hence again and again.
      const isOld = kind === "x11vnc";
      const encoding = isOld ? "latin1" : "utf8";
      const beyond = isOld ? "" : " €Ω";
      const given = `zum Gerät: grüße${beyond}`;
      const arrives = async (): Promise<boolean> => {
        await agent.call("set_clipboard", { text: given });
        return (await display.readClipboard(encoding)) === given;
      };
      t.ok(await until("the text on the target's clipboard", arrives, 40_000), "to the target");
      const taken = `from the target: ñandú${beyond}`;
      await display.writeClipboard(taken, encoding);
      await until("the target's text", async () => (await agent.call("get_clipboard"))["text"] === taken);
      t.match(await agent.call("get_clipboard"), { text: taken, available: true });
    });

    await t.test("a resize of the target is followed", async (t) => {
      // Where it is on the screen of every size below.
      await agent.call("click_at", { x: 500, y: 500 });
      await expectChange(t, "growing to 1280x800", () => display.resize(1280, 800));
      t.match(await agent.call("get_display_info"), { total_virtual_screen: { width: 1280, height: 800 } });
      await expectChange(t, "shrinking to 800x600", () => display.resize(800, 600));
      t.match(await agent.call("get_display_info"), { total_virtual_screen: { width: 800, height: 600 } });
    });

    appliance.assertAlive();
  });
}
