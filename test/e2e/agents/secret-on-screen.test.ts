import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t from "tap";
import * as z from "zod";
import { Framebuffer } from "../../../src/framebuffer/framebuffer.ts";
import { takePatch } from "../../../src/framebuffer/patch.ts";
import { rect } from "../../../src/framebuffer/rect.ts";
import { findExact } from "../../../src/framebuffer/search-exact.ts";
import { filesOf } from "../../support/files-of.ts";
import { until } from "../../support/until.ts";
import { Appliance } from "../harness/appliance.ts";
import { decodePicture } from "../harness/browser.ts";
import { requirePeers } from "../harness/peers.ts";
import { XDisplay } from "../harness/x-display.ts";
import type { Shot } from "../harness/xwd.ts";

// A secret that a program shows is covered by its own text: pictures are searched for how it looks on the target.

const VALUE = "Zq7!vX-canary";
const CELL = { width: 8, height: 17 };
const BORDER = 2;

function frameOf({ width, height, rgba }: Shot): Framebuffer {
  const frame = new Framebuffer(width, height, { hasKernels: true });
  frame.bytes.set(rgba);
  return frame;
}

t.test("a secret that a mask names is covered where it is shown", { timeout: 300_000 }, async (t) => {
  if (!requirePeers(t, ["Xtigervnc", "xterm", "xdotool"])) return;
  const folder = await mkdtemp(join(tmpdir(), "oc-shown-secret-"));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const display = await XDisplay.start(t, { geometry: "640x480" });
  const looks = await display.openTerminal(
    "looks",
    "40x4+20+20",
    `printf '\\033[?25l%s' '${VALUE}'; exec sleep 600`,
  );
  const place = await display.placeOf(looks);
  const patch = await until("how it looks", async () => {
    const area = rect(place.x + BORDER, place.y + BORDER, VALUE.length * CELL.width, CELL.height);
    const seen = takePatch(frameOf(await display.shot()), area);
    return seen.ink > 100 ? seen : null;
  });
  const shows = (shot: Shot): boolean => {
    const frame = frameOf(shot);
    return findExact(frame, patch, frame.rect, 1).places.length > 0;
  };
  t.ok(shows(await display.shot()), "it is found where it is");
  await display.command("xdotool", "windowkill", looks);

  const appliance = await Appliance.start(t, { connect: [`vnc://127.0.0.1:${display.vncPort}`] });
  const agent = await appliance.agent({ token: appliance.agentToken });
  await until("a picture", () => agent.shot());
  const [desktop] = z
    .array(z.object({ id: z.string() }))
    .parse(await (await appliance.fetch("/api/v1/desktops")).json());
  const base = `/api/v1/desktops/${desktop?.id}`;
  const put = await appliance.fetch(
    "/api/v1/secrets/bank",
    { value: VALUE, desktops: [desktop?.id ?? ""], agents: ["agent"] },
    {
      method: "PUT",
      headers: { authorization: `Bearer ${appliance.adminToken}`, "content-type": "application/json" },
    },
  );
  t.equal(put.status, 201);
  const made = await appliance.fetch(`${base}/masks`, { text: { secrets: ["bank"] }, label: "Bank" });
  t.equal(made.status, 201, await made.clone().text());
  const { id } = z.object({ id: z.string() }).parse(await made.json());
  const { recording_id } = z.object({ recording_id: z.string() }).parse(await agent.call("start_recording"));

  const { window, read } = await display.openTypewriter(folder, "60x10+40+100");
  await display.command("xdotool", "windowfocus", "--sync", window);
  // By a person at the target: what the appliance types is covered without a mask.
  await display.command("xdotool", "type", `clean words ${VALUE} more words`);
  await until("what was typed", () => read().includes(VALUE));
  t.ok(shows(await display.shot()), "the program shows it");
  let pictures = 0;
  const looked = async (): Promise<string[]> => {
    t.notOk(shows(await agent.shot()), "an agent's picture");
    const seen = await appliance.fetch(`${base}/screenshot.png`);
    t.notOk(shows(await decodePicture(new Uint8Array(await seen.arrayBuffer()))), "a person's picture");
    pictures += 2;
    const { text } = z
      .object({ text: z.string() })
      .passthrough()
      .parse(await agent.call("read_text"));
    t.notMatch(text, "canary");
    return [text];
  };
  await until("the words around it", async () => /clean/.test((await looked()).join()), 120_000);
  await display.command("xdotool", "windowmove", "--sync", window, "120", "200");
  await until("the words elsewhere", async () => /clean/.test((await looked()).join()), 120_000);
  t.ok(pictures >= 4, `${pictures} pictures`);
  await agent.call("stop_recording", { recording_id });
  let recorded = 0;
  for (let atMs = 0; atMs <= 20_000; atMs += 500) {
    const frame = await appliance.fetch(`/api/v1/recordings/${recording_id}/frame.png?at_ms=${atMs}`);
    if (!frame.ok) break;
    recorded++;
    t.notOk(shows(await decodePicture(new Uint8Array(await frame.arrayBuffer()))), "a recorded picture");
  }
  t.ok(recorded > 2, `${recorded} recorded pictures`);
  const kept = filesOf(appliance.dataDir).filter((path) => readFileSync(path).includes(VALUE));
  t.same(kept, []);
  t.notMatch(appliance.program.stderr + appliance.program.stdout, VALUE);

  const gone = await appliance.fetch(`${base}/masks/${id}`, undefined, { method: "DELETE" });
  t.ok(gone.ok);
  await until("all of it", async () => (shows(await agent.shot()) ? true : null));
});
