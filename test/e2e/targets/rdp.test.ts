import t from "tap";
import { TargetTrust } from "../../../src/desktop/connections/trust-policy.ts";
import type { LinkError } from "../../../src/desktop/error.ts";
import { keysymOf } from "../../../src/desktop/input/keyboard.ts";
import { Region } from "../../../src/framebuffer/region.ts";
import { until } from "../../support/until.ts";
import { differenceOf, type Shot } from "../harness/xwd.ts";
import { RdpSession, SIZE } from "./rdp-session.ts";
import { RDP_TARGETS, type RdpTarget, requireRdpTarget, startRdpTarget } from "./rdp-target.ts";

const KEYSYM = { return: 0xff0d, shift: 0xffe1, control: 0xffe3 } as const;

for (const kind of RDP_TARGETS) {
  t.test(`${kind}: its picture is ours, pixel for pixel`, { timeout: 120_000 }, async (t) => {
    if (!requireRdpTarget(t, kind)) return;
    for (const colourDepth of [32, 24] as const) {
      const target = await startRdpTarget(t, kind);
      const session = new RdpSession(t, target, { colourDepth });
      await session.ear.next("ready");
      await until("pixels", () => session.ear.said.some(({ type }) => type === "update"));
      if (target.display !== null) await target.display.isUp();
      await settlePointer(session, target);
      t.equal(
        await session.differenceFrom(() => target.truth(), kind === "weston" ? withoutCorner : differenceOf),
        null,
        `${colourDepth} bits a pixel`,
      );
      session.link.close();
    }
  });
}

for (const kind of ["xrdp-xorg", "xrdp-xvnc", "shadow-tls", "shadow-nla"] as const) {
  t.test(`${kind}: clicks land and keys type`, { timeout: 120_000 }, async (t) => {
    if (!requireRdpTarget(t, kind, ["xterm", "xev"])) return;
    const target = await startRdpTarget(t, kind);
    const session = new RdpSession(t, target);
    await session.ear.next("ready");
    const { display } = target;
    if (display === null) throw new Error("a target without a display");
    await display.isUp();
    const typewriter = await display.openTypewriter(t.testdir(), "60x5+10+300");
    const probe = await display.openButtonProbe("300x200+500+20");

    const points = [
      { x: 520, y: 60, button: 1, mask: 1 },
      { x: 640, y: 100, button: 3, mask: 4 },
      { x: 700, y: 111, button: 2, mask: 2 },
      { x: 701, y: 112, button: 4, mask: 8 },
      { x: 701, y: 112, button: 5, mask: 16 },
    ];
    for (const [index, { x, y, mask }] of points.entries()) {
      session.link.pointer(x, y, 0);
      session.link.pointer(x, y, mask);
      session.link.pointer(x, y, 0);
      await until(`press ${index + 1}`, () => probe.presses().length > index);
    }
    t.same(
      probe.presses(),
      points.map(({ x, y, button }) => ({ x, y, button })),
    );

    session.link.pointer(100, 330, 0);
    session.link.pointer(100, 330, 1);
    session.link.pointer(100, 330, 0);
    await display.command("xdotool", "windowfocus", "--sync", typewriter.window);
    await session.link.barrier();
    const text = "Hello, World! ~`\\|{}[]<>?@#$%^&*()_+-=;:'\"/ zZyYqQ";
    for (const character of text) {
      const keysym = character.charCodeAt(0);
      session.link.key(keysym, true, null);
      session.link.key(keysym, false, null);
    }
    await until("what was typed", () => typewriter.read().length >= text.length).catch(() => undefined);
    t.equal(typewriter.read(), text);
    const before = await display.shot();
    session.link.key(KEYSYM.return, true, null);
    session.link.key(KEYSYM.return, false, null);
    await until("Return", () => typewriter.read().length > text.length);
    t.equal(await session.differenceFrom(() => target.truth()), null, "the picture after all that");
    t.equal(before.width, SIZE.width);
  });
}

