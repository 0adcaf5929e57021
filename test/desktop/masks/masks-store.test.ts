import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t, { type Test } from "tap";
import { PLATFORM } from "../../../src/appliance/open-links.ts";
import { configuredId } from "../../../src/desktop/connections/configured-id.ts";
import { type ConnectionInput, makeConnection } from "../../../src/desktop/connections/connection.ts";
import { Desktops } from "../../../src/desktop/desktops.ts";
import { readMark, storedMark, takeMark } from "../../../src/desktop/masks/mask-mark.ts";
import { MasksStore } from "../../../src/desktop/masks/masks-store.ts";
import { Framebuffer } from "../../../src/framebuffer/framebuffer.ts";
import { rect } from "../../../src/framebuffer/rect.ts";
import { FakeClock } from "../../fake-clock.ts";
import { drawText } from "../../framebuffer/frames.ts";
import { FakeLink } from "../fake-link.ts";
import { HUMAN } from "../house.ts";

const HOST: ConnectionInput = { protocol: "vnc", host: "desk.example" };
const ID = configuredId(makeConnection(HOST, new Date(0)), 0);
const PIN = { rect: rect(1, 2, 30, 40), monitor: null, audiences: ["agent"], label: "PIN" } as const;

function folder(t: Test): string {
  const path = mkdtempSync(join(tmpdir(), "oc-masks-"));
  t.teardown(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** Seals so that a test sees for what, and that no sealed text holds what was sealed. */
const SEALER = {
  seal: (text: string, purpose: string): string => `${purpose}|${[...text].reverse().join("")}`,
  open(sealed: string, purpose: string): string {
    if (!sealed.startsWith(`${purpose}|`)) throw new Error(`sealed for something else than ${purpose}`);
    return [...sealed.slice(purpose.length + 1)].reverse().join("");
  },
};

/** One run of the server, from its start to its end. */
async function run(
  t: Test,
  path: string,
  use: (desktops: Desktops, links: FakeLink[]) => unknown,
): Promise<void> {
  const links: FakeLink[] = [];
  const desktops = new Desktops(
    { mode: "assist", approvalExpiryMs: 45_000 },
    {
      ...PLATFORM,
      clock: new FakeClock(),
      random: () => 0.5,
      onBug: (error) => t.fail(String(error)),
      openLink: () => {
        const link = new FakeLink();
        links.push(link);
        return link;
      },
      store: { load: async () => [], save: async () => {} },
      ownListeners: () => [],
      masks: await MasksStore.open(join(path, "masks.json"), SEALER, (error) => t.fail(String(error))),
      configuredMasks: [
        {
          desktop: "desk.example:5900",
          rect: rect(0, 0, 9, 9),
          monitor: null,
          audiences: ["agent"],
          label: null,
        },
        { desktop: "another", rect: rect(0, 0, 8, 8), monitor: null, audiences: ["agent"], label: null },
      ],
    },
  );
  await desktops.open([HOST]);
  await use(desktops, links);
  await desktops.close();
}

t.test("masks that people drew hide from the first picture of the next run on", async (t) => {
  const path = folder(t);
  await run(t, path, (desktops, [link]) => {
    link?.goLive();
    drawText(link?.framebuffer ?? new Framebuffer(1, 1), rect(60, 20, 60, 30), 5);
    link?.paint(rect(0, 0, 10, 10), 0);
    link?.paint(rect(199, 99, 1, 1), 0);
    const desktop = desktops.get(ID);
    desktop.masks.add(PIN, null, HUMAN);
    const { id } = desktop.masks.add({ ...PIN, label: "gone" }, null, HUMAN);
    desktop.masks.remove(id, HUMAN);
  });
  t.equal(statSync(join(path, "masks.json")).mode & 0o777, 0o600);
  await run(t, path, (desktops, [link]) => {
    const desktop = desktops.get(ID);
    t.match(desktop.masks.all, [
      { isConfigured: true, rect: rect(0, 0, 9, 9) },
      { isConfigured: false, label: "PIN" },
    ]);
    link?.goLive();
    t.same(desktop.hiddenFrom("agent"), [rect(0, 0, 9, 9), rect(1, 2, 30, 40)]);
    const { bytes, offset } = desktop
      .view("agent")
      .picture(false)
      .pixels(rect(20, 20, 1, 1));
    t.equal(bytes[offset], 0x40);
  });
  await run(t, path, (desktops) => desktops.remove(ID, HUMAN));
  t.same(JSON.parse(readFileSync(join(path, "masks.json"), "utf8")).desktops, {}, "removed with its desktop");
});

t.test("what is followed outlasts the process, and what is no mark is refused", async (t) => {
  const frame = new Framebuffer(200, 100, { hasKernels: true });
  drawText(frame, rect(20, 20, 60, 30), 5);
  const mark = takeMark(frame, rect(20, 20, 60, 30));
  const path = join(folder(t), "masks.json");
  const fail = (error: unknown): void => void t.fail(String(error));
  const first = await MasksStore.open(path, SEALER, fail);
  first.set("d", [{ ...PIN, mark, id: "m", createdAt: "2026-11-25T00:00:00.000Z" }]);
  await first.flush();
  const [kept] = (await MasksStore.open(path, SEALER, fail)).of("d");
  t.same(kept?.mark?.patch.words, mark.patch.words);
  t.same(kept?.mark?.chosenAt, { x: 20, y: 20 });
  const onDisk = readFileSync(path, "utf8");
  t.notMatch(onDisk, storedMark(mark).pixels, "what is to be hidden does not lie open on the disk");
  writeFileSync(path, onDisk.replace("mask:m:anchor", "mask:n:anchor"));
  await t.rejects(MasksStore.open(path, SEALER, fail), /something else/, "nor does another mask take it");
  const open = JSON.parse(onDisk);
  open.desktops.d[0].anchor = storedMark(mark);
  writeFileSync(path, JSON.stringify(open));
  const old = await MasksStore.open(path, SEALER, fail);
  t.same(old.of("d")[0]?.mark?.patch.words, mark.patch.words, "a file of an older version is read");
  old.set("d", old.of("d"));
  await old.flush();
  t.notMatch(readFileSync(path, "utf8"), storedMark(mark).pixels, "and sealed when it is written next");
  delete open.desktops.d[0].anchor.pixels;
  writeFileSync(path, JSON.stringify(open));
  await t.rejects(MasksStore.open(path, SEALER, fail), { code: "invalid_parameters" });
  const text = { kinds: ["email"] as const, pattern: "PRJ-\\d+" };
  first.set("t", [{ ...PIN, text, mark: null, id: "t", createdAt: "2026-11-25T00:00:00.000Z" }]);
  await first.flush();
  t.match(
    (await MasksStore.open(path, SEALER, fail)).of("t"),
    [{ id: "t", text, mark: null }],
    "text as well",
  );
  const written = storedMark(mark);
  for (const broken of [
    { ...written, width: 61 },
    { ...written, pixels: "AAAA" },
    { ...written, width: 4096, height: 4096 },
  ])
    t.throws(() => readMark(broken), { code: "invalid_parameters" });
});

t.test("a file that is not ours stops the start: without it what was hidden would be shown", async (t) => {
  const path = join(folder(t), "masks.json");
  writeFileSync(path, '{"version":1,"desktops":{"d":[{"rect":{}}]}}');
  await t.rejects(
    MasksStore.open(path, SEALER, () => {}),
    { code: "invalid_parameters" },
  );
});
