import { mkdirSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { until } from "../../support/until.ts";
import { Appliance } from "../harness/appliance.ts";
import { requirePeers } from "../harness/peers.ts";
import { startTarget, type TargetKind } from "../targets/target.ts";

/** The French one and that of us intl have dead keys. */
const CASES: readonly (readonly [TargetKind, readonly string[]])[] = [
  ["tigervnc", ["us"]],
  ["tigervnc", ["de"]],
  ["tigervnc", ["fr"]],
  ["tigervnc", ["us", "-variant", "intl"]],
  ["x11vnc", ["us"]],
  ["x11vnc", ["de"]],
];

/**
 * What the layouts have on plain keys, with Shift, with AltGr, by a dead key, or not at all. Few of the last: both
 * servers make a key for each, until the display has no keycode left (about 22 here); then they drop it in silence.
 */
const TEXT = "Az09 @{}[]\\|~^`' äöüß éèêç ñã µ € Ωж";

for (const [kind, layout] of CASES) {
  t.test(
    `${kind}, ${layout.join(" ")}: what is typed arrives, whatever the target's keyboard has`,
    { timeout: 120_000 },
    async (t) => {
      if (!requirePeers(t, ["Xtigervnc", "x11vnc", "openbox", "xterm", "xdotool", "setxkbmap"])) return;
      const folder = join(t.testdir(), kind);
      mkdirSync(folder);
      const target = await startTarget(t, kind, folder, { geometry: "800x600", layout });
      const { display } = target;
      await display.openWindowManager();
      const typewriter = await display.openTypewriter(folder, "80x10+10+20");
      const place = await display.placeOf(typewriter.window);
      const appliance = await Appliance.start(t, { connect: [target.url] });
      const agent = await appliance.agent({ token: appliance.agentToken });
      await agent.call("click_at", { x: place.x + 50, y: place.y + 50 });

      /** What arrives of something that an agent does. */
      const arriving = async (
        expected: string,
        tool: string,
        args: Record<string, unknown>,
      ): Promise<string> => {
        const before = typewriter.read().length;
        const { not_typed = [] } = await agent.call(tool, args);
        t.same(not_typed, []);
        const since = (): string => typewriter.read().slice(before);
        await until("the characters", () => since().length >= expected.length).catch(() => undefined);
        return since();
      };
      t.equal(await arriving(TEXT, "type_text", { text: TEXT }), TEXT);
      if (layout.includes("intl") || layout.includes("fr")) {
        for (const [keys, expected] of [
          [["dead_circumflex", "o"], "ô"],
          [["dead_diaeresis", "u"], "ü"],
        ] as const) {
          t.equal(await arriving(expected, "press_keys", { keys }), expected, "a dead key and a letter");
        }
      }
      appliance.assertAlive();
    },
  );
}
