import { readFileSync } from "node:fs";
import { join } from "node:path";
import sharp from "sharp";
import t from "tap";
import * as z from "zod";
import { masksSchema } from "../../../src/web/api/api.ts";
import { until } from "../../support/until.ts";
import { Appliance } from "../harness/appliance.ts";
import { decodePicture } from "../harness/browser.ts";
import { requirePeers } from "../harness/peers.ts";
import { RFB2_SECURITY, Rfb2Client } from "../harness/rfb2-client.ts";
import { XDisplay } from "../harness/x-display.ts";

/** Nothing else on the desktop has this colour. */
const SECRET = [0xfe, 0x01, 0xa7] as const;
const SECRET_CSS = "#fe01a7";
const OPEN_CSS = "#01b4fe";
const OPEN = [0x01, 0xb4, 0xfe] as const;

const started = z.object({ recording_id: z.string() });
const text = z.object({ text: z.string().nullable() });

interface Pixels {
  readonly width: number;
  readonly height: number;
  readonly rgba: Uint8Array;
}

/** How many pixels are of a colour, each channel off by at most `off`. */
function countOf({ rgba }: Pixels, [r, g, b]: readonly number[], off = 0): number {
  const near = (at: number, wanted = 0): boolean => Math.abs((rgba[at] ?? 0) - wanted) <= off;
  let count = 0;
  for (let i = 0; i < rgba.length; i += 4) if (near(i, r) && near(i + 1, g) && near(i + 2, b)) count++;
  return count;
}

