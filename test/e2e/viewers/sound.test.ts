import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import t from "tap";
import { WebSocket } from "ws";
import { freePort } from "../../support/free-port.ts";
import { type Owner, Program } from "../../support/program.ts";
import { until } from "../../support/until.ts";
import { Appliance } from "../harness/appliance.ts";
import { looksWell, openBrowser, signIn } from "../harness/browser.ts";
import { requirePeers } from "../harness/peers.ts";
import { requireRdpTarget, startRdpTarget } from "../targets/rdp-target.ts";

const RATE = 44_100;
const TONE_HZ = 440;

/**
 * A boot sector that has the speaker of the PC hum at 1193182 / 2711 = 440 Hz:
 *
 *     mov al, 0b6h; out 43h, al; mov ax, 2711; out 42h, al; mov al, ah; out 42h, al
 *     in al, 61h; or al, 3; out 61h, al
 *     stay: hlt; jmp stay
 */
const HUMMING = Uint8Array.from([
  ...[0xb0, 0xb6, 0xe6, 0x43, 0xb8, 0x97, 0x0a, 0xe6, 0x42, 0x88, 0xe0, 0xe6, 0x42],
  ...[0xe4, 0x61, 0x0c, 0x03, 0xe6, 0x61, 0xf4, 0xeb, 0xfd],
]);

/** How often a second the left samples go from below zero to above. */
function pitch(samples: Int16Array): number {
  const left = samples.filter((_, i) => i % 2 === 0);
  const middle = left.reduce((sum, sample) => sum + sample, 0) / left.length;
  let rises = 0;
  for (let i = 1; i < left.length; i++) {
    if ((left[i - 1] ?? 0) < middle && (left[i] ?? 0) >= middle) rises++;
  }
  return (rises * RATE) / left.length;
}

/** In the page: what is played from now on, left channel, as whole numbers. */
const LISTEN_IN = `(() => {
  window.playedNow = [];
  const start = AudioBufferSourceNode.prototype.start;
  AudioBufferSourceNode.prototype.start = function (...args) {
    window.playedNow.push(...this.buffer.getChannelData(0));
    return start.apply(this, args);
  };
})()`;

/** Resolves when the one desktop says that it has sound. */
function desktopWithSound(appliance: Appliance): Promise<{ readonly id: string }> {
  return until(
    "a desktop with sound",
    async () => {
      const answer = await appliance.fetch("/api/v1/desktops");
      const [one] = (await answer.json()) as { id: string; has_sound: boolean }[];
      return one?.has_sound === true && one;
    },
    30_000,
  );
}

/** What a desktop plays from now on: left and right in turn. */
function hear(owner: Owner, appliance: Appliance, id: string): { samples(): Int16Array; close(): void } {
  const address = `${appliance.url.replace("http", "ws")}/ws/desktops/${id}/sound`;
  const socket = new WebSocket(address, { headers: { authorization: `Bearer ${appliance.adminToken}` } });
  owner.teardown(() => socket.terminate());
  const chunks: Buffer[] = [];
  socket.on("message", (data: Buffer) => chunks.push(data));
  return {
    samples: () => {
      const all = Uint8Array.from(Buffer.concat(chunks));
      return new Int16Array(all.buffer, 0, all.length >> 1);
    },
    close: () => socket.close(),
  };
}