for (const kind of ["xrdp-xorg", "xrdp-xvnc"] as const) {
  t.test(`${kind}: the clipboard goes both ways`, { timeout: 120_000 }, async (t) => {
    if (!requireRdpTarget(t, kind, ["xclip"])) return;
    const target = await startRdpTarget(t, kind);
    const session = new RdpSession(t, target);
    await session.ear.next("ready");
    const { display } = target;
    if (display === null) throw new Error("a target without a display");
    await display.isUp();
    const given = "zum Gerät: grüße €Ω\nzwei Zeilen";
    const arrives = until("our text on the target's clipboard", async () => {
      session.link.clipboard(given);
      return (await display.readClipboard()).replaceAll("\r\n", "\n") === given;
    });
    t.ok(await arrives, "to the target");
    const taken = "from the target: ñandú €Ω";
    await display.writeClipboard(taken);
    const comes = until("its text", () => {
      const heard = session.ear.said.findLast(({ type }) => type === "clipboard");
      return heard?.type === "clipboard" && heard.text === taken;
    });
    t.ok(await comes, "from the target");
  });
}

t.test("xrdp-xvnc: a resize is granted and the picture follows", { timeout: 120_000 }, async (t) => {
  if (!requireRdpTarget(t, "xrdp-xvnc")) return;
  const target = await startRdpTarget(t, "xrdp-xvnc");
  const session = new RdpSession(t, target);
  await session.ear.next("ready");
  await target.display?.isUp();
  await settlePointer(session, target);
  t.equal(await session.differenceFrom(() => target.truth()), null, "before");
  for (const [width, height] of [
    [1280, 720],
    [800, 600],
  ] as const) {
    await until("display control", () => session.link.resize(width, height));
    await until("the new size", () => session.link.framebuffer.width === width);
    const heard = session.ear.said.findLast(({ type }) => type === "resize");
    t.match(heard, { screens: [{ id: 0, rect: { x: 0, y: 0, width, height } }] });
    t.equal(await session.differenceFrom(() => target.truth()), null, `${width}x${height}`);
  }
});

for (const kind of ["xrdp-xorg", "xrdp-xvnc"] as const) {
  t.test(
    `${kind}: a session with two monitors has them where they were asked for`,
    { timeout: 120_000 },
    async (t) => {
      if (!requireRdpTarget(t, kind, ["xrandr"])) return;
      const target = await startRdpTarget(t, kind);
      const monitors = [
        { x: 0, y: 0, width: 800, height: 600 },
        { x: 800, y: 0, width: 640, height: 480 },
      ];
      const session = new RdpSession(t, target, { monitors, size: { width: 1440, height: 600 } });
      await session.ear.next("ready");
      const { display } = target;
      if (display === null) throw new Error("a target without a display");
      await display.isUp();
      await settlePointer(session, target);
      const listed = await display.command("xrandr", "--listmonitors");
      t.same(
        [...listed.matchAll(/ (\d+)\/\d+x(\d+)\/\d+\+(\d+)\+(\d+) /g)].map((place) =>
          place.slice(1).map(Number),
        ),
        [
          [800, 600, 0, 0],
          [640, 480, 800, 0],
        ],
      );
      t.equal(await session.differenceFrom(() => target.truth()), null, "one picture over both");
    },
  );
}

for (const kind of ["xrdp-xorg", "xrdp-xvnc", "shadow-tls"] as const) {
  t.test(`${kind}: unwatched it is silent, and asked it is up to date`, { timeout: 120_000 }, async (t) => {
    if (!requireRdpTarget(t, kind, ["xterm"])) return;
    const target = await startRdpTarget(t, kind);
    const session = new RdpSession(t, target);
    await session.ear.next("ready");
    const { display } = target;
    if (display === null) throw new Error("a target without a display");
    await display.isUp();
    await settlePointer(session, target);
    t.equal(await session.differenceFrom(() => target.truth()), null, "watched");
    session.link.follow(false);
    await display.command("xsetroot", "-solid", "#123456");
    await display.openTerminal("late", "60x10+50+60", "echo unseen; exec cat");
    await until("the window in the truth", async () => {
      const { rgba, width } = await target.truth();
      return rgba[(100 * width + 100) * 4] !== 0x12;
    });
    t.not(differenceOf(session.shot, await target.truth()), null, "nothing came meanwhile");
    t.equal(await session.differenceFrom(() => target.truth()), null, "a question brings it all");
  });
}

