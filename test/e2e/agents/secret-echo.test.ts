import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t from "tap";
import * as z from "zod";
import { type Rect, rect } from "../../../src/framebuffer/rect.ts";
import { RecordingArchive } from "../../../src/recording/library/archive.ts";
import { until } from "../../support/until.ts";
import { Appliance } from "../harness/appliance.ts";
import { requirePeers } from "../harness/peers.ts";
import { RFB2_SECURITY, Rfb2Client } from "../harness/rfb2-client.ts";
import { XDisplay } from "../harness/x-display.ts";
import { frameOf, lookAt, Sight } from "../privacy/sight.ts";

// A terminal that echoes what is typed: every frame that an agent, a viewer and a recording get is searched for how four
// letters in a row of the secret look, from its first key on.

const VALUE = "Zq7!vX-canary9";
const PART = 4;
const CELL = { width: 8, height: 17 };
const BORDER = 2;

t.test("the echo of a typed secret is in no frame of anybody", { timeout: 600_000 }, async (t) => {
  if (!requirePeers(t, ["Xtigervnc", "openbox", "xterm", "xdotool"])) return;
  const folder = mkdtempSync(join(tmpdir(), "oc-echo-"));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const display = await XDisplay.start(t, { geometry: "800x600" });
  await display.openWindowManager();
  const looks = await display.openTerminal(
    "looks",
    "60x4+20+20",
    `printf '\\033[?25l%s' '${VALUE}'; exec sleep 600`,
  );
  const place = await display.placeOf(looks);
  const sight = new Sight();
  const parts = Array.from({ length: VALUE.length - PART + 1 }, (_, at): [string, Rect] => [
    VALUE.slice(at, at + PART),
    rect(place.x + BORDER + at * CELL.width, place.y + BORDER, PART * CELL.width, CELL.height),
  ]);
  sight.looks = await until("how it looks", async () => {
    const frame = frameOf(await display.shot());
    const all = parts.map(([text, at]) => lookAt(frame, text, at));
    return all.every(({ patch }) => patch.ink > 20) ? all : null;
  });
  await display.command("xdotool", "windowkill", looks);

  const appliance = await Appliance.start(t, {
    connect: [`vnc://127.0.0.1:${display.vncPort}`],
    hasVnc: true,
    env: { OC_VNC_SECURITY: "none" },
  });
  const agent = await appliance.agent({ token: appliance.agentToken });
  await until("a picture", () => agent.shot());
  const [desktop] = z
    .array(z.object({ id: z.string() }))
    .parse(await (await appliance.fetch("/api/v1/desktops")).json());
  const put = await appliance.fetch(
    "/api/v1/secrets/bank",
    { value: VALUE, desktops: [desktop?.id ?? ""], agents: ["agent"] },
    {
      method: "PUT",
      headers: { authorization: `Bearer ${appliance.adminToken}`, "content-type": "application/json" },
    },
  );
  t.equal(put.status, 201);
  const { recording_id } = z.object({ recording_id: z.string() }).parse(await agent.call("start_recording"));
  const viewer = await Rfb2Client.connect(appliance.vncPort ?? 0, RFB2_SECURITY.none);
  t.teardown(() => viewer.end());
  viewer.watch((frame, changed) => sight.look(frame, "viewer", changed));
  // The target itself, by the same client: without letters there nothing would be proven.
  const truths = new Sight();
  truths.looks = sight.looks;
  const truth = await Rfb2Client.connect(display.vncPort, RFB2_SECURITY.none);
  t.teardown(() => truth.end());
  truth.watch((frame, changed) => truths.look(frame, "target", changed));
  let isOver = false;
  const looking = (async () => {
    while (!isOver) sight.look(frameOf(await agent.shot()), "agent");
  })();

  const file = join(folder, "typed");
  const script = `stty -icanon -echo; : > '${file}'; exec tee '${file}'`;
  const window = await display.openTerminal("typewriter", "60x12+40+100", script);
  await until("the typewriter's file", () => existsSync(file));
  const read = (): string => readFileSync(file, "latin1");
  await display.command("xdotool", "windowactivate", "--sync", window);
  let expected = "";
  for (const text of ["{{secret:bank}}", " words {{secret:bank}}\n", "{{secret:bank}} and more\n"]) {
    sight.scene = text;
    await agent.call("type_text", { text });
    expected += text.replace("{{secret:bank}}", VALUE);
    await until("what was typed", () => read().length >= expected.length);
    t.equal(read(), expected);
  }
  await until("it is shown", () => truths.leaks.length > 0);
  sight.scene = "moves";
  await display.command("xdotool", "windowmove", "--sync", window, "150", "200");
  await display.command("xdotool", "windowmove", "--sync", window, "60", "120");
  sight.scene = "lines that scroll it";
  await agent.call("type_text", { text: `${"line\n".repeat(12)}end` });
  sight.scene = "under another window";
  const other = await display.openTerminal("other", "70x20+0+0", "exec sleep 600");
  await display.command("xdotool", "windowkill", other);
  await agent.call("wait", { duration_ms: 500 });
  isOver = true;
  await looking;
  await until(
    "what was typed afterwards is read",
    async () => /line[\s\S]*end/.test(JSON.stringify(await agent.call("read_text"))),
    120_000,
  );
  await agent.call("stop_recording", { recording_id });

  sight.scene = "recording";
  const archive = await RecordingArchive.open(appliance.dataDir, null);
  const reader = await archive.read(recording_id);
  try {
    for (const atMs of await reader.frameTimes(0, Number.MAX_SAFE_INTEGER))
      sight.look(frameOf(await reader.frameAt(atMs)), "recording");
  } finally {
    await reader.close();
  }
  t.same(sight.leaks, [], JSON.stringify([...sight.frames]));
  t.ok(truths.leaks.length >= 10, `${truths.leaks.length} frames of the target show it`);
  for (const who of ["agent", "viewer", "recording"]) t.ok((sight.frames.get(who) ?? 0) > 5, who);
});