t.test(
  "a person hears what QEMU's machine plays, when asked for and not before",
  { timeout: 120_000 },
  async (t) => {
    if (!requirePeers(t, ["qemu-system-x86_64", "chromium"])) return;
    const folder = mkdtempSync(join(tmpdir(), "oc-sound-"));
    t.teardown(() => rmSync(folder, { recursive: true, force: true }));
    const sector = new Uint8Array(1024 * 1024);
    sector.set(HUMMING);
    sector.set([0x55, 0xaa], 510);
    const disk = join(folder, "boot.img");
    writeFileSync(disk, sector);
    const port = await freePort();
    new Program(t, "qemu-system-x86_64", [
      ...["-display", "none", "-machine", "pc,accel=tcg,pcspk-audiodev=speaker", "-m", "32"],
      ...["-nodefaults", "-no-user-config", "-audiodev", "none,id=speaker", "-vga", "std"],
      ...["-drive", `file=${disk},format=raw,if=ide`, "-vnc", `127.0.0.1:${port - 5900},audiodev=speaker`],
    ]);
    const appliance = await Appliance.start(t, { connect: [`vnc://127.0.0.1:${port}`] });
    const desktop = await desktopWithSound(appliance);
    const { samples, close } = hear(t, appliance, desktop.id);
    await until("two seconds of sound", () => samples().length >= 2 * 2 * RATE);
    const heard = pitch(samples());
    t.ok(Math.abs(heard - TONE_HZ) < 10, `${heard.toFixed(1)} Hz`);
    close();

    const { page, complaints } = await signIn(await openBrowser(t), appliance);
    await page.addInitScript(LISTEN_IN);
    await page.goto(`${appliance.url}/desktops/${desktop.id}`);
    const button = page.getByRole("button", { name: "Sound" }).first();
    await button.waitFor();
    const played = (): Promise<number[]> => page.evaluate("window.playedNow");
    t.equal(await button.getAttribute("aria-pressed"), "false");
    t.same(await played(), [], "off until asked for");
    await button.click();
    await until("a second is played", async () => (await played()).length >= RATE);
    const left = Float32Array.from(await played());
    const both = Int16Array.from({ length: left.length * 2 }, (_, i) => (left[i >> 1] ?? 0) * 32_767);
    t.ok(Math.abs(pitch(both) - TONE_HZ) < 10, `${pitch(both).toFixed(1)} Hz in the browser`);
    await looksWell(t, page, "sound");
    await button.click();
    t.equal(await button.getAttribute("aria-pressed"), "false");
    t.same(complaints, []);
  },
);

/** Samples as the sound server of xrdp's session gives them to xrdp: U32 0 for samples, U32 length of all of it. */
function sessionSound(samples: Int16Array): Buffer {
  const header = Buffer.alloc(8);
  header.writeUInt32LE(8 + samples.byteLength, 4);
  return Buffer.concat([header, Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength)]);
}

t.test("a session of xrdp is heard, sample by sample", { timeout: 120_000 }, async (t) => {
  if (!requireRdpTarget(t, "xrdp-xorg")) return;
  const target = await startRdpTarget(t, "xrdp-xorg");
  const appliance = await Appliance.start(t, { connect: [target.url] });
  const { id } = await desktopWithSound(appliance);
  const { samples } = hear(t, appliance, id);
  const player = connect(target.soundSocket ?? "");
  t.teardown(() => player.destroy());
  await once(player, "connect");
  const PIECE = 2 * 2048;
  const play = async (piece: Int16Array): Promise<void> => {
    player.write(sessionSound(piece));
    await pause((PIECE / 2 / RATE) * 1000);
  };
  // What is played before the two have agreed on a format is lost.
  while (samples().length === 0) await play(new Int16Array(PIECE));
  // Half a second, in pieces and at the pace at which a program plays it; xrdp drops what runs too far ahead of us.
  const tone = Int16Array.from({ length: 12 * PIECE }, (_, i) => {
    const angle = (2 * Math.PI * TONE_HZ * (i >> 1)) / RATE;
    return Math.round((i % 2 === 0 ? 9000 : 5000) * Math.cos(angle));
  });
  const heardOfIt = (): Int16Array => {
    const all = samples();
    const start = all.findIndex((sample) => sample !== 0);
    return all.subarray(start < 0 ? all.length : start);
  };
  for (let at = 0; at < tone.length; at += PIECE) {
    await play(tone.subarray(at, at + PIECE));
    await until("what was played before", () => heardOfIt().length >= at - 2 * PIECE);
  }
  // It keeps a piece until the next one comes.
  const whole = tone.length - 2 * PIECE;
  await until("what was played", () => heardOfIt().length >= whole);
  t.same(heardOfIt().subarray(0, whole), tone.subarray(0, whole));
});