for (const kind of ["xrdp-xorg", "xrdp-xvnc", "shadow-tls"] as const) {
  t.test(`${kind}: let go on, it answers with every pixel`, { timeout: 120_000 }, async (t) => {
    if (!requireRdpTarget(t, kind)) return;
    const target = await startRdpTarget(t, kind);
    const { link, ear } = new RdpSession(t, target);
    await ear.next("ready");
    await until("pixels", () => ear.said.some(({ type }) => type === "update"));
    await target.display?.isUp();
    // Nothing was asked before the host is told to be silent, so no older answer counts.
    link.follow(false);
    const before = ear.said.length;
    await link.barrier();
    const painted = ear.said
      .slice(before)
      .reduce((sum, said) => (said.type === "update" ? sum.union(said.painted) : sum), Region.empty);
    t.same(painted.rects, [link.framebuffer.rect], "all of it was there when the barrier was passed");
    link.follow(true);
    if (kind === "shadow-tls") {
      await link.barrier();
      await link.barrier();
      t.equal(link.showsWithinMs(), undefined, "of other hosts an answer says nothing");
      return;
    }
    // What a session that has just begun paints may come with an answer, which then is none for sure.
    await until("an answer that is nothing else", async () => {
      await link.barrier();
      return link.showsWithinMs() !== undefined;
    });
  });
}

t.test("16 bits a pixel lose the lower bits of each colour and no more", { timeout: 120_000 }, async (t) => {
  if (!requireRdpTarget(t, "xrdp-xorg", ["xterm"])) return;
  const target = await startRdpTarget(t, "xrdp-xorg");
  const session = new RdpSession(t, target, { colourDepth: 16 });
  await session.ear.next("ready");
  await target.display?.isUp();
  await target.display?.command("xsetroot", "-solid", "#1f2f3f");
  const isClose = (got: Shot, wanted: Shot): string | null => {
    const worst = got.rgba.reduce(
      (most, value, i) => Math.max(most, Math.abs(value - (wanted.rgba[i] ?? 0))),
      0,
    );
    return worst <= 7 ? null : `${worst} off`;
  };
  t.equal(await session.differenceFrom(() => target.truth(), isClose), null);
});

t.test("xrdp is not asked for 8 bits a pixel, and that is said", { timeout: 120_000 }, async (t) => {
  if (!requireRdpTarget(t, "xrdp-xorg")) return;
  const target = await startRdpTarget(t, "xrdp-xorg");
  const error = await endOf(new RdpSession(t, target, { colourDepth: 8 }));
  t.match(error, { isFinal: true, message: /8 bits a pixel: ask for a depth of 15 or more/ });
});

t.test("xrdp types what its session's layout has, and the rest is known", { timeout: 120_000 }, async (t) => {
  if (!requireRdpTarget(t, "xrdp-xorg", ["xterm"])) return;
  const german = "Grüße: äöüß€ ÄÖÜ @ yz YZ -_#'+*~";
  const folder = t.testdir();
  for (const [layout, text] of [
    [0x409, "plain"],
    [0x407, german],
  ] as const) {
    const target = await startRdpTarget(t, "xrdp-xorg");
    const session = new RdpSession(t, target, { keyboardLayout: layout });
    await session.ear.next("ready");
    const { display } = target;
    if (display === null) throw new Error("a target without a display");
    await display.isUp();
    const typewriter = await display.openTypewriter(folder, "60x5+10+300");
    await display.command("xdotool", "windowfocus", "--sync", typewriter.window);
    await session.link.barrier();
    for (const character of text) {
      const keysym = keysymOf(character) ?? 0;
      if (!session.link.canType(keysym)) t.fail(`${character} cannot be typed`);
      session.link.key(keysym, true, null);
      session.link.key(keysym, false, null);
      await session.link.barrier();
    }
    await until("what was typed", () => typewriter.read().length >= text.length).catch(() => undefined);
    t.equal(typewriter.read(), text);
    t.equal(session.link.canType(keysymOf("€") ?? 0), layout !== 0x409);
    session.link.close();
  }
});