t.test(
  "what is masked leaves by no way, on a real server whose windows move",
  { timeout: 240_000 },
  async (t) => {
    if (!requirePeers(t, ["Xtigervnc", "xterm", "xdotool"])) return;
    const display = await XDisplay.start(t, { geometry: "800x600" });
    await display.command("xsetroot", "-solid", "#205080");
    display.program("xterm", "-bg", OPEN_CSS, "-fg", "white", "-geometry", "30x8+480+380");
    const script = "printf 'Secret 4711 code\\033[?25l'; exec sleep 600";
    display.program(
      ...["xterm", "-T", "secret", "-bg", SECRET_CSS, "-fg", "white", "-geometry", "30x8+100+100"],
      ...["-e", "sh", "-c", script],
    );
    const appliance = await Appliance.start(t, {
      connect: [`vnc://127.0.0.1:${display.vncPort}`],
      hasVnc: true,
      env: { OC_VNC_SECURITY: "none" },
    });
    const agent = await appliance.agent({ token: appliance.agentToken });
    await until("both windows", async () => {
      const shot = await agent.shot();
      return countOf(shot, SECRET) > 1000 && countOf(shot, OPEN) > 1000;
    });
    await until("its text", async () => text.parse(await agent.call("read_text")).text?.includes("4711"));
    const [desktop] = z
      .array(z.object({ id: z.string() }))
      .parse(await (await appliance.fetch("/api/v1/desktops")).json());
    const base = `/api/v1/desktops/${desktop?.id}`;
    const rect = { x: 80, y: 80, width: 280, height: 220 };
    const made = await appliance.fetch(`${base}/masks`, { rect, label: "PIN" });
    t.equal(made.status, 201);
    const window = (await display.command("xdotool", "search", "--name", "^secret$")).trim();
    const viewer = await Rfb2Client.connect(appliance.vncPort ?? 0, RFB2_SECURITY.none);
    t.teardown(() => viewer.end());
    viewer.request(false);
    const { recording_id } = started.parse(await agent.call("start_recording"));

    const seen: [string, Pixels][] = [];
    const look = async (when: string): Promise<void> => {
      const add = (what: string, shot: Pixels): number => seen.push([`${what}, ${when}`, shot]);
      const shot = await agent.shot();
      add("screenshot", shot);
      add("scaled", await agent.shot({ scale: 0.5 }));
      add("zoomed", await agent.picture("zoom", { region: rect }));
      add("region", await agent.shot({ region: { ...rect } }));
      add("jpeg", await agent.shot({ format: "jpeg" }));
      for (const kind of ["png", "jpg", "webp"]) {
        const answer = await appliance.fetch(`${base}/screenshot.${kind}?overlays=1&cursor=1`);
        add(`REST ${kind}`, await decodePicture(Buffer.from(await answer.arrayBuffer())));
      }
      await until("the VNC viewer's picture", () => {
        const { width, height, bytes } = viewer.frame;
        if (width !== shot.width) return false;
        const isSame = Buffer.compare(shot.rgba, bytes) === 0;
        if (isSame) add("VNC listener", { width, height, rgba: Uint8Array.from(bytes) });
        return isSame;
      });
    };
    await look("at rest");
    for (const [x, y] of [
      [110, 112],
      [96, 90],
      [104, 120],
    ] as const) {
      await display.command("xdotool", "windowmove", window, `${x}`, `${y}`);
      const before = await agent.shot();
      seen.push([`diff after a move to ${x},${y}`, before]);
      await until("the window there", async () => {
        const place = await display.placeOf(window);
        return place.x >= x - 10 && place.y >= y - 10;
      });
    }
    await look("after moves");

    t.same(
      seen.filter(([, shot]) => countOf(shot, SECRET, 24) > 0).map(([what]) => what),
      [],
      `nothing of the colour in ${seen.length} pictures`,
    );
    t.ok(seen.every(([what, shot]) => !/screenshot|VNC/.test(what) || countOf(shot, OPEN) > 1000));
    t.notMatch(text.parse(await agent.call("read_text")).text, "4711");
    const told = await agent.raw("take_screenshot", {});
    t.match(JSON.stringify(told), /Hidden from you by people.*280x220 at 80,80/);

    const stopped = z
      .object({ duration_ms: z.number() })
      .parse(await agent.call("stop_recording", { recording_id }));
    const recording = `/api/v1/recordings/${recording_id}`;
    const recorded: [string, Pixels][] = [];
    for (let i = 0; i <= 8; i++) {
      const atMs = Math.round((stopped.duration_ms * i) / 8);
      const answer = await appliance.fetch(`${recording}/frame.png?at_ms=${atMs}`);
      recorded.push([`frame at ${atMs}`, await decodePicture(Buffer.from(await answer.arrayBuffer()))]);
      recorded.push([
        `get_frame_at ${atMs}`,
        await agent.picture("get_frame_at", { recording_id, at_ms: atMs }),
      ]);
    }
    const gif = Buffer.from(await (await appliance.fetch(`${recording}/export.gif`)).arrayBuffer());
    const { data, info } = await sharp(gif, { pages: -1 })
      .ensureAlpha()
      .raw()
      .toBuffer({ resolveWithObject: true });
    recorded.push(["export.gif", { width: info.width, height: info.height, rgba: data }]);
    t.same(
      recorded.filter(([, shot]) => countOf(shot, SECRET, 24) > 0).map(([what]) => what),
      [],
      `nothing of the colour in ${recorded.length} pictures of the recording`,
    );
    t.ok(recorded.every(([, shot]) => countOf(shot, OPEN, 24) > 1000));

    const audit = readFileSync(join(appliance.dataDir, "audit.ndjson"), "utf8");
    t.match(audit, /"event_type":"mask.added".*"action":"agent viewer recording"/);
    t.notMatch(audit, "PIN");

    const [mask] = masksSchema.parse(await (await appliance.fetch(`${base}/masks`)).json());
    const removed = await appliance.fetch(`${base}/masks/${mask?.id}`, undefined, {
      method: "DELETE",
      headers: { authorization: `Bearer ${appliance.adminToken}` },
    });
    t.equal(removed.status, 204);
    await until("what was hidden", async () => countOf(await agent.shot(), SECRET) > 1000);
  },
);

t.test(
  "what is recorded and hidden from agents alone is shown to no agent",
  { timeout: 240_000 },
  async (t) => {
    const appliance = await Appliance.start(t, { args: ["--demo"] });
    const agent = await appliance.agent({ token: appliance.agentToken });
    await until("a picture", () => agent.shot());
    const { recording_id } = started.parse(await agent.call("start_recording"));
    await agent.picture("get_frame_at", { recording_id, at_ms: 0 });
    const rect = { x: 0, y: 0, width: 100, height: 100 };
    const made = await appliance.fetch("/api/v1/desktops/demo/masks", { rect, audiences: ["agent"] });
    t.equal(made.status, 201);
    await t.rejects(agent.call("get_frame_at", { recording_id, at_ms: 0 }), { code: "permission_denied" });
    const frame = await appliance.fetch(`/api/v1/recordings/${recording_id}/frame.png?at_ms=0`);
    t.equal(frame.status, 200, "people see it");
    await agent.call("stop_recording", { recording_id });
    const opened = await appliance.fetch(`/api/v1/recordings/${recording_id}/replay`, { at_ms: 0 });
    const { desktop_id } = z.object({ desktop_id: z.string() }).parse(await opened.json());
    const shot = await until("the replay", () => agent.shot({ connection_id: desktop_id }).catch(() => null));
    t.equal(countOf(shot, [0x40, 0x40, 0x40]), shot.width * shot.height, "agents see nothing of it");
  },
);
