import t from "tap";
import { PLATFORM } from "../../../src/appliance/open-links.ts";
import { NO_LIMITS } from "../../../src/desktop/connections/target-rules.ts";
import { TcpStream } from "../../../src/desktop/links/streams/tcp-stream.ts";
import { VncLink } from "../../../src/desktop/links/vnc/vnc-link.ts";
import { systemClock } from "../../../src/platform/clock.ts";
import { LinkEar } from "../../desktop/links/link-ear.ts";
import { until } from "../../support/until.ts";
import { Appliance } from "../harness/appliance.ts";
import type { Agent } from "../harness/mcp-client.ts";
import { differenceOf, type Shot } from "../harness/xwd.ts";
import { requireRdpTarget, startRdpTarget } from "./rdp-target.ts";

const VNC_PASSWORD = "secret42";

for (const kind of ["xrdp-xorg", "shadow-nla"] as const) {
  t.test(`${kind}: agents and viewers use an RDP desktop as any other`, { timeout: 180_000 }, async (t) => {
    if (!requireRdpTarget(t, kind, ["xterm", "xev", "xclip"])) return;
    const target = await startRdpTarget(t, kind);
    const appliance = await Appliance.start(t, {
      connect: [`${target.url}?size=1024x768`],
      hasVnc: true,
      env: { OC_VNC_PASSWORD: VNC_PASSWORD },
    });
    const agent = await appliance.agent();
    const { display } = target;
    if (display === null) throw new Error("a target without a display");
    await until("a picture", () => agent.shot());
    await display.isUp();

    const expectTruth = async (after: string): Promise<void> => {
      let difference: string | null = "not compared";
      await until("the same picture", async () => {
        const seen = await agent.shot({ wait_for_stable_ms: 100 });
        difference = differenceOf(seen, await display.shot());
        return difference === null;
      }).catch(() => undefined);
      t.equal(difference, null, `identical to xwd after ${after}`);
    };
    await expectTruth("connecting");

    const typewriter = await display.openTypewriter(t.testdir(), "60x8+10+300");
    await expectTruth("a window opened");
    const text = 'The quick brown fox: 42 times "over" the lazy dog? <yes> & {no} '.repeat(4);
    await agent.call("click_at", { x: 120, y: 340 });
    await display.command("xdotool", "windowfocus", "--sync", typewriter.window);
    t.match(await agent.call("type_text", { text }), { success: true, not_typed: [] });
    await until("all that was typed", () => typewriter.read().length >= text.length).catch(() => undefined);
    t.equal(typewriter.read(), text);

    // Both have a US keyboard: what that lacks is said, and everything else typed.
    const partly = await agent.call("type_text", { text: "x€yΩz" });
    t.match(partly, { success: false, typed_length: 3, not_typed: ["€", "Ω"] });
    await until("the rest of it", () => typewriter.read().length >= text.length + 3).catch(() => undefined);
    t.equal(typewriter.read(), `${text}xyz`);

    const probe = await display.openButtonProbe("300x200+600+40");
    const clicked = await agent.call("click_at", { x: 700, y: 100, button: "right" });
    t.match(clicked, { actual_position: { x: 700, y: 100 } });
    await until("the click", () => probe.presses().length > 0);
    t.same(probe.presses(), [{ x: 700, y: 100, button: 3 }]);
    await agent.call("click_at", { x: 1000, y: 740 });
    await expectTruth("clicks");

    await agent.call("draw_overlay", { x: 40, y: 60, width: 120, height: 80, color: "#ff0000" });
    const plain = await agent.shot();
    const drawn = await agent.shot({ include_overlays: true });
    t.equal(differenceOf(plain, await display.shot()), null, "overlays are not the desktop's");
    t.same(changedWithin(plain, drawn, { x: 40, y: 60, width: 120, height: 80 }), {
      inside: true,
      outside: 0,
    });

    const viewer = new VncLink(
      {
        connect: () =>
          new TcpStream(
            { protocol: "vnc", host: "127.0.0.1", port: appliance.vncPort ?? 0 },
            { ...NO_LIMITS, own: [] },
          ),
        emitsConnect: true,
        password: VNC_PASSWORD,
        security: { allowed: ["VncAuth"], needsIdentity: false },
      },
      PLATFORM,
      systemClock,
    );
    t.teardown(() => viewer.close());
    const ear = new LinkEar();
    viewer.open(ear.events);
    await ear.next("ready");
    await until("the composited picture at a VNC viewer", () => {
      const { width, height, bytes } = viewer.framebuffer;
      return differenceOf({ width, height, rgba: bytes }, drawn) === null;
    });
    t.pass("a VNC viewer sees desktop and overlay");

    const [info] = await connections(agent);
    t.match(info, { protocol: "rdp", state: "live", has_password: true, protocol_info: { exact: true } });
    const tested = await agent.call("test_connection", { connection_id: String(info?.["id"]) });
    t.match(tested, { success: true, message: /RDP, TLS/ });
    await until("the desktop is live again, or still", async () => {
      const [now] = await connections(agent);
      return now?.["state"] === "live";
    });
    await expectTruth("a test of the connection");
    appliance.assertAlive();
  });
}

t.test("what is wrong with an RDP connection is said", { timeout: 120_000 }, async (t) => {
  if (!requireRdpTarget(t, "shadow-nla")) return;
  const target = await startRdpTarget(t, "shadow-nla");
  const appliance = await Appliance.start(t, { args: ["--demo"] });
  const agent = await appliance.agent();
  const place = { name: "R", host: "127.0.0.1", port: target.port, protocol: "rdp" };
  for (const [missing, given] of [
    ["password", { username: "ada" }],
    ["username", { password: "secret" }],
  ] as const) {
    await t.rejects(agent.call("add_connection", { ...place, ...given }), {
      code: "invalid_parameters",
      message: new RegExp(`got no ${missing}`),
    });
  }
  const report = await appliance.fetch("/api/v1/desktops/test", {
    protocol: "rdp",
    host: "127.0.0.1",
    port: target.port,
    username: target.username,
    password: "not the password",
  });
  const told: unknown = await report.json();
  t.match(told, {
    success: false,
    message: /^authentication: .*user name and password/,
    steps: [
      { name: "connect", ok: true },
      { name: "version", ok: true, detail: /TLS, NLA/ },
      { name: "security", ok: true },
      { name: "authentication", ok: false },
    ],
  });
  const added = await agent.call("add_connection", {
    ...place,
    username: target.username,
    password: target.password,
  });
  t.match(added, { success: true, connection: { protocol: "rdp", port: target.port } });
});

async function connections(agent: Agent): Promise<Record<string, unknown>[]> {
  const { connections: all } = await agent.call("list_connections");
  return Array.isArray(all) ? all : [];
}

/** Whether two pictures differ within a place, and in how many pixels they do beyond its edge. */
function changedWithin(
  a: Shot,
  b: Shot,
  place: { x: number; y: number; width: number; height: number },
): { readonly inside: boolean; readonly outside: number } {
  let inside = false;
  let outside = 0;
  for (let i = 0; i < a.rgba.length; i += 4) {
    if (Buffer.compare(a.rgba.subarray(i, i + 4), b.rgba.subarray(i, i + 4)) === 0) continue;
    const x = (i / 4) % a.width;
    const y = Math.floor(i / 4 / a.width);
    const isInside =
      x >= place.x - 4 && x < place.x + place.width + 4 && y >= place.y - 4 && y < place.y + place.height + 4;
    if (isInside) inside = true;
    else outside++;
  }
  return { inside, outside };
}