t.test("who may not sign in is told so, once", { timeout: 120_000 }, async (t) => {
  if (!requireRdpTarget(t, "shadow-nla")) return;
  const target = await startRdpTarget(t, "shadow-nla");
  const error = await endOf(new RdpSession(t, target, { password: "not the password" }));
  t.match(error, { code: "auth_failed", isFinal: true, message: /user name and password/ });
  t.notMatch(error.message, /not the password/);
});

t.test("xrdp shows who may not sign in its own dialogue", { timeout: 120_000 }, async (t) => {
  if (!requireRdpTarget(t, "xrdp-xorg")) return;
  const target = await startRdpTarget(t, "xrdp-xorg");
  const session = new RdpSession(t, target, { password: "not the password" });
  await session.ear.next("ready");
  await until("its dialogue", () => session.ear.said.some(({ type }) => type === "update"));
  const isRefused = (): boolean => /login failed|Access denied/i.test(target.log());
  t.ok(await until("its refusal", isRefused).catch(() => false), target.log().slice(-500));
});

t.test(
  "a certificate that is not believed ends it before anything is said",
  { timeout: 120_000 },
  async (t) => {
    for (const kind of ["xrdp-xorg", "shadow-nla"] as const) {
      if (!requireRdpTarget(t, kind)) return;
      const target = await startRdpTarget(t, kind);
      const { port } = target;
      const trustWith = (fingerprint: string | null): TargetTrust =>
        new TargetTrust({ host: "127.0.0.1", port, fingerprint }, "ca", null);
      const unknown = await endOf(new RdpSession(t, target, { trust: trustWith(null) }));
      t.match(unknown, { code: "refused", isFinal: true, message: /is not trusted/ });
      const other = await endOf(new RdpSession(t, target, { trust: trustWith("0".repeat(64)) }));
      t.match(other, { code: "cert_mismatch", isFinal: true });
      t.notMatch(target.log(), /login|NEGOTIATE/i, `${kind} heard no name`);
    }
  },
);

t.test("a host without NLA is refused where NLA is required", { timeout: 120_000 }, async (t) => {
  if (!requireRdpTarget(t, "xrdp-xorg")) return;
  const target = await startRdpTarget(t, "xrdp-xorg");
  const error = await endOf(new RdpSession(t, target, { needsNla: true }));
  t.match(error, { code: "no_common_auth", isFinal: true });
});

t.test("a killed server is noticed, and its session found again", { timeout: 120_000 }, async (t) => {
  if (!requireRdpTarget(t, "xrdp-xorg", ["xterm"])) return;
  const target = await startRdpTarget(t, "xrdp-xorg");
  const first = new RdpSession(t, target);
  await first.ear.next("ready");
  const { display } = target;
  if (display === null) throw new Error("a target without a display");
  await display.isUp();
  const typewriter = await display.openTypewriter(t.testdir(), "60x5+10+300");
  await target.kill();
  t.match(await endOf(first), { isFinal: false });
  await target.restart();
  const second = new RdpSession(t, target);
  await second.ear.next("ready");
  t.equal(await second.differenceFrom(() => target.truth()), null, "the same session, and its picture");
  t.equal(await display.windowOf("typewriter"), typewriter.window);
});

/** What a link ends with that is going to. */
async function endOf({ ear }: RdpSession): Promise<LinkError> {
  return await until("the end", () => {
    const end = ear.said.find(({ type }) => type === "closed");
    return end?.type === "closed" ? end.error : null;
  });
}

/** Weston draws the pointer into the picture, and Xvnc does until its viewer has moved it: into the corner. */
async function settlePointer({ link }: RdpSession, { display }: RdpTarget): Promise<void> {
  let step = 0;
  await until("the pointer in the corner", async () => {
    link.pointer(2 + (step++ % 2), 2, 0);
    await link.latest();
    return display === null || (await display.pointer()).y === 2;
  });
}

/** What Weston shows but the corner that its pointer is in. */
function withoutCorner(got: Shot, wanted: Shot): string | null {
  const cut = (shot: Shot): Shot => {
    const rgba = shot.rgba.slice();
    for (let y = 0; y < 48; y++) rgba.fill(0, y * shot.width * 4, (y * shot.width + 48) * 4);
    return { ...shot, rgba };
  };
  return differenceOf(cut(got), cut(wanted));
}
